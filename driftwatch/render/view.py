"""One upstream laid out for reading: what to show, what to fold, and the probe matrix. The same for every format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from driftwatch.model import (
    SEVERITIES,
    EarlyRow,
    FileRow,
    Finding,
    ProbeRow,
    RelianceRow,
    ScriptRow,
    Severity,
    TagRow,
    UpstreamReport,
)
from driftwatch.render import surfaces
from driftwatch.render.summary import Blind, Unseen, by_reason, unrelated
from driftwatch.render.surfaces import Surface

QUIET_FILES = ("same",)
STATUSES = ("breaks", "absent", "unverified", "changed", "holds")  # of a reliance, the most urgent first


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """One probe; one cell a version, None where it was not run."""

    id: str
    title: str
    cells: tuple[ProbeRow | None, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Probes against versions."""

    versions: tuple[str, ...]
    rows: tuple[MatrixRow, ...]


@dataclass(frozen=True, slots=True)
class Share:
    """How many of what is relied on have one status; ``x`` and ``width`` are its part of a bar, in percent."""

    status: str
    count: int
    words: str
    x: float
    width: float


@dataclass(frozen=True, slots=True)
class View:
    """One upstream, ordered as a reader looks for it."""

    upstream: UpstreamReport
    groups: tuple[tuple[Severity, tuple[Finding, ...]], ...]  # of what is relied on, falling severity, none empty
    waived: tuple[Finding, ...]
    unrelated: tuple[Finding, ...]
    tags: tuple[TagRow, ...]  # that are not the same
    same_tags: tuple[TagRow, ...]
    files: tuple[FileRow, ...]  # that are not the same
    same_files: tuple[FileRow, ...]
    matrix: Matrix
    reliances: tuple[RelianceRow, ...]  # the most urgent first
    surfaces: tuple[Surface, ...]  # in the watchlist's order
    gaps: tuple[Blind, ...]  # that hide something relied on, one entry a reason
    idle_gaps: tuple[Blind, ...]  # that hide nothing relied on
    early: tuple[EarlyRow, ...]  # tags ahead of the watched one that moved, touch something relied on or were compared
    quiet_early: tuple[EarlyRow, ...]  # the others
    standing: tuple[Share, ...]  # how what is relied on stands, the most urgent first
    scripts: Mapping[str, tuple[ScriptRow, ...]]  # by probe


def of(upstream: UpstreamReport) -> View:
    relevant = [finding for finding in upstream.findings if finding.waived is None and not unrelated(finding)]
    return View(
        upstream=upstream,
        groups=tuple(_groups(relevant)),
        waived=tuple(finding for finding in upstream.findings if finding.waived is not None),
        unrelated=tuple(filter(unrelated, upstream.findings)),
        tags=tuple(row for row in upstream.tags if row.change != "same"),
        same_tags=tuple(row for row in upstream.tags if row.change == "same"),
        files=tuple(row for row in upstream.files if row.change not in QUIET_FILES),
        same_files=tuple(row for row in upstream.files if row.change in QUIET_FILES),
        matrix=matrix(upstream.probes),
        reliances=tuple(sorted(upstream.reliances, key=urgency)),
        surfaces=surfaces.of(upstream),
        gaps=by_reason(_unseen(upstream, asked=True)),
        idle_gaps=by_reason(_unseen(upstream, asked=False)),
        early=tuple(filter(loud, upstream.early)),
        quiet_early=tuple(row for row in upstream.early if not loud(row)),
        standing=tuple(standing(upstream.reliances)),
        scripts=_scripts(upstream.scripts),
    )


WORDS: Mapping[str, tuple[str, str]] = {  # of a status, for one and for many
    "breaks": ("breaks", "break"),
    "absent": ("absent", "absent"),
    "unverified": ("unverified", "unverified"),
    "changed": ("changed", "changed"),
    "holds": ("holds", "hold"),
}


def standing(rows: tuple[RelianceRow, ...]) -> Iterator[Share]:
    """The parts of a bar, the most urgent first; a status the watchlist's words do not know is as urgent as can be."""
    x = 0.0
    for status, (one, many) in WORDS.items():
        count = sum((row.status if row.status in WORDS else "breaks") == status for row in rows)
        if count:
            width = round(100 * count / len(rows), 2)
            yield Share(status, count, one if count == 1 else many, round(x, 2), width)
            x += width


def _scripts(rows: tuple[ScriptRow, ...]) -> dict[str, tuple[ScriptRow, ...]]:
    probes = dict.fromkeys(row.probe for row in rows)
    return {probe: tuple(row for row in rows if row.probe == probe) for probe in probes}


def loud(row: EarlyRow) -> bool:
    """Worth a line of its own."""
    return bool(row.change != "same" or row.touches or row.outcome or row.reason)


def matrix(probes: tuple[ProbeRow, ...]) -> Matrix:
    """Probes x versions, both in the order they come."""
    versions = tuple(dict.fromkeys(probe.version for probe in probes))
    cells = {(probe.id, probe.version): probe for probe in probes}
    titles = {probe.id: probe.title for probe in reversed(probes)}
    rows = (MatrixRow(name, titles[name], tuple(cells.get((name, version)) for version in versions)) for name in titles)
    order = {name: place for place, name in enumerate(dict.fromkeys(probe.id for probe in probes))}
    return Matrix(versions, tuple(sorted(rows, key=lambda row: order[row.id])))


def explained(upstream: UpstreamReport, row: RelianceRow) -> bool:
    """A gap of the report tells the reliance's reason already."""
    return bool(row.reason) and any(row.reason == gap.reason for gap in upstream.gaps)


def _unseen(upstream: UpstreamReport, asked: bool) -> Iterator[Unseen]:
    return (Unseen(upstream.id, gap.address, gap.reason, gap.remedy) for gap in upstream.gaps if gap.asked is asked)


def urgency(row: RelianceRow) -> int:
    return STATUSES.index(row.status) if row.status in STATUSES else 0


def _groups(findings: list[Finding]) -> Iterator[tuple[Severity, tuple[Finding, ...]]]:
    for severity in reversed(SEVERITIES):
        group = tuple(finding for finding in findings if finding.severity == severity)
        if group:
            yield severity, group
