"""Two real hosts' documents: their real edits, and no more."""

from __future__ import annotations

import json
from typing import Any

import pytest

from driftwatch.judge.compare import compare
from driftwatch.model import Ref, Snapshot
from driftwatch.observe.facts import hostconfig, openapi
from tests.support.apis import changes, said, snapshot
from tests.support.real_api import document

OLD, NEW = "1.18.4", "1.18.33"
REAL = [
    ("both-enum-opened", "schema:ProviderConfig#models[string].interleaved(object).field"),
    ("both-type-widened", "schema:ProviderConfig#models[string].interleaved"),
    ("both-type-widened", "schema:ProviderConfig#options.chunkTimeout"),
    ("request-became-required", "http:POST /global/upgrade#body.target"),
    ("response-enum-opened", "schema:Model#capabilities.interleaved(object).field"),
]


def whole(version: str) -> Snapshot:
    found = document(version)
    return Snapshot.of(Ref("opencode", version), openapi.observe(found) + hostconfig.observe(found))


@pytest.mark.slow
def test_the_real_edits_and_no_more() -> None:
    assert said(document(OLD), document(NEW)) == REAL


@pytest.mark.slow
def test_configuration_keys_do_not_say_the_same_edit_again() -> None:
    found = compare(whole(OLD), whole(NEW))
    assert sorted((change.kind, str(change.address)) for change in found) == REAL
    timeout = next(change for change in found if change.address.member == "options.chunkTimeout")
    assert "config:provider.*.options.chunkTimeout" in timeout.args["reaches"]  # type: ignore[operator]


@pytest.mark.slow
def test_configuration_alone_says_them_by_their_keys() -> None:
    old, new = (Snapshot.of(Ref("opencode", each), hostconfig.observe(document(each))) for each in (OLD, NEW))
    assert sorted((change.kind, str(change.address)) for change in compare(old, new)) == [
        ("key-enum-opened", "config:provider.*.models.*.interleaved.(object).field"),
        ("key-type-widened", "config:provider.*.models.*.interleaved"),
        ("key-type-widened", "config:provider.*.options.chunkTimeout"),
    ]


@pytest.mark.slow
def test_an_edit_of_a_shared_schema_lists_where_it_is_met() -> None:
    found = next(change for change in changes(document(OLD), document(NEW)) if change.address.member == "options.chunkTimeout")
    assert found.args["sides"] == ["request", "response"]
    assert found.args["reach_count"] == 4
    assert found.args["reaches"] == [
        "http:GET /config#response.200.provider[string].options.chunkTimeout",
        "http:GET /global/config#response.200.provider[string].options.chunkTimeout",
        "http:PATCH /config#body.provider[string].options.chunkTimeout",
        "http:PATCH /config#response.200.provider[string].options.chunkTimeout",
        "http:PATCH /global/config#body.provider[string].options.chunkTimeout",
        "http:PATCH /global/config#response.200.provider[string].options.chunkTimeout",
    ]


@pytest.mark.parametrize("version", [OLD, NEW])
@pytest.mark.slow
def test_a_document_and_itself(version: str) -> None:
    found = whole(version)
    assert compare(found, found) == ()
    shuffled = json.loads(json.dumps(document(version), sort_keys=True))
    assert changes(document(version), shuffled) == ()


OPPOSITE = {
    "became-required": "became-optional",
    "type-widened": "type-narrowed",
    "enum-opened": "enum-closed",
}


@pytest.mark.slow
def test_reversed_is_the_mirror() -> None:
    def turned(kind: str) -> str:
        side, _, atom = kind.partition("-")
        return f"{side}-{OPPOSITE[atom]}"

    assert said(document(NEW), document(OLD)) == sorted((turned(kind), address) for kind, address in REAL)


def test_every_operation_and_event_is_a_fact() -> None:
    found = openapi.observe(document(NEW))
    addresses = [fact.address for fact in found.facts]
    assert found.gaps == ()
    assert len(addresses) == len(set(addresses))
    assert sum(address.kind == "http" and not address.member for address in addresses) == 188
    events = {str(fact.address): fact.value for fact in found.facts if fact.address.kind == "event" and not fact.address.member}
    streams: list[Any] = [value["in"] for value in events.values() if isinstance(value, dict)]
    assert sum("Event" in stream for stream in streams) == 89
    assert sum("V2Event" in stream for stream in streams) == 88


def test_a_member_of_a_shared_body_is_a_fact_of_the_operation_too() -> None:
    found = {str(fact.address): fact.value for fact in openapi.observe(document(NEW)).facts}
    value = found["http:GET /session/{}#response.200.title"]
    assert value == {"required": True, "type": "string", "at": "schema:Session#title"}


@pytest.mark.slow
def test_the_pair_is_quick() -> None:
    """0.5 MB a side; the aim is 0.4 s for the whole process, a busy machine gets ten times that."""
    import time

    start = time.process_time()
    old, new = snapshot(document(OLD)), snapshot(document(NEW))
    compare(old, new)
    assert time.process_time() - start < 4
