"""The event observer for a manifest in source: which events a host defines, and their payloads.

(The members of event unions in an OpenAPI document are facts of the openapi observer, at the same addresses.)

Facts live at ``event:NAME`` and ``event:NAME#properties.FIELD``; values are the shapes of ``openapi/shape.py`` as far as
they can be read off the source, and ``{"type": "expression", "expression": ...}`` where a type has only a name there. A
list of definitions that can't be followed is a gap, and so is such a type: it is never compared.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator
from typing import Any

from driftwatch.errors import Unobservable
from driftwatch.model import Address, Fact, Gap, Observed
from driftwatch.observe.facts.events.modules import Call, Modules, Unknown
from driftwatch.observe.facts.openapi import segments

VERSION = 1
Value = dict[str, Any]

_PLAIN = {
    "String": "string",
    "Number": "number",
    "Finite": "number",
    "Int": "integer",
    "Boolean": "boolean",
    "Unknown": "any",
    "Any": "any",
    "Null": "null",
}
_NULL: dict[str, Value] = {"NullOr": {"nullable": True}, "NullishOr": {"nullable": True, "optional": True}}
_MAX_DEPTH = 12


def observe(
    read: Callable[[str], bytes | None], path: str, *, export: str = "Definitions", payload: str = "properties"
) -> Observed:
    """The events of the list ``export`` of the manifest module at ``path``. ``read`` gives a source file's bytes by path.

    ``payload`` is the member an event carries its fields in. Raises Unobservable when the module or the list is not there.
    """
    modules = Modules(read)
    try:
        module = modules.load(path)
        listed = modules.export(module, export) if module is not None else None
        if not isinstance(listed, (list, tuple)):
            missing = "is not there" if module is None else f"has no list {export} that can be followed"
            raise Unobservable(f"the event manifest {path} {missing}", "check the path, or read the events from the host's /doc")
        facts: dict[str, Fact] = {}
        gaps: list[Gap] = []
        for entry in _flat(listed):
            _event(entry, path, payload, facts, gaps)
    except RecursionError as error:
        raise Unobservable(f"the event manifest {path} is nested too deep") from error
    unread = [fact for fact in facts.values() if isinstance(fact.value, dict) and fact.value.get("type") == "expression"]
    gaps.extend(Gap(fact.address, f"its type is written as {fact.value['expression']}, which is not followed") for fact in unread)  # type: ignore[index,call-overload]
    return Observed(tuple(facts.values()), tuple(gaps))


def _flat(listed: list[Any] | tuple[Any, ...]) -> Iterator[Any]:
    for entry in listed:
        if isinstance(entry, (list, tuple)):
            yield from _flat(entry)
        else:
            yield entry


def _event(entry: Any, path: str, payload: str, facts: dict[str, Fact], gaps: list[Gap]) -> None:
    given = entry.arguments[0] if isinstance(entry, Call) and entry.name == "define" and entry.arguments else None
    name = given.get("type") if isinstance(given, dict) else given
    if not isinstance(name, str) or not name:
        what = entry.text if isinstance(entry, (Call, Unknown)) else str(entry)
        gaps.append(Gap("event:**", f"{posixpath.basename(path)}: cannot tell which events {what} stands for"))
        return
    address = f"event:{name}"
    if address in facts:
        return
    facts[address] = Fact(Address(address), {"type": "object", "in": [posixpath.basename(path)]}, path)
    fields = given.get("schema") if isinstance(given, dict) else (entry.arguments[1] if len(entry.arguments) > 1 else None)
    place = f"{address}#{payload}"
    _place(place, Call("Struct", (fields,), None, "") if isinstance(fields, dict) else fields, {"required": True}, facts, 0)


Inside = list[tuple[str, Any, bool]]


def _place(address: str, given: Any, extra: Value, facts: dict[str, Fact], depth: int) -> None:
    """The facts of one field and what is in it."""
    value, inside = _shape(given)
    if value.pop("optional", None):
        extra = {}
    if depth > _MAX_DEPTH:
        value, inside = {"type": "unknown"}, []
    facts[address] = Fact(Address(address), {**extra, **value})
    for segment, each, needed in inside:
        _place(segments.below(address, segment), each, {"required": True} if needed else {}, facts, depth + 1)


def _shape(given: Any) -> tuple[Value, Inside]:
    """A type expression as a shape, and what stands inside it: (segment, type expression, required)."""
    if isinstance(given, Unknown):
        plain = _PLAIN.get(given.text.rpartition(".")[2]) if given.text.startswith("Schema.") else None
        return ({"type": plain} if plain else {"type": "expression", "expression": given.text}), []
    if not isinstance(given, Call):
        return {"type": "expression", "expression": str(given)[:200]}, []
    first = given.arguments[0] if given.arguments else None
    flags = {"optional": True} if given.name.startswith("optional") else _NULL.get(given.name)
    if flags:
        value, inside = _shape(first)
        return {**value, **flags}, inside
    return _composed(given, first) or ({"type": "expression", "expression": given.text}, [])


def _composed(given: Call, first: Any) -> tuple[Value, Inside] | None:
    found: tuple[Value, Inside] | None = None
    if given.name in ("Literal", "Literals"):
        values = first if isinstance(first, list) else list(given.arguments)
        found = {"type": "string", "enum": sorted(map(str, values))}, []
    elif given.name == "Array":
        found = {"type": "array"}, [(segments.ITEMS, first, False)]
    elif given.name == "Record" and given.arguments:
        found = {"type": "object"}, [(segments.VALUES, given.arguments[-1], False)]
    elif given.name == "Struct" and isinstance(first, dict):
        found = {"type": "object"}, [(segments.key(name), each, not name.startswith("...")) for name, each in first.items()]
    elif given.name == "Union" and isinstance(first, list):
        found = {"type": "union"}, [(segments.variant(_label(each, index)), each, False) for index, each in enumerate(first)]
    return found


def _label(given: Any, index: int) -> str:
    """A variant by its literal ``type``, else by its text."""
    if isinstance(given, Call) and given.name == "Struct" and given.arguments and isinstance(given.arguments[0], dict):
        for name, each in given.arguments[0].items():
            if isinstance(each, Call) and each.name == "Literal" and len(each.arguments) == 1:
                return f"{name}={each.arguments[0]}"
    return given.text[:60] if isinstance(given, (Unknown, Call)) and given.text else str(index)
