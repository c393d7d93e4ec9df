"""What can be called: overloads, parameters, results. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from driftwatch.judge.compare.types.edits import Edit
from driftwatch.judge.compare.types.generics import type_parameters
from driftwatch.judge.compare.types.naming import kind_at
from driftwatch.judge.compare.types.shapes import element, substitute
from driftwatch.judge.compare.types.text import show, signature
from driftwatch.judge.compare.types.walk import Spot, Walk


def calls(walk: Walk, path: str, old: Any, new: Any, spot: Spot) -> Iterator[Edit]:
    if (not old and not new) or walk.same.signatures(old, new):
        return
    if len(old) == 1 == len(new):
        yield from _signature(walk, path, old[0], new[0], spot)
        return
    gone, come, moved = _overloads(walk, old, new)
    if moved and not gone and not come:
        yield walk.edit(path, "overload-reordered", *(" ; ".join(signature(one) for one in side)[:400] for side in (old, new)))
    if len(gone) == 1 == len(come):
        yield from walk.deprecation(path or "()", gone[0], come[0])
        edit = walk.edit(path or "()", "overload-changed", signature(gone[0])[:400], signature(come[0])[:400])
        yield replace(edit, parts=tuple(_signature(walk, path, gone[0], come[0], spot)))
        return
    whole = not old or not new
    for row in gone:
        yield walk.edit(path or "()", "removed" if whole else "overload-removed", signature(row)[:400], None)
    for row in come:
        yield walk.edit(path or "()", "added-required" if whole else "overload-added", None, signature(row)[:400])


def _overloads(walk: Walk, old: Any, new: Any) -> tuple[list[Any], list[Any], bool]:
    come = list(enumerate(new))
    gone, order = [], []
    for one in old:
        hit = next((n for n, (_, other) in enumerate(come) if walk.same.signature(one, other)), None)
        if hit is None:
            gone.append(one)
        else:
            order.append(come.pop(hit)[0])
    return gone, [row for _, row in come], order != sorted(order)


def _signature(walk: Walk, path: str, old: Mapping[str, Any], new: Mapping[str, Any], spot: Spot) -> Iterator[Edit]:
    yield from walk.deprecation(path, old, new)
    yield from type_parameters(walk, path, old.get("tp", ()), new.get("tp", ()))
    old, new = _aligned(old, new)
    yield from _parameters(walk, path, old["p"], new["p"], replace(spot, given=not spot.given, slot="param"))
    if "th" in old or "th" in new:  # a `this` that is not declared may be anything
        taken = replace(spot, given=not spot.given, slot="param")
        yield from walk.slot(f"{path}(this)", old.get("th", "unknown"), new.get("th", "unknown"), taken)
    yield from walk.slot(f"{path}()", old["r"], new["r"], replace(spot, slot="return"))
    if old.get("is") != new.get("is") and not walk.same._predicates(old.get("is"), new.get("is")):
        yield walk.edit(f"{path}()", kind_at("changed", replace(spot, slot="return")), signature(old), signature(new))


def _parameters(walk: Walk, path: str, old: Any, new: Any, spot: Spot) -> Iterator[Edit]:
    for number in range(max(len(old), len(new))):
        here = f"{path}({number})"
        if number >= len(new):
            kind = "callback-param-removed" if spot.given else "param-removed"
            yield walk.edit(here, kind, show(old[number]["t"]), None)
        elif number >= len(old):
            required = not (new[number].get("o") or new[number].get("rest"))
            kind = "callback-param-added" if spot.given else "param-added-required" if required else "param-added-optional"
            yield walk.edit(here, kind, None, show(new[number]["t"]))
        else:
            yield from _parameter(walk, here, old[number], new[number], spot)


def _parameter(walk: Walk, path: str, old: Mapping[str, Any], new: Mapping[str, Any], spot: Spot) -> Iterator[Edit]:
    was, now = bool(old.get("o") or old.get("rest")), bool(new.get("o") or new.get("rest"))
    if was != now:
        kind = "optional" if now else "required"
        yield walk.edit(path, f"became-{kind}" if spot.given else f"param-became-{kind}", show(old["t"]), show(new["t"]))
    a, b = old["t"], new["t"]
    if bool(old.get("rest")) != bool(new.get("rest")):
        a, b = (element(a) if old.get("rest") else a), (element(b) if new.get("rest") else b)
    yield from walk.slot(path, a, b, spot)


def _aligned(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """The two with their type parameters under the same names, so that their types can be told equal."""
    names = {a["n"]: {"tp": b["n"]} for a, b in zip(old.get("tp", ()), new.get("tp", ()), strict=False) if a["n"] != b["n"]}
    return (substitute(old, names), new) if names else (old, new)
