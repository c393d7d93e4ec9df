"""What is relied on x versions: one row a fact, one column a version, and in each cell what was seen there and where."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from driftwatch.model import Address, EarlyRow, Finding, FloorMark, Json, ProbeRow, RelianceRow, UpstreamReport
from driftwatch.render.view import urgency

MOST_EARLY = 5
SOURCES: Mapping[str, str] = {
    "tag": "the registry's dist-tags of {subject}",
    "version": "the registry's versions of {subject}",
    "manifest": "package.json of {subject}, at {version}",
    "ts": "the declarations of {subject}, read by the compiler, at {version}",
    "http": "the API document of {version}",
    "schema": "the API document of {version}",
    "event": "the event manifest of {version}",
    "config": "the configuration schema of {version}",
    "call": "the host's own source, at {version}",
    "commit": "the repository's tags",
    "probe": "a host of version {version}, booted",
}


@dataclass(frozen=True, slots=True)
class Column:
    kind: Literal["accepted", "target", "early"]
    version: str
    tag: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """``status`` is "" where nothing is judged (the accepted side). ``told``: the value is worth telling here."""

    status: str
    value: Json
    facts: int
    reason: str
    source: str
    probe: ProbeRow | None
    findings: tuple[Finding, ...] = ()
    told: bool = True

    @property
    def many(self) -> bool:
        return self.value is None and self.facts > 0


@dataclass(frozen=True, slots=True)
class Row:
    reliance: RelianceRow
    floors: tuple[FloorMark, ...]
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    floors: bool  # at least one is known


def grid(upstream: UpstreamReport) -> Grid:
    """The most urgent first. Versions: accepted, compared, and the early ones that were compared, too."""
    early = [row for row in upstream.early if row.reliances][:MOST_EARLY]
    columns = (
        Column("accepted", upstream.before.version),
        Column("target", upstream.after.version),
        *(Column("early", row.version, row.tag) for row in early),
    )
    rows = tuple(_row(upstream, row, early) for row in sorted(upstream.reliances, key=urgency))
    return Grid(columns, rows, any(row.floors for row in rows))


def _row(upstream: UpstreamReport, row: RelianceRow, early: list[EarlyRow]) -> Row:
    floors = tuple(mark for mark in upstream.floors if mark.address == row.address)
    return Row(row, floors, tuple(_cells(upstream, row, early)))


def _cells(upstream: UpstreamReport, row: RelianceRow, early: list[EarlyRow]) -> Iterator[Cell]:
    before, after = upstream.before.version, upstream.after.version
    probes = {(probe.id, probe.version): probe for probe in upstream.probes}
    hits = tuple(finding for finding in upstream.findings if row.address in finding.relied_on)
    name = Address(row.address).subject
    place = _place(upstream, row.address)
    yield Cell("", row.before, row.facts_before or 0, "", place or source(row.address, before), probes.get((name, before)))
    same = row.status == "holds" and row.before == row.after
    yield Cell(
        row.status,
        row.after,
        row.facts,
        row.reason,
        place or source(row.address, after),
        probes.get((name, after)),
        hits,
        told=not same,
    )
    for tag in early:
        seen = next((one for one in tag.reliances if one.address == row.address), None)
        if seen is None:
            yield Cell("", None, 0, "", "", None, told=False)
            continue
        found = tuple(finding for finding in tag.findings if row.address in finding.relied_on)
        yield Cell(
            seen.status, seen.after, seen.facts, seen.reason, source(row.address, tag.version), None, found,
            told=seen.status != "holds",
        )  # fmt: skip


def _place(upstream: UpstreamReport, address: str) -> str:
    """Where a watched file, or the first of those that a pattern finds, was read; "" for another kind of address."""
    parsed = Address(address)
    if parsed.kind != "file":
        return ""
    return next((row.source for row in upstream.files if row.source and parsed.subject in (row.path, row.pattern)), "")


def source(address: str, version: str) -> str:
    """Where a fact at this address is read, in words; "" for kinds that say it elsewhere."""
    parsed = Address(address)
    return SOURCES.get(parsed.kind, "").replace("{subject}", parsed.subject).replace("{version}", version)
