"""Known failures: they stay visible and do not count; a pass and an expired expectation are news."""

from __future__ import annotations

from datetime import date

import pytest

from driftwatch.judge.expected import changes, speaks_of, stand
from driftwatch.judge.terms import Relied, Terms
from driftwatch.judge.verdict import judge
from driftwatch.model import Address, Change, Expectation, Fact, Gap, Observed, ProbeRow, Ref, Snapshot

TODAY = date(2026, 12, 1)
KNOWN = Expectation("acme/bye", "<1.15.13", "upstream does not call it yet", "2027-01-31")
EXPIRED = Expectation("acme/bye", "<1.15.13", "upstream does not call it yet", "2026-11-30")


def row(outcome: str, version: str = "1.15.4") -> ProbeRow:
    return ProbeRow("acme/bye", version, outcome)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "expectation", "standing"),
    [
        (row("broken"), KNOWN, "failed-as-expected"),
        (row("absent"), KNOWN, "failed-as-expected"),
        (row("holds"), KNOWN, "passed-unexpectedly"),
        (row("unverified"), KNOWN, ""),
        (row("broken", "1.15.13"), KNOWN, ""),
        (row("broken", ""), KNOWN, ""),
        (row("broken"), EXPIRED, ""),
    ],
)
def test_what_came_of_an_expectation(given: ProbeRow, expectation: Expectation, standing: str) -> None:
    [told] = stand([given], [expectation], TODAY)
    assert (told.standing, told.expected) == (standing, expectation if standing else None)


def test_it_is_of_use_up_to_its_last_day() -> None:
    [told] = stand([row("broken")], [Expectation("acme/bye", "*", "x", "2026-12-01")], TODAY)
    assert told.standing == "failed-as-expected"


def test_versions_are_ordered_as_npm_does() -> None:
    assert speaks_of(KNOWN, "1.15.13-beta.1")
    assert not speaks_of(Expectation("p", "1.17.x", "", ""), "1.18.0")
    assert not speaks_of(Expectation("p", "no range at all", "", ""), "1.18.0")


def snapshot(version: str, outcome: str) -> Snapshot:
    return Snapshot.of(Ref("up", version), Observed((Fact(Address("probe:acme/bye#outcome"), outcome),)))


def judged(outcome: str, *expected: Expectation, before: str = "holds") -> tuple[str, list[tuple[str, bool, str]]]:
    rows = stand([row(outcome)], expected, TODAY)
    moved = [Change(Address("probe:acme/bye#outcome"), "broke", before, outcome)] if before != outcome else []
    true = tuple(each.expected for each in rows if each.standing == "failed-as-expected" and each.expected)
    terms = Terms("implementer", TODAY, reliances=(Relied("probe:acme/bye"),), expected=true)
    verdict = judge([*moved, *changes(rows, expected, TODAY)], snapshot("1", before), snapshot("2", outcome), terms)
    return verdict.outcome, [(f.rule, f.counts, f.waived.reason if f.waived else "") for f in verdict.findings]


def test_a_known_failure_does_not_count_and_stays_visible() -> None:
    assert judged("broken")[0] == "broken"
    assert judged("broken", KNOWN) == ("compatible", [("probe-broke", False, KNOWN.reason)])
    assert judged("broken", KNOWN, before="broken") == ("compatible", [("probe-not-holding", False, KNOWN.reason)])


def test_an_unexpected_pass_is_news() -> None:
    outcome, findings = judged("holds", KNOWN)
    assert (outcome, [rule for rule, _, _ in findings]) == ("drifted", ["probe-passed-unexpectedly"])


def test_an_expired_expectation_is_a_finding_and_hides_nothing() -> None:
    outcome, findings = judged("broken", EXPIRED)
    assert outcome == "broken"
    assert sorted(findings) == [("expectation-expired", True, ""), ("probe-broke", True, "")]


def test_one_unstable_observation_hides_itself_and_nothing_else() -> None:
    gap = Gap("probe:acme/bye#order", "unstable: 2 runs of host 2 do not agree in it")
    seen = [
        Snapshot.of(Ref("up", version), Observed((Fact(Address("probe:acme/bye#outcome"), "holds"),), (gap,))) for version in "12"
    ]
    for pattern, outcome in {
        "probe:acme/bye": "compatible",
        "probe:acme/bye#outcome": "compatible",
        "probe:acme/bye#order": "unverified",
        "probe:**": "compatible",
    }.items():
        verdict = judge([], *seen, Terms("implementer", TODAY, reliances=(Relied(pattern),)))
        assert verdict.outcome == outcome, pattern
    assert judge([], *seen, Terms("implementer", TODAY, everything=True)).outcome == "compatible"
