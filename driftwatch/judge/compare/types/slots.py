"""What differs between the types at one place, told at the deepest place that has a name. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from driftwatch.judge.compare.types.edits import Edit
from driftwatch.judge.compare.types.marks import marks
from driftwatch.judge.compare.types.moves import asynchrony, moved
from driftwatch.judge.compare.types.objects import objects
from driftwatch.judge.compare.types.shapes import (
    Node,
    alternatives,
    are_arrays,
    body,
    is_missing,
    is_object,
    is_promise,
    is_reference,
)
from driftwatch.judge.compare.types.unions import unions, unpaired
from driftwatch.judge.compare.types.walk import Spot, Walk


def slot(walk: Walk, path: str, old: Node, new: Node, spot: Spot) -> Iterator[Edit]:
    """What differs between the types at one place."""
    if walk.same(old, new):
        yield from marks(walk, path, old, new)
        return
    if is_missing(old) or is_missing(new):
        return  # a gap says so; what is not known did not change
    if are_arrays(old, new):
        yield from walk.slot(path + "[]", old["args"][0], new["args"][0], spot)
        return
    if spot.slot == "return" and is_promise(old) != is_promise(new):
        yield from asynchrony(walk, path, old, new)
        return
    if is_promise(old) and is_promise(new):
        yield from walk.slot(path, old["args"][0], new["args"][0], spot)
        return
    if is_reference(old) and is_reference(new) and walk.same.names(old["ref"], new["ref"]):
        yield from _arguments(walk, path, old, new, spot)
        return
    a, b = body(old, walk.old), body(new, walk.new)
    if isinstance(a, dict) and isinstance(b, dict) and "inter" in a and "inter" in b:
        yield from _intersections(walk, path, a, b, spot)
    elif is_object(a) and is_object(b):
        yield from _behind(walk, path, old, new, a["obj"], b["obj"], spot)
    elif len(alternatives(old, walk.old)) > 1 or len(alternatives(new, walk.new)) > 1:
        yield from unions(walk, path, old, new, spot)
    else:
        yield moved(walk, path, old, new, spot)


def _intersections(walk: Walk, path: str, old: Mapping[str, Any], new: Mapping[str, Any], spot: Spot) -> Iterator[Edit]:
    """Told inside when one part of the intersection moved, else as a whole."""
    yield from marks(walk, path, old, new)
    gone, come = unpaired(walk, old["inter"], new["inter"])
    if len(gone) == 1 == len(come):
        yield from walk.slot(path, gone[0], come[0], spot)
    else:
        yield moved(walk, path, old, new, spot)


def _behind(walk: Walk, path: str, old: Node, new: Node, a: Any, b: Any, spot: Spot) -> Iterator[Edit]:
    """Inside two objects, at most one of them looked at twice under the same names: the way in has told what differs in them,
    only their arguments may be others. Where one name took another's place everywhere, what is behind them is told until it is
    enough (see Walk.enough); from then on the replacement itself is, once a place."""
    names = (str(old.get("ref", "")), str(new.get("ref", "")))
    pair = (repr(old)[:4000], repr(new)[:4000])
    if pair in walk.looked or (all(names) and names in walk.behind):
        return
    if any(names):
        walk.looked.add(pair)
    before = walk.via
    if all(names):
        walk.via = (f"{names[0]} -> {names[1]}", len(path))
    if all(names) and walk.enough(names):
        yield moved(walk, path, old, new, spot)
    else:
        walk.behind.append(names)
        yield from objects(walk, path, a, b, spot)
        walk.behind.pop()
    walk.via = before


def _arguments(walk: Walk, path: str, old: Node, new: Node, spot: Spot) -> Iterator[Edit]:
    """The same generic name over other types: one change, since only the name knows what becomes of its arguments."""
    edit = moved(walk, path, old, new, spot)
    both = zip(old.get("args", ()), new.get("args", ()), strict=False)
    yield replace(edit, parts=tuple(part for a, b in both for part in walk.slot(path, a, b, replace(spot, slot="value"))))
