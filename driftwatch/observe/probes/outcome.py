"""From evidence to an outcome. Pure: which word, and why."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from driftwatch.model import Json, ProbeOutcome
from driftwatch.observe.probes import language
from driftwatch.observe.probes.definition import Probe


@dataclass(frozen=True, slots=True)
class Result:
    """What one run of one probe says. ``again``: worth another try (``alone``: on a host of its own)."""

    outcome: ProbeOutcome
    facts: Mapping[str, Json] = field(default_factory=dict)
    reason: str = ""
    evidence: tuple[str, ...] = ()
    seconds: float = 0.0
    version: str = ""
    again: bool = False


def decide(probe: Probe, document: Mapping[str, Any], facts: Mapping[str, Json]) -> tuple[ProbeOutcome, str]:
    """``document`` is the evidence, ``facts`` what was observed in it (normalised)."""
    for what, expression in probe.present.items():
        if not language.ask(expression, document):
            return "absent", f"this host has no {what}"
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


def again(first: Result, second: Result) -> Result:
    """Two runs of one probe make one answer: what only fails sometimes is not known."""
    if first.outcome == "broken" and second.outcome == "holds":
        reason = f"flaky: it failed once ({first.reason}) and then held"
        return Result("unverified", second.facts, reason, second.evidence, second.seconds, second.version)
    return second
