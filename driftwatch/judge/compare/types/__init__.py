"""compare for declared types (``ts:``): what moved, at the place it was made, once. Pure.

What the old and new facts say is walked together definition by definition. Names that differ but mean the same are no
difference; an edit that shows at many types is one change, and ``args["reaches"]`` names every exported address it shows at,
``args["sides"]`` those of them that tell who hands over what changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from driftwatch.judge.compare.types.differ import Differ
from driftwatch.judge.compare.types.direction import Directions, direction
from driftwatch.judge.compare.types.echoes import Claimed, claim
from driftwatch.judge.compare.types.edits import KINDS, Edit
from driftwatch.judge.compare.types.graph import Facts, Side, addresses, side
from driftwatch.judge.compare.types.reach import Reach
from driftwatch.judge.compare.types.text import show
from driftwatch.model import Address, Change, Json

__all__ = ["KINDS", "compare"]

MAX_REACHED = 500_000  # addresses that all changes together name as reached; beyond it only the exported names are, whole


def compare(old: Facts, new: Facts) -> Iterable[Change]:
    """All changes of declared types. A package that only one side could be read of is not compared: gaps say so."""
    before, after = side(old), side(new)
    moved = _moved(before, after)
    changed = _changed(before, after)
    wanted = frozenset({*changed, *(name for pair in moved for name in pair)})
    directions = [Directions(one.definitions, frozenset(one.exports().values()), wanted) for one in (before, after)]
    edits = [*_entries(before, after), *_exports(before, after), *_definitions(before, after, changed, moved, directions)]
    if not edits:
        return
    reach = Reach((before, after), {names[0]: pair for pair, names in moved.items()}, directions)
    found = claim(edits, before, after)
    short = sum(reach.size(_places(one)) for one in found) > MAX_REACHED
    for claimed in found:
        yield _change(claimed, before, after, reach, short)


def _packages(one: Side) -> set[str]:
    return {_package(entry) for entry in one.entries}


def _package(subject: str) -> str:
    parts = subject.split("/")
    return "/".join(parts[: 2 if subject.startswith("@") else 1])


def _entries(old: Side, new: Side) -> Iterator[Edit]:
    both = _packages(old) & _packages(new)
    for entry in sorted({*old.entries, *new.entries}):
        if _package(entry) in both and (entry in old.entries) != (entry in new.entries):
            gone = entry in old.entries
            shown = _package(entry) if entry == _package(entry) else "." + entry[len(_package(entry)) :]
            yield Edit(entry, "", "entry-removed" if gone else "entry-added", shown if gone else None, None if gone else shown)


def _exports(old: Side, new: Side) -> Iterator[Edit]:
    """Names that came or went, of the entries both sides have; several names of one definition are one edit."""
    before, after = old.exports(), new.exports()
    told: set[tuple[str, str]] = set()
    for address in sorted({*before, *after}, key=lambda name: (len(name), name)):
        entry = address.partition("#")[0]
        if entry not in old.entries or entry not in new.entries or (address in before) == (address in after):
            continue
        gone = address in before
        definition = (before if gone else after)[address]
        kind = "export-removed" if gone else "export-added"
        if (kind, definition) in told:
            continue
        told.add((kind, definition))
        shown = _shown((old if gone else new).definitions.get(definition), definition)
        yield Edit(
            address, "", kind, shown if gone else None, None if gone else shown, _also(address, definition, gone, before, after)
        )


def _also(address: str, definition: str, gone: bool, before: dict[str, str], after: dict[str, str]) -> dict[str, Any]:
    """The other names that came or went with this one, and where it can still be had."""
    mine, others = (before, after) if gone else (after, before)
    names = [name for name, target in mine.items() if target == definition and name != address and name not in others]
    still = sorted(name for name, target in others.items() if target == definition and name in mine)
    args: dict[str, Any] = {"names": addresses(names)} if names else {}
    if gone and still:
        args["still"] = addresses(still)
    return args


def _shown(row: Any, name: str) -> str:
    if row is None:
        return name
    return "/".join(row["kind"]) + (f" {show(row['type'], 200)}" if "type" in row and "alias" in row["kind"] else "")


def _moved(old: Side, new: Side) -> dict[tuple[str, str], list[str]]:
    """A definition and another that stands in its place -> the exported addresses where it does."""
    before, after = old.exports(), new.exports()
    found: dict[tuple[str, str], list[str]] = {}
    for address in sorted(before.keys() & after.keys()):
        if before[address] != after[address]:
            found.setdefault((before[address], after[address]), []).append(address)
    return found


def _changed(old: Side, new: Side) -> list[str]:
    """The definitions that both sides have, and that are not the same."""
    both = old.definitions.keys() & new.definitions.keys()
    return sorted(name for name in both if old.definitions[name] != new.definitions[name])


def _definitions(
    old: Side,
    new: Side,
    changed: Sequence[str],
    moved: Mapping[tuple[str, str], Sequence[str]],
    directions: Sequence[Directions],
) -> Iterator[Edit]:
    differ = Differ(old.definitions, new.definitions, moved)
    for name in changed:
        way = direction(directions[0].of(name) | directions[1].of(name))
        told = differ.definitions(name, old.definitions[name], new.definitions[name], given=way != "given")
        yield from _directed(told, way)
    for (was, now), names in moved.items():
        if was in old.definitions and now in new.definitions:
            way = direction(directions[0].of(was) | directions[1].of(now))
            told = differ.definitions(names[0], old.definitions[was], new.definitions[now], given=way != "given")
            for edit in _directed(told, way):
                also: list[Json] = [*addresses(f"{name}{edit.path}" for name in names[1:])]
                yield replace(edit, args={**edit.args, "names": also}) if also else edit
        elif _package(was.partition("#")[0]) != _package(now.partition("#")[0]):  # of another package, that was not looked into
            yield from (Edit(address, "", "type-changed", _from(was), _from(now)) for address in names)


def _directed(edits: Iterable[Edit], way: str) -> Iterator[Edit]:
    """The edits of one definition, with what is known of who uses its values."""
    return (replace(edit, args={**edit.args, "direction": way}) if way else edit for edit in edits)


def _from(definition: str) -> str:
    subject, _, name = definition.partition("#")
    return f"{name} of {subject}"


def _places(claimed: Claimed) -> list[tuple[str, str]]:
    return list(dict.fromkeys((one.owner, one.path) for one in (claimed.edit, *claimed.echoes)))


def _change(claimed: Claimed, old: Side, new: Side, reach: Reach, short: bool) -> Change:
    edit = claimed.edit
    args: dict[str, Json] = dict(edit.args)
    reaches = {echo.subject for echo in claimed.echoes}
    if edit.kind.startswith("entry-"):
        one = old if edit.kind == "entry-removed" else new
        reaches |= {address for address in one.exports() if address.partition("#")[0] == edit.owner}
    else:
        reaches |= reach.names(_places(claimed)) if short else reach.of(_places(claimed))
        reaches.discard(edit.subject)
        if short:
            args["reaches_whole"] = True
        elif edit.args.get("direction") != "given" and (sides := reach.sides(_places(claimed))):
            shown = reaches | {edit.subject}
            args["sides"] = {way: list(addresses(names & shown)) for way, names in sides.items() if names & shown}
    reaches |= {str(name)[3:] for name in edit.args.get("names", ())}  # type: ignore[union-attr]
    args.pop("names", None)
    if reaches:
        args["reaches"] = list(addresses(reaches))
        args["reach_count"] = len(reaches)
    gone = edit.after is None
    return Change(
        Address(f"ts:{edit.subject}"),
        edit.kind,
        before=edit.before,
        after=edit.after,
        where=_line((old if gone else new).where(edit.subject)),
        args=args,
        confidence="likely",
    )


def _line(where: str) -> str:
    """Without the column."""
    return where.rpartition(":")[0] if where.count(":") > 1 else where
