"""What a report tells beside its verdict: how the runs before came out, and from which version on things hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast, get_args

from driftwatch.model import FloorMark, Json, Outcome, TrendRow, UpstreamReport
from driftwatch.model.floors import FloorReport, FloorRow
from driftwatch.render import summary
from driftwatch.store.floors import KnownFloors

LONGEST = 60  # states of a trend
Line = Mapping[str, Json]


def counts(report: UpstreamReport) -> dict[str, Json]:
    """One upstream of one run, as a line of the history says it."""
    return {
        "outcome": report.outcome,
        "from": report.before.version,
        "to": report.after.version,
        "breaking": sum(f.counts and f.severity == "breaking" for f in report.findings),
        "risky": sum(f.counts and f.severity == "risky" for f in report.findings),
        "gaps": sum(1 for _ in summary.unseen(report)),
        "holds": sum(row.status == "holds" for row in report.reliances),
        "relied": len(report.reliances),
    }


def trend(lines: Iterable[Line], report: UpstreamReport, now: str) -> tuple[TrendRow, ...]:
    """The states of the main job's runs, oldest first, ended by this one. A run that said what the one before it said adds
    nothing: the same observations give the same report. Lines of comparisons somebody asked for are passed over."""
    told = [(str(line.get("at", "")), _of(line, report.id)) for line in lines if line.get("report", "latest") == "latest"]
    rows: list[TrendRow] = []
    for at, given in [*told, (now, counts(report))]:
        row = _row(at, given)
        if row and rows and _same(rows[-1], row):
            rows[-1] = replace(row, at=rows[-1].at)
        elif row:
            rows.append(row)
    return tuple(rows[-LONGEST:])


def _same(one: TrendRow, other: TrendRow) -> bool:
    """Whether two runs said the same; an old line that does not tell what held agrees with any that does."""
    alike = other if one.relied else replace(other, holds=0, relied=0)
    return replace(alike, at=one.at) == one


def _of(line: Line, upstream: str) -> Json:
    upstreams = line.get("upstreams")
    return upstreams.get(upstream) if isinstance(upstreams, dict) else None


def _row(at: str, given: Json) -> TrendRow | None:
    """A line somebody wrote by hand, or another version of ours, costs itself and never the report."""
    if not isinstance(given, dict) or given.get("outcome") not in get_args(Outcome):
        return None

    def number(key: str) -> int:
        value: Any = given.get(key, 0)
        return value if type(value) is int and value >= 0 else 0

    before, after = (str(given.get(key, "")) for key in ("from", "to"))
    numbers = [number(key) for key in ("breaking", "risky", "gaps", "holds", "relied")]
    return TrendRow(at, cast("Outcome", given["outcome"]), before, after, *numbers)


def marks(report: FloorReport) -> KnownFloors:
    """The floors of one upstream, to be kept for the reports to come."""
    found = [mark for row in report.rows for mark in _marks(row)]
    return KnownFloors(report.minimum if report.certain else "", tuple(found))


def _marks(row: FloorRow) -> Iterator[FloorMark]:
    if row.declared:
        yield FloorMark(row.address, "declared", row.declared.status, row.declared.version, row.declared.below)
    if row.behaviour:
        yield FloorMark(row.address, "behaving", row.behaviour.status, row.behaviour.version, row.behaviour.below)


def with_floors(report: UpstreamReport, known: KnownFloors | None) -> UpstreamReport:
    """The report with the floors of what it relies on: what was found once for something else is left out."""
    if known is None:
        return report
    relied = {row.address for row in report.reliances}
    kept: Sequence[FloorMark] = [mark for mark in known.marks if mark.address in relied]
    return replace(report, floors=tuple(kept), minimum=known.minimum if kept else "")
