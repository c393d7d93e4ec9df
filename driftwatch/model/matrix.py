"""The matrix of probes and hosts."""

from __future__ import annotations

from dataclasses import dataclass

from driftwatch.model import Finding, Gap, ProbeRow

SCHEMA_VERSION = 1
"""Of the matrix as JSON: what is written, and what is read."""


@dataclass(frozen=True, slots=True)
class MatrixHost:
    """One column. ``version`` is what the rows call it; ``integrity`` names the binary's bytes ("" where nobody asked it, or
    where a launch command has none)."""

    version: str
    integrity: str = ""


@dataclass(frozen=True, slots=True)
class MatrixProbe:
    """One line. ``digest`` changes with anything in the probe's folder."""

    id: str
    title: str = ""
    digest: str = ""
    control: bool = False


@dataclass(frozen=True, slots=True)
class Shard:
    """Part ``index`` (from 1) of ``of``."""

    index: int
    of: int


@dataclass(frozen=True, slots=True)
class Move:
    """What is different on host ``after`` beside its left neighbour ``before``; ``unseen``: what could not be compared."""

    before: str
    after: str
    findings: tuple[Finding, ...] = ()
    unseen: tuple[Gap, ...] = ()


@dataclass(frozen=True, slots=True)
class Matrix:
    """Every probe on every host. ``hosts`` and ``probes`` are the whole plan, also in a part (``shard``), whose ``cells`` are
    only its own and the control's. ``runner`` names how probes were run: parts of another kind do not fit together. ``news``:
    known failures that passed or expired."""

    schema_version: int
    tool_version: str
    host: str
    runner: str
    hosts: tuple[MatrixHost, ...]
    probes: tuple[MatrixProbe, ...]
    cells: tuple[ProbeRow, ...]
    moves: tuple[Move, ...] = ()
    news: tuple[Finding, ...] = ()
    shard: Shard | None = None
