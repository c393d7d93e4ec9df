"""From evidence to an outcome. Pure: which word, and why."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from driftwatch.model import Json, ProbeOutcome
from driftwatch.observe.probes import language
from driftwatch.observe.probes.definition import Probe

EVIDENCE = 60  # lines that are kept


@dataclass(frozen=True, slots=True)
class Result:
    """What ``runs`` runs of one probe on one binary say. ``again``: it failed, and was not tried once more in a fresh process.
    ``unstable``: facts that differed between the runs; ``flaky``: the outcome did."""

    outcome: ProbeOutcome
    facts: Mapping[str, Json] = field(default_factory=dict)
    reason: str = ""
    evidence: tuple[str, ...] = ()
    seconds: float = 0.0
    version: str = ""
    again: bool = False
    runs: int = 1
    unstable: tuple[str, ...] = ()
    flaky: bool = False


def lacking(probe: Probe, document: Mapping[str, Any], found: str = "") -> str:
    """What the host does not have and the probe needs, "" when all is there. To be asked first: what is observed of something
    that is not there need not fit. ``found``: what a step looked for in vain; it stays absent though it may have come since,
    for the other steps were not done. Raises ExpressionError."""
    missing = (what for what, expression in probe.present.items() if what == found or not language.ask(expression, document))
    return next((f"this host has no {what}" for what in missing), "")


def decide(probe: Probe, facts: Mapping[str, Json]) -> tuple[ProbeOutcome, str]:
    """``facts`` are what was observed (normalised)."""
    wrong = [
        f"{name} was expected to be {_words(wanted)}, and is {_short(facts.get(name))}"
        for name, wanted in probe.expect.items()
        if not fits(facts.get(name), wanted)
    ]
    return ("broken", "; ".join(wrong)) if wrong else ("holds", "")


def observe(probe: Probe, document: Mapping[str, Any]) -> dict[str, Json]:
    """Every observation's value. Raises ExpressionError."""
    return {name: language.ask(expression, document) for name, expression in sorted(probe.observe.items())}


def _within(value: Any, wanted: Any) -> bool:
    return isinstance(value, str | list | dict) and wanted in value


def _measured(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "at-least": lambda value, wanted: _measured(value) and bool(value >= wanted),
    "at-most": lambda value, wanted: _measured(value) and bool(value <= wanted),
    "not": lambda value, wanted: bool(value != wanted),
    "contains": _within,
    "lacks": lambda value, wanted: isinstance(value, str | list | dict) and not _within(value, wanted),
    "one-of": lambda value, wanted: value in wanted,
    "matches": lambda value, wanted: isinstance(value, str) and re.search(wanted, value) is not None,
}


def comparison(wanted: Any) -> tuple[str, Any] | None:
    """``{at-least: 1}`` and the like; None for a plain value."""
    if isinstance(wanted, dict) and len(wanted) == 1 and next(iter(wanted)) in COMPARISONS:
        return next(iter(wanted.items()))
    return None


def fits(value: Json, wanted: Any) -> bool:
    """Equality, or one comparison of ``COMPARISONS``."""
    compared = comparison(wanted)
    if compared is None:
        return bool(value == wanted and isinstance(value, bool) == isinstance(wanted, bool))
    return COMPARISONS[compared[0]](value, compared[1])


def _words(wanted: Any) -> str:
    compared = comparison(wanted)
    return _short(wanted) if compared is None else f"{compared[0].replace('-', ' ')} {_short(compared[1])}"


def _short(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return text if len(text) <= 200 else text[:197] + "..."


TOLD = frozenset({"holds", "broken", "absent"})


def combined(first: Result, second: Result) -> Result:
    """Several runs of one probe on one binary as one answer. A run that could not tell adds nothing to one that could; two that
    contradict each other make it flaky, which is unverified; facts that differ are unstable, and the first one's are shown."""
    if second.outcome not in TOLD or first.outcome not in TOLD:
        return _whichever(first, second)
    runs = first.runs + second.runs
    differing = unlike(first.facts, second.facts)
    lines = [f"unstable {name}: {_short(first.facts.get(name))}, then {_short(second.facts.get(name))}" for name in differing]
    if first.outcome != second.outcome:
        reason = f"flaky: it {_said(first, 'once')} and then {_said(second)}"
        share = EVIDENCE // 3
        both = (*lines[:share], "first:", *first.evidence[:share], "then:", *second.evidence[:share])
        return replace(second, outcome="unverified", reason=reason, again=False, flaky=True, runs=runs, facts={}, evidence=both)
    return replace(
        first,
        again=False,
        runs=runs,
        unstable=tuple(sorted({*first.unstable, *second.unstable, *differing})),
        evidence=tuple(dict.fromkeys((*first.evidence, *lines)))[:EVIDENCE],
    )


def unlike(one: Mapping[str, Json], other: Mapping[str, Json]) -> list[str]:
    """The names of facts that are not the same, sorted."""
    return sorted(name for name in one.keys() | other.keys() if canonical(one.get(name)) != canonical(other.get(name)))


def canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _whichever(first: Result, second: Result) -> Result:
    """Of two, at least one of which could not tell: what was told, or the later reason."""
    if first.flaky:  # it was told twice, each time otherwise
        return first
    if first.outcome in TOLD and not first.again:
        return first
    if second.outcome not in TOLD and first.outcome in TOLD:
        return replace(second, reason=f"it failed once ({first.reason}), and then could not be told: {second.reason}", again=True)
    return second


def _said(result: Result, often: str = "") -> str:
    word = {"holds": "held", "broken": "failed", "absent": "was absent"}[result.outcome]
    return " ".join(filter(None, (word, often, f"({result.reason})" if result.reason else "")))
