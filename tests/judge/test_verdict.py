"""The verdict: what counts, who is hit, and never green without evidence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import pytest

from driftwatch.judge.fingerprint import fingerprint
from driftwatch.judge.reliances import reliance_rows, unseen
from driftwatch.judge.terms import Relied, Terms
from driftwatch.judge.verdict import MAX_WRITTEN, judge
from driftwatch.judge.waivers import Waivers
from driftwatch.model import Address, Change, Fact, Gap, Observed, Ref, Snapshot, Verdict

TODAY = date(2026, 11, 30)
REF = Ref("host", "1.0.0")
OUTCOME = Address("probe:opencode/dispose#outcome")


@dataclass(frozen=True)
class W:
    rule: str
    address: str
    reason: str = "known"
    expires: date = date(2027, 1, 1)
    upstream: str | None = None


@dataclass(frozen=True)
class O:  # noqa: E742
    rule: str
    severity: Any
    address: str | None = None


def snap(facts: dict[str, Any] | None = None, gaps: tuple[Gap, ...] = ()) -> Snapshot:
    return Snapshot.of(REF, Observed(tuple(Fact(Address(a), v) for a, v in (facts or {}).items()), gaps))


def verdict(changes: list[Change], *, old: Snapshot | None = None, new: Snapshot | None = None, **terms: Any) -> Verdict:
    terms.setdefault("reliances", (Relied("probe:opencode/dispose"),))
    return judge(changes, old or snap(), new or snap(), Terms("implementer", TODAY, **terms))


BROKE = Change(OUTCOME, "broke", "holds", "broken")
ELSEWHERE = Change(Address("probe:opencode/other#outcome"), "broke", "holds", "broken")


def test_a_relied_on_break_is_broken() -> None:
    result = verdict([BROKE])
    assert result.outcome == "broken"
    assert [(f.rule, f.severity, f.counts, f.relied_on) for f in result.findings] == [
        ("probe-broke", "breaking", True, ("probe:opencode/dispose",))
    ]


def test_a_break_nobody_relies_on_is_told_but_does_not_count() -> None:
    result = verdict([ELSEWHERE])
    assert result.outcome == "compatible"
    assert [f.counts for f in result.findings] == [False]


def test_with_nothing_declared_everything_counts() -> None:
    assert verdict([ELSEWHERE], reliances=(), everything=True).outcome == "broken"


def test_nothing_moved_is_compatible() -> None:
    assert verdict([]).outcome == "compatible"


@pytest.mark.parametrize(
    "address",
    ["probe:opencode/dispose#**", "probe:opencode/dispose#outcome", "probe:**", "tag:@x/y#**", "version:@x/y#**", "commit:v1"],
)
def test_a_gap_that_hides_something_asked_is_unverified(address: str) -> None:
    assert verdict([], new=snap(gaps=(Gap(address, "no network"),))).outcome == "unverified"
    assert verdict([], old=snap(gaps=(Gap(address, "no network"),))).outcome == "unverified"


def test_a_gap_elsewhere_is_told_but_does_not_decide() -> None:
    assert verdict([], new=snap(gaps=(Gap("ts:@x/y#Z", "unresolved import"),))).outcome == "compatible"


def test_broken_wins_over_unverified() -> None:
    assert verdict([BROKE], new=snap(gaps=(Gap("probe:**", "x"),))).outcome == "broken"


def test_a_reached_address_counts_as_relied_on() -> None:
    shared = Change(Address("probe:shared#outcome"), "broke", args={"reaches": ["probe:opencode/dispose#outcome"]})
    assert verdict([shared]).findings[0].relied_on == ("probe:opencode/dispose",)


def test_standing_failure_is_a_finding_even_when_nothing_changed() -> None:
    both = snap({OUTCOME: "broken"})
    result = verdict([], old=both, new=both)
    assert [(f.rule, f.severity) for f in result.findings] == [("probe-not-holding", "risky")]
    assert result.outcome == "drifted"


def test_a_change_is_not_reported_twice_as_standing() -> None:
    result = verdict([BROKE], old=snap({OUTCOME: "holds"}), new=snap({OUTCOME: "broken"}))
    assert [f.rule for f in result.findings] == ["probe-broke"]


def test_waived_stays_visible_and_does_not_count() -> None:
    result = verdict([BROKE], waivers=(W("probe-broke", "probe:opencode/*#outcome"),))
    assert result.outcome == "compatible"
    assert result.findings[0].waived is not None and result.findings[0].waived.reason == "known"


def test_an_expired_waiver_waives_nothing_and_is_a_finding() -> None:
    result = verdict([BROKE], waivers=(W("probe-broke", "probe:**", expires=date(2026, 11, 29)),))
    assert result.outcome == "broken"
    assert {f.rule for f in result.findings} == {"probe-broke", "waiver-expired"}


def test_a_waiver_is_good_on_its_last_day() -> None:
    assert verdict([BROKE], waivers=(W("probe-broke", "probe:**", expires=TODAY),)).outcome == "compatible"


def test_an_unused_waiver_is_a_finding() -> None:
    result = verdict([], waivers=(W("probe-broke", "probe:**"),))
    assert [(f.rule, f.severity) for f in result.findings] == [("waiver-unused", "info")]


def test_waivers_shared_between_upstreams_are_unused_only_when_no_upstream_used_them() -> None:
    waivers = Waivers((W("probe-broke", "probe:**"),), TODAY)
    terms = Terms("implementer", TODAY, (Relied("probe:**"),))
    judge([BROKE], snap(), snap(), terms, waivers, last=False)
    assert judge([], snap(), snap(), terms, waivers, last=True).findings == ()


def test_a_waiver_of_one_upstream_waives_nothing_of_another() -> None:
    waivers = Waivers((W("probe-broke", "probe:**", upstream="elsewhere"),), TODAY)
    terms = Terms("implementer", TODAY, (Relied("probe:**"),))
    assert judge([BROKE], snap(), snap(), terms, waivers, last=False).outcome == "broken"
    waivers = Waivers((W("probe-broke", "probe:**", upstream=REF.upstream),), TODAY)
    assert judge([BROKE], snap(), snap(), terms, waivers, last=False).outcome == "compatible"


def test_overrides_change_severity_or_ignore() -> None:
    assert verdict([BROKE], overrides=(O("probe-broke", "info"),)).findings[0].severity == "info"
    ignored = verdict([BROKE], overrides=(O("probe-broke", "ignore", "probe:opencode/dispose"),))
    assert ignored.outcome == "compatible" and len(ignored.findings) == 1
    assert verdict([BROKE], overrides=(O("probe-broke", "ignore", "probe:opencode/other"),)).outcome == "broken"


def test_a_change_without_a_rule_is_never_dropped() -> None:
    result = verdict([Change(OUTCOME, "no-such-kind")])
    assert [(f.rule, f.counts) for f in result.findings] == [("unclassified-change", True)]


def test_findings_are_sorted_worst_first_whatever_the_input_order() -> None:
    changes = [ELSEWHERE, BROKE]
    one, other = verdict(changes), verdict(changes[::-1])
    assert one == other
    assert one.findings[0].counts


def test_reliance_rows_tell_holds_breaks_changed_unverified() -> None:
    terms = Terms("implementer", TODAY, tuple(Relied(a) for a in ("probe:a", "probe:b", "probe:c", "probe:d", "probe:e")))
    old = snap({"probe:a#outcome": "holds", "probe:b#outcome": "holds", "probe:c#n": 1})
    new = snap({"probe:a#outcome": "holds", "probe:b#outcome": "broken", "probe:c#n": 2}, (Gap("probe:d#**", "host hung"),))
    changes = [
        Change(Address("probe:b#outcome"), "broke", "holds", "broken"),
        Change(Address("probe:c#n"), "changed", 1, 2),
    ]
    rows = reliance_rows(judge(changes, old, new, terms), old, new, terms)
    assert [row.status for row in rows] == ["holds", "breaks", "changed", "unverified", "unverified"]
    assert [(row.facts_before, row.facts) for row in rows] == [(1, 1), (1, 1), (1, 1), (0, 0), (0, 0)]
    assert rows[3].reason == "host hung" and "nothing was observed" in rows[4].reason
    assert [gap.address for gap in unseen(old, new, terms)] == ["probe:e"]


def test_a_member_that_is_relied_on_is_told_as_a_line_of_typescript() -> None:
    terms = Terms("consumer", TODAY, (Relied("ts:p#Input.directory"),))
    side = snap({"ts:p#Input.directory": {"n": "directory", "t": "string", "o": True}})
    (row,) = reliance_rows(judge((), side, side, terms), side, side, terms)
    assert (row.before, row.after) == ("directory?: string", "directory?: string")


def test_fingerprints_ignore_evidence_and_depend_on_identity() -> None:
    base = fingerprint("r", OUTCOME, {"a": 1})
    assert base == fingerprint("r", OUTCOME, {"a": 1, "witness": "text", "reaches": ["x"]})
    assert base != fingerprint("r", OUTCOME, {"a": 2})
    assert base != fingerprint("other", OUTCOME, {"a": 1})


WHOLE = Change(Address("ts:p#Core.x"), "removed", "string", args={"reaches": ["ts:p#Tool", "ts:p#Use"], "reaches_whole": True})


@pytest.mark.parametrize(("relied", "counts"), [("ts:p#Tool.run(0)", True), ("ts:p#Tool", True), ("ts:p#Toolbox", False)])
def test_what_is_reached_whole_is_reached_in_every_part(relied: str, counts: bool) -> None:
    (finding,) = verdict([WHOLE], reliances=(Relied(relied),)).findings
    assert (finding.counts, finding.relied_on) == (counts, (relied,) if counts else ())


def test_a_report_names_only_the_first_of_very_much_that_is_reached() -> None:
    names = [f"ts:p#A{number:03}" for number in range(300)]
    change = replace(WHOLE, args={"reaches": [*names], "reaches_whole": True, "reach_count": 300})
    (finding,) = verdict([change], reliances=(Relied("ts:p#A299.x"),)).findings
    assert finding.args["reaches"] == names[:MAX_WRITTEN]
    assert (finding.args["reach_count"], finding.relied_on) == (300, ("ts:p#A299.x",))
    assert finding.fingerprint == fingerprint(finding.rule, change.address, {})


WAYS = [
    ("became-required", "", "breaking"),
    ("became-required", "handed", "info"),
    ("removed", "", "info"),
    ("removed", "handed", "breaking"),
    ("param-field-required", "", "info"),
    ("param-field-required", "given", "breaking"),
    ("param-widened", "given", "breaking"),
]


@pytest.mark.parametrize(("kind", "way", "severity"), WAYS)
def test_an_implementer_who_reads_or_gives_is_hit_as_a_consumer_is(kind: str, way: str, severity: str) -> None:
    args: dict[str, Any] = {"direction": way} if way else {}
    (finding,) = verdict(
        [Change(Address("ts:p#Event.x"), kind, "string", "string", args=args)], reliances=(Relied("ts:p"),)
    ).findings
    assert (finding.severity, finding.role) == (severity, "implementer")
