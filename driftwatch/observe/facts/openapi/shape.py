"""A schema as facts: one a place, each with the shape of that place alone.

The value of a fact (what is absent is false or unknown):

- ``type``: string, integer, number, boolean, object, array, null, any, never, union, events, unknown (could not be read)
- ``ref``: the address of the shared schema that stands here instead of a type
- ``required``, ``nullable``, ``default``, ``deprecated``, ``readOnly``, ``writeOnly``: of the place
- ``enum`` (sorted), ``format``, ``pattern``, ``min``/``max`` (with ``minOpen``/``maxOpen`` when the bound itself is left out),
  ``minLength`` ..., ``closed`` (no further properties or items), ``other`` (keywords compared as a whole)
- ``at``: set on a fact that shows a place of a shared schema under the operation that uses it
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from driftwatch.errors import Unobservable
from driftwatch.model import Address, Fact, Json
from driftwatch.observe.facts.openapi import segments
from driftwatch.observe.facts.openapi.labels import labelled
from driftwatch.observe.facts.openapi.normal import AT, FLAGS, Normal, canonical, words
from driftwatch.observe.facts.openapi.refs import Raw, Refs
from driftwatch.observe.facts.openapi.unions import Event

MAX_FACTS = 400_000
MAX_DEPTH = 60

_BOUNDS = words("minLength maxLength minItems maxItems minProperties maxProperties multipleOf pattern format")
_RANGES = words("minimum maximum exclusiveMinimum exclusiveMaximum")
_OTHER = words(
    "not if then else contains propertyNames dependentRequired dependentSchemas unevaluatedProperties unevaluatedItems"
    " contentEncoding contentMediaType anyOf oneOf"
)
# Most schemas are written with these words alone and are already in the one form.
_NORMAL = {
    "string": words("type description title example pattern format minLength maxLength enum"),
    "object": words("type description title properties required additionalProperties"),
    "array": words("type description title items minItems maxItems"),
    **dict.fromkeys(("integer", "number"), words("type description title example") | _RANGES),
    "boolean": words("type description title example"),
}

_LEAVES = words("string integer number boolean null")

Value = dict[str, Any]

_REQUIRED: Value = {"required": True}
# The commonest values, shared: a fact's value is never changed. (optional, required) by type.
_PLAIN: dict[str, tuple[Value, Value]] = {
    kind: ({"type": kind}, {"required": True, "type": kind}) for kind in sorted(_LEAVES - {"null"})
}


class Shapes:
    """Collects the facts of schemas. A place that is an event (or the list of them) is only marked: its shape is a fact
    of the event itself."""

    def __init__(self, refs: Refs, normal: Normal, events: Sequence[Event]) -> None:
        self._refs = refs
        self._normal = normal
        self._owners = {event.owner: event.name for event in events if event.owner}
        self._names = frozenset(event.name for event in events)
        self._unions = frozenset(f"schema:{event.union}" for event in events)
        self.facts: list[Fact] = []

    def add(self, address: str, value: Value, where: str = "") -> None:
        if len(self.facts) >= MAX_FACTS:
            raise Unobservable(f"the document describes more than {MAX_FACTS} places", "give a smaller document")
        self.facts.append(Fact(Address(address), value, where))

    def component(self, name: str, schema: Any) -> None:
        """A shared schema and everything written in it."""
        address = f"schema:{name}"
        where = f"#/components/schemas/{name}"
        if address in self._unions:
            self.add(address, {"type": "events"}, where)
            return
        extra: Value = {"event": self._owners[address]} if address in self._owners else {}
        self.place(address, schema, extra, where)

    def events(self, events: Sequence[Event]) -> None:
        """Every event with its payload. One that several unions list (with a payload of another name in each) is one."""
        streams: dict[str, list[str]] = {}
        for event in events:
            listed = streams.setdefault(event.name, [])
            if event.stream not in listed:
                listed.append(event.stream)
        for event in events:
            self._refs.here = f"event:{event.name}"
            where = f"#/components/schemas/{event.owner.removeprefix('schema:') or event.union}"
            self.place(f"event:{event.name}", event.schema, {"in": [*sorted(streams[event.name])]}, where)

    def place(self, address: str, schema: Any, extra: Value | None = None, where: str = "", depth: int = 0) -> None:
        """The facts of one schema at ``address`` and below; ``extra`` goes into the value of the place itself."""
        if depth > MAX_DEPTH:
            self._refs.miss("a schema", f"it is nested deeper than {MAX_DEPTH} levels")
            self.add(address, {**(extra or {}), "type": "unknown"}, where)
            return
        pointed = self._pointed(schema)
        if pointed:
            self.add(address, {"ref": pointed} if extra is None else {**extra, "ref": pointed}, where)
            return
        if is_normal(schema):
            plain, found, value = schema, [schema], dict(extra or {})
        else:
            plain = self._normal.simplify(schema)
            found, nullable = self._normal.variants(plain)
            value = {**(extra or {}), **_flags(plain, nullable)}
        if len(found) == 1:
            value.update(self._alone(found[0]))
            self.add(address, value, where)
            self._inside(address, found[0], depth)
        elif not found:
            self.add(address, {**value, "type": "null"}, where)
        else:
            discriminator = plain.get("discriminator")
            named = discriminator.get("propertyName") if isinstance(discriminator, dict) else None
            if isinstance(named, str):
                value["discriminator"] = named
            self.add(address, {**value, "type": "union"}, where)
            self._union(address, found, named, depth)

    def _pointed(self, schema: Any) -> str:
        """The shared schema that stands here, when nothing else is said: the commonest case, made quick."""
        if type(schema) is dict and len(schema) == 1 and "$ref" in schema:
            address = self._refs.address(schema["$ref"])
            if address and self._refs.get(schema["$ref"]) is not None:
                return address
        return ""

    def _union(self, address: str, found: list[Raw], named: Any, depth: int) -> None:
        for label, node in labelled(found, named if isinstance(named, str) else None, self._normal):
            place = segments.below(address, segments.variant(label))
            name = label.removeprefix("type=") if AT not in node else ""
            if name in self._names:  # an event written in place: its payload is at event:NAME
                self.add(place, {"type": "object", "event": name})
            else:
                self.place(place, node, None, "", depth + 1)

    def _alone(self, node: Raw) -> Value:
        if "$unknown" in node:
            return {"type": "unknown"}
        if AT in node:
            return {"ref": node[AT]}
        value: Value = {"type": _type(node)}
        if isinstance(node.get("enum"), list):
            value["enum"] = sorted(node["enum"], key=canonical) if len(node["enum"]) > 1 else list(node["enum"])
        other = []
        for word in node:  # two or three, mostly
            if word in _BOUNDS:
                value[word] = node[word]
            elif word in _RANGES:
                value.update(_limits(node))
            elif word in _OTHER:
                other.append(word)
        if node.get("uniqueItems") is True:
            value["uniqueItems"] = True
        if node.get("additionalProperties") is False or (node.get("items") is False and "prefixItems" in node):
            value["closed"] = True
        if other and value["type"] != "never":
            value["other"] = {word: _bare(node[word]) for word in sorted(other)}
        return value

    def _inside(self, address: str, node: Raw, depth: int) -> None:
        kind = node.get("type")
        if kind in _LEAVES and "contentSchema" not in node:
            return
        if AT in node or "$unknown" in node:
            return
        self._properties(address, node, depth)
        extra = node.get("additionalProperties")
        if isinstance(extra, dict) and extra:
            self.place(segments.below(address, segments.VALUES), extra, None, "", depth + 1)
        patterns = node.get("patternProperties")
        for pattern, schema in sorted(patterns.items()) if isinstance(patterns, dict) else ():
            self.place(segments.below(address, segments.variant(f"keys {pattern}")), schema, None, "", depth + 1)
        self._items(address, node, depth)
        if "contentSchema" in node:
            self.place(segments.below(address, segments.CONTENT), node["contentSchema"], None, "", depth + 1)

    def _properties(self, address: str, node: Raw, depth: int) -> None:
        properties = node.get("properties")
        properties = properties if isinstance(properties, dict) else {}
        listed = node.get("required")
        required = {str(name) for name in listed} if isinstance(listed, list) else set()
        inner, facts = "#" in address, self.facts
        for name, schema in properties.items():
            segment = segments.key(name)
            place = address + segment if inner else segments.below(address, segment)
            kind = schema.get("type") if type(schema) is dict and len(schema) == 1 else None
            plain = _PLAIN.get(kind) if type(kind) is str else None
            if plain is not None:  # every second place says its type and no more
                facts.append(Fact(Address(place), plain[name in required]))
            else:
                self.place(place, schema, _REQUIRED if name in required else None, "", depth + 1)
        for name in sorted(required.difference(properties)):
            self.add(segments.below(address, segments.key(name)), {"type": "any", "required": True})

    def _items(self, address: str, node: Raw, depth: int) -> None:
        items = node["itemSchema"] if "itemSchema" in node else node.get("items")
        fixed = items if isinstance(items, list) else node.get("prefixItems")
        for index, schema in enumerate(fixed if isinstance(fixed, list) else ()):
            self.place(segments.below(address, f"[{index}]"), schema, {"required": True}, "", depth + 1)
        if isinstance(items, dict) and items:
            self.place(segments.below(address, segments.ITEMS), items, None, "", depth + 1)


def is_normal(schema: Any) -> bool:
    """Whether a schema says one type in plain words, so that there is nothing to simplify."""
    if type(schema) is not dict:
        return False
    kind = schema.get("type")
    if type(kind) is not str:
        return False
    known = _NORMAL.get(kind)
    if known is None or not schema.keys() <= known:
        return False
    return "enum" not in schema or (type(schema["enum"]) is list and all(type(value) is str for value in schema["enum"]))


def _flags(plain: Raw, nullable: bool) -> Value:
    value: Value = {
        word: plain[word] for word in FLAGS if word in plain and word not in ("nullable", "default") and plain[word] is True
    }
    if "default" in plain:
        value["default"] = plain["default"]
    if nullable:
        value["nullable"] = True
    return value


def _type(node: Raw) -> str:
    kind = node.get("type")
    if isinstance(kind, str):
        return kind
    if node.get("not") in ({}, True) and isinstance(node.get("not"), (dict, bool)):
        return "never"
    return "any"


def _limits(node: Raw) -> Value:
    """Bounds in one form: 3.0 says ``exclusiveMinimum: true`` beside ``minimum``, 3.1 gives the number itself."""
    value: Value = {}
    for name, inclusive, exclusive in (("min", "minimum", "exclusiveMinimum"), ("max", "maximum", "exclusiveMaximum")):
        closed, opened = node.get(inclusive), node.get(exclusive)
        if _number(opened) and (not _number(closed) or _inner(name, opened, closed)):
            value[name], value[f"{name}Open"] = opened, True
        elif _number(closed):
            value[name] = closed
            if opened is True:
                value[f"{name}Open"] = True
    return value


def _inner(name: str, opened: Any, closed: Any) -> bool:
    return bool(opened >= closed if name == "min" else opened <= closed)


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _bare(node: Any) -> Json:
    """Without prose, for comparing a keyword as a whole."""
    if isinstance(node, dict):
        return {
            word: _bare(value)
            for word, value in node.items()
            if word not in ("description", "title") and not word.startswith("x-")
        }
    if isinstance(node, list):
        return [_bare(value) for value in node]
    return node  # type: ignore[no-any-return]
