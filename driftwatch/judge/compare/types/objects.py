"""Two objects: their properties, index signatures and what they can be called with. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from driftwatch.judge.compare.types.edits import Edit
from driftwatch.judge.compare.types.naming import added, member, optional
from driftwatch.judge.compare.types.shapes import properties, segment
from driftwatch.judge.compare.types.signatures import calls
from driftwatch.judge.compare.types.text import show
from driftwatch.judge.compare.types.walk import Spot, Walk


def objects(walk: Walk, path: str, a: Mapping[str, Any], b: Mapping[str, Any], spot: Spot) -> Iterator[Edit]:
    old, new = properties(a), properties(b)
    inner = replace(spot, slot="value")
    for name in sorted({*old, *new}):
        here = path + segment(name)
        if name not in new and (index := _index(b)) is not None:
            yield from _undeclared(walk, here, old[name], index, inner)
        elif name not in new:
            yield walk.edit(
                here, "removed" if spot.given else "param-field-removed", member(old[name]), None, **optional(old[name])
            )
        elif name not in old and new[name].get("o") and (index := _index(a)) is not None:
            found = list(walk.slot(here, index["t"], new[name]["t"], inner))
            yield from found or [walk.edit(here, "respelled", "by the index signature", member(new[name]))]
        elif name not in old:
            yield walk.edit(here, added(new[name], spot), None, member(new[name]))
        else:
            yield from _property(walk, here, old[name], new[name], inner)
    yield from _indexes(walk, path, a.get("index", ()), b.get("index", ()), inner)
    yield from calls(walk, path, a.get("call", ()), b.get("call", ()), spot)
    yield from calls(walk, path + ".new", a.get("new", ()), b.get("new", ()), replace(spot, hook=False))


def _undeclared(walk: Walk, path: str, old: Mapping[str, Any], index: Mapping[str, Any], spot: Spot) -> Iterator[Edit]:
    """A key that is no longer declared is still there by the index signature, with the type that has."""
    found = list(walk.slot(path, old["t"], index["t"], spot))
    yield from found or [walk.edit(path, "respelled", member(old), "by the index signature")]


def _property(walk: Walk, path: str, old: Mapping[str, Any], new: Mapping[str, Any], spot: Spot) -> Iterator[Edit]:
    if bool(old.get("o")) != bool(new.get("o")):
        optional = bool(new.get("o"))
        given = "became-optional" if optional else "became-required"
        yield walk.edit(
            path, given if spot.given else f"param-field-{'optional' if optional else 'required'}", member(old), member(new)
        )
    if bool(old.get("r")) != bool(new.get("r")):
        kind = "readonly-added" if new.get("r") else "readonly-removed"
        yield walk.edit(path, kind if spot.given else f"param-{kind}", member(old), member(new))
    yield from walk.deprecation(path, old, new)
    yield from walk.slot(path, old["t"], new["t"], spot)


def _indexes(walk: Walk, path: str, old: Any, new: Any, spot: Spot) -> Iterator[Edit]:
    before, after = {show(row["k"]): row for row in old}, {show(row["k"]): row for row in new}
    for name in sorted({*before, *after}):
        here = f"{path}[{name}]"
        if name not in after:
            yield walk.edit(here, "index-removed", show(before[name]["t"]), None)
        elif name not in before:
            yield walk.edit(here, "index-added", None, show(after[name]["t"]))
        else:
            yield from _property(walk, here, {**before[name], "n": name}, {**after[name], "n": name}, spot)


def _index(shape: Mapping[str, Any]) -> Mapping[str, Any] | None:
    return next((row for row in shape.get("index", ()) if row["k"] == "string"), None)
