"""Parts of a matrix, made on several machines, as one. What a part did not say is unverified, never green. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date

from driftwatch.errors import UsageError
from driftwatch.model import ProbeRow
from driftwatch.model.matrix import Matrix, Shard
from driftwatch.pipeline.matrix import judged, owner

Parts = Mapping[str, Matrix]  # by the file each came from


def merge(parts: Parts, today: date) -> Matrix:
    """One matrix of all parts. A missing shard, and whatever two parts contradict each other in, is unverified with the reason.

    Raises UsageError for parts that are not of one plan: other versions or probes, another number of shards, one shard twice.
    """
    first, *rest = parts.items()
    if not rest and first[1].shard is None:
        return _filled(first[1], first[0], today)
    for name, part in parts.items():
        _fits(first, (name, part))
    shards: dict[int, str] = {}
    for name, part in parts.items():
        assert part.shard is not None
        if part.shard.index in shards:
            raise UsageError(
                f"shard {_words(part.shard)} is there twice: {shards[part.shard.index]} and {name}", "leave one away"
            )
        shards[part.shard.index] = name
    plan = replace(first[1], hosts=tuple(replace(host, integrity=_bytes(host.version, parts)[0]) for host in first[1].hosts))
    cells = tuple(_cell(host.version, probe.id, plan, parts) for host in plan.hosts for probe in plan.probes)
    known = list(dict.fromkeys(row.expected for row in cells if row.expected))
    return judged(replace(plan, cells=cells, shard=None), known, today)


def _filled(whole: Matrix, name: str, today: date) -> Matrix:
    """A whole matrix with a cell for everything it says was asked: what has no answer in it is unverified."""
    told = {(row.version, row.id) for row in whole.cells}
    lacking = tuple(
        ProbeRow(probe.id, host.version, "unverified", reason=f"{name} has no answer", title=probe.title)
        for host in whole.hosts
        for probe in whole.probes
        if (host.version, probe.id) not in told
    )
    if not lacking:
        return whole
    known = list(dict.fromkeys(row.expected for row in whole.cells if row.expected))
    return judged(replace(whole, cells=(*whole.cells, *lacking)), known, today)


def _fits(first: tuple[str, Matrix], other: tuple[str, Matrix]) -> None:
    (name, one), (file, part) = first, other
    if part.shard is None or one.shard is None:
        raise UsageError(
            f"{file if part.shard is None else name} is a whole matrix, not a part of one", "merge what --shard wrote"
        )
    for what, ours, theirs in (
        ("kinds of host", one.host, part.host),
        ("ways to run probes", one.runner, part.runner),
        ("numbers of shards", one.shard.of, part.shard.of),
        ("versions", [h.version for h in one.hosts], [h.version for h in part.hosts]),
        ("probes", [p.id for p in one.probes], [p.id for p in part.probes]),
    ):
        if ours != theirs:
            told = f"{name} has {_short(ours, theirs)}, {file} has {_short(theirs, ours)}"
            raise UsageError(
                f"the parts are of different {what}: {told}", "run every shard with the same driftwatch and arguments"
            )


def _short(mine: object, other: object) -> str:
    """Only what the other one does not have, when they are lists."""
    if isinstance(mine, list) and isinstance(other, list):
        return ", ".join(str(each) for each in mine if each not in other) or "no others"
    return str(mine)


def _cell(version: str, probe: str, plan: Matrix, parts: Parts) -> ProbeRow:
    """One cell out of all parts that speak of it."""
    from driftwatch.observe.probes.outcome import TOLD

    told = {name: row for name, part in parts.items() for row in part.cells if (row.version, row.id) == (version, probe)}
    if reason := _doubt(version, probe, parts) or ("" if told else _nobody(version, probe, plan, parts)):
        title = next(each.title for each in plan.probes if each.id == probe)
        return ProbeRow(probe, version, "unverified", reason=reason, title=title)
    answers = {name: row for name, row in told.items() if row.outcome in TOLD}
    outcomes = {row.outcome for row in answers.values()}
    if len(outcomes) > 1:
        said = ", ".join(f"{row.outcome} in {name}" for name, row in answers.items())
        row = next(iter(answers.values()))
        return replace(row, outcome="unverified", reason=f"the parts contradict each other: {said}", facts={}, standing="")
    return _joined(list(answers.values()) or list(told.values()))


def _joined(rows: Sequence[ProbeRow]) -> ProbeRow:
    """Several answers alike in outcome: what differs between them is unstable, as on one machine."""
    from driftwatch.observe.probes.outcome import TOLD, unlike

    row = rows[0]
    for other in rows[1:]:
        if row.outcome in TOLD:
            names = {*row.unstable, *other.unstable, *unlike(row.facts, other.facts)}
            row = replace(row, runs=row.runs + other.runs, unstable=tuple(sorted(names)))
    return row


def _doubt(version: str, probe: str, parts: Parts) -> str:
    """Why nothing said of a cell can be believed."""
    digests = {each.digest for part in parts.values() for each in part.probes if each.id == probe}
    if len(digests) > 1:
        return "the parts were made with different versions of this probe (its digest differs)"
    known = _bytes(version, parts)
    return f"the parts probed different binaries as {version}: {', '.join(known)}" if len(known) > 1 else ""


def _bytes(version: str, parts: Parts) -> list[str]:
    """The integrities the parts give for a version; one of "" when none does."""
    found = {host.integrity for part in parts.values() for host in part.hosts if host.version == version and host.integrity}
    return sorted(found) or [""]


def _nobody(version: str, probe: str, plan: Matrix, parts: Parts) -> str:
    assert plan.shard is not None
    own = owner(plan, (version, probe), plan.shard.of)
    file = next((name for name, part in parts.items() if part.shard == own), None)
    if own is None:
        return "no part has an answer of the control"
    return f"{file} has no answer, though it is part of its shard" if file else f"shard {_words(own)} is missing"


def _words(shard: Shard) -> str:
    return f"{shard.index}/{shard.of}"
