"""Call sites in TypeScript source, by syntax tree: calls wrap over lines, names stand in comments and strings too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

MAX_FILE = 4 * 1024 * 1024


class Site(NamedTuple):
    hook: str
    line: int


def sites(path: str, source: bytes, hooks: frozenset[str], triggers: Sequence[str], marks: Sequence[bytes]) -> list[Site]:
    """The places of one file that call a hook:

    - ``plugin.trigger("chat.params", ...)``: a call of one of ``triggers`` whose first argument is the hook's name
    - ``hook["event"]?.(...)``, ``hook.config?.(...)``: an optional call of the member itself, in a file that speaks of
      hooks at all (holds one of ``marks``)
    """
    if len(source) > MAX_FILE or not _worth(source, hooks, triggers, marks):
        return []
    tree = parser(path.endswith(("x", "X"))).parse(source)
    direct = any(mark in source for mark in marks)
    return [
        Site(hook, node.start_point[0] + 1) for node in _calls(tree.root_node) if (hook := _hook(node, hooks, triggers, direct))
    ]


def _worth(source: bytes, hooks: frozenset[str], triggers: Sequence[str], marks: Sequence[bytes]) -> bool:
    if not any(hook.encode() in source for hook in hooks):
        return False
    return any(word.encode() in source for word in triggers) or any(mark in source for mark in marks)


@cache
def parser(jsx: bool) -> Parser:
    import tree_sitter_typescript
    from tree_sitter import Language, Parser

    grammar = tree_sitter_typescript.language_tsx() if jsx else tree_sitter_typescript.language_typescript()
    return Parser(Language(grammar))


def _calls(root: Node) -> Iterator[Node]:
    todo = [root]
    while todo:
        node = todo.pop()
        if node.type == "call_expression":
            yield node
        todo.extend(reversed(node.named_children))


def _hook(call: Node, hooks: frozenset[str], triggers: Sequence[str], direct: bool) -> str:
    callee, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    if callee is None or arguments is None:
        return ""
    name = member(callee)
    if name in triggers:
        first = next((child for child in arguments.named_children if child.type != "comment"), None)
        said = text(first) if first is not None else ""
        return said if said in hooks else ""
    optional = any(child.type in ("?.", "optional_chain") for child in call.children)
    return name if direct and optional and name in hooks else ""


def member(node: Node) -> str:
    """``trigger`` of ``trigger``, ``a.b.trigger``, ``a?.trigger``, ``a["trigger"]``, ``(a as any).trigger``."""
    if node.type == "identifier":
        return _decoded(node)
    if node.type == "member_expression":
        name = node.child_by_field_name("property")
        return _decoded(name) if name is not None else ""
    if node.type == "subscript_expression":
        index = node.child_by_field_name("index")
        return text(index) if index is not None else ""
    if node.type in ("parenthesized_expression", "non_null_expression", "instantiation_expression") and node.named_children:
        return member(node.named_children[0])
    return ""


def text(node: Node) -> str:
    """What a string literal, or a template without holes, says; "" for anything else."""
    if node.type not in ("string", "template_string") or any(child.type == "template_substitution" for child in node.children):
        return ""
    return _decoded(node)[1:-1]


def _decoded(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
