"""Watched files: changed, added, removed, renamed, type-changed, mode-changed, incomparable; and the report's table of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from driftwatch import addresses
from driftwatch.model import Address, Change, Fact, FileRow, Gap, Json

Facts = Mapping[Address, Fact]
_ROW_CHANGE = {"type-changed": "changed", "mode-changed": "changed", "incomparable": "unverified"}


def compare(old: Facts, new: Facts) -> Iterator[Change]:
    """Changes between ``file:`` facts (their value is described in ``observe.facts.files``).

    A renamed file is one change, at its old address. ``incomparable`` is a file that was read in two kinds of places, such as
    its source on one side and what was built from it on the other: nothing can be said about it.
    """
    moved = _moved(old, new)
    arrived = set(moved.values())
    for address in sorted({*old, *new}):
        before, after = old.get(address), new.get(address)
        if before and after:
            yield from _between(before, after)
        elif address in moved and before:
            yield _renamed(before, new[moved[address]])
        elif before:
            yield Change(address, "removed", before=before.value, where=before.where)
        elif after and address not in arrived:
            yield Change(address, "added", after=after.value, where=after.where)


def _moved(old: Facts, new: Facts) -> dict[Address, Address]:
    """Old address -> new address of what was followed, whichever side remembers it (so that reversing gives the mirror)."""
    moved = {origin: fact.address for fact in new.values() if (origin := _origin(fact)) in old and origin not in new}
    for fact in old.values():
        origin = _origin(fact)
        if origin in new and origin not in old and fact.address not in new:
            moved.setdefault(fact.address, origin)
    return {before: after for before, after in moved.items() if after not in old}


def _origin(fact: Fact) -> Address:
    return Address.of("file", str(_of(fact, "renamed_from") or ""))


def _renamed(before: Fact, after: Fact) -> Change:
    similarity = _of(after, "similarity") or _of(before, "similarity")
    args: dict[str, Json] = {"to": after.address.removeprefix("file:"), "similarity": similarity, "reaches": [str(after.address)]}
    return Change(before.address, "renamed", before.value, after.value, after.where, args)


def _between(before: Fact, after: Fact) -> Iterator[Change]:
    kind, args = _kind(before, after)
    if kind:
        yield Change(after.address, kind, before.value, after.value, after.where, args)


def _kind(before: Fact, after: Fact) -> tuple[str, Mapping[str, Json]]:
    if _of(before, "as") != _of(after, "as"):
        return "incomparable", {"read_before": before.where.partition("@")[0], "read_after": after.where.partition("@")[0]}
    if (types := (_type(before), _type(after))) and types[0] != types[1]:
        return "type-changed", {"type_before": types[0], "type_after": types[1]}
    if _of(before, "blob") != _of(after, "blob"):
        return "changed", {}
    if _of(before, "mode") != _of(after, "mode"):
        return "mode-changed", {}
    return "", {}


def _type(fact: Fact) -> str:
    mode = _of(fact, "mode")
    return "file" if mode in (None, "executable") else str(mode)


def _of(fact: Fact, key: str) -> Json:
    return fact.value.get(key) if isinstance(fact.value, dict) else None


# --- the table ---


class Side(Protocol):
    """Facts and gaps of one version: an Observed or a Snapshot."""

    @property
    def facts(self) -> tuple[Fact, ...]: ...
    @property
    def gaps(self) -> tuple[Gap, ...]: ...


class Text(Protocol):
    """A unified diff and what it counts."""

    @property
    def text(self) -> str: ...
    @property
    def added(self) -> int: ...
    @property
    def removed(self) -> int: ...


def rows(old: Side, new: Side, watched: Sequence[tuple[str, str]], texts: Mapping[str, Text]) -> tuple[FileRow, ...]:
    """``watched`` is (pattern, what breaks); ``texts`` is the diff of each address that differs.

    A file has one row, at the pattern that names it, or else at the first that means it.
    A pattern that means no file on either side has a row ``missing``; one that could not be looked at, ``unverified``.
    """
    before, after = _files(old), _files(new)
    changes = {change.address: change for change in compare(before, after)}
    arrived = {Address.of("file", str(change.args["to"])) for change in changes.values() if change.kind == "renamed"}
    asked = {f"file:{pattern.rstrip('/')}": (pattern, breaks) for pattern, breaks in watched}
    chosen = addresses.compile(asked)
    found: dict[str, list[FileRow]] = {key: [] for key in asked}
    met: set[str] = set()
    for address in sorted({*before, *after}):
        hits = chosen(address)
        met.update(hits)
        if hits and not (address in arrived and address not in before):
            closest = next((hit for hit in hits if "*" not in hit), hits[0])
            fact = after.get(address) or before[address]
            found[closest].append(_row(fact, asked[closest], changes.get(address), texts))
    gaps = [gap.address for gap in (*old.gaps, *new.gaps) if gap.address not in before and gap.address not in after]
    return tuple(
        row for key, (pattern, breaks) in asked.items() for row in [*found[key], *_lacking(pattern, breaks, key in met, gaps)]
    )


def _files(side: Side) -> dict[Address, Fact]:
    return {fact.address: fact for fact in side.facts if fact.address.kind == "file"}


def _row(fact: Fact, asked: tuple[str, str], change: Change | None, texts: Mapping[str, Text]) -> FileRow:
    path = fact.address.removeprefix("file:")
    pattern, breaks = asked
    source = _source(fact)
    if change is None:
        return FileRow(path, pattern, breaks, "same", source=source)
    to = str(change.args["to"]) if change.kind == "renamed" else path
    text = texts.get(f"file:{to}")
    return FileRow(
        path=to,
        pattern=pattern,
        breaks=breaks,
        change=_ROW_CHANGE.get(change.kind, change.kind),
        old_path=path if change.kind == "renamed" else "",
        added_lines=text.added if text else 0,
        removed_lines=text.removed if text else 0,
        diff=text.text if text else "",
        source=source,
    )


def _source(fact: Fact) -> str:
    """``git``, or the package and what of it was read in the file's place."""
    place, _, rest = fact.where.partition(":")
    if place != "tarball":
        return place
    name, _, member = rest[1:].partition("@")  # the first character may be the @ of a scope
    return f"tarball {rest[:1]}{name}: {_of(fact, 'as') or member.partition('/')[2]}"


def _lacking(pattern: str, breaks: str, met: bool, gaps: Sequence[str]) -> Iterator[FileRow]:
    key = f"file:{pattern.rstrip('/')}"
    if any(addresses.matches(gap, key) or addresses.matches(key, gap) for gap in gaps):
        yield FileRow(pattern, pattern, breaks, "unverified")
    elif not met:
        yield FileRow(pattern, pattern, breaks, "missing")
