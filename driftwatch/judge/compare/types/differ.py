"""Where two definitions differ: the definition itself, its type, its value, its members. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from driftwatch.judge.compare.types.edits import Edit
from driftwatch.judge.compare.types.generics import type_parameters
from driftwatch.judge.compare.types.shapes import Definition, Definitions, segment
from driftwatch.judge.compare.types.slots import slot
from driftwatch.judge.compare.types.text import show
from driftwatch.judge.compare.types.walk import Spot, Walk


class Differ:
    """Compares definitions of two sides; what is learned about sameness on the way serves them all. ``elsewhere``: pairs of
    definitions with other names that are told as one thing under a name of their own, and nowhere else."""

    def __init__(self, old: Definitions, new: Definitions, elsewhere: Iterable[tuple[str, str]] = ()) -> None:
        self._walk = Walk(old, new, slot, elsewhere)

    def definitions(self, owner: str, old: Definition, new: Definition, *, given: bool = True) -> Iterator[Edit]:
        """Every difference between two definitions, told under the name ``owner``. ``given``: see Spot, of its values."""
        with self._walk.under(owner):
            yield from _definition(self._walk, old, new, given)


def _definition(walk: Walk, old: Definition, new: Definition, given: bool = True) -> Iterator[Edit]:
    kinds = _kinds(walk, old, new)
    yield from kinds
    yield from walk.deprecation("", old, new)
    yield from type_parameters(walk, "", old.get("tp", ()), new.get("tp", ()))
    if "type" in old and "type" in new:
        yield from _type_side(walk, old, new, given or "value" in new)
    if "value" in old and "value" in new:
        hook = "function" not in new["kind"] and "class" not in new["kind"] and "variable" not in new["kind"]
        yield from walk.slot("", old["value"], new["value"], Spot(hook=hook))
    elif not any(edit.kind in ("class-became-type", "type-became-class") for edit in kinds):
        yield from _sides(walk, old, new)
    yield from _enums(walk, old.get("members", ()), new.get("members", ()))
    yield from _exports(walk, old, new)


def _kinds(walk: Walk, old: Definition, new: Definition) -> list[Edit]:
    was, now = set(old["kind"]), set(new["kind"])
    found = []
    told = {"before": "/".join(old["kind"]), "after": "/".join(new["kind"])}
    if "class" in was and "class" not in now and now & {"interface", "alias"} and "value" not in new:
        found.append(walk.edit("", "class-became-type", **told))
    elif "class" in now and "class" not in was and was & {"interface", "alias"} and "value" not in old:
        found.append(walk.edit("", "type-became-class", **told))
    elif "interface" in was and "alias" in now:
        found.append(walk.edit("", "interface-became-alias", **told))
    elif "alias" in was and "interface" in now:
        found.append(walk.edit("", "alias-became-interface", **told))
    if "class" in was and "class" in now and old.get("abs") != new.get("abs"):
        found.append(walk.edit("", "class-became-abstract" if new.get("abs") else "class-became-concrete", **told))
    return found


def _sides(walk: Walk, old: Definition, new: Definition) -> Iterator[Edit]:
    """A name that is both a type and a value lost or gained one of the two."""
    if ("value" in old) != ("value" in new):
        gone = "value" in old
        shown = show((old if gone else new)["value"])
        yield walk.edit("", "value-removed" if gone else "value-added", shown if gone else None, None if gone else shown)
    if ("type" in old) != ("type" in new) and ("value" in old and "value" in new):
        gone = "type" in old
        shown = show((old if gone else new)["type"])
        yield walk.edit("", "value-removed" if gone else "value-added", shown if gone else None, None if gone else shown)


def _type_side(walk: Walk, old: Definition, new: Definition, given: bool) -> Iterator[Edit]:
    hook = given and "class" not in new["kind"]
    if old.get("ext") != new.get("ext"):
        yield walk.edit("", "type-changed", _bases(old), _bases(new))
    yield from walk.slot("", old["type"], new["type"], Spot(given=given, hook=hook))


def _enums(walk: Walk, old: Any, new: Any) -> Iterator[Edit]:
    before, after = {row["n"]: row for row in old}, {row["n"]: row for row in new}
    for name in sorted({*before, *after}):
        path = segment(name)
        if name not in after:
            yield walk.edit(path, "enum-member-removed", before[name]["v"], None, member=name)
        elif name not in before:
            yield walk.edit(path, "enum-member-added", None, after[name]["v"], member=name)
        else:
            if before[name]["v"] != after[name]["v"]:
                yield walk.edit(path, "enum-value-changed", before[name]["v"], after[name]["v"], member=name)
            yield from walk.deprecation(path, before[name], after[name])


def _exports(walk: Walk, old: Definition, new: Definition) -> Iterator[Edit]:
    """The members of a namespace; one that only moved is looked at where it is now."""
    before = {row["n"]: row["ref"] for row in old.get("exports", ())}
    after = {row["n"]: row["ref"] for row in new.get("exports", ())}
    for name in sorted({*before, *after}):
        if name not in after:
            yield walk.edit(segment(name), "export-removed", name, None)
        elif name not in before:
            yield walk.edit(segment(name), "export-added", None, name)
        elif before[name] != after[name] and walk.first_time(before[name], after[name]):
            with walk.under(walk.owner):
                for edit in _definition(walk, walk.old[before[name]], walk.new[after[name]]):
                    yield replace(edit, path=segment(name) + edit.path)


def _bases(row: Definition) -> str:
    return "extends " + ", ".join(row.get("ext", ["nothing"]))
