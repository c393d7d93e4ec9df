"""What a move does to a plugin."""

from __future__ import annotations

from dataclasses import replace

import pytest

from driftwatch.judge.plugin import exit_code, outcome, step, steps
from driftwatch.model.plugins import PluginFault, PluginOutcome, PluginRow

BROKEN, FLAW = PluginFault("hangs-in-init", "x", "broken"), PluginFault("leaves-timer", "x", "flaw")


def row(outcome: PluginOutcome = "works", version: str = "1", *faults: PluginFault, **facts: str) -> PluginRow:
    return PluginRow(version, outcome, faults, facts, reason="why" if outcome == "unverified" else "")


@pytest.mark.parametrize(
    ("before", "after", "word"),
    [
        (row(), row(version="2"), "compatible"),
        (row(a="1"), row(version="2", a="2"), "drifted"),
        (row(), row("flawed", "2", FLAW), "drifted"),
        (row("flawed", "1", FLAW), row(version="2"), "drifted"),
        (row(), row("broken", "2", BROKEN), "broken"),
        (row("broken", "1", BROKEN), row("broken", "2", BROKEN), "broken"),
        (row("broken", "1", BROKEN), row(version="2"), "drifted"),
        (row("unverified"), row(version="2"), "unverified"),
        (row(), row("unverified", "2"), "unverified"),
        (row("unverified"), row("broken", "2", BROKEN), "broken"),
    ],
)
def test_steps(before: PluginRow, after: PluginRow, word: str) -> None:
    assert step(before, after).outcome == word


def test_a_plugin_that_was_broken_before_is_not_broken_by_the_move() -> None:
    assert "not what breaks it" in step(row("broken", "1", BROKEN), row("broken", "2", BROKEN)).reason
    assert "breaks it: hangs-in-init" in step(row(), row("broken", "2", BROKEN)).reason


def test_observations_are_counted() -> None:
    assert step(row(a="1"), row(version="2", a="2")).reason == "1 observation differs"
    assert step(row(a="1", b="1"), row(version="2", a="2", b="2")).reason == "2 observations differ"


def test_what_is_unstable_on_one_host_is_no_change() -> None:
    before = PluginRow("1", "works", facts={"a": 1, "b": 1}, unstable=("a",))
    after = PluginRow("2", "works", facts={"a": 2, "b": 1})
    assert step(before, after).outcome == "compatible"


def test_a_fault_that_is_unstable_on_one_host_is_neither_new_nor_gone() -> None:
    port = PluginFault("leaves-port", "x", "flaw", fact="left#ports")
    seen = PluginRow("2", "flawed", (port,), {"left#ports": ["4096"]}, unstable=("left#ports",))
    assert step(row(), seen).outcome == "compatible"
    assert step(seen, row(version="3")).outcome == "compatible"
    assert step(row(), replace(seen, unstable=())).outcome == "drifted"


def test_the_worst_step_counts_and_nothing_is_never_compatible() -> None:
    rows = (row(), row("broken", "2", BROKEN), row(version="3"))
    assert outcome(rows, steps(rows)) == "broken"
    assert outcome((), ()) == "unverified"
    assert outcome((row("flawed"),), ()) == "drifted"


def test_exit_codes() -> None:
    assert [exit_code("broken", word) for word in ("breaking", "risky", "any", "never")] == [10, 10, 10, 0]
    assert [exit_code("drifted", word) for word in ("breaking", "risky", "any", "never")] == [0, 10, 10, 0]
    assert exit_code("unverified", "never") == 11
    assert exit_code("compatible", "any") == 0
