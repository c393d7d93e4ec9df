"""TypeScript modules evaluated as far as an event manifest needs it: constants, objects, lists, spreads, namespaces,
imports and re-exports. Nothing is run; what is not understood is an ``Unknown`` with the text it stands for."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from driftwatch.observe.facts.calls.syntax import member, parser, text

if TYPE_CHECKING:
    from tree_sitter import Node

Read = Callable[[str], "bytes | None"]

MAX_MODULES = 500
MAX_STEPS = 200_000
_ENDINGS = (".ts", ".tsx", "/index.ts", ".js", "/index.js", "")
_LISTS = ("inventory",)  # calls that give back what they are given, as a list
_SAME = ("annotate", "pipe", "check", "annotations", "brand")  # Schema.String.annotate(...) is still a string


@dataclass(frozen=True, slots=True)
class Unknown:
    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A call by the last word of what is called, its receiver evaluated: ``Schema.Array(X)`` is ``Array``."""

    name: str
    arguments: tuple[Any, ...]
    receiver: Any
    text: str


@dataclass(slots=True)
class Module:
    path: str
    scope: dict[str, Any] = field(default_factory=dict)  # name -> node still to be evaluated, or ("import", ...) or a value
    exports: dict[str, str] = field(default_factory=dict)  # exported name -> local name
    stars: list[str] = field(default_factory=list)  # modules whose exports are ours too
    spaces: dict[str, str] = field(default_factory=dict)  # export * as NAME from module
    outer: Module | None = None


@dataclass(frozen=True, slots=True)
class Space:
    """A module as a value: ``import * as X`` or ``export * as X``."""

    module: Module


class Modules:
    """``read`` gives a file's bytes by its path in the repository, None when there is none."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._modules: dict[str, Module | None] = {}
        self._busy: set[tuple[int, str]] = set()
        self._steps = 0

    def load(self, path: str) -> Module | None:
        if path not in self._modules:
            self._modules[path] = None
            data = self._read(path) if len(self._modules) <= MAX_MODULES else None
            if data is not None:
                module = self._modules[path] = Module(path)
                _Reader(module).read(parser(path.endswith("x")).parse(data).root_node)
        return self._modules[path]

    def export(self, module: Module, name: str) -> Any:
        """What a module exports under a name; Unknown when it does not or it can't be told."""
        if name in module.exports:
            return self.name(module, module.exports[name])
        if name in module.spaces:
            target = self._import(module, module.spaces[name])
            return Space(target) if target else Unknown(name)
        for source in module.stars:
            target = self._import(module, source)
            if target is not None and target is not module:
                found = self._once(target, f"export {name}", lambda target=target: self.export(target, name))  # type: ignore[misc]
                if not isinstance(found, Unknown):
                    return found
        return Unknown(name)

    def name(self, module: Module, name: str) -> Any:
        """What a name means inside a module."""
        held: Module | None = module
        while held is not None and name not in held.scope:
            held = held.outer
        if held is None:
            return Unknown(name)
        value = held.scope[name]
        if isinstance(value, tuple) and value and value[0] == "import":
            _, source, imported = value
            target = self._import(held, source)
            if target is None:
                return Unknown(name)
            return (
                Space(target)
                if imported == "*"
                else self._once(target, f"export {imported}", lambda: self.export(target, imported))
            )
        if isinstance(value, Module):
            return Space(value)
        if hasattr(value, "type") and hasattr(value, "children"):
            value = held.scope[name] = self._once(held, name, lambda: self.value(held, value))
        return value

    def _once(self, module: Module, what: str, evaluate: Callable[[], Any]) -> Any:
        key = (id(module), what)
        if key in self._busy:
            return Unknown(what)
        self._busy.add(key)
        try:
            return evaluate()
        finally:
            self._busy.discard(key)

    def _import(self, module: Module, source: str) -> Module | None:
        if not source.startswith("."):
            return None
        base = posixpath.normpath(posixpath.join(posixpath.dirname(module.path), source))
        if base.startswith(".."):
            return None
        for stem in (base, base.removesuffix(".js")):
            for ending in _ENDINGS:
                found = self.load(stem + ending) if stem + ending != module.path else module
                if found is not None:
                    return found
        return None

    # --- values

    def value(self, module: Module, node: Node) -> Any:
        """A literal, a dict, a list, a Call, a Space, or Unknown."""
        self._steps += 1
        if self._steps > MAX_STEPS:
            return Unknown("...")
        kind = node.type
        if kind in _WRAPPERS and node.named_children:
            return self.value(module, node.named_children[0])
        evaluate: Callable[[], Any] | None = {
            "string": lambda: text(node),
            "template_string": lambda: text(node),
            "identifier": lambda: self.name(module, _said(node)),
            "object": lambda: self._object(module, node),
            "array": lambda: list(self._items(module, node)),
            "member_expression": lambda: self._member(module, node),
            "call_expression": lambda: self._call(module, node),
        }.get(kind)
        return evaluate() if evaluate else _LITERALS.get(_said(node), Unknown(_squeezed(_said(node))))

    def _member(self, module: Module, node: Node) -> Any:
        held, name = node.child_by_field_name("object"), member(node)
        value = self.value(module, held) if held is not None else Unknown("")
        if isinstance(value, Space):
            inner = value.module
            return self.export(inner, name)
        if isinstance(value, dict) and name in value:
            return value[name]
        if isinstance(value, Call):
            if name == "fields" and value.name == "Struct" and value.arguments and isinstance(value.arguments[0], dict):
                return value.arguments[0]
            if name in ("data", "schema") and value.name == "define":
                return value
        return Unknown(_squeezed(_said(node)))

    def _call(self, module: Module, node: Node) -> Any:
        callee, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        name = member(callee) if callee is not None else ""
        receiver: Any = None
        if callee is not None and callee.type == "member_expression":
            held = callee.child_by_field_name("object")
            receiver = self.value(module, held) if held is not None else None
        if name == "filter" and isinstance(receiver, list):
            return receiver  # which of them is decided at run time: all may be sent
        if name == "freeze" and given is not None and given.named_children:
            return self.value(module, given.named_children[0])
        if name in _SAME and isinstance(receiver, (Call, Unknown)):
            optional = given is not None and any(_said(each).split(".")[-1] == "optional" for each in given.named_children)
            return Call("optional", (receiver,), None, _squeezed(_said(node))) if optional else receiver
        arguments = tuple(self._items(module, given)) if given is not None else ()
        if name in _LISTS:
            return list(arguments)
        return Call(name, arguments, receiver, _squeezed(_said(node)))

    def _items(self, module: Module, node: Node) -> Iterator[Any]:
        for child in node.named_children:
            if child.type == "comment":
                continue
            if child.type == "spread_element":
                value = self.value(module, child.named_children[0])
                if isinstance(value, list):
                    yield from value
                else:
                    yield value if isinstance(value, Unknown) else Unknown(_squeezed(_said(child)))
            else:
                yield self.value(module, child)

    def _object(self, module: Module, node: Node) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for child in node.named_children:
            if child.type == "pair":
                key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
                if key is not None and value is not None:
                    found[text(key) or _said(key)] = self.value(module, value)
            elif child.type == "shorthand_property_identifier":
                found[_said(child)] = self.name(module, _said(child))
            elif child.type == "spread_element":
                value = self.value(module, child.named_children[0])
                if isinstance(value, dict):
                    found.update(value)
                else:
                    found[f"...{_squeezed(_said(child.named_children[0]))}"] = Unknown(_squeezed(_said(child)))
        return found


class _Reader:
    """Takes down what a module (or a namespace) declares and exports, without evaluating it."""

    def __init__(self, module: Module) -> None:
        self._module = module

    def read(self, root: Node) -> None:
        for node in root.named_children:
            self._statement(node, exported=False)

    def _statement(self, node: Node, *, exported: bool) -> None:
        if node.type == "import_statement":
            self._import(node)
        elif node.type == "export_statement":
            self._export(node)
        elif node.type in ("lexical_declaration", "variable_declaration"):
            for each in node.named_children:
                name, value = each.child_by_field_name("name"), each.child_by_field_name("value")
                if name is not None and value is not None:
                    self._declare(_said(name), value, exported=exported)
        elif node.type in ("internal_module", "module"):
            name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
            if name is not None and body is not None:
                inner = Module(self._module.path, outer=self._module)
                _Reader(inner).read(body)
                self._declare(_said(name), inner, exported=exported)
        elif node.type == "expression_statement" and node.named_children:
            self._statement(node.named_children[0], exported=exported)

    def _declare(self, name: str, value: Any, *, exported: bool) -> None:
        self._module.scope.setdefault(name, value)
        if exported:
            self._module.exports[name] = name

    def _import(self, node: Node) -> None:
        source = node.child_by_field_name("source")
        for clause in (child for child in node.named_children if child.type == "import_clause"):
            for part in clause.named_children:
                if part.type == "namespace_import":
                    self._module.scope[_said(part.named_children[0])] = ("import", text(source) if source else "", "*")
                elif part.type == "named_imports":
                    for each in part.named_children:
                        self._specifier(each, text(source) if source else "")

    def _specifier(self, node: Node, source: str) -> None:
        name, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
        if name is not None:
            self._module.scope[_said(alias or name)] = ("import", source, _said(name))

    def _export(self, node: Node) -> None:
        source = node.child_by_field_name("source")
        declaration = node.child_by_field_name("declaration")
        if declaration is not None:
            self._statement(declaration, exported=True)
            return
        space = next((child for child in node.named_children if child.type == "namespace_export"), None)
        if space is not None and source is not None:
            self._module.spaces[_said(space.named_children[0])] = text(source)
        elif source is not None and any(child.type == "*" for child in node.children):
            self._module.stars.append(text(source))
        for clause in (child for child in node.named_children if child.type == "export_clause"):
            for each in clause.named_children:
                name, alias = each.child_by_field_name("name"), each.child_by_field_name("alias")
                if name is None:
                    continue
                if source is not None:
                    self._module.scope.setdefault(_said(name), ("import", text(source), _said(name)))
                self._module.exports[_said(alias or name)] = _said(name)


_WRAPPERS = ("as_expression", "satisfies_expression", "parenthesized_expression", "non_null_expression")
_LITERALS: dict[str, Any] = {"true": True, "false": False, "null": None}


def _said(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _squeezed(written: str) -> str:
    return " ".join(written.split())[:200]
