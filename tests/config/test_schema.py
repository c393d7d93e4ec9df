"""The JSON Schema and the types are one: what one refuses, the other refuses."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from driftwatch.config import json_schema
from tests.config.test_bad_watchlists import BASE
from tests.config.test_load import GOOD


def plain(text: str) -> Any:
    """As an editor's schema check sees it: dates are text."""

    class Loader(yaml.SafeLoader):
        pass

    Loader.yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in rules if not tag.endswith("timestamp")]
        for first, rules in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    return yaml.load(text, Loader)


VALIDATOR = Draft202012Validator(json_schema())


def objects(schema: Any) -> list[dict[str, Any]]:
    return [schema, *schema["$defs"].values()]


def test_it_is_a_valid_schema_of_the_named_draft() -> None:
    schema = json_schema()
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["title"] == "driftwatch watchlist"
    assert "$id" not in schema


def test_every_mapping_is_closed_and_every_key_described() -> None:
    for mapping in objects(json_schema()):
        assert mapping["additionalProperties"] is False
        assert mapping["description"]
        for key, value in mapping["properties"].items():
            assert len(value.get("description", "")) > 5, f"{mapping['title']}.{key}"


@pytest.mark.parametrize("text", [GOOD, BASE])
def test_good_watchlists_pass(text: str) -> None:
    assert [error.message for error in VALIDATOR.iter_errors(plain(text))] == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("version: 1", "version: 2"),
        ("project:", "projct:"),
        ("  name: mine", "  name: 1.10"),
        ("        breaks: everything\n", ""),
        ('    packages: [pkg, "@s/other"]', "    packages: []"),
        ("ts:pkg#Hooks", "[ts:pkg#Hooks]"),
        ("    reason: seen", "    reason: ''"),
    ],
)
def test_it_refuses_the_same_shapes(old: str, new: str) -> None:
    assert not VALIDATOR.is_valid(plain(BASE.replace(old, new)))


def test_where_the_file_was_read_from_is_no_key() -> None:
    assert "path" not in json_schema()["properties"]
    assert "version" in json_schema()["properties"]
