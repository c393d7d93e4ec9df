"""What a TypeScript source file declares, by its syntax alone: ``source:PATH#Name.member``.

For what is not published: a branch, a package that only the repository has. Nothing is resolved: a type is the text it is
written as, without comments and line breaks. Where the compiler can look (``ts:`` addresses), it sees more.

The value: ``kind`` (interface, type, class, enum, function, const) and ``exported`` of a declaration; ``type``, ``optional`` and
``readonly`` of a member.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from driftwatch.model import Address, Fact, Gap, Json, Observed
from driftwatch.observe.facts.calls.syntax import parser
from driftwatch.observe.facts.openapi.segments import key

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_FILE = 4 * 1024 * 1024
MAX_DEPTH = 8
MAX_TEXT = 2000

_KINDS = {
    "interface_declaration": "interface",
    "type_alias_declaration": "type",
    "class_declaration": "class",
    "abstract_class_declaration": "class",
    "enum_declaration": "enum",
    "function_declaration": "function",
    "function_signature": "function",
    "variable_declarator": "const",
}
_MEMBERS = ("property_signature", "method_signature", "public_field_definition", "method_definition", "abstract_method_signature")
_WRAPPED = ("export_statement", "ambient_declaration", "lexical_declaration", "variable_declaration")
_SPACE = re.compile(r"\s+")
_OPENING, _CLOSING = re.compile(r"([<(\[]) "), re.compile(r",? ?(?<=[, ])([>)\]])")


def observe(path: str, data: bytes, where: str = "") -> Observed:
    """The declarations of one file and what is in them. A file that is no TypeScript declares nothing; one that is too large to
    be read is a gap."""
    if len(data) > MAX_FILE:
        reason = f"the file has {len(data):,} bytes; more than {MAX_FILE:,} are not read"
        return Observed(gaps=(Gap(f"source:{path}", reason, "rely on the file itself: `file:` addresses have any size"),))
    facts: dict[str, Fact] = {}
    for fact in _declarations(parser(path.endswith("x")).parse(data).root_node, Address.of("source", path), where, False, 0):
        facts.setdefault(fact.address, fact)  # overloads and merged interfaces: the first one tells
    return Observed(tuple(facts.values()))


def _declarations(scope: Node, file: Address, where: str, exported: bool, depth: int) -> Iterator[Fact]:
    for node in scope.named_children:
        if node.type in _WRAPPED and depth < MAX_DEPTH:
            yield from _declarations(node, file, where, exported or node.type == "export_statement", depth + 1)
        elif node.type in _KINDS:
            yield from _declaration(node, file, where, exported)


def _declaration(node: Node, file: Address, where: str, exported: bool) -> Iterator[Fact]:
    name = node.child_by_field_name("name")
    if name is None or name.type not in ("identifier", "type_identifier"):
        return
    address = Address.of("source", file.subject, _text(name))
    value: dict[str, Json] = {"kind": _KINDS[node.type], "exported": exported}
    if node.type == "type_alias_declaration" and (given := node.child_by_field_name("value")) is not None:
        value["type"] = _text(given)
    yield Fact(address, value, _place(where, node))
    yield from _members(node, address, where, 0)


def _members(node: Node, address: Address, where: str, depth: int) -> Iterator[Fact]:
    """The members of every object written in place: an interface's body, the parts of an intersection, an object in an object."""
    if depth > MAX_DEPTH:
        return
    for child in node.named_children:
        if child.type in _MEMBERS:
            yield from _member(child, address, where, depth)
        elif child.type in ("interface_body", "object_type", "class_body", "intersection_type", "parenthesized_type"):
            yield from _members(child, address, where, depth + 1)


def _member(node: Node, parent: Address, where: str, depth: int) -> Iterator[Fact]:
    name = node.child_by_field_name("name")
    if name is None or name.type == "computed_property_name":
        return
    said = _text(name)
    plain = said[1:-1] if name.type == "string" else said
    address = Address(f"{parent}{key(plain)}")
    given = node.child_by_field_name("type")
    value: dict[str, Json] = {"type": _text(given).removeprefix(":").strip() if given is not None else _signature(node)}
    marks = {child.type for child in node.children}
    value |= {word: True for word, mark in (("optional", "?"), ("readonly", "readonly")) if mark in marks}
    yield Fact(address, value, _place(where, node))
    if given is not None:
        yield from _members(given, address, where, depth + 1)


def _signature(node: Node) -> str:
    """A method as it is called, without its body."""
    parts = (node.child_by_field_name(field) for field in ("type_parameters", "parameters", "return_type"))
    return "".join(_text(part) for part in parts if part is not None)


def _text(node: Node) -> str:
    """What is written, in one line, without comments and however it was broken into lines."""
    flat = _SPACE.sub(" ", "".join(_leaves(node))).strip()
    return _CLOSING.sub(r"\1", _OPENING.sub(r"\1", flat))[:MAX_TEXT]


def _leaves(node: Node) -> Iterator[str]:
    """The text with every comment left out; what stands between tokens is kept."""
    source, at = node.text or b"", node.start_byte
    end = node.start_byte
    for comment in _comments(node):
        yield source[end - at : comment.start_byte - at].decode("utf-8", "replace")
        end = comment.end_byte
    yield source[end - at :].decode("utf-8", "replace")


def _comments(node: Node) -> Iterator[Node]:
    for child in node.children:
        if child.type == "comment":
            yield child
        else:
            yield from _comments(child)


def _place(where: str, node: Node) -> str:
    return f"{where}:{node.start_point[0] + 1}" if where else ""
