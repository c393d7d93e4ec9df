"""What it means that a relied-on fact holds at one version, and what lies around a floor."""

from __future__ import annotations

import pytest

from driftwatch.judge.holding import Demand, holding
from driftwatch.judge.published import certain, minimum, unpublished
from driftwatch.model import Address, Fact, Gap, Json, Observed
from driftwatch.model.floors import Floor, FloorRow, Look

PEER = "manifest:@acme/plugin#peerDependencies.ui"
FIRED = "probe:acme/bye#fired"


def seen(facts: dict[str, Json], *gaps: str) -> Observed:
    return Observed(tuple(Fact(Address(a), v) for a, v in facts.items()), tuple(Gap(gap, f"gap at {gap}") for gap in gaps))


@pytest.mark.parametrize(
    ("demand", "facts", "holds"),
    [
        (Demand("ts:@acme/plugin#Hooks.bye"), {"ts:@acme/plugin#Hooks.bye": {"o": 1}}, True),
        (Demand("ts:@acme/plugin#Hooks.bye"), {"ts:@acme/plugin#Hooks.bye()": {}}, True),
        (Demand("ts:@acme/plugin#Hooks.bye"), {"ts:@acme/plugin#Hooks.byebye": {}}, False),
        (Demand("ts:@acme/plugin#Hooks.*"), {"ts:@acme/plugin#Hooks.byebye": {}}, True),
        (Demand("http:POST /session"), {"http:POST /session": {}}, True),
        (Demand("http:POST /session"), {}, False),
        (Demand("event:session.idle"), {"event:session.idle#properties.id": {}}, True),
        (Demand("call:permission.ask"), {"call:permission.ask": 0}, False),
        (Demand("call:permission.ask"), {"call:permission.ask": 2}, True),
        (Demand(PEER), {PEER: ">=0.4.3"}, True),
        (Demand(PEER, at_least="0.4.5"), {PEER: ">=0.4.3"}, False),
        (Demand(PEER, at_least="0.4.5"), {PEER: ">=0.4.5"}, True),
        (Demand(PEER, at_least="0.4.5"), {PEER: "^0.5.0 || ^0.4.1"}, False),
        (Demand(PEER, at_least="0.4.5"), {PEER: "workspace:*"}, False),
        (Demand(PEER, ours="^0.4.5"), {PEER: ">=0.4.7"}, True),
        (Demand(PEER, ours="^0.4.5"), {PEER: ">=0.5.0"}, False),
        (Demand(PEER, ours=">=0.4.5"), {PEER: "0.4.4"}, False),
        (Demand(PEER, value=">=0.4.5"), {PEER: ">=0.4.5"}, True),
        (Demand(PEER, value=">=0.4.5"), {PEER: ">=0.4.6"}, False),
        (Demand(FIRED), {FIRED: True, "probe:acme/bye#outcome": "broken"}, True),
        (Demand(FIRED), {FIRED: False, "probe:acme/bye#outcome": "broken"}, False),
        (Demand(FIRED), {"probe:acme/bye#outcome": "absent"}, False),
        (Demand("probe:acme/bye"), {FIRED: False, "probe:acme/bye#outcome": "holds"}, True),
        (Demand("probe:acme/bye"), {FIRED: True, "probe:acme/bye#outcome": "broken"}, False),
        (Demand("probe:acme/bye#outcome"), {"probe:acme/bye#outcome": "absent"}, False),
        (Demand("probe:acme/bye#count", at_least="2"), {"probe:acme/bye#count": 2}, True),
        (Demand("probe:acme/bye#count", at_least="2"), {"probe:acme/bye#count": 1}, False),
        (Demand("probe:acme/bye#count", at_least="two"), {"probe:acme/bye#count": 2}, False),
        (Demand("probe:acme/bye#count", value=1), {"probe:acme/bye#count": True}, False),
        (Demand("probe:acme/bye#ends", value=False), {"probe:acme/bye#ends": False}, True),
    ],
)
def test_holds(demand: Demand, facts: dict[str, Json], holds: bool) -> None:
    assert holding([demand], seen(facts)) == {demand.address: (holds, "")}


@pytest.mark.parametrize("gap", ["ts:@acme/plugin", "ts:@acme/plugin#Hooks", "ts:**"])
def test_what_a_gap_hides_is_neither_yes_nor_no(gap: str) -> None:
    demand = Demand("ts:@acme/plugin#Hooks.bye")
    assert holding([demand], seen({}, gap))[demand.address] == (None, f"gap at {gap}")
    assert holding([demand], seen({"ts:@acme/plugin#Hooks.bye": {}}, gap))[demand.address] == (True, "")


def test_a_gap_elsewhere_hides_nothing() -> None:
    demand = Demand("ts:@acme/plugin#Hooks.bye")
    assert holding([demand], seen({}, "ts:@acme/plugin/tui", "manifest:@acme/plugin"))[demand.address] == (False, "")


def test_a_fact_at_the_very_address_is_the_answer_whatever_is_hidden_beside_it() -> None:
    demand = Demand(PEER, at_least="2.0.0")
    assert holding([demand], seen({PEER: ">=1"}, "manifest:@acme/plugin"))[PEER] == (False, "")


@pytest.mark.parametrize(
    ("below", "version", "published", "known", "missing"),
    [
        ("1.15.4", "1.15.13", [], [], [f"1.15.{patch}" for patch in range(5, 13)]),
        ("1.15.4", "1.15.13", [], ["1.15.6-beta.1", "1.15.6", "v1", "1.15.13"], [f"1.15.{patch}" for patch in range(5, 13)]),
        ("1.15.12", "1.15.13", [], [], []),
        ("1.15.4", "1.17.2", ["1.17.1"], ["1.15.9", "1.16.0", "1.16.3"], ["1.15.9", "1.16.0", "1.16.3", "1.17.0"]),
        ("1.15.13", "1.16.0", [], [], []),
        ("", "1.0.0", [], ["0.9.0"], []),
        ("1.2.3", "oops", [], [], []),
    ],
)
def test_numbers_that_were_never_published(
    below: str, version: str, published: list[str], known: list[str], missing: list[str]
) -> None:
    assert list(unpublished(below, version, published, known)) == missing


def test_a_gap_of_thousands_of_numbers_stays_short() -> None:
    assert len(unpublished("1.0.0", "1.0.9999999", [])) == 50


def row(address: str, *versions: str, unseen: bool = False) -> FloorRow:
    floors = [
        Floor(address, "pkg", "found" if version else "never", version, unseen=(Look("1.0.0", None, "dark"),) if unseen else ())
        for version in versions
    ]
    return FloorRow(address, declared=floors[0] if floors else None, behaviour=floors[1] if floors[1:] else None)


def test_the_minimum_is_the_highest_floor_by_semver_and_names_who_needs_it() -> None:
    rows = [row("a", "1.9.0"), row("b", "1.10.0", "1.2.0"), row("c", "1.2.0", "1.10.0"), row("file:x")]
    assert minimum(rows) == ("1.10.0", ("b", "c"))
    assert certain(rows)
    assert minimum([row("a", "")]) == ("", ()) and minimum([]) == ("", ())


def test_a_floor_that_is_not_known_makes_the_minimum_uncertain() -> None:
    assert not certain([row("a", "1.0.0"), row("b", "")])
    assert not certain([row("a", "1.0.0", unseen=True)])
    assert not certain([row("file:x")]), "nothing was searched, so nothing is certain"
