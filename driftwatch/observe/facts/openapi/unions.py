"""Which shared schemas are lists of events: unions whose members all have a literal ``type``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from driftwatch.observe.facts.openapi.labels import literals
from driftwatch.observe.facts.openapi.normal import AT, Normal
from driftwatch.observe.facts.openapi.refs import Raw, Refs

NAMED_LIKE_EVENTS = re.compile(r"Events?\d*$")
_NUMBER = re.compile(r"(?<=Event)\d+$|(?<=Events)\d+$")


class Event(NamedTuple):
    name: str
    union: str  # the shared schema that lists it
    schema: Raw
    owner: str  # the address of the event's own schema, "" when it is written in the union

    @property
    def stream(self) -> str:
        """The union's name without the number a generator gives to tell two schemas of one name apart."""
        return _NUMBER.sub("", self.union)


def components(document: Raw) -> dict[str, Any]:
    """The shared schemas of an OpenAPI document or a JSON schema, by name."""
    held = document.get("components")
    found = held.get("schemas") if isinstance(held, dict) else None
    if not isinstance(found, dict):
        found = document.get("$defs", document.get("definitions"))
    return found if isinstance(found, dict) else {}


def events(refs: Refs, normal: Normal, unions: Sequence[str] | None) -> list[Event]:
    """Every event of the named unions (None: of every union that is named like one and is one), in document order."""
    schemas = components(refs.document)
    found: list[Event] = []
    for name in schemas if unions is None else unions:
        if unions is None and not NAMED_LIKE_EVENTS.search(name):
            continue
        if name not in schemas:
            refs.here = "event:**"
            refs.miss(f"the event union {name}", "the document has no schema of that name")
            continue
        listed = _listed(name, schemas[name], normal)
        if listed is not None:
            found.extend(listed)
        elif unions is not None:
            refs.here = "event:**"
            refs.miss(f"the event union {name}", "it is no union of objects with a literal `type`")
    return found


def _listed(name: str, schema: Any, normal: Normal) -> list[Event] | None:
    members = list(_members(schema, normal, 0))
    events = [_event(name, member, normal) for member in members]
    known = [event for event in events if event is not None]
    return known if len(known) > 1 and len(known) == len(members) else None


def _members(schema: Any, normal: Normal, depth: int) -> Iterator[Raw]:
    plain = normal.simplify(schema)
    inner = plain.get("anyOf", plain.get("oneOf"))
    if not isinstance(inner, list) or depth > 8:
        return
    for member in inner:
        node = normal.simplify(member)
        opened = normal.raw(str(node[AT])) if AT in node else node
        if isinstance(opened, dict) and isinstance(opened.get("anyOf", opened.get("oneOf")), list):
            yield from _members(opened, normal, depth + 1)
        else:
            yield node


def _event(union: str, node: Raw, normal: Normal) -> Event | None:
    name = literals(node, normal).get("type")
    if name is None:
        return None
    return Event(name, union, normal.raw(str(node[AT])) if AT in node else node, str(node.get(AT, "")))
