"""What is written in another way and means the same gives no change."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from tests.support.apis import said

Json = Any
STRING: Json = {"type": "string"}
REF: Json = {"$ref": "#/components/schemas/Thing"}


def document(schemas: Json, *, version: str = "3.1.0", path: str = "/thing/{id}", body: Json = None, answer: Json = None) -> Json:
    content = {"application/json": {"schema": body or REF}}
    return {
        "openapi": version,
        "info": {"title": "t", "version": "1"},
        "paths": {
            path: {
                "post": {
                    "requestBody": {"required": True, "content": content},
                    "responses": {
                        "200": {"description": "ok", "content": {"application/json": {"schema": answer or body or REF}}}
                    },
                }
            }
        },
        "components": {"schemas": schemas},
    }


def both(old: Json, new: Json, **how: Json) -> None:
    """The two schemas mean the same wherever they stand, in both directions."""
    one, other = document({"Thing": old}, **how), document({"Thing": new}, **how)
    assert said(one, other) == []
    assert said(other, one) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"type": ["string", "null"]}, {"anyOf": [STRING, {"type": "null"}]}),
        ({"type": ["string", "null"]}, {"oneOf": [{"type": "null"}, STRING]}),
        ({"enum": ["a"]}, {"const": "a"}),
        ({"type": "string", "enum": ["b", "a"]}, {"enum": ["a", "b"]}),
        ({"type": "string", "enum": ["b", "a"]}, {"anyOf": [{"const": "a"}, {"type": "string", "const": "b"}]}),
        ({"type": "boolean"}, {"enum": [True, False]}),
        ({"type": ["integer", "string"]}, {"anyOf": [{"type": "string"}, {"type": "integer"}]}),
        ({"type": "number"}, {"anyOf": [{"type": "number"}, {"type": "integer"}]}),
        (STRING, {"anyOf": [STRING, {"type": "string", "enum": ["known"]}]}),
        ({"type": "string", "pattern": "^x"}, {"type": "string", "allOf": [{"pattern": "^x"}]}),
        ({"type": "string", "minLength": 0}, STRING),
        ({"type": "object", "additionalProperties": True}, {"type": "object"}),
        ({"type": "object", "additionalProperties": {}}, {"type": "object"}),
        ({"type": "array", "items": {}}, {"type": "array"}),
        ({"type": "object", "required": ["b", "a"]}, {"required": ["a", "b"], "type": "object"}),
        ({"type": "object", "properties": {"a": STRING}}, {"properties": {"a": {"type": "string", "description": "A"}}}),
        ({"type": "string"}, {"type": "string", "x-order": 3, "title": "T", "examples": ["e"]}),
        (
            {"allOf": [{"type": "object", "properties": {"a": STRING}}, {"properties": {"b": STRING}, "required": ["b"]}]},
            {"type": "object", "properties": {"b": STRING, "a": STRING}, "required": ["b"]},
        ),
    ],
)
def test_two_spellings_of_one_schema(old: Json, new: Json) -> None:
    both(old, new)
    both({"type": "object", "properties": {"m": old}}, {"type": "object", "properties": {"m": new}})


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        ({"type": "integer", "minimum": 0, "exclusiveMinimum": True}, {"type": "integer", "exclusiveMinimum": 0}),
        ({"type": "integer", "maximum": 9, "exclusiveMaximum": False}, {"type": "integer", "maximum": 9}),
        ({"type": "string", "nullable": True, "enum": ["a", None]}, {"enum": ["a", None]}),
    ],
)
def test_openapi_3_0_and_3_1_spell_the_same(old: Json, new: Json) -> None:
    one, other = document({"Thing": old}, version="3.0.3"), document({"Thing": new})
    assert said(one, other) == said(other, one) == []


def test_in_place_or_shared() -> None:
    thing = {
        "type": "object",
        "properties": {"id": STRING, "other": {"type": "array", "items": {"$ref": "#/components/schemas/Item"}}},
    }
    item = {"type": "object", "properties": {"n": {"type": "integer"}}}
    shared = document({"Thing": thing, "Item": item})
    inline = copy.deepcopy(thing)
    inline["properties"]["other"]["items"] = item
    assert said(shared, document({}, body=inline)) == said(document({}, body=inline), shared) == []


def test_nullable_beside_a_reference_or_in_a_union() -> None:
    old = document(
        {
            "Thing": {"type": "object", "properties": {"m": {"nullable": True, "allOf": [{"$ref": "#/components/schemas/M"}]}}},
            "M": STRING,
        }
    )
    new = document(
        {
            "Thing": {"type": "object", "properties": {"m": {"anyOf": [{"$ref": "#/components/schemas/M"}, {"type": "null"}]}}},
            "M": STRING,
        }
    )
    assert said(old, new) == said(new, old) == []


def test_a_shared_schema_with_another_name() -> None:
    thing = {"type": "object", "properties": {"self": REF, "kinds": {"oneOf": [{"$ref": "#/components/schemas/A"}, STRING]}}}
    schemas = {"Thing": thing, "A": {"type": "object", "properties": {"a": STRING}}}
    renamed = json.loads(
        json.dumps(document(schemas)).replace("schemas/Thing", "schemas/Thing2").replace("schemas/A", "schemas/A1")
    )
    renamed["components"]["schemas"] = {
        f"{name}{2 if name == 'Thing' else 1}": value for name, value in renamed["components"]["schemas"].items()
    }
    assert said(document(schemas), renamed) == said(renamed, document(schemas)) == []


def test_a_path_parameter_with_another_name() -> None:
    def path(name: str) -> Json:
        made = document({"Thing": STRING}, path=f"/thing/{{{name}}}")
        made["paths"][f"/thing/{{{name}}}"]["parameters"] = [{"name": name, "in": "path", "required": True, "schema": STRING}]
        return made

    assert said(path("id"), path("thingID")) == []


def test_variants_in_another_order() -> None:
    def variant(name: str) -> Json:
        return {"type": "object", "required": ["kind"], "properties": {"kind": {"const": name}, name: STRING}}

    both({"oneOf": [variant("a"), variant("b"), STRING]}, {"anyOf": [STRING, variant("b"), variant("a")]})


def test_servers_tags_and_prose_mean_nothing() -> None:
    one, other = document({"Thing": STRING}), document({"Thing": STRING})
    other.update({"servers": [{"url": "http://x"}], "tags": [{"name": "t"}], "x-a": 1})
    other["paths"]["/thing/{id}"]["post"].update({"summary": "s", "description": "d", "tags": ["t"], "x-b": {}})
    other["paths"]["/thing/{id}"]["post"]["responses"]["200"]["description"] = "fine"
    assert said(one, other) == []


def test_read_only_members_are_not_sent_and_write_only_members_are_not_answered() -> None:
    old = document({"Thing": {"type": "object", "properties": {}}})
    new = document(
        {
            "Thing": {
                "type": "object",
                "properties": {"r": {"type": "string", "readOnly": True}, "w": {"type": "string", "writeOnly": True}},
                "required": ["r", "w"],
            }
        }
    )
    assert said(old, new) == [
        ("request-property-added-required", "schema:Thing#w"),
        ("response-property-added-required", "schema:Thing#r"),
    ]


def test_authentication_by_another_name() -> None:
    def secured(name: str) -> Json:
        made = document({"Thing": STRING})
        made["components"]["securitySchemes"] = {name: {"type": "http", "scheme": "basic"}}
        made["security"] = [{name: []}]
        return made

    assert said(secured("a"), secured("b")) == []
