"""The page that lists the reports of a folder and how the runs came out. Pure: what is there is handed in.

It says nothing that changes while nothing moves (no count of runs, no time of the last one): the same story, the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args
from urllib.parse import quote

from driftwatch.model import Json, Outcome, TrendRow
from driftwatch.render import wire
from driftwatch.render.page import page, slug
from driftwatch.render.trend import Trend, trend

RUNS = 200  # states that are listed
FIRST = "latest"  # the report of the watch itself


@dataclass(frozen=True, slots=True)
class Hop:
    upstream: str
    before: str
    after: str
    outcome: str
    breaking: int = 0
    risky: int = 0
    gaps: int = 0


@dataclass(frozen=True, slots=True)
class Listed:
    """A report in the folder. ``name``: its path without an ending, as seen from the folder; ``forms``: the endings there are."""

    name: str
    project: str
    outcome: str
    headline: str
    at: str
    hops: tuple[Hop, ...]
    forms: tuple[str, ...]
    trends: tuple[tuple[str, Trend], ...] = ()

    def link(self, form: str) -> str:
        """A link that stays in the folder, whatever the file is called."""
        name = quote(self.name, errors="replace")  # no file of ours has such a name, and a page is made all the same
        return f"./{name}.{form}"


@dataclass(frozen=True, slots=True)
class Run:
    """What the runs from ``at`` on said, until one of the same report said something else."""

    at: str
    report: str
    outcome: str
    hops: tuple[Hop, ...]


def render(reports: Sequence[Listed], history: Sequence[Mapping[str, Json]]) -> str:
    """``history``: the lines of history.jsonl, oldest first. Reports in the order of their names, the watch's own first."""
    every = sorted(reports, key=lambda one: ("/" in one.name, one.name != FIRST, one.name))
    told = runs(history)
    return page(
        "index.html.j2",
        ("base.css", "index.css"),
        (),
        {"slug": slug},
        reports=every,
        known={one.name: one for one in every},
        latest=next((one for one in every if one.name == FIRST), None),
        runs=told[:RUNS],
        left=max(0, len(told) - RUNS),
    )


def listed(name: str, document: Json, forms: Sequence[str]) -> Listed | None:
    """A JSON report as a line of the list; None for any other JSON."""
    if not isinstance(document, dict) or "schema_version" not in document:
        return None
    upstreams = document.get("upstreams")
    if document.get("outcome") not in get_args(Outcome) or not isinstance(upstreams, list):
        return None
    rows = [one for one in upstreams if isinstance(one, dict)]
    return Listed(
        name=name,
        project=_text(document, "project"),
        outcome=_text(document, "outcome"),
        headline=_text(document, "headline"),
        at=_text(document, "generated_at"),
        hops=tuple(Hop(_text(one, "id"), _version(one, "from"), _version(one, "to"), _text(one, "outcome")) for one in rows),
        forms=tuple(forms),
        trends=tuple((_text(one, "id"), drawn) for one in rows if (drawn := _trend(one))),
    )


def runs(history: Sequence[Mapping[str, Json]]) -> list[Run]:
    """The newest first. A run that said the same as the last one of the same report is folded into it."""
    last: dict[str, Run] = {}
    found: list[Run] = []
    for line in history:
        run = _run(line)
        if run is None:
            continue
        before = last.get(run.report)
        if before is None or (before.outcome, before.hops) != (run.outcome, run.hops):
            last[run.report] = run
            found.append(run)
    return found[::-1]


def _run(line: Mapping[str, Json]) -> Run | None:
    upstreams = line.get("upstreams")
    if line.get("outcome") not in get_args(Outcome) or not isinstance(upstreams, dict):
        return None
    hops = [_hop(name, one) for name, one in sorted(upstreams.items()) if isinstance(one, dict)]
    return Run(_text(line, "at"), _text(line, "report") or FIRST, _text(line, "outcome"), tuple(hops))


def _hop(name: str, one: Mapping[str, Json]) -> Hop:
    counts = [value if type(value := one.get(key)) is int else 0 for key in ("breaking", "risky", "gaps")]
    return Hop(name, _text(one, "from"), _text(one, "to"), _text(one, "outcome"), *counts)


def _text(given: Mapping[str, Json], key: str) -> str:
    value = given.get(key)
    return value if isinstance(value, str) else ""


def _version(upstream: Mapping[str, Json], side: str) -> str:
    ref = upstream.get(side)
    return _text(ref, "version") if isinstance(ref, dict) else ""


def _trend(upstream: Mapping[str, Any]) -> Trend | None:
    try:
        rows: tuple[TrendRow, ...] = wire.decode(tuple[TrendRow, ...], upstream.get("trend", []))
    except wire.Wrong:
        return None
    return trend(rows)
