"""A type as a line of TypeScript, for people. Parameters have no names: they mean nothing to a caller."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from driftwatch.judge.compare.types.shapes import ARRAYS, Node

LIMIT = 400


def show(node: Node, limit: int = LIMIT) -> str:
    """At most ``limit`` characters."""
    text = _show(node, 0)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _show(node: Node, depth: int) -> str:
    if isinstance(node, str):
        return node
    if not isinstance(node, dict) or depth > 6:
        return "…"
    for name, write in _WRITERS.items():
        if name in node:
            return write(node, depth + 1)
    return "…"


def short(identity: str) -> str:
    return identity.rpartition("#")[2] or identity


def _literal(node: Mapping[str, Any], depth: int) -> str:
    return str(node["lit"]) if node.get("big") else json.dumps(node["lit"], ensure_ascii=False)


def _reference(node: Mapping[str, Any], depth: int) -> str:
    args = [_show(arg, depth) for arg in node.get("args", ())]
    if node["ref"] in ARRAYS and args:
        inner = f"({args[0]})" if any(sign in args[0] for sign in "|&=") else args[0]
        return f"{'readonly ' if node['ref'] == ARRAYS[1] else ''}{inner}[]"
    return short(node["ref"]) + (f"<{', '.join(args)}>" if args else "")


def _object(node: Mapping[str, Any], depth: int) -> str:
    shape = node["obj"]
    if not shape.get("props") and not shape.get("index") and len(shape.get("call", ())) == 1 and "new" not in shape:
        return signature(shape["call"][0], depth, " => ")
    parts = [signature(one, depth) for one in shape.get("call", ())]
    parts += ["new " + signature(one, depth) for one in shape.get("new", ())]
    parts += [f"{_readonly(one)}[key: {_show(one['k'], depth)}]: {_show(one['t'], depth)}" for one in shape.get("index", ())]
    parts += [_property(one, depth) for one in shape.get("props", ())]
    return "{ " + "; ".join(parts) + " }" if parts else "{}"


def _readonly(row: Mapping[str, Any]) -> str:
    return "readonly " if row.get("r") else ""


def declared(value: object) -> str:
    """A member of a type, as a fact says it (``{"n": name, "t": type}``), as a line; "" for what is none."""
    if isinstance(value, dict) and isinstance(value.get("n"), str) and "t" in value:
        text = _property(value, 0)
        return text if len(text) <= LIMIT else text[: LIMIT - 1] + "…"
    return ""


def _property(row: Mapping[str, Any], depth: int) -> str:
    name = row["n"] if row["n"].isidentifier() or row["n"].startswith("[") else json.dumps(row["n"])
    return f"{_readonly(row)}{name}{'?' if row.get('o') else ''}: {_show(row['t'], depth)}"


def signature(row: Mapping[str, Any], depth: int = 0, arrow: str = ": ") -> str:
    generic = ", ".join(_parameter_name(one) for one in row.get("tp", ()))
    parts = [f"this: {_show(row['th'], depth)}"] if "th" in row else []
    for one in row["p"]:
        mark = "..." if one.get("rest") else ""
        parts.append(f"{mark}{_show(one['t'], depth)}{'?' if one.get('o') else ''}")
    result = _show(row["r"], depth)
    if "is" in row:
        kind, _, told = row["is"]
        result = f"{'asserts ' if kind == 'asserts' else ''}value is {_show(told, depth)}" if told else "asserts value"
    return f"{f'<{generic}>' if generic else ''}({', '.join(parts)}){arrow}{result}"


def _parameter_name(row: Mapping[str, Any]) -> str:
    name = "T" + str(row.get("n", "0")).replace(".", "_")
    return name + (f" extends {_show(row['c'], 5)}" if "c" in row else "")


def _union(node: Mapping[str, Any], depth: int) -> str:
    parts = [_show(part, depth) for part in node["union"]]
    return " | ".join(f"({part})" if "=>" in part else part for part in parts)


def _tuple(node: Mapping[str, Any], depth: int) -> str:
    items = [
        f"{'...' if item.get('rest') else ''}{_show(item['t'], depth)}{'?' if item.get('o') else ''}" for item in node["tuple"]
    ]
    return f"{_readonly(node)}[{', '.join(items)}]"


def _conditional(node: Mapping[str, Any], depth: int) -> str:
    check, extends, yes, no = (_show(part, depth) for part in node["cond"])
    return f"{check} extends {extends} ? {yes} : {no}"


def _mapped(node: Mapping[str, Any], depth: int) -> str:
    row = node["mapped"]
    return f"{{ [K in {_show(row['over'], depth)}]{'?' if row.get('o') else ''}: {_show(row['to'], depth)} }}"


def _template(node: Mapping[str, Any], depth: int) -> str:
    texts, types = node["tpl"]
    holes = [f"${{{_show(one, depth)}}}" for one in types] + [""]
    return "`" + "".join(text + hole for text, hole in zip(texts, holes, strict=False)) + "`"


_WRITERS: Mapping[str, Callable[[Mapping[str, Any], int], str]] = {
    "lit": _literal,
    "ref": _reference,
    "obj": _object,
    "union": _union,
    "inter": lambda node, depth: " & ".join(_show(part, depth) for part in node["inter"]),
    "tuple": _tuple,
    "tp": lambda node, depth: "T" + str(node["tp"]).replace(".", "_").replace("?", ""),
    "em": lambda node, depth: f"{short(node['em'])}.{node['n']}",
    "enum": lambda node, depth: short(node["enum"]),
    "typeof": lambda node, depth: f"typeof {short(node['typeof'])}",
    "keyof": lambda node, depth: f"keyof {_show(node['keyof'], depth)}",
    "index": lambda node, depth: f"{_show(node['index'][0], depth)}[{_show(node['index'][1], depth)}]",
    "cond": _conditional,
    "mapped": _mapped,
    "tpl": _template,
    "str": lambda node, depth: f"{node['str'][0]}<{_show(node['str'][1], depth)}>",
    "usym": lambda node, depth: f"unique symbol {short(node['usym'])}",
    "text": lambda node, depth: str(node["text"]),
    "missing": lambda node, depth: f"(unresolved import {node['missing']})",
}
