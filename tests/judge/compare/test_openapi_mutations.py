"""Edits of real documents whose effect is known by construction, judged for who calls and for who serves."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import pytest

from driftwatch.judge.compare import compare
from driftwatch.model import SEVERITIES, Severity, Snapshot
from driftwatch.rules import by_change
from tests.support.apis import snapshot
from tests.support.real_api import closure, slices

Json = Any
E, W, I = "breaking", "risky", "info"  # noqa: E741 - as in the tables
STRING = {"type": "string"}
SEEDS = range(26)
PLACES = 24  # edits a seed


class Slice:
    """A document of one operation, with what can be edited in it."""

    def __init__(self, written: str, chance: random.Random) -> None:
        self.written = written
        self.new: Json = json.loads(written)
        self.chance = chance
        self.path, item = next(iter(self.new["paths"].items()))
        self.method, self.operation = next(iter(item.items()))
        self.schemas = self.new["components"]["schemas"]

    def sides(self, name: str) -> list[str]:
        asked = closure([self.operation.get("requestBody"), self.operation.get("parameters")], self.schemas)
        return [
            side
            for side, held in (("request", asked), ("response", closure(self.operation["responses"], self.schemas)))
            if name in held
        ]

    def member(self, wanted: Callable[[Json, bool], bool]) -> tuple[str, str] | None:
        """A shared object and one of its members for which ``wanted(schema, required)`` says yes."""
        found = [
            (name, key)
            for name, schema in sorted(self.schemas.items())
            if schema.get("type") == "object"
            for key, value in sorted(schema.get("properties", {}).items())
            if wanted(value, key in schema.get("required", ()))
        ]
        return self.chance.choice(found) if found else None


def plain(value: Json) -> bool:
    return value.get("type") == "string" and not {"enum", "const", "pattern", "maxLength", "format"} & set(value)


def listed(value: Json) -> bool:
    return value.get("type") == "string" and len(value.get("enum", ())) > 1


def can_be_null(value: Json) -> bool:
    return {"type": "null"} in value.get("anyOf", ()) or "null" in value.get("type", ())


def tells(value: Json) -> bool:
    return len(value.get("enum", ())) == 1


Edit = tuple[Callable[[Json, bool], bool], Callable[[Json, str], None], str, Severity, Severity]


def remove(thing: Json, key: str) -> None:
    del thing["properties"][key]
    thing["required"] = [each for each in thing.get("required", ()) if each != key]


def require(thing: Json, key: str) -> None:
    thing["required"] = [*thing.get("required", ()), key]


def release(thing: Json, key: str) -> None:
    thing["required"] = [each for each in thing["required"] if each != key]


def put(change: Callable[[Json], Json]) -> Callable[[Json, str], None]:
    def edit(thing: Json, key: str) -> None:
        thing["properties"][key] = change(thing["properties"][key])

    return edit


# (which member, the edit, what it is called, severity when sent, when answered) for who calls
EDITS: list[Edit] = [
    (lambda value, need: not tells(value), remove, "property-removed", W, E),
    (lambda value, need: not need, require, "became-required", E, I),
    (lambda value, need: need and not tells(value), release, "became-optional", I, E),
    (
        lambda value, need: not can_be_null(value) and not tells(value),
        put(lambda v: {"anyOf": [v, {"type": "null"}]}),
        "became-nullable",
        I,
        E,
    ),
    (lambda value, need: plain(value), put(lambda v: {"type": "integer"}), "type-changed", E, E),
    (lambda value, need: plain(value), put(lambda v: {"type": ["string", "integer"]}), "type-widened", I, E),
    (lambda value, need: plain(value), put(lambda v: {**v, "maxLength": 9}), "limit-tightened", E, I),
    (lambda value, need: plain(value), put(lambda v: {**v, "format": "uuid"}), "format-changed", W, W),
    (lambda value, need: plain(value), put(lambda v: {**v, "default": "x"}), "default-changed", W, I),
    (lambda value, need: plain(value), put(lambda v: {**v, "enum": ["x", "y"]}), "enum-closed", E, I),
    (lambda value, need: plain(value), put(lambda v: {**v, "deprecated": True}), "deprecated", W, W),
    (lambda value, need: listed(value), put(lambda v: {**v, "enum": [*v["enum"], "zz"]}), "enum-value-added", I, W),
    (lambda value, need: listed(value), put(lambda v: {**v, "enum": v["enum"][1:]}), "enum-value-removed", E, I),
    (lambda value, need: listed(value), put(lambda v: {"type": "string"}), "enum-opened", I, W),
]
ADDED = [("property-added", False, I, I), ("property-added-required", True, E, I)]


@lru_cache(512)
def seen(written: str) -> Snapshot:
    return snapshot(json.loads(written))


def severities(part: Slice, *, reversed_: bool = False) -> list[tuple[str, str, str, str]]:
    """(kind, address, for who calls, for who serves) between the slice as it was and as it was edited."""
    pair = (seen(part.written), snapshot(part.new, "2"))
    found = []
    for change in compare(*(pair[::-1] if reversed_ else pair)):
        rule = by_change()[change.address.kind, change.kind]
        found.append((change.kind, str(change.address), rule.consumer, rule.implementer))
    return found


def expected(sides: list[str], atom: str, address: str, sent: Severity, answered: Severity) -> list[tuple[str, str, str, str]]:
    by_side = {"request": (sent, answered), "response": (answered, sent)}
    consumer, implementer = (max((by_side[side][role] for side in sides), key=SEVERITIES.index) for role in (0, 1))
    return [(f"{'both' if len(sides) == 2 else sides[0]}-{atom}", address, consumer, implementer)]


def written(name: str, key: str) -> str:
    return f"schema:{name}#{key}" if key.replace("_", "a").replace("-", "a").isalnum() else f'schema:{name}#["{key}"]'


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.slow
def test_edits_of_real_schemas(seed: int) -> None:
    chance = random.Random(seed)
    tried = 0
    while tried < PLACES:
        part = Slice(chance.choice(slices()), chance)
        wanted, edit, atom, sent, answered = chance.choice(EDITS)
        found = part.member(wanted)
        if found is None:
            continue
        name, key = found
        edit(part.schemas[name], key)
        assert severities(part) == expected(part.sides(name), atom, written(name, key), sent, answered), (
            part.path,
            found,
        )
        tried += 1


@pytest.mark.parametrize("seed", range(10))
def test_new_members_of_real_schemas(seed: int) -> None:
    chance = random.Random(1000 + seed)
    for _ in range(8):
        part = Slice(chance.choice(slices()), chance)
        found = part.member(lambda value, need: True)
        if found is None:
            continue
        atom, needed, sent, answered = chance.choice(ADDED)
        thing = part.schemas[found[0]]
        thing["properties"]["zz_new"] = STRING
        if needed:
            require(thing, "zz_new")
        assert severities(part) == expected(part.sides(found[0]), atom, f"schema:{found[0]}#zz_new", sent, answered)


def reorder(node: Json, chance: random.Random) -> Json:
    if isinstance(node, dict):
        keys = list(node)
        chance.shuffle(keys)
        return {key: reorder(node[key], chance) for key in keys}
    if isinstance(node, list):
        inner = [reorder(each, chance) for each in node]
        if all(isinstance(each, str) for each in inner):  # required, enum, tags
            chance.shuffle(inner)
        return inner
    return node


def rename_schema(part: Slice) -> None:
    if not part.schemas:
        return
    name = part.chance.choice(sorted(part.schemas))
    again = json.loads(json.dumps(part.new).replace(f'"#/components/schemas/{name}"', '"#/components/schemas/Zz"'))
    again["components"]["schemas"]["Zz"] = again["components"]["schemas"].pop(name)
    part.new = again


def inline_schema(part: Slice) -> None:
    """One shared schema that is not part of itself is written in place wherever it is used."""
    simple = [name for name in sorted(part.schemas) if name not in closure(part.schemas[name], part.schemas)]
    if not simple:
        return
    name = part.chance.choice(simple)
    body = json.dumps(part.schemas[name])
    del part.schemas[name]
    part.new = json.loads(json.dumps(part.new).replace(f'{{"$ref": "#/components/schemas/{name}"}}', body))


def rename_path_parameter(part: Slice) -> None:
    text = json.dumps(part.new)
    for parameter in part.operation.get("parameters", ()):
        if parameter["in"] == "path":
            name = parameter["name"]
            text = text.replace(f"{{{name}}}", "{zz}").replace(f'"name": "{name}", "in": "path"', '"name": "zz", "in": "path"')
            break
    part.new = json.loads(text)


def describe(part: Slice) -> None:
    part.operation["description"] = "another text"
    part.operation["x-note"] = [1]
    for schema in part.schemas.values():
        schema["description"] = "another text"


SILENT: list[Callable[[Slice], None]] = [
    lambda part: setattr(part, "new", reorder(part.new, part.chance)),
    rename_schema,
    inline_schema,
    rename_path_parameter,
    describe,
]


@pytest.mark.parametrize("seed", range(12))
def test_rewritings_of_real_documents_are_silent(seed: int) -> None:
    chance = random.Random(2000 + seed)
    for rewrite in SILENT:
        part = Slice(chance.choice(slices()), chance)
        rewrite(part)
        assert severities(part) == [], (part.path, rewrite)
        assert severities(part, reversed_=True) == [], (part.path, rewrite)


OPERATION: list[tuple[Callable[[Slice], None], str, Severity, Severity]] = [
    (lambda part: part.operation.update(deprecated=True), "operation-deprecated", W, W),
    (lambda part: part.operation.update(operationId="zz"), "operation-id-changed", W, W),
    (
        lambda part: part.operation.setdefault("parameters", []).append({"name": "zz", "in": "query", "schema": STRING}),
        "parameter-added",
        I,
        I,
    ),
    (
        lambda part: part.operation.setdefault("parameters", []).append(
            {"name": "zz", "in": "query", "required": True, "schema": STRING}
        ),
        "parameter-added-required",
        E,
        I,
    ),
    (lambda part: part.operation["responses"].update({"202": {"description": "later"}}), "success-status-added", W, I),
    (lambda part: part.operation["responses"].update({"418": {"description": "tea"}}), "error-status-added", I, I),
    (lambda part: part.new["paths"].update({"/zz": {"get": {"responses": {}}}}), "operation-added", I, W),
    (lambda part: part.new.update(paths={"/zz": part.new["paths"][part.path]}), "operation-removed", E, I),
]


@pytest.mark.parametrize("seed", range(6))
def test_edits_of_real_operations(seed: int) -> None:
    chance = random.Random(3000 + seed)
    for edit, kind, consumer, implementer in OPERATION:
        part = Slice(chance.choice(slices()), chance)
        edit(part)
        found = {(each[0], each[2], each[3]) for each in severities(part)}
        allowed = {("operation-added", I, W)} if kind == "operation-removed" else set()
        assert (kind, consumer, implementer) in found
        assert found <= {(kind, consumer, implementer)} | allowed, (part.path, kind, found)
