"""What is required, what is known not to be there yet, and what value it must have: never green where nobody looked."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from driftwatch.judge.compare import compare
from driftwatch.judge.reliances import evidence, reliance_rows, unseen
from driftwatch.judge.terms import Relied, Terms
from driftwatch.judge.verdict import judge
from driftwatch.model import Address, Fact, Gap, Observed, Ref, Snapshot

TODAY = date(2026, 11, 30)
OPERATION = "http:POST /session/{}/synthetic"
ELSEWHERE = {"http:GET /session": {}}
DOMAIN = "ts:@x/y/v2#Context.tool"
CONTEXT = {"ts:@x/y/v2#Context": {}, "ts:@x/y/v2#Context.agent": {}}


def snap(facts: dict[str, Any], *gaps: Gap) -> Snapshot:
    return Snapshot.of(Ref("host", "1.0.0"), Observed(tuple(Fact(Address(a), v) for a, v in facts.items()), gaps))


def told(reliance: Relied, old: Snapshot, new: Snapshot) -> tuple[str, str, list[str]]:
    """The outcome, the row's status and the rules found."""
    terms = Terms("consumer", TODAY, (reliance,))
    new = Snapshot(new.ref, new.facts, (*new.gaps, *unseen(old, new, terms)))
    verdict = judge(compare(old, new), old, new, terms)
    return verdict.outcome, reliance_rows(verdict, old, new, terms)[0].status, [finding.rule for finding in verdict.findings]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (True, True, ("compatible", "holds", [])),
        (False, False, ("drifted", "absent", ["required-missing"])),
        (True, False, ("broken", "breaks", ["openapi-operation-removed"])),  # its own change says it, once
        (False, True, ("drifted", "changed", ["openapi-operation-added"])),
    ],
)
def test_a_required_operation_is_present_changed_or_absent(
    before: bool, after: bool, expected: tuple[str, str, list[str]]
) -> None:
    sides = [snap(ELSEWHERE | ({OPERATION: {}} if there else {})) for there in (before, after)]
    assert told(Relied(OPERATION, expect="present"), *sides) == expected


def test_absent_today_is_confirmed_by_looking() -> None:
    assert told(Relied(DOMAIN, expect="absent"), snap(CONTEXT), snap(CONTEXT)) == ("compatible", "holds", [])


def test_its_appearance_is_a_finding() -> None:
    there = snap(CONTEXT | {DOMAIN: {}})
    outcome, status, rules = told(Relied(DOMAIN, expect="absent"), snap(CONTEXT), there)
    assert (outcome, status) == ("drifted", "changed") and "unexpected-present" in rules
    assert told(Relied(DOMAIN, expect="absent"), there, there) == ("drifted", "changed", ["unexpected-present"])


def test_a_package_without_a_table_has_no_entry_of_it() -> None:
    side = snap({"manifest:@x/y#exports": {}})
    assert told(Relied("manifest:@x/y#engines.node", expect="absent"), side, side) == ("compatible", "holds", [])
    assert told(Relied("manifest:@x/y#engine.node", expect="absent"), side, side)[1] == "unverified"


@pytest.mark.parametrize(
    ("reliance", "facts"),
    [
        (Relied(DOMAIN, expect="absent"), {}),  # nothing of the package was seen
        (Relied(DOMAIN, expect="absent"), {"ts:@x/other#Context": {}}),
        (Relied("ts:@x/y/v2#Contxt.tool", expect="absent"), CONTEXT),  # what it would be a member of is not there: a misspelling
        (Relied(OPERATION, expect="absent"), {"event:a": {}}),
        (Relied(OPERATION, expect="present"), {}),
        (Relied("text:src/a.ts#FLAG", expect="absent"), {"text:src/b.ts#FLAG": 0}),
        (Relied("source:src/a.ts#A.b", expect="absent"), {"source:src/a.ts#B": {}}),
    ],
)
def test_what_nobody_looked_at_is_unverified(reliance: Relied, facts: dict[str, Any]) -> None:
    assert told(reliance, snap(facts), snap(facts))[:2] == ("unverified", "unverified")


def test_what_a_gap_hides_is_unverified() -> None:
    side = snap(CONTEXT, Gap("ts:@x/y/v2#**", "an import leads nowhere"))
    assert told(Relied(DOMAIN, expect="absent"), side, side)[:2] == ("unverified", "unverified")


def test_a_count_of_none_is_not_there() -> None:
    none, some = snap({"text:src/a.ts#FLAG": 0}), snap({"text:src/a.ts#FLAG": 2})
    assert told(Relied("text:src/a.ts#FLAG", expect="absent"), none, none) == ("compatible", "holds", [])
    assert told(Relied("text:src/a.ts#FLAG", expect="present"), none, none) == ("drifted", "absent", ["required-missing"])
    assert told(Relied("text:src/*#FLAG", expect="present"), some, none)[1:] == ("absent", ["text-vanished"])
    assert told(Relied("call:permission.ask", expect="absent"), *[snap({"call:permission.ask": 0})] * 2)[1] == "holds"


def test_a_value_that_is_required() -> None:
    one, other = snap({"probe:a#fired": True}), snap({"probe:a#fired": False})
    assert told(Relied("probe:a#fired", value=True), one, one) == ("compatible", "holds", [])
    assert told(Relied("probe:a#fired", value=True), other, other) == ("drifted", "changed", ["value-not-as-required"])
    assert told(Relied("probe:a#n", value=1), *[snap({"probe:a#n": True})] * 2)[2] == ["value-not-as-required"]


def test_a_probe_that_is_to_be_absent_is_not_failing() -> None:
    side = snap({"probe:a#outcome": "absent"})
    assert told(Relied("probe:a#outcome", value="absent"), side, side) == ("compatible", "holds", [])
    assert told(Relied("probe:a#outcome", value="holds"), side, side)[0] == "drifted"
    assert told(Relied("probe:a"), side, side) == ("drifted", "changed", ["probe-not-holding"])


def test_an_expectation_is_waived_like_any_finding() -> None:
    from tests.judge.test_verdict import W

    side = snap(ELSEWHERE)
    terms = Terms("consumer", TODAY, (Relied(OPERATION, expect="present"),), (W("required-missing", OPERATION),))
    assert judge((), side, side, terms).outcome == "compatible"


@pytest.mark.parametrize(
    ("address", "kind"), [("probe:a", "probed"), ("call:a", "counted"), ("text:@host#A", "counted"), ("ts:x#A", "declared")]
)
def test_each_kind_of_address_is_a_kind_of_evidence(address: str, kind: str) -> None:
    assert evidence(address) == kind


def test_lines_of_ours_that_use_it_are_counted() -> None:
    use = "use:src/index.ts#ts:@x/y#Hooks.dispose"
    side = snap({"ts:@x/y#Hooks": {}, "ts:@x/y#Hooks.dispose": {}, use: {"lines": ["3:1", "9:4"], "kinds": ["hook"]}})
    terms = Terms("implementer", TODAY, (Relied("ts:@x/y#Hooks", surface="hooks"),))
    row = reliance_rows(judge((), side, side, terms), side, side, terms)[0]
    assert (row.surface, row.uses, row.evidence) == ("hooks", 2, "declared")


def test_a_misspelt_entry_hides_nothing_of_the_one_it_lies_below() -> None:
    side = snap({"ts:@x/y#Hooks": {}, "ts:@x/y#Hooks.dispose": {}})
    terms = Terms("implementer", TODAY, (Relied("ts:@x/y#Hooks"), Relied("ts:@x/y#Hooks.dipsose")))
    new = Snapshot(side.ref, side.facts, (*side.gaps, *unseen(side, side, terms)))
    hooks, misspelt = reliance_rows(judge((), side, new, terms), side, new, terms)
    assert (hooks.status, hooks.reason) == ("holds", "")
    assert misspelt.status == "unverified"
    assert misspelt.reason.startswith("nothing was observed at this address")
