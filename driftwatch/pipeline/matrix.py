"""The matrix of probes and hosts: what was asked where, what was said, and what moved from each host to the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import pairwise
from typing import TYPE_CHECKING

from driftwatch import __version__
from driftwatch.errors import EXIT_CLEAN, EXIT_FINDINGS, EXIT_UNVERIFIED
from driftwatch.judge import expected
from driftwatch.judge.compare import comparable, compare
from driftwatch.judge.terms import Terms
from driftwatch.judge.verdict import judge
from driftwatch.model import Change, Expectation, Finding, Gap, ProbeRow, Ref, Snapshot
from driftwatch.model.matrix import SCHEMA_VERSION, Matrix, MatrixHost, MatrixProbe, Move, Shard

if TYPE_CHECKING:
    from driftwatch.observe.hosts import Driver
    from driftwatch.observe.probes import Probe

NOTHING = Snapshot(Ref("", ""))


def assembled(
    driver: Driver,
    probes: Sequence[Probe],
    columns: Mapping[str, Sequence[ProbeRow]],
    integrities: Mapping[str, str],
    today: date,
) -> Matrix:
    """Columns in the order given, lines by id; each cell beside what was expected of it."""
    from driftwatch.observe.probes.cache import RUNNER

    known = [each for probe in probes for each in probe.expected]
    cells = tuple(row for rows in columns.values() for row in expected.stand(rows, known, today))
    lines = tuple(MatrixProbe(each.id, each.title, each.digest, each.control) for each in sorted(probes, key=lambda one: one.id))
    made = Matrix(
        schema_version=SCHEMA_VERSION,
        tool_version=__version__,
        host=driver.name,
        runner=f"{RUNNER}.{driver.revision}",
        hosts=tuple(MatrixHost(version, integrities.get(version, "")) for version in columns),
        probes=lines,
        cells=cells,
    )
    return judged(made, known, today)


def judged(matrix: Matrix, known: Sequence[Expectation], today: date) -> Matrix:
    """With what moved from each host to its right neighbour, and the news of known failures."""
    rows = {host.version: [row for row in matrix.cells if row.version == host.version] for host in matrix.hosts}
    moves = tuple(_move(old, new, rows, today) for old, new in pairwise(rows))
    changes = list(expected.changes(matrix.cells, known, today))
    return replace(matrix, moves=moves, news=_findings(changes, NOTHING, NOTHING, today))


def _move(old: str, new: str, rows: Mapping[str, Sequence[ProbeRow]], today: date) -> Move:
    from driftwatch.observe.facts import behaviour

    before, after = (Snapshot.of(Ref("", version), behaviour.observe(rows[version])) for version in (old, new))
    changes = compare(*comparable(before, after))
    gaps = {Gap(gap.address, gap.reason, gap.remedy) for gap in (*before.gaps, *after.gaps)}
    return Move(
        old, new, _findings(changes, before, after, today), tuple(sorted(gaps, key=lambda gap: (gap.address, gap.reason)))
    )


def _findings(changes: Sequence[Change], old: Snapshot, new: Snapshot, today: date) -> tuple[Finding, ...]:
    """As for somebody who relies on everything. What fails on both sides has not moved."""
    verdict = judge(changes, old, new, Terms("implementer", today, everything=True))
    return tuple(finding for finding in verdict.findings if finding.rule != "probe-not-holding")


def part(matrix: Matrix, shard: Shard) -> Matrix:
    """Only the cells of one shard, and the control's, without which they mean nothing."""
    own = set(cells_of(matrix, shard))
    control = {probe.id for probe in matrix.probes if probe.control}
    cells = tuple(row for row in matrix.cells if (row.version, row.id) in own or row.id in control)
    return replace(matrix, cells=cells, moves=(), news=(), shard=shard)


def cells_of(matrix: Matrix, shard: Shard) -> list[tuple[str, str]]:
    """(version, probe) of the cells that belong to a shard. They follow from the plan alone: the same on every machine."""
    return dealt([host.version for host in matrix.hosts], [p.id for p in matrix.probes if not p.control], shard)


def owner(matrix: Matrix, cell: tuple[str, str], of: int) -> Shard | None:
    """The shard of ``of`` that a cell belongs to; None for one of the control. However many shards there are said to be."""
    cells = cells_of(matrix, Shard(1, 1))
    return Shard(-(-(cells.index(cell) + 1) * of // len(cells)), of) if cell in cells else None


def dealt(versions: Sequence[str], probes: Sequence[str], shard: Shard) -> list[tuple[str, str]]:
    """A run of cells, host by host: as few hosts as can be for each shard, and shares that differ by one cell at most."""
    cells = [(version, probe) for version in versions for probe in sorted(probes)]
    first, last = (len(cells) * place // shard.of for place in (shard.index - 1, shard.index))
    return cells[first:last]


def exit_code(matrix: Matrix) -> int:
    """10 when a probe is broken that was not expected to be (or an expectation has expired), 11 when one could not tell."""
    failed = [row for row in matrix.cells if row.outcome == "broken" and row.standing != expected.FAILED]
    if failed or any(finding.severity != "info" for finding in matrix.news):
        return EXIT_FINDINGS
    return EXIT_UNVERIFIED if any(row.outcome == "unverified" for row in matrix.cells) else EXIT_CLEAN
