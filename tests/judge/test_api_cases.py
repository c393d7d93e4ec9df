"""Every rule about APIs has a case; every case gives exactly the findings it says, and none when nothing changed."""

from __future__ import annotations

import json
import string
from pathlib import Path
from typing import Any

import pytest

from driftwatch.judge.fingerprint import NOT_IDENTITY
from driftwatch.model import SEVERITIES
from driftwatch.rules import Rule, catalogue
from tests.support.apis import changes, rules

CASES = Path(__file__).parents[1] / "cases"
FAMILIES = ("openapi-", "event-", "config-key-", "call-")
OURS = {rule.id: rule for rule in catalogue().values() if rule.id.startswith(FAMILIES)}
SIDES = ("request", "response", "both")


def read(rule: str, name: str) -> Any:
    return json.loads((CASES / rule / f"{name}.json").read_text("utf-8"))


@pytest.mark.parametrize("rule", sorted(OURS))
def test_a_case_gives_exactly_what_it_says(rule: str) -> None:
    expected = read(rule, "expected")
    assert rules(read(rule, "old"), read(rule, "new")) == expected
    assert rule in {finding["rule"] for finding in expected}


@pytest.mark.parametrize("rule", sorted(OURS))
def test_the_same_document_twice_is_silent(rule: str) -> None:
    for name in ("old", "new"):
        assert rules(read(rule, name), read(rule, name)) == []


@pytest.mark.parametrize("rule", sorted(OURS))
def test_a_message_names_only_what_its_change_carries(rule: str) -> None:
    known = {"address", "subject", "member", "before", "after", "where"}
    used = {name for _, name, _, _ in string.Formatter().parse(OURS[rule].message) if name}
    for change in changes(read(rule, "old"), read(rule, "new")):
        assert used <= known | set(change.args), (rule, used, change.args)


def test_mirrors_are_there_and_are_of_the_same_kind() -> None:
    for rule in OURS.values():
        assert rule.mirror in OURS, rule.id
        mirror = OURS[rule.mirror]
        assert set(mirror.kinds) == set(rule.kinds), rule.id


def test_a_mirror_names_its_rule_back_or_the_one_it_shares_it_with() -> None:
    for rule in OURS.values():
        back = OURS[OURS[rule.mirror].mirror]
        assert rule.id.startswith(back.id) or rule.id in ("openapi-security-alternative-added",), (rule.id, back.id)


def part(side: str, atom: str) -> Rule:
    return OURS[f"openapi-{side}-{atom}"]


ATOMS = sorted(rule.removeprefix("openapi-both-") for rule in OURS if rule.startswith("openapi-both-"))


@pytest.mark.parametrize("atom", ATOMS)
def test_sides_are_symmetric(atom: str) -> None:
    """Every part has a row a side; who serves reads requests and writes answers; an edit of both is as bad as the worse."""
    request, response, both = (part(side, atom) for side in SIDES)
    assert (request.implementer, response.implementer) == (response.consumer, request.consumer)
    worst = max(request.consumer, response.consumer, key=SEVERITIES.index)
    assert both.consumer == both.implementer == worst


@pytest.mark.parametrize("atom", ATOMS)
def test_payloads_and_keys_have_the_same_parts(atom: str) -> None:
    payload = OURS[f"event-payload-{atom}"]
    assert payload.consumer == payload.implementer == part("response", atom).consumer
    key = OURS[f"config-key-{atom.removeprefix('property-')}"]
    if atom != "property-removed":  # a key of a file that means nothing any more is worse than a member nobody reads
        assert key.consumer == key.implementer == part("request", atom).consumer
    else:
        assert key.consumer == "breaking"


def test_nothing_that_explains_is_part_of_a_fingerprint() -> None:
    assert {"reaches", "reach_count"} <= NOT_IDENTITY
