"""One plugin on one host: from the runs with and without it to a row. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

from driftwatch.model import Json
from driftwatch.model.plugins import PluginFault, PluginRow
from driftwatch.observe.plugins.alike import alike
from driftwatch.observe.plugins.effects import effects, wanted
from driftwatch.observe.plugins.faults import Refusals, faults
from driftwatch.observe.plugins.trace import AGAIN as LOADED_AGAIN
from driftwatch.observe.plugins.trace import Trace
from driftwatch.observe.walls import APART, HIDDEN, NETWORK, SHOWN, TOGETHER

Run = Mapping[str, Any]
AGAIN = frozenset({"hangs-in-init", "hangs-on-import", "breaks-scene", "crashes-host", "not-loaded"})  # what noise can look like
ONCE = ("plugin#", "own tools#", "left#timers")  # looked at in one of the two runs only


def row(
    version: str,
    without: Run,
    told: Mapping[str, Any],
    refusals: Refusals,
    *,
    before: Sequence[PluginFault] = (),
    notes: Sequence[str] = (),
    manifest: Mapping[str, Any] | None = None,
) -> PluginRow:
    """``told`` is the exercise's answer with the plugin. ``before``: faults known without running it; ``notes``: what is known to
    be untried."""
    walls, plain, traced = told["walls"], alike(told["plain"]), alike(told["traced"])
    stood = {word: walls[word] for word in ("network", "files", "processes")}
    without = alike(without)
    missing = next((run["failed"] for run in (without, plain) if "failed" in run), "")
    if missing:
        return PluginRow(version, "unverified", tuple(before), reason=missing, **stood)
    trace = Trace(traced.get("marks", ()))
    facts = {**effects(without, plain), **trace.facts()}
    found = (*before, *faults(without, plain, traced, facts, refusals))
    broken = any(fault.weight == "broken" for fault in found)
    loaded = not any(fault.kind in LOADING for fault in found)
    if not broken and not trace.started:
        why = (
            traced.get("failed")
            or "nothing shows that it was loaded: the tracer did not see it start, and the host did not refuse it"
        )
        return PluginRow(version, "unverified", found, facts, untried=tuple(notes), reason=why, **stood)
    return PluginRow(
        version,
        "broken" if broken else "flawed" if found else "works",
        found,
        {**facts, "plugin#accepted by the host": loaded},
        unstable=_unstable(facts, effects(without, traced), _loads(plain, trace)) if "failed" not in traced else (),
        untried=(*notes, *_untried(without, plain, trace, walls, manifest or {})),
        **stood,
    )


LOADING = frozenset({
    "hangs-in-init", "hangs-on-import", "crashes-host", "missing-dependency", "syntax-error", "throws-on-import", "wrong-shape",
    "throws-in-init", "refused-by-engines", "no-entry", "not-installed", "not-loaded",
})  # fmt: skip


LOADS = frozenset({"plugin#loaded", "plugin#started"})


def _loads(plain: Run, trace: Trace) -> Set[str]:
    """The facts on loading, when the host says of the run without the tracer that it loaded it another number of times."""
    said = plain.get("loads", 0)
    return LOADS if said and said != len(trace.named("importing")) else frozenset()


def _unstable(facts: Mapping[str, Json], again: Mapping[str, Json], loads: Set[str]) -> tuple[str, ...]:
    """What a second run on the same host did not show alike."""
    names = {name for name in {*facts, *again} if not name.startswith(ONCE)}
    differing = {name for name in names if facts.get(name) != again.get(name)}
    return tuple(sorted(differing | (({LOADED_AGAIN} | loads) & facts.keys())))


def _untried(without: Run, plain: Run, trace: Trace, walls: Run, manifest: Mapping[str, Any]) -> Iterator[str]:
    if reached := wanted(without, plain):
        yield f"what it does when it reaches the network: it asked for {', '.join(reached[:20])}"
    if walls["network"] != NETWORK:
        yield f"which hosts it wants to reach, and the ports it leaves: the wall was {walls['network']} ({walls['why']})".replace(
            " ()", ""
        )
    if walls["processes"] != APART:
        yield f"what it does to processes of others: the wall was {TOGETHER.partition(':')[0]} ({walls['why']})"
    if walls["files"] != HIDDEN:
        yield f"files outside its home and project: the wall was {SHOWN.partition(':')[0]} ({walls['why']})"
    registered = {hook for mark in trace.named("started") for hook in mark["hooks"]}
    for hook in sorted(registered & {"auth", "provider"}):
        yield f"its hook {hook}: it needs an account or a key"
    if trace.first("disposed") is None and trace.started:
        yield "timers it leaves: this host does not call dispose"
    for name, scene in without["scenes"].items():
        if scene["reason"]:
            yield f"{scene['title']}: it cannot be done on this host without the plugin either ({scene['reason']}), scene {name}"
    exports = manifest.get("exports")
    if isinstance(exports, dict) and "./tui" in exports:
        yield "its terminal part (./tui): no terminal was run"


def steady(first: PluginRow, second: PluginRow) -> PluginRow:
    """Of two tries of a plugin that failed, what holds: a fault that was seen only once makes the row unverified."""
    if "unverified" in (first.outcome, second.outcome):  # it could not be told once; the other time is what there is
        return second if first.outcome == "unverified" else first
    once = {fault.kind for fault in first.faults} ^ {fault.kind for fault in second.faults}
    if not once & AGAIN:
        return second
    from dataclasses import replace

    why = f"flaky: {', '.join(sorted(once & AGAIN))} was seen in one of two tries"
    return replace(second, outcome="unverified", reason=why, faults=first.faults or second.faults)


def worth_another_try(row: PluginRow) -> bool:
    """A fault that noise can look like, or nothing told at all, as on a machine too busy to boot a host in time."""
    return row.outcome == "unverified" or any(fault.kind in AGAIN for fault in row.faults)
