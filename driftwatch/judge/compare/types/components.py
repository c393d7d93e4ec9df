"""Who leads to whom in a graph, with circles as one: types that speak of each other all reach the same. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def components(edges: Mapping[str, Iterable[str]], nodes: Iterable[str]) -> dict[str, int]:
    """Every node that can be come to -> the number of its circle (strongly connected component). What an edge of a circle
    leads to has a smaller number, or the same. Tarjan's algorithm, without recursion: a chain of types may be long."""
    found: dict[str, int] = {}
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    circles = 0
    for root in nodes:
        if root in order:
            continue
        order[root] = low[root] = len(order)
        stack.append(root)
        work = [(root, iter(edges.get(root, ())))]
        while work:
            node, targets = work[-1]
            for target in targets:
                if target not in order:
                    order[target] = low[target] = len(order)
                    stack.append(target)
                    work.append((target, iter(edges.get(target, ()))))
                    break
                if target not in found:
                    low[node] = min(low[node], order[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == order[node]:
                    while stack:
                        found[stack[-1]] = circles
                        if stack.pop() == node:
                            break
                    circles += 1
    return found
