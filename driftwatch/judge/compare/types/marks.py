"""Deprecations inside types that otherwise mean the same. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from driftwatch.judge.compare.types.edits import Edit
from driftwatch.judge.compare.types.shapes import (
    Node,
    are_arrays,
    discriminants,
    is_object,
    is_promise,
    is_reference,
    properties,
    segment,
    tag_of,
)
from driftwatch.judge.compare.types.text import show
from driftwatch.judge.compare.types.walk import Walk


def marks(walk: Walk, path: str, old: Node, new: Node) -> Iterator[Edit]:
    """What is marked deprecated on one side only, of two types that mean the same. What stands behind a name is told at its
    own definition."""
    if old == new or not isinstance(old, dict) or not isinstance(new, dict):
        return
    if is_object(old) and is_object(new):
        yield from _members(walk, path, old["obj"], new["obj"])
    elif are_arrays(old, new):
        yield from marks(walk, path + "[]", old["args"][0], new["args"][0])
    elif is_promise(old) and is_promise(new):
        yield from marks(walk, path, old["args"][0], new["args"][0])
    elif is_reference(old) and is_reference(new):
        for a, b in zip(old.get("args", ()), new.get("args", ()), strict=False):
            yield from marks(walk, path, a, b)
    else:
        yield from _parts(walk, path, old, new)


def _parts(walk: Walk, path: str, old: Node, new: Node) -> Iterator[Edit]:
    """Members of a union, each with the one that means the same; parts of an intersection or a tuple."""
    if "union" in old and "union" in new:
        for a, b in _twins(walk, _flat(old), _flat(new)):
            yield from marks(walk, f"{path}({tag_of(discriminants(a, walk.old))})", a, b)
    elif "inter" in old and "inter" in new:
        for a, b in _twins(walk, old["inter"], new["inter"]):
            yield from marks(walk, path, a, b)
    elif "tuple" in old and "tuple" in new:
        for number, (x, y) in enumerate(zip(old["tuple"], new["tuple"], strict=False)):
            yield from marks(walk, f"{path}[{number}]", x["t"], y["t"])


def _flat(node: Node) -> list[Node]:
    """The members of a union; unions without a name inside it are part of it."""
    if isinstance(node, dict) and "union" in node:
        return [one for part in node["union"] for one in _flat(part)]
    return [node]


def _twins(walk: Walk, old: list[Node], new: list[Node]) -> Iterator[tuple[Node, Node]]:
    come = [one for one in new if one not in old]
    for one in old:
        if one not in new and (hit := next((n for n, other in enumerate(come) if walk.same(one, other)), None)) is not None:
            yield one, come.pop(hit)


def _members(walk: Walk, path: str, a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[Edit]:
    before, after = properties(a), properties(b)
    for name in sorted(before.keys() & after.keys()):
        yield from walk.deprecation(path + segment(name), before[name], after[name])
        yield from marks(walk, path + segment(name), before[name]["t"], after[name]["t"])
    for call, step in (("call", ""), ("new", ".new")):
        for one, other in zip(a.get(call, ()), b.get(call, ()), strict=False):
            yield from _signature(walk, path + step, one, other)
    for x, y in zip(a.get("index", ()), b.get("index", ()), strict=False):
        yield from marks(walk, f"{path}[{show(x['k'])}]", x["t"], y["t"])


def _signature(walk: Walk, path: str, one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[Edit]:
    yield from walk.deprecation(path, one, other)
    for number, (x, y) in enumerate(zip(one["p"], other["p"], strict=False)):
        yield from marks(walk, f"{path}({number})", x["t"], y["t"])
    yield from marks(walk, f"{path}()", one["r"], other["r"])
