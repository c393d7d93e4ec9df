"""The surfaces of a project: what its watchlist calls by one name, and the evidence there is of it. Pure.

A surface is ``confirmed`` when all that was asked about it was looked at and is as it was or as it is required; ``drifted`` when
any of it moved, broke or is missing; else ``unverified``: part of it could not be looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from driftwatch.model import Evidence, RelianceRow, Report, UpstreamReport

State = Literal["confirmed", "drifted", "unverified"]
STATES: tuple[State, ...] = get_args(State)
KINDS: tuple[Evidence, ...] = get_args(Evidence)
WORST = ("breaks", "absent", "changed", "unverified", "holds")  # of several rows in one cell, the first of these


@dataclass(frozen=True, slots=True)
class Cell:
    """One kind of evidence of one surface. ``status`` is the worst of its rows, "" when there is none of the kind."""

    status: str = ""
    rows: tuple[RelianceRow, ...] = ()

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why the rows of this status are so, each reason once."""
        return tuple(dict.fromkeys(row.reason for row in self.rows if row.status == self.status and row.reason))


@dataclass(frozen=True, slots=True)
class Surface:
    """One name that several addresses share, and what evidence there is of them."""

    name: str
    state: State
    cells: tuple[Cell, ...]  # as KINDS
    uses: int

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The kinds of evidence that could be looked at."""
        return tuple(kind for kind, cell in zip(KINDS, self.cells, strict=True) if _looked(cell))


def of(upstream: UpstreamReport) -> tuple[Surface, ...]:
    """The surfaces that one upstream has evidence of, in the watchlist's order. Entries without a name are none."""
    return _surfaces(upstream.reliances)


def whole(report: Report) -> tuple[Surface, ...]:
    """The surfaces of the project: one name is one surface, also when several upstreams have evidence of it."""
    return _surfaces(row for upstream in report.upstreams for row in upstream.reliances)


def count(surfaces: Sequence[Surface]) -> Mapping[State, int]:
    return {state: sum(surface.state == state for surface in surfaces) for state in STATES}


def _surfaces(rows: Iterable[RelianceRow]) -> tuple[Surface, ...]:
    named: dict[str, list[RelianceRow]] = {}
    for row in rows:
        if row.surface:
            named.setdefault(row.surface, []).append(row)
    return tuple(_surface(name, found) for name, found in named.items())


def _surface(name: str, rows: Sequence[RelianceRow]) -> Surface:
    cells = tuple(_cell([row for row in rows if row.evidence == kind]) for kind in KINDS)
    statuses = {row.status for row in rows}
    state: State = "drifted" if statuses & {"breaks", "absent", "changed"} else "confirmed"
    if state == "confirmed" and statuses != {"holds"}:
        state = "unverified"
    return Surface(name, state, cells, sum(row.uses for row in rows))


def _cell(rows: Sequence[RelianceRow]) -> Cell:
    status = next((status for status in WORST if any(row.status == status for row in rows)), "")
    return Cell(status, tuple(rows))


def _looked(cell: Cell) -> bool:
    return any(row.status != "unverified" for row in cell.rows)
