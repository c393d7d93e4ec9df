"""Every rule about declared types has a case; every case gives exactly the findings it says, under all rules."""

from __future__ import annotations

import string

import pytest

from driftwatch.judge.compare.types import KINDS
from driftwatch.judge.fingerprint import fingerprint
from driftwatch.rules import catalogue
from tests.support import declared

OURS = {rule.id: rule for rule in catalogue().values() if rule.id.startswith("ts-")}
CASES = declared.cases()


@pytest.mark.parametrize("case", CASES)
def test_a_case_gives_exactly_what_it_says(case: str) -> None:
    both = declared.kept(case)
    assert declared.said(declared.changes(both["old"], both["new"])) == declared.expected(case)


@pytest.mark.parametrize("case", CASES)
def test_the_same_declarations_twice_are_silent(case: str) -> None:
    both = declared.kept(case)
    for side in ("old", "new"):
        assert declared.changes(both[side], both[side]) == ()


@pytest.mark.parametrize("case", CASES)
def test_the_reverse_is_as_many_findings(case: str) -> None:
    both = declared.kept(case)
    assert len(declared.changes(both["new"], both["old"])) == len(declared.changes(both["old"], both["new"]))


@pytest.mark.parametrize("rule", sorted(OURS))
def test_every_rule_has_a_case_that_shows_it(rule: str) -> None:
    assert rule in {row["rule"] for row in declared.expected(rule)}


@pytest.mark.parametrize("rule", sorted(OURS))
def test_the_mirror_is_what_the_reverse_gives(rule: str) -> None:
    both = declared.kept(rule)
    backwards = {row["rule"] for row in declared.said(declared.changes(both["new"], both["old"]))}
    assert OURS[OURS[rule].mirror].address == "ts"
    assert backwards & {OURS[rule].mirror, *_shared(rule)}, (rule, backwards)


def _shared(rule: str) -> set[str]:
    """Several rules may share one mirror: an optional and a required member are both removed by ``removed``."""
    return {other.id for other in OURS.values() if other.mirror == rule}


def test_every_kind_of_change_has_a_rule_and_the_other_way_round() -> None:
    assert sorted(rule.change for rule in OURS.values()) == sorted(KINDS)


@pytest.mark.parametrize("rule", sorted(OURS))
def test_a_message_names_only_what_its_change_carries(rule: str) -> None:
    known = {"address", "subject", "member", "before", "after", "where"}
    both = declared.kept(rule)
    used = {name for _, name, _, _ in string.Formatter().parse(OURS[rule].message) if name}
    for change in declared.changes(both["old"], both["new"]):
        if change.kind == OURS[rule].change:
            assert used <= known | set(change.args), (rule, used, change.args)


@pytest.mark.parametrize("case", [case for case in CASES if case.startswith("ts-silent-")])
def test_what_means_the_same_is_silent(case: str) -> None:
    assert declared.expected(case) == []


def test_an_edit_of_a_shared_type_is_one_change_that_names_what_it_reaches() -> None:
    both = declared.kept("ts-echo-shared-type")
    (change,) = declared.changes(both["old"], both["new"])
    assert change.address == "ts:case#Session.title"
    reached = change.args["reaches"]
    assert isinstance(reached, list)
    assert {"ts:case#Hooks.event", "ts:case#get()", "ts:case#put(0)"} <= set(map(str, reached))
    assert change.args["reach_count"] == len(reached)


def test_fingerprints_do_not_hang_on_what_else_is_reached() -> None:
    both = declared.kept("ts-echo-shared-type")
    (change,) = declared.changes(both["old"], both["new"])
    without = {key: value for key, value in change.args.items() if not key.startswith("reach")}
    assert without != change.args
    assert fingerprint("r", change.address, change.args) == fingerprint("r", change.address, without)
