"""What a move from one host to another does to a plugin. Pure: rows in, steps and one outcome out."""

from __future__ import annotations

from collections.abc import Sequence, Set
from itertools import pairwise

from driftwatch.errors import EXIT_CLEAN, EXIT_FINDINGS, EXIT_UNVERIFIED
from driftwatch.model import Outcome
from driftwatch.model.plugins import PluginChange, PluginFault, PluginRow, PluginStep

WORST: tuple[Outcome, ...] = ("compatible", "drifted", "unverified", "broken")  # rising
SAME: tuple[Outcome, str] = ("compatible", "everything observed is the same on both")
ALONE: dict[str, Outcome] = {"works": "compatible", "flawed": "drifted", "broken": "broken", "unverified": "unverified"}


def steps(rows: Sequence[PluginRow]) -> tuple[PluginStep, ...]:
    """From each host to the next one of the list."""
    return tuple(step(before, after) for before, after in pairwise(rows))


def step(before: PluginRow, after: PluginRow) -> PluginStep:
    """``broken`` when it is broken on the new host, whether it was before or not; the reason says which."""
    noise = {*before.unstable, *after.unstable}
    new = _missing(after.faults, before.faults, noise)
    gone = _missing(before.faults, after.faults, noise)
    changes = changed(before, after)
    outcome, reason = _judged(before, after, new, gone, changes)
    return PluginStep(before.version, after.version, outcome, reason, new, gone, changes)


def _judged(
    before: PluginRow,
    after: PluginRow,
    new: Sequence[PluginFault],
    gone: Sequence[PluginFault],
    changes: Sequence[PluginChange],
) -> tuple[Outcome, str]:
    if after.outcome == "broken":
        return "broken", _blamed(before, after, new)
    for row, word in ((after, "does"), (before, "did")):
        if row.outcome == "unverified":
            return "unverified", f"what it {word} on {row.version} is not known: {row.reason}"
    if new:
        return "drifted", f"new on {after.version}: {'; '.join(fault.kind for fault in new)}"
    if gone or changes:
        count = len(changes)
        told = [f"{count} observation{'s differ' if count > 1 else ' differs'}"] if changes else []
        return "drifted", "; ".join([*told, *(f"{fault.kind} is gone" for fault in gone)])
    return SAME


def _blamed(before: PluginRow, after: PluginRow, new: Sequence[PluginFault]) -> str:
    if before.outcome == "broken" and not any(fault.weight == "broken" for fault in new):
        return f"it is broken on {before.version} and on {after.version}: the move is not what breaks it"
    return f"{after.version} breaks it: {'; '.join(fault.kind for fault in after.faults if fault.weight == 'broken')}"


def changed(before: PluginRow, after: PluginRow) -> tuple[PluginChange, ...]:
    """The facts that differ. Those that are not stable on either host tell nothing; nor does a side that was not seen."""
    if "unverified" in (before.outcome, after.outcome) or "broken" in (before.outcome, after.outcome):
        return ()
    noise = {*before.unstable, *after.unstable}
    names = sorted({*before.facts, *after.facts} - noise)
    return tuple(
        PluginChange(name, before.facts.get(name), after.facts.get(name))
        for name in names
        if before.facts.get(name) != after.facts.get(name)
    )


def _missing(there: Sequence[PluginFault], here: Sequence[PluginFault], noise: Set[str]) -> tuple[PluginFault, ...]:
    """What is there and not here, but for what two runs on one host did not agree about."""
    known = {fault.kind for fault in here}
    return tuple(fault for fault in there if fault.kind not in known and fault.fact not in noise)


def outcome(rows: Sequence[PluginRow], moves: Sequence[PluginStep]) -> Outcome:
    """The worst of all steps; of a single host, what its row says. Nothing observed is never ``compatible``."""
    found: list[Outcome] = [each.outcome for each in moves] or [ALONE[row.outcome] for row in rows] or ["unverified"]
    return max(found, key=WORST.index)


def exit_code(outcome: Outcome, fail_on: str) -> int:
    """``fail_on`` as everywhere: breaking, risky or any (a drift counts too), never."""
    if outcome == "broken" and fail_on != "never":
        return EXIT_FINDINGS
    if outcome == "drifted" and fail_on in ("risky", "any"):
        return EXIT_FINDINGS
    return EXIT_UNVERIFIED if outcome == "unverified" else EXIT_CLEAN
