"""Looking into the structures that declared types are observed as. Pure.

A type is a text (``"string"``) or an object with one telling key: ``lit``, ``ref`` (+ ``args``), ``obj``, ``union``, ``inter``,
``tuple``, ``tp`` (a type parameter), ``enum``, ``em`` (one member), ``typeof``, ``keyof``, ``index``, ``cond``, ``mapped``,
``tpl``, ``str``, ``usym``, ``text``, ``missing``. ``ref`` names a definition: an address without its kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

Node: TypeAlias = Any
Definition: TypeAlias = Mapping[str, Any]
Definitions: TypeAlias = Mapping[str, Definition]

NULLISH = ("null", "undefined", "void")
ARRAYS = ("@lib#Array", "@lib#ReadonlyArray")
PROMISES = ("@lib#Promise", "@lib#PromiseLike")
COVARIANT = frozenset(
    {*ARRAYS, *PROMISES, "@lib#ReadonlySet", "@lib#ReadonlyMap", "@lib#Iterable", "@lib#AsyncIterable", "@lib#Iterator"}
)
PRIMITIVES = frozenset({"string", "number", "boolean", "bigint", "symbol", "null", "undefined", "void", "never", "object"})
MAX_BODIES = 4000
_IDENTIFIER = re.compile(r"[^\W\d][\w$]*|[$_][\w$]*")


def segment(name: str) -> str:
    """A property as it is written in an address."""
    if _IDENTIFIER.fullmatch(name):
        return f".{name}"
    return name if name.startswith("[") else '["' + name.replace("\\", "\\\\").replace('"', '\\"') + '"]'


def key(node: Node) -> str:
    """Which of the telling keys it has; "" for a text."""
    if isinstance(node, dict):
        for name in node:
            return name if name != "args" else "ref"
    return ""


class Known(dict[str, Definition]):
    """Definitions that remember what generic ones come to: the same few are asked for with the same arguments again and again."""

    def __init__(self) -> None:
        super().__init__()
        self._bodies: dict[tuple[str, str], Node] = {}
        self._open: dict[str, set[int]] = {}

    def filled(self, node: Mapping[str, Any], row: Definition) -> Node:
        key = (str(node["ref"]), repr(node.get("args", ())))
        if key not in self._bodies:
            if len(self._bodies) >= MAX_BODIES:
                self._bodies.clear()
            if key[0] not in self._open:
                _note_open(row["type"], self._open.setdefault(key[0], set()))
            self._bodies[key] = substitute(row["type"], arguments(node, row), self._open[key[0]])
        return self._bodies[key]


def body(node: Node, definitions: Definitions) -> Node:
    """What a named type stands for, one step; the node itself when nothing is known about it."""
    if not isinstance(node, dict):
        return node
    if "ref" in node:
        row = definitions.get(node["ref"])
        if row is None or "type" not in row:
            return node
        if not row.get("tp"):
            return row["type"]
        return definitions.filled(node, row) if isinstance(definitions, Known) else substitute(row["type"], arguments(node, row))
    if "typeof" in node:
        row = definitions.get(node["typeof"])
        return row["value"] if row and "value" in row else node
    return node


def arguments(node: Mapping[str, Any], row: Definition) -> dict[str, Node]:
    given = node.get("args", ())
    found: dict[str, Node] = {}
    for number, parameter in enumerate(row["tp"]):
        value = given[number] if number < len(given) else parameter.get("d", "unknown")
        found[f"0.{number}"] = value
    return found


def substitute(node: Node, values: Mapping[str, Node], within: set[int] | None = None) -> Node:
    """The type with type parameters replaced; ``within`` are the ids of the parts that hold any (None: not known)."""
    if within is not None and id(node) not in within:
        return node
    if isinstance(node, dict):
        if "tp" in node and isinstance(node["tp"], str):
            return values.get(node["tp"], node)
        return {name: substitute(part, values, within) for name, part in node.items()}
    return [substitute(part, values, within) for part in node] if isinstance(node, list) else node


def _note_open(node: Node, found: set[int]) -> bool:
    """Notes the ids of every part of a definition's type that holds a type parameter."""
    if isinstance(node, dict):
        holds = isinstance(node.get("tp"), str) or _all_noted(node.values(), found)
    else:
        holds = isinstance(node, list) and _all_noted(node, found)
    if holds:
        found.add(id(node))
    return holds


def _all_noted(nodes: Iterable[Node], found: set[int]) -> bool:
    """Whether any holds one; every one is looked at."""
    return max((_note_open(node, found) for node in nodes), default=False)


def alternatives(node: Node, definitions: Definitions, depth: int = 0) -> list[Node]:
    """The members of a union, looking behind names that stand for unions; a list of one for anything else."""
    if isinstance(node, dict) and "union" in node:
        return [one for part in node["union"] for one in alternatives(part, definitions, depth)]
    if isinstance(node, dict) and "ref" in node and depth < 8:
        inside = body(node, definitions)
        if inside is not node and isinstance(inside, dict) and ("union" in inside or "ref" in inside):
            found = alternatives(inside, definitions, depth + 1)
            return found if len(found) > 1 else [node]
    return [node]


def is_union(node: Node, definitions: Definitions) -> bool:
    return len(alternatives(node, definitions)) > 1


def properties(shape: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    return {prop["n"]: prop for prop in shape.get("props", ())}


def discriminants(node: Node, definitions: Definitions) -> dict[str, Any]:
    """The properties of an object that hold one literal: what tells the members of a union apart."""
    inside = body(node, definitions)
    if not isinstance(inside, dict) or "obj" not in inside:
        return {}
    return {
        prop["n"]: prop["t"]["lit"]
        for prop in inside["obj"].get("props", ())
        if isinstance(prop["t"], dict) and "lit" in prop["t"] and not prop.get("o")
    }


def tag_of(literals: Mapping[str, Any]) -> str:
    """How a member of a union is named in an address."""
    return next((f"{name}={literals[name]}" for name in sorted(literals)), "object")


def references(node: Node) -> Iterator[str]:
    """Every definition a type names."""
    if isinstance(node, dict):
        for name in ("ref", "typeof", "enum", "em"):
            if isinstance(node.get(name), str):
                yield node[name]
        for part in node.values():
            if isinstance(part, dict | list):
                yield from references(part)
    elif isinstance(node, list):
        for part in node:
            yield from references(part)


def is_missing(node: Node) -> bool:
    """An import that leads nowhere: what is not known did not change."""
    return isinstance(node, dict) and "missing" in node


def is_reference(node: Node) -> bool:
    return isinstance(node, dict) and "ref" in node


def is_object(node: Node) -> bool:
    return isinstance(node, dict) and "obj" in node


def are_arrays(old: Node, new: Node) -> bool:
    return is_reference(old) and is_reference(new) and old["ref"] == new["ref"] and old["ref"] in ARRAYS


def element(node: Node) -> Node:
    return node["args"][0] if is_reference(node) and node["ref"] in ARRAYS else node


def is_promise(node: Node) -> bool:
    return is_reference(node) and node["ref"] in PROMISES and bool(node.get("args"))
