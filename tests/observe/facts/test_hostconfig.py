"""Configuration keys from a schema: addresses, references, schemas that hold themselves."""

from __future__ import annotations

from typing import Any

import pytest

from driftwatch import addresses
from driftwatch.errors import Unobservable
from driftwatch.observe.facts import hostconfig
from tests.support.apis import said

Json = Any
STRING: Json = {"type": "string"}


def keys(document: Json, component: str = "Config") -> dict[str, Json]:
    return {str(fact.address): fact.value for fact in hostconfig.observe(document, component).facts}


def openapi(**schemas: Json) -> Json:
    return {"openapi": "3.1.0", "paths": {}, "components": {"schemas": schemas}}


def test_addresses_of_keys() -> None:
    agent = {"type": "object", "properties": {"model": STRING}}
    config = {
        "type": "object",
        "properties": {
            "plugin": {"type": "array", "items": STRING},
            "agent": {
                "type": "object",
                "properties": {"build": {"$ref": "#/components/schemas/Agent"}},
                "additionalProperties": {"$ref": "#/components/schemas/Agent"},
            },
            "permission": {"anyOf": [STRING, {"type": "object", "properties": {"bash": STRING}}]},
            "odd.key": STRING,
        },
    }
    found = keys(openapi(Config=config, Agent=agent))
    assert sorted(found) == [
        "config:",
        'config:["odd.key"]',
        "config:agent",
        "config:agent.*",
        "config:agent.*.model",
        "config:agent.build",
        "config:agent.build.model",
        "config:permission",
        "config:permission.(object)",
        "config:permission.(object).bash",
        "config:permission.(string)",
        "config:plugin",
        "config:plugin.[]",
    ]
    assert found["config:agent.build.model"] == {"type": "string", "at": ["schema:Agent#model"]}
    assert addresses.matches("config:agent", "config:agent.build.model")
    assert addresses.matches("config:agent.*.model", "config:agent.build.model")
    assert not addresses.matches("config:agent", "config:agents")


def test_a_schema_that_holds_itself_is_followed_once() -> None:
    found = keys(
        openapi(
            Config={"type": "object", "properties": {"rule": {"$ref": "#/components/schemas/Rule"}}},
            Rule={"type": "object", "properties": {"also": {"$ref": "#/components/schemas/Rule"}}},
        )
    )
    assert sorted(found) == ["config:", "config:rule", "config:rule.also"]


def test_a_json_schema_as_a_whole() -> None:
    document = {"type": "object", "properties": {"mode": {"$ref": "#/$defs/Mode"}}, "$defs": {"Mode": {"enum": ["a", "b"]}}}
    assert keys(document)["config:mode"]["enum"] == ["a", "b"]


def test_no_such_schema() -> None:
    with pytest.raises(Unobservable, match="no schema 'Config'"):
        hostconfig.observe(openapi())


def test_a_shared_schema_of_several_keys_is_edited_once() -> None:
    def made(agent: Json) -> Json:
        return {
            "type": "object",
            "properties": {name: {"$ref": "#/$defs/Agent"} for name in ("build", "plan", "x")},
            "$defs": {"Agent": agent},
        }

    old = made({"type": "object", "properties": {"model": STRING, "old": STRING}})
    assert said(old, made({"type": "object", "properties": {"model": STRING}})) == [("key-removed", "config:build.old")]


def test_only_one_key_of_a_telling_shape_is_renamed() -> None:
    def made(shape: Json, *names: str) -> Json:
        return {"type": "object", "properties": {"id": STRING, **dict.fromkeys(names, shape)}}

    pair: Json = {"type": "object", "properties": {"model": STRING}}
    assert said(made(pair, "a"), made(pair, "b")) == [("key-renamed", "config:a")]
    assert said(made(STRING, "a"), made(STRING, "b")) == [("key-added", "config:b"), ("key-removed", "config:a")]
    assert [kind for kind, _ in said(made(pair, "a", "b"), made(pair, "c", "d"))] == ["key-added"] * 2 + ["key-removed"] * 2
