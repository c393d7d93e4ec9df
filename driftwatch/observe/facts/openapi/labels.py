"""What the variants of a union are called, so that the same variant has the same address in every version.

An object is known by its literals (``type=text``), else by the shared schema it is, else by a required property that no
other variant has (``with url``), else by its type.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from driftwatch.observe.facts.openapi.normal import AT, Normal, canonical
from driftwatch.observe.facts.openapi.refs import Raw

_LEADS_TO_LITERAL = frozenset({"const", "enum", "$ref", "allOf", AT})
TELLING = ("type", "kind", "role", "event", "name", "_tag", "tag", "status", "state")  # rising in doubt


def labelled(found: list[Raw], named: str | None, normal: Normal) -> list[tuple[str, Raw]]:
    """The variants with their labels, sorted by label. ``named`` is the discriminator's property."""
    held = [literals(node, normal) for node in found]
    counts = Counter((name, value) for each in held for name, value in each.items())
    several = sum(node.get("type") == "object" for node in found) > 1
    needs = Counter(name for node in found for name in _required(node)) if several else Counter()
    labels = [_label(node, each, named, counts, needs) for node, each in zip(found, held, strict=True)]
    shared = Counter(labels)
    pairs = sorted(zip(labels, found, strict=True), key=lambda pair: (pair[0], canonical(pair[1]) if shared[pair[0]] > 1 else ""))
    seen: Counter[str] = Counter()
    result = []
    for label, node in pairs:
        seen[label] += 1
        result.append((label if seen[label] == 1 else f"{label}~{seen[label]}", node))
    return result


def _label(node: Raw, held: dict[str, str], named: str | None, counts: Counter[tuple[str, str]], needs: Counter[str]) -> str:
    """The literal that no other variant has, else the shared schema's name, else any literal, else the type."""
    order = ([named] if named else []) + [*TELLING, *sorted(held)]
    known = [name for name in order if name in held]
    alone = next((name for name in known if counts[name, held[name]] == 1), None)
    if alone is not None:
        return f"{alone}={held[alone]}"
    if AT in node:
        return str(node[AT]).removeprefix("schema:").replace("#", ".")
    if known:
        return f"{known[0]}={held[known[0]]}"
    own = next((name for name in _required(node) if needs[name] == 1), None)
    if own is not None:
        return f"with {own}"
    kind = node.get("type")
    return str(kind) if isinstance(kind, str) else "unknown" if "$unknown" in node else "any"


def _required(node: Raw) -> list[str]:
    listed = node.get("required")
    return sorted(str(name) for name in listed) if isinstance(listed, list) and node.get("type") == "object" else []


def literals(node: Raw, normal: Normal) -> dict[str, str]:
    """The required properties of an object that have one literal value."""
    if AT not in node:
        return _literals(node, normal)
    address = str(node[AT])
    if address not in normal.literals:
        normal.literals[address] = _literals(node, normal)
    return normal.literals[address]


def _literals(node: Raw, normal: Normal) -> dict[str, str]:
    opened = normal.opened(node) if AT in node else node
    properties = opened.get("properties")
    required = opened.get("required")
    if not isinstance(properties, dict) or not isinstance(required, list):
        return {}
    told = (name for name in required if name in properties and _may_be_literal(properties[name]))
    found = {name: _literal(normal.simplify(properties[name]), normal) for name in told}
    return {str(name): value for name, value in found.items() if value is not None}


def _may_be_literal(schema: Any) -> bool:
    """Most properties say a type and no more: there is no literal to look for."""
    return type(schema) is not dict or not _LEADS_TO_LITERAL.isdisjoint(schema)


def _literal(schema: Raw, normal: Normal) -> str | None:
    if AT in schema:
        schema = normal.simplify(normal.raw(str(schema[AT])))
    values: Any = [schema["const"]] if "const" in schema else schema.get("enum")
    if not isinstance(values, list) or len(values) != 1 or isinstance(values[0], (dict, list)):
        return None
    return values[0] if isinstance(values[0], str) else canonical(values[0])
