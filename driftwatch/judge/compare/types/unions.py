"""Two unions: members that are the same one changed, and members that came or went. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from driftwatch.judge.compare.types.edits import Edit
from driftwatch.judge.compare.types.marks import marks
from driftwatch.judge.compare.types.moves import moved
from driftwatch.judge.compare.types.naming import kind_at
from driftwatch.judge.compare.types.shapes import (
    NULLISH,
    Definitions,
    Node,
    alternatives,
    are_arrays,
    body,
    discriminants,
    is_object,
    properties,
    tag_of,
)
from driftwatch.judge.compare.types.text import show
from driftwatch.judge.compare.types.walk import Spot, Walk


def unions(walk: Walk, path: str, old: Node, new: Node, spot: Spot) -> Iterator[Edit]:
    left, right = alternatives(old, walk.old), alternatives(new, walk.new)
    yield from marks(walk, path, old, new)
    gone, come = unpaired(walk, left, right)
    for a, b, tag in alike(walk, gone, come):
        yield from walk.slot(f"{path}({tag})", a, b, spot)
    if gone and come and len(gone) == len(left):
        yield moved(walk, path, old, new, spot)
        return
    if gone and come and _absorbed(walk, gone, come):
        yield moved(walk, path, old, new, spot)
        return
    yield from _members(walk, path, old, new, gone, come, spot)


def _absorbed(walk: Walk, gone: list[Node], come: list[Node]) -> bool:
    """What left is covered by what came (``"a" | "b"`` -> ``string``), or the reverse: one move, not two."""
    return all(any(walk.forth(one, other) for other in come) for one in gone) or all(
        any(walk.back(one, other) for other in gone) for one in come
    )


def _members(walk: Walk, path: str, old: Node, new: Node, gone: list[Node], come: list[Node], spot: Spot) -> Iterator[Edit]:
    was_union = len([one for one in alternatives(old, walk.old) if one not in NULLISH]) > 1
    is_union = len([one for one in alternatives(new, walk.new) if one not in NULLISH]) > 1
    for rows, removed in ((gone, True), (come, False)):
        if not rows:
            continue
        nullish = all(one in NULLISH for one in rows)
        listed = sorted(show(one, 120) for one in rows)
        union = was_union and is_union and not nullish
        kind = kind_at("narrowed" if removed else "widened", spot)
        if union and spot.given and spot.slot == "value":
            kind = "union-member-removed" if removed else "union-member-added"
        yield walk.edit(path, kind, show(old), show(new), members=listed)


def unpaired(walk: Walk, left: list[Node], right: list[Node]) -> tuple[list[Node], list[Node]]:
    come = list(right)
    gone = []
    for one in left:
        hit = next((n for n, other in enumerate(come) if walk.same(one, other)), None)
        if hit is None:
            gone.append(one)
        else:
            del come[hit]
    return gone, come


def alike(walk: Walk, gone: list[Node], come: list[Node]) -> list[tuple[Node, Node, str]]:
    """Members of two unions that are the same one, changed: told apart by a literal property, or the only object."""
    pairs: list[tuple[Node, Node, str]] = []
    for one in list(gone):
        tags = discriminants(one, walk.old)
        fitting = [other for other in come if _tagged_alike(tags, discriminants(other, walk.new))]
        if fitting:
            names = _names(walk, one, walk.old)
            other = max(fitting, key=lambda each: len(names & _names(walk, each, walk.new)))
            shared = {name: tags[name] for name in tags if discriminants(other, walk.new).get(name) == tags[name]}
            pairs.append((one, other, tag_of(shared)))
            gone.remove(one)
            come.remove(other)
    untagged = _near(walk, gone, come)
    if untagged and len(untagged) == len(gone) == len(come):
        pairs += untagged
        gone.clear()
        come.clear()
    return pairs


def _near(walk: Walk, gone: list[Node], come: list[Node]) -> list[tuple[Node, Node, str]]:
    """Objects without a telling literal, each with the one most like it: only taken when it leaves nothing over."""
    rest, found = list(come), []
    for one in gone:
        near = [
            other for other in rest if _objects_both(walk, one, other) and _overlap(walk, one, other, len(gone) == len(come) == 1)
        ]
        if near:
            other = max(near, key=lambda each: _overlap(walk, one, each, True))
            found.append((one, other, tag_of(discriminants(one, walk.old))))
            rest.remove(other)
    return found


def _overlap(walk: Walk, old: Node, new: Node, alone: bool) -> float:
    """How much of two objects' property names is common; 0 when that is less than half, unless they are the only two."""
    one, other = _names(walk, old, walk.old), _names(walk, new, walk.new)
    part = (len(one & other) + 0.1) / (len(one | other) + 0.1)
    return part if alone or part >= 0.5 else 0.0


def _names(walk: Walk, node: Node, definitions: Definitions) -> set[str]:
    inside = body(node, definitions)
    return set(properties(inside["obj"])) if is_object(inside) else set()


def _objects_both(walk: Walk, old: Node, new: Node) -> bool:
    if are_arrays(old, new):
        return True
    one, other = discriminants(old, walk.old), discriminants(new, walk.new)
    if any(name in other and other[name] != one[name] for name in one):
        return False
    return is_object(body(old, walk.old)) and is_object(body(new, walk.new))


def _tagged_alike(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """At least one literal in common, and none that differs."""
    return any(other.get(name) == value for name, value in one.items()) and all(
        other.get(name, value) == value for name, value in one.items()
    )
