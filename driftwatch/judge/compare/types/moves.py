"""A type that moved as a whole: wider, narrower, another, or into a promise. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from driftwatch.judge.compare.types.edits import Edit
from driftwatch.judge.compare.types.naming import kind_at
from driftwatch.judge.compare.types.shapes import Node, is_promise
from driftwatch.judge.compare.types.text import show
from driftwatch.judge.compare.types.walk import Spot, Walk


def moved(walk: Walk, path: str, old: Node, new: Node, spot: Spot) -> Edit:
    """The type as a whole: wider, narrower, or another."""
    forth, back = walk.forth(old, new), walk.back(new, old)
    direction = "changed"
    if new == "any" and old != "any":
        direction = "any"
    elif old == "any" or forth is back:
        direction = "changed"
    elif forth and back is False:
        direction = "widened"
    elif back and forth is False:
        direction = "narrowed"
    return walk.edit(path, kind_at(direction, spot), show(old), show(new))


def asynchrony(walk: Walk, path: str, old: Node, new: Node) -> Iterator[Edit]:
    kind = "became-async" if is_promise(new) else "became-sync"
    plain = new["args"][0] if is_promise(new) else new
    before = old["args"][0] if is_promise(old) else old
    hidden = walk.same(before, plain)
    yield walk.edit(path, kind if hidden else "return-changed", show(old), show(new))
