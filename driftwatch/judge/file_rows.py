"""The report's table of watched files: one row a file, in the order of the watchlist, and none left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from driftwatch import addresses
from driftwatch.judge.compare.files import compare
from driftwatch.model import Address, Change, Fact, FileRow, Gap

_ROW_CHANGE = {"type-changed": "changed", "mode-changed": "changed", "incomparable": "unverified"}


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

    A pattern that means no file on either side has a row ``missing``; one that could not be looked at, ``unverified``.
    """
    before, after = _files(old), _files(new)
    changes = {change.address: change for change in compare(before, after)}
    arrived = {Address.of("file", str(change.args["to"])) for change in changes.values() if change.kind == "renamed"}
    asked = {f"file:{pattern.rstrip('/')}": (pattern, breaks) for pattern, breaks in watched}
    chosen = addresses.compile(asked)
    found: dict[str, list[FileRow]] = {key: [] for key in asked}
    for address in sorted({*before, *after}):
        hits = chosen(address)
        if hits and not (address in arrived and address not in before):
            fact = after.get(address) or before[address]
            found[hits[0]].append(_row(fact, asked[hits[0]], changes.get(address), texts))
    gaps = [gap.address for gap in (*old.gaps, *new.gaps)]
    return tuple(
        row for key, (pattern, breaks) in asked.items() for row in [*found[key], *_lacking(pattern, breaks, found[key], gaps)]
    )


def _files(side: Side) -> dict[Address, Fact]:
    return {fact.address: fact for fact in side.facts if fact.address.kind == "file"}


def _row(fact: Fact, asked: tuple[str, str], change: Change | None, texts: Mapping[str, Text]) -> FileRow:
    path = fact.address.removeprefix("file:")
    pattern, breaks = asked
    source = fact.where.rpartition("@")[0] if fact.where.startswith("tarball:") else fact.where.partition(":")[0]
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


def _lacking(pattern: str, breaks: str, found: Sequence[FileRow], gaps: Sequence[str]) -> Iterator[FileRow]:
    key = f"file:{pattern.rstrip('/')}"
    if any(addresses.matches(gap, key) or addresses.matches(key, gap) for gap in gaps):
        yield FileRow(pattern, pattern, breaks, "unverified")
    elif not found:
        yield FileRow(pattern, pattern, breaks, "missing")
