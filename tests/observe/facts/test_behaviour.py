"""Probe rows become facts and gaps."""

from __future__ import annotations

import pytest

from driftwatch.model import Fact, Gap, ProbeRow
from driftwatch.observe.facts.behaviour import observe


@pytest.mark.parametrize("outcome", ["holds", "broken", "absent"])
def test_every_answer_is_a_fact(outcome: str) -> None:
    seen = observe([ProbeRow("opencode/dispose", "1.2.3", outcome, {"fired": True}, evidence=("marks: init",))])  # type: ignore[arg-type]
    assert seen.gaps == ()
    assert seen.facts == (
        Fact("probe:opencode/dispose#outcome", outcome, "host 1.2.3: marks: init"),  # type: ignore[arg-type]
        Fact("probe:opencode/dispose#fired", True, "host 1.2.3: marks: init"),  # type: ignore[arg-type]
    )
    assert seen.facts[0].address.kind == "probe"


def test_unverified_is_a_gap_and_no_fact() -> None:
    seen = observe([ProbeRow("opencode/dispose", "1.2.3", "unverified", {"fired": True}, reason="the host did not start")])
    assert seen.facts == ()
    assert seen.gaps == (
        Gap("probe:opencode/dispose#**", "the host did not start", "`driftwatch probe --version 1.2.3` asks that host again"),
    )
