"""From the engine's rows to facts. Pure.

Addresses (the member part, after the definition's name):

- ``.name`` or ``["quoted.key"]`` a property; ``[string]`` an index signature; ``.new`` what ``new`` takes and gives
- ``(0)``, ``(1)`` a parameter, by place: names of parameters mean nothing to a caller; ``(this)`` what `this` must be
- ``()`` what a call gives back; ``[]`` the elements of an array; ``(type=text)`` one member of a union
- what is not exported is named by the file it stands in: ``ts:PKG/dist/types#Name``

A definition's fact (its value has ``kind``) holds the whole structure; the facts below it hold one part each and are there
to be relied on. A member of a named type is also found below every exported name that leads to it:
``ts:PKG#Client.session`` and below it, to a depth of two names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from driftwatch.model import Address, Fact

HOPS = 2
MAX_VIEWS = 4000  # below one exported name
_IDENTIFIER = re.compile(r"[^\W\d][\w$]*|[$_][\w$]*")


def segment(name: str) -> str:
    """A property as it is written in an address."""
    if _IDENTIFIER.fullmatch(name):
        return f".{name}"
    return name if name.startswith("[") else '["' + name.replace("\\", "\\\\").replace('"', '\\"') + '"]'


def facts(result: Mapping[str, Any], package: str) -> tuple[Fact, ...]:
    """All facts of one package's answer. Parts of other packages' types are facts only below names of this one."""
    definitions: dict[str, Mapping[str, Any]] = {row["id"]: row for row in result["definitions"]}
    exported = {row["of"] for row in result["exports"]}
    found: dict[str, Fact] = {}
    for entry in result["entries"]:
        _add(found, f"{package}{entry}", {"entry": entry or "."}, "")
    for row in definitions.values():
        _definition(found, row, row["id"] in exported, owned(row["id"], package))
    for row in result["exports"]:
        if row["address"] != row["of"]:
            _add(found, row["address"], {"reexport": row["of"]}, "")
    for row in result["exports"]:
        if row["of"] in definitions:
            _views(found, row["address"], definitions[row["of"]], definitions, package)
    return tuple(found.values())


def owned(address: str, package: str) -> bool:
    """Whether a definition stands in this package."""
    return address.startswith(package) and address[len(package) : len(package) + 1] in ("#", "/")


def _add(found: dict[str, Fact], subject: str, value: Any, where: str) -> None:
    address = Address(f"ts:{subject}")
    if address not in found:
        found[address] = Fact(address, value, where)


def _definition(found: dict[str, Fact], row: Mapping[str, Any], exported: bool, own: bool) -> None:
    value = {key: part for key, part in row.items() if key not in ("id", "at")}
    if exported:
        value["api"] = 1
    places: Mapping[str, str] = row["at"]
    home = places.get("", "")
    _add(found, row["id"], value, home)
    if own:
        for path, part in _members(row):
            _add(found, row["id"] + path, part, place(home, places.get(path)))


def place(home: str, given: str | None) -> str:
    """``line:column`` stands in the definition's own file; nothing given is nothing known better than the definition."""
    if given is None:
        return home
    return given if given.count(":") > 1 else f"{home.rsplit(':', 2)[0]}:{given}"


def _members(row: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for side in ("type", "value"):
        if side in row:
            yield from _inside(row[side], "")
    for member in row.get("members", ()):
        yield segment(member["n"]), member


def _inside(node: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Every part below a type that has a path of its own."""
    if not isinstance(node, dict):
        return
    if "obj" in node:
        yield from _object(node["obj"], path)
    elif node.get("ref") in ("@lib#Array", "@lib#ReadonlyArray"):
        yield from _inside(node["args"][0], f"{path}[]")


def _object(shape: Mapping[str, Any], path: str) -> Iterator[tuple[str, Any]]:
    for prop in shape.get("props", ()):
        here = path + segment(prop["n"])
        yield here, prop
        yield from _inside(prop["t"], here)
    for index in shape.get("index", ()):
        here = f"{path}[{index['k'] if isinstance(index['k'], str) else 'key'}]"
        yield here, index
        yield from _inside(index["t"], here)
    for name, step in (("call", ""), ("new", ".new")):
        for signature in shape.get(name, ())[:1]:
            yield from _signature(signature, path + step)


def _signature(signature: Mapping[str, Any], path: str) -> Iterator[tuple[str, Any]]:
    if "th" in signature:
        yield f"{path}(this)", {"t": signature["th"]}
    for number, parameter in enumerate(signature["p"]):
        here = f"{path}({number})"
        yield here, parameter
        yield from _inside(parameter["t"], here)
    yield f"{path}()", {"t": signature["r"]}
    yield from _inside(signature["r"], f"{path}()")


# --- below other names ----------------------------------------------------------------------------------------------


def _views(
    found: dict[str, Fact], address: str, row: Mapping[str, Any], definitions: Mapping[str, Mapping[str, Any]], package: str
) -> None:
    """The members behind a named type, below the name that leads to them: whole for the package's own types, by their
    property names for those of others."""
    count = 0
    queue: list[tuple[str, Mapping[str, Any], int, tuple[str, ...]]] = [(address, row, 0, (row["id"],))]
    while queue and count < MAX_VIEWS:
        prefix, definition, hops, way = queue.pop(0)
        members = _members if owned(definition["id"], package) else _properties
        for path, part in members(definition):
            here = prefix + path
            if here != definition["id"] + path or not owned(definition["id"], package):
                _add(found, here, {"view": f"{definition['id']}{path}", **_flags(part)}, "")
                count += 1
            target = definitions.get(_named(part.get("t"))) if hops < HOPS and "(" not in path else None
            if target is not None and target["id"] not in way:
                queue.append((here, target, hops + 1, (*way, target["id"])))


def _properties(row: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The members with a name, without what is inside them."""
    for side in ("type", "value"):
        node = row.get(side)
        for prop in node["obj"].get("props", ()) if isinstance(node, dict) and "obj" in node else ():
            yield segment(prop["n"]), prop


def _flags(part: Mapping[str, Any]) -> dict[str, Any]:
    return {key: part[key] for key in ("o", "r", "dep") if key in part}


def _named(node: Any) -> str:
    """The one named type a type stands for, nullable or not; "" when it is another thing."""
    if not isinstance(node, dict):
        return ""
    if "union" in node:
        rest = [one for one in node["union"] if one not in ("null", "undefined")]
        return _named(rest[0]) if len(rest) == 1 else ""
    return str(node.get("ref") or node.get("typeof") or "")
