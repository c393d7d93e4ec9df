"""Reading documents: what is loaded, what is refused, what becomes a gap, what an address looks like."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftwatch import addresses
from driftwatch.errors import Unobservable
from driftwatch.observe.facts import openapi
from driftwatch.observe.facts.openapi import document as loading

Json = Any


def document(**paths: Json) -> Json:
    return {"openapi": "3.1.0", "info": {}, "paths": {path.replace("_", "/"): item for path, item in paths.items()}}


def facts(made: Json) -> dict[str, Json]:
    return {str(fact.address): fact.value for fact in openapi.observe(made).facts}


def body(schema: Json) -> Json:
    return document(_x={"post": {"requestBody": {"content": {"application/json": {"schema": schema}}}, "responses": {}}})


# --- loading


def test_json_and_yaml_are_read_alike(tmp_path: Path) -> None:
    written = """
openapi: 3.1.0
paths:
  /x:
    get:
      responses: {200: {description: ok}, 204: {description: 2024-01-01}}
"""
    yaml = openapi.load(written.encode())
    assert list(yaml["paths"]["/x"]["get"]["responses"]) == ["200", "204"]
    file = tmp_path / "api.json"
    file.write_text(json.dumps(yaml), "utf-8")
    assert openapi.load_file(file) == yaml


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"{", "not valid JSON"),
        (b"[1]", "no object at its top"),
        (b"\xff\xfe", "not UTF-8"),
        (b"<!doctype html><html>", "web page"),
        (b"a: [", "not valid JSON or YAML"),
        (b"!!python/object/apply:os.system [id]", "not valid JSON or YAML"),
        (b"just text", "no object at its top"),
        (b'{"a":' * 2000 + b"1" + b"}" * 2000, "nested"),
        (b'{"a":' * 200 + b"1" + b"}" * 200, "nested deeper than"),
        (b"", "no object at its top"),
    ],
)
def test_what_is_no_document_is_refused_with_a_reason(data: bytes, words: str) -> None:
    with pytest.raises(Unobservable, match=words):
        openapi.load(data, "api.json")


def test_a_yaml_bomb_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "MAX_NODES", 10_000)
    lines = ["a: &a [x, x, x, x, x, x, x, x, x, x]"] + [
        f"{b}: &{b} [{', '.join([f'*{a}'] * 10)}]" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    ]
    with pytest.raises(Unobservable, match="too large"):
        openapi.load("\n".join(lines).encode())


def test_a_document_too_large_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(loading, "MAX_BYTES", 10)
    file = tmp_path / "api.json"
    file.write_text('{"openapi": "3.1.0"}', "utf-8")
    with pytest.raises(Unobservable, match="larger than"):
        openapi.load_file(file)
    with pytest.raises(Unobservable, match="larger than"):
        openapi.load(file.read_bytes())


def test_a_missing_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(Unobservable, match="No such file"):
        openapi.load_file(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("made", "words"),
    [
        ({"swagger": "2.0", "paths": {}}, "Swagger 2.0"),
        ({"paths": {}}, "does not say"),
        ({"openapi": "3.1.0", "paths": []}, "no object"),
        ({"openapi": 3}, "does not say"),
    ],
)
def test_what_is_no_openapi_3_is_refused(made: Json, words: str) -> None:
    with pytest.raises(Unobservable, match=words):
        openapi.observe(made)


# --- addresses


def test_addresses_of_an_operation_and_its_parts() -> None:
    made = document(
        _s={
            "parameters": [{"name": "directory", "in": "query", "schema": {"type": "string"}}],
            "post": {
                "operationId": "s.create",
                "parameters": [
                    {"name": "location[directory]", "in": "query", "required": True, "schema": {}},
                    {"name": "X-A", "in": "header", "schema": {}},
                ],
                "requestBody": {
                    "required": True,
                    "content": {
                        "text/plain": {"schema": {}},
                        "application/json": {
                            "schema": {"type": "object", "properties": {"a.b": {"type": "array", "items": {"type": "string"}}}}
                        },
                    },
                },
                "responses": {
                    "2xx": {"description": "ok"},
                    "default": {"description": "no", "headers": {"X-R": {"schema": {"type": "string"}}}},
                },
            },
        }
    )
    assert sorted(facts(made)) == [
        "http:POST /s",
        "http:POST /s#body",
        "http:POST /s#body(media text/plain)",
        'http:POST /s#body["a.b"]',
        'http:POST /s#body["a.b"][]',
        "http:POST /s#header.x-a",
        "http:POST /s#query.directory",
        'http:POST /s#query["location[directory]"]',
        "http:POST /s#response.2XX",
        "http:POST /s#response.default",
        "http:POST /s#response.default(header x-r)",
    ]


def test_a_path_parameter_goes_by_its_place() -> None:
    parameter = {"in": "path", "required": True, "schema": {"type": "string"}}
    made = {
        "openapi": "3.0.0",
        "paths": {
            "/a/{x}/{y}": {"get": {"parameters": [{"name": "y", **parameter}, {"name": "x", **parameter}], "responses": {}}}
        },
    }
    assert sorted(facts(made)) == ["http:GET /a/{}/{}", "http:GET /a/{}/{}#path.1", "http:GET /a/{}/{}#path.2"]
    assert facts(made)["http:GET /a/{}/{}"] == {"path": "/a/{x}/{y}"}


def test_every_address_can_be_relied_on() -> None:
    made = body({"anyOf": [{"type": "object", "required": ["k"], "properties": {"k": {"const": 'a"[](b'}}}, {"type": "string"}]})
    made["components"] = {
        "schemas": {"Weird name.1": {"properties": {'quote " and ] and (': {"type": "string"}, "": {}, "ü": {}}}}
    }
    for address in facts(made):
        assert addresses.matches(address, address)
        assert addresses.matches(address.partition("#")[0], address)


def test_references_out_or_into_nothing_are_gaps() -> None:
    made = document(
        _x={
            "get": {
                "parameters": [{"$ref": "#/components/parameters/None"}],
                "responses": {"200": {"$ref": "http://elsewhere/x#/y"}},
            }
        }
    )
    reasons = {gap.address: gap.reason for gap in openapi.observe(made).gaps}
    assert set(reasons) == {"http:GET /x"}
    assert len(openapi.observe(made).gaps) == 2


def test_a_document_without_operations_is_a_gap() -> None:
    assert [gap.address for gap in openapi.observe({"openapi": "3.1.0", "paths": {}}).gaps] == ["http:**"]


def test_webhooks_and_callbacks_are_gaps() -> None:
    made = document(_x={"post": {"callbacks": {"c": {}}, "responses": {}}})
    made["webhooks"] = {"w": {}}
    assert {gap.reason.partition(":")[0] for gap in openapi.observe(made).gaps} == {"callbacks", "webhooks are not observed"}


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        ({"type": "number", "enum": [1]}, "integer"),
        ({"type": "number", "const": 1}, "integer"),
        ({"type": "number", "enum": [1, 1.5]}, "number"),
        ({"type": ["number", "string"], "enum": [1, "a"]}, "union"),
    ],
)
def test_numbers_that_are_all_integers_are_integers(schema: Json, kind: str) -> None:
    # Otherwise a client of an integer would be told that it may get any number, where it now always gets 1.
    assert facts(body(schema))["http:POST /x#body"]["type"] == kind


def test_parameters_bodies_and_items_may_be_references() -> None:
    made = document(_x={"$ref": "#/components/pathItems/P"})
    made["components"] = {
        "pathItems": {
            "P": {
                "put": {
                    "parameters": [{"$ref": "#/components/parameters/Q"}],
                    "requestBody": {"$ref": "#/components/requestBodies/B"},
                    "responses": {},
                }
            }
        },
        "parameters": {"Q": {"name": "q", "in": "query", "schema": {"type": "boolean"}}},
        "requestBodies": {"B": {"content": {"application/json": {"schema": {"type": "integer"}}}}},
    }
    found = facts(made)
    assert found["http:PUT /x#query.q"] == {"type": "boolean"}
    assert found["http:PUT /x#body"] == {"media": ["application/json"], "type": "integer"}


def test_a_schema_nested_without_end_ends() -> None:
    inner: Json = {"type": "object", "properties": {}}
    made = body(inner)
    made["x"] = {"self": {"type": "object", "properties": {"again": {"$ref": "#/x/self"}}}}
    inner["properties"]["start"] = {"$ref": "#/x/self"}
    found = openapi.observe(made)
    assert any("nested deeper" in gap.reason for gap in found.gaps)


# --- hostile and odd


def test_bases_that_double_at_every_step_end() -> None:
    """Two to the thirtieth if each use were opened again."""
    made = body({"$ref": "#/components/schemas/A0"})
    twice = [{"$ref": "#/components/schemas/A{}"}] * 2
    made["components"] = {
        "schemas": {f"A{n}": json.loads(json.dumps({"allOf": twice}).replace("{}", str(n + 1))) for n in range(30)}
    }
    made["components"]["schemas"]["A30"] = {"type": "object", "properties": {"a": {"type": "string"}}}
    assert "schema:A0#a" in facts(made)


@pytest.mark.slow
def test_unions_inside_bases_that_double_at_every_step_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("driftwatch.observe.facts.openapi.normal.MAX_STEPS", 20_000)
    made = body({"$ref": "#/components/schemas/A0"})
    schemas = {}
    for n in range(30):
        union = {"anyOf": [{"$ref": f"#/components/schemas/A{n + 1}"}, {"$ref": f"#/components/schemas/B{n + 1}"}]}
        schemas[f"U{n}"] = union
        for name in "AB":
            schemas[f"{name}{n}"] = {"allOf": [{"$ref": f"#/components/schemas/U{n}"}, {"properties": {f"{name}{n}": {}}}]}
    made["components"] = {"schemas": schemas}
    with pytest.raises(Unobservable, match="too intricate"):
        openapi.observe(made)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "type",
                    "properties",
                    "items",
                    "anyOf",
                    "allOf",
                    "$ref",
                    "enum",
                    "required",
                    "const",
                    "nullable",
                    "additionalProperties",
                    "discriminator",
                    "a",
                    "minimum",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(JSON)
@pytest.mark.slow
def test_any_schema_gives_facts_or_gaps_and_equals_itself(schema: Json) -> None:
    from tests.support.apis import changes

    made = body(schema)
    made["components"] = {"schemas": {"S": schema, "T": {"allOf": [{"$ref": "#/components/schemas/S"}, {"type": "object"}]}}}
    assert "http:POST /x#body" in facts(made)
    assert changes(made, made) == ()


@pytest.mark.parametrize(
    "odd",
    [
        None,
        1,
        "x",
        [],
        {"get": None},
        {"get": {"parameters": {}, "responses": []}},
        {"get": {"requestBody": 1, "responses": {"200": None}}},
    ],
)
def test_odd_path_items_do_not_stop_the_rest(odd: Json) -> None:
    made = document(_odd=odd, _x={"get": {"responses": {}}})
    assert "http:GET /x" in facts(made)
