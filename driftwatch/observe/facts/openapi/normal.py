"""One form for what OpenAPI 3.0, 3.1 and their generators spell in many ways. Works on raw schemas, before any fact is made.

- ``simplify``: booleans, references with siblings, ``allOf`` merged. A property that comes out of a shared schema stays
  a pointer into it (``$at``), so that an edit of the shared schema is seen there once and not in every schema built on it.
- ``variants``: ``oneOf``/``anyOf``/``type: [...]``/``enum`` of several types as one list of alternatives, null apart.
"""

from __future__ import annotations

import json
from typing import Any

from driftwatch.errors import Unobservable
from driftwatch.observe.facts.openapi import segments
from driftwatch.observe.facts.openapi.refs import Raw, Refs

AT = "$at"  # our own: the address of a schema (or of a part of one) that stands for this node


def words(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())


FLAGS = ("nullable", "default", "deprecated", "readOnly", "writeOnly")  # belong to the place, not to the schema
_PROSE = words("title description summary example examples externalDocs xml $comment $id $schema $anchor $defs definitions")
_BY_TYPE = {
    "string": ("minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType", "contentSchema"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "format"),
    "array": ("items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains", "itemSchema", "unevaluatedItems"),
    "object": (
        "properties",
        "required",
        "additionalProperties",
        "patternProperties",
        "minProperties",
        "maxProperties",
        "propertyNames",
        "dependentRequired",
        "dependentSchemas",
        "unevaluatedProperties",
    ),
    "boolean": (),
    "null": (),
}
_BY_TYPE["integer"] = _BY_TYPE["number"]
_TYPED = frozenset(word for words in _BY_TYPE.values() for word in words) - {"format"}
_NEVER: Raw = {"not": {}}
_DEEP = 120  # allOf inside allOf inside ...
MAX_STEPS = 500_000  # the largest real documents take 20,000: more is a document made to be slow


def canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


class Normal:
    def __init__(self, refs: Refs) -> None:
        self._refs = refs
        self._opened: dict[str, Raw] = {}
        self._opening: set[str] = set()
        self._steps = 0
        self.literals: dict[str, dict[str, str]] = {}  # remembered by address: every answer lists the same few errors

    def simplify(self, schema: Any, depth: int = 0) -> Raw:
        """A schema that is either a pointer (``$at`` and flags) or plain keywords; ``allOf`` is gone."""
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise Unobservable("the document's schemas are too intricate to be read", "look for unions of unions inside allOf")
        if not isinstance(schema, dict):
            return _NEVER if schema is False else {}
        node: Raw = {word: value for word, value in schema.items() if word not in _PROSE and not word.startswith("x-")}
        if depth > _DEEP:
            self._refs.miss("allOf", "it is nested without end")
            return {}
        if "$ref" in node:
            return self._reference(node, depth)
        if "allOf" in node:
            members = node.pop("allOf")
            return self._all(node, members if isinstance(members, list) else [], depth)
        return node

    def _reference(self, node: Raw, depth: int) -> Raw:
        ref = node.pop("$ref")
        address = self._refs.address(ref)
        target = self._refs.get(ref)
        if target is None:
            return {"$unknown": True}
        if not address:
            return self._all(node, [target], depth)
        flags = {word: node.pop(word) for word in FLAGS if word in node}
        pointer = {AT: address, **flags}
        return self._all({}, [pointer, node], depth) if node else pointer

    def _all(self, rest: Raw, members: list[Any], depth: int) -> Raw:
        flags = {word: rest.pop(word) for word in FLAGS if word in rest}
        parts = [part for part in (self.simplify(member, depth + 1) for member in [*members, rest]) if part]
        for part in parts:
            for word in FLAGS:
                if word in part and AT not in part:
                    flags.setdefault(word, part[word])
        if len(parts) == 1:
            return {**parts[0], **flags}
        whole: Raw = {}
        for part in parts:
            whole = _meet(whole, self.opened(part, depth + 1) if AT in part else part)
        return {**whole, **flags}

    def opened(self, pointer: Raw, depth: int = 0) -> Raw:
        """What a pointer points at, one level open: its properties are pointers into the shared schema."""
        address = str(pointer[AT])
        if address in self._opening:
            self._refs.miss(address, "the schema is made of itself")
            return {}
        if address not in self._opened:
            self._opening.add(address)
            try:
                self._opened[address] = self._open(pointer, depth)
            finally:
                self._opening.discard(address)
        return self._opened[address]

    def _open(self, pointer: Raw, depth: int) -> Raw:
        address, seen = str(pointer[AT]), set()
        node: Raw = pointer
        while AT in node:
            address = str(node[AT])
            if address in seen or depth > _DEEP:
                self._refs.miss(address, "the schema is made of itself")
                return {}
            seen.add(address)
            node = self.simplify(self.raw(address), depth + 1)
        node = {word: value for word, value in node.items() if word not in FLAGS}
        if isinstance(node.get("properties"), dict):
            node["properties"] = {
                name: {AT: segments.below(address, segments.key(name))} if isinstance(value, dict) and AT not in value else value
                for name, value in node["properties"].items()
            }
        if isinstance(node.get("items"), dict):
            node["items"] = {AT: segments.below(address, segments.ITEMS)}
        if isinstance(node.get("additionalProperties"), dict) and node["additionalProperties"]:
            node["additionalProperties"] = {AT: segments.below(address, segments.VALUES)}
        return node

    def raw(self, address: str) -> Any:
        """The raw schema at ``schema:Name`` or at a place inside one."""
        name, _, inner = address.removeprefix("schema:").partition("#")
        if inner:
            return self._inside(name, inner)
        for container in (("components", "schemas"), ("definitions",), ("$defs",)):
            node: Any = self._refs.document
            for word in container:
                node = node.get(word) if isinstance(node, dict) else None
            if isinstance(node, dict) and name in node:
                return node[name]
        return {}

    def _inside(self, name: str, inner: str) -> Any:
        node: Any = self.raw(f"schema:{name}")
        for segment in segments.split(inner):
            node = self.simplify(node)
            node = self.opened(node) if AT in node else node
            if segment in (segments.ITEMS, segments.VALUES):
                node = node.get("items" if segment == segments.ITEMS else "additionalProperties", {})
            else:
                found = node.get("properties")
                node = found.get(segments.name(segment), {}) if isinstance(found, dict) else {}
        return node

    def variants(self, schema: Raw, depth: int = 0) -> tuple[list[Raw], bool]:
        """The alternatives of a simplified schema, and whether null is one of them."""
        if AT in schema or "$unknown" in schema:
            return [schema], schema.get("nullable") is True
        nullable = schema.get("nullable") is True
        node = {word: value for word, value in schema.items() if word not in FLAGS and word != "discriminator"}
        for word in ("anyOf", "oneOf"):
            if isinstance(node.get(word), list) and depth < _DEEP:
                members = node.pop(word)
                found, null = self._union(node, members, depth)
                return _joined(found), nullable or null
        found, null = _by_type(node)
        return _joined(found), nullable or null

    def _union(self, base: Raw, members: list[Any], depth: int) -> tuple[list[Raw], bool]:
        found: list[Raw] = []
        nullable = False
        for member in members:
            part = self.simplify(member)
            part = self._all({}, [dict(base), part], 0) if base else part
            inner, null = self.variants(part, depth + 1)
            found.extend(inner)
            nullable = nullable or null
        return found, nullable


def _meet(one: Raw, other: Raw) -> Raw:
    """Both at once."""
    both = dict(one)
    for word, value in other.items():
        both[word] = _MEET[word](both[word], value) if word in both and word in _MEET else _either(both, word, value)
    return both


def _either(both: Raw, word: str, value: Any) -> Any:
    if word not in both or both[word] == value:
        return value
    if word in ("anyOf", "oneOf", "not"):  # two unions at once: kept as a constraint that is compared as a whole
        return both[word]
    return value


def _properties(one: Any, other: Any) -> Any:
    if not isinstance(one, dict) or not isinstance(other, dict):
        return one
    return {**one, **{name: _schemas(one[name], value) if name in one else value for name, value in other.items()}}


def _schemas(one: Any, other: Any) -> Any:
    if one == other or other in (True, {}):
        return one
    if one in (True, {}):
        return other
    return False if one is False or other is False else {"allOf": [one, other]}


def _types(one: Any, other: Any) -> Any:
    left, right = _list(one), _list(other)
    both = [kind for kind in left if kind in right or (kind == "integer" and "number" in right)]
    both += [kind for kind in right if kind == "integer" and "number" in left and kind not in both]
    return both[0] if len(both) == 1 else both


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list) else [value]


def _patterns(one: Any, other: Any) -> Any:
    return one if one == other else " & ".join(sorted({*str(one).split(" & "), *str(other).split(" & ")}))


def _lowest(one: Any, other: Any) -> Any:
    return min(one, other) if _number(one) and _number(other) else one


def _highest(one: Any, other: Any) -> Any:
    return max(one, other) if _number(one) and _number(other) else one


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


_MEET = {
    "properties": _properties,
    "patternProperties": _properties,
    "additionalProperties": _schemas,
    "items": _schemas,
    "required": lambda one, other: sorted({*map(str, _list(one)), *map(str, _list(other))}),
    "type": _types,
    "enum": lambda one, other: [value for value in _list(one) if value in _list(other)],
    "pattern": _patterns,
    **dict.fromkeys(("minimum", "minLength", "minItems", "minProperties"), _highest),
    **dict.fromkeys(("maximum", "maxLength", "maxItems", "maxProperties"), _lowest),
}


def kind_of(value: Any) -> str:
    """The JSON type of a literal."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    return "string" if isinstance(value, str) else "array" if isinstance(value, list) else "object"


def _by_type(node: Raw) -> tuple[list[Raw], bool]:
    """One plain schema a type; null apart."""
    if "const" in node:
        node = {**{word: value for word, value in node.items() if word != "const"}, "enum": [node["const"]]}
    literals = node.get("enum")
    kinds = [str(kind) for kind in _list(node["type"])] if "type" in node else _guessed(node)
    if isinstance(literals, list):
        named = list(dict.fromkeys(kind_of(value) for value in literals))
        kinds = [kind for kind in kinds if _held(kind, named)] or named if "type" in node else named
    nullable = "null" in kinds and not (isinstance(literals, list) and None not in literals)
    found = [_only(node, kind) for kind in kinds if kind != "null"]
    if not kinds:
        found = [{word: value for word, value in node.items() if word != "type"}]
    return found, nullable


def _held(kind: str, named: list[str]) -> bool:
    return kind in named or (kind == "number" and "integer" in named)


def _guessed(node: Raw) -> list[str]:
    """No type is written: what the keywords are about, when they are all about one type."""
    about = [
        kind for kind in ("object", "array", "string", "number") if any(word in node for word in _BY_TYPE[kind] if word in _TYPED)
    ]
    return about if len(about) == 1 else []


def _only(node: Raw, kind: str) -> Raw:
    """The part of a schema that speaks of one type."""
    words = _BY_TYPE.get(kind, ())
    part = {word: value for word, value in node.items() if word not in _TYPED or word in words}
    if "format" in part and "format" not in words:
        del part["format"]
    if isinstance(part.get("enum"), list):
        part["enum"] = [value for value in part["enum"] if _held(kind, [kind_of(value)])]
        if part["enum"] and all(kind_of(value) == "integer" for value in part["enum"]):
            kind = "integer"  # written as numbers, and none of them is anything else
    part["type"] = kind
    return part


def _joined(found: list[Raw]) -> list[Raw]:
    """Alternatives that say the same, or of which one says all the other says, are one."""
    kept: list[Raw] = []
    literals: dict[str, Raw] = {}
    for given in found:
        node, kind = given, given.get("type")
        if set(node) == {"type", "enum"} and isinstance(kind, str) and isinstance(node["enum"], list):
            if kind in literals:
                literals[kind]["enum"] = [*literals[kind]["enum"], *(v for v in node["enum"] if v not in literals[kind]["enum"])]
                continue
            node = literals[kind] = dict(node)
        if node not in kept:
            kept.append(node)
    if {} in kept:
        return [{}]
    for node in kept:
        if node.get("type") == "boolean" and len(node.get("enum") or ()) == 2:
            del node["enum"]
    plain = {node["type"] for node in kept if set(node) == {"type"}}
    plain |= {"integer"} if "number" in plain else set()
    return [
        node
        for node in kept
        if (set(node) == {"type"} and not (node["type"] == "integer" and "number" in plain)) or not _covered(node, plain)
    ]


def _covered(node: Raw, plain: set[str]) -> bool:
    return node.get("type") in plain and AT not in node
