"""The reference pages of docs/, made from the data they describe: the rule catalogue and the watchlist's schema. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from driftwatch.rules import Rule

KINDS = {
    "tag": "Dist-tags",
    "version": "Published versions",
    "manifest": "package.json",
    "ts": "Declared types",
    "http": "HTTP operations",
    "schema": "Shared API schemas",
    "event": "Events",
    "call": "Call sites of hooks",
    "config": "Configuration keys",
    "file": "Watched files",
    "commit": "Git tags",
    "probe": "Probes",
    "use": "Our own source",
    "anchor": "References in our own documents",
    "watchlist": "The watchlist itself",
}


def rules(catalogue: Mapping[str, Rule]) -> str:
    """docs/rules.md."""
    lines = [
        "# Rules",
        "",
        "Made from the catalogue (`driftwatch rules --format md`); a test holds this page against it. A rule says what a kind",
        "of change at a kind of address means: for a **consumer**, who reads values and calls, and for an **implementer**, who",
        "writes the hooks object. A finding counts when the project relies on the address, or the rule concerns every project.",
        "",
    ]
    ordered = sorted(catalogue.values(), key=lambda rule: ([*KINDS, rule.address].index(rule.address), rule.id))
    for kind, group in groupby(ordered, key=lambda rule: rule.address):
        lines += [f"## {', '.join(KINDS.get(each, each) for each in kind.split())}", ""]
        for rule in group:
            lines += _rule(rule)
    return "\n".join(lines)


def _rule(rule: Rule) -> Iterator[str]:
    yield from (f"### {rule.id}", "")
    always = "concerns every project" if rule.always else "counts where it is relied on"
    yield from (f"consumer **{rule.consumer}**, implementer **{rule.implementer}**; {always}", "", rule.about, "")
    if rule.old or rule.new:
        yield from ("```text", f"before  {_indent(rule.old)}", f"after   {_indent(rule.new)}", "```", "")
    yield from (f"What to do: {rule.todo}", "")
    if rule.mirror:
        yield from (f"The other way round: [{rule.mirror}](#{rule.mirror})", "")


def _indent(text: str) -> str:
    return text.strip().replace("\n", "\n        ")


def watchlist(schema: Mapping[str, Any]) -> str:
    """docs/watchlist.md, from the JSON Schema."""
    lines = [
        "# watchlist.yaml",
        "",
        "Made from the schema (`driftwatch schema watchlist --format md`); a test holds this page against it. An unknown key,",
        "a wrong type, a duplicate key or a bad address is refused with file, line and the nearest right name;",
        "nothing is half-read.",
        "",
        "For an editor that knows JSON Schema: `driftwatch schema watchlist > watchlist.schema.json`, and at the top of the file",
        "`# yaml-language-server: $schema=watchlist.schema.json`.",
        "",
    ]
    lines += _table("The file", schema)
    for name, part in sorted(schema.get("$defs", {}).items()):
        if part.get("type") == "object":
            lines += _table(name, part)
    return "\n".join(lines)


def _table(title: str, part: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"## {title}", "")
    if part.get("description"):
        yield from (part["description"], "")
    yield from ("| key | type | required | default | what it says |", "|---|---|---|---|---|")
    required = part.get("required", ())
    for key, field in part.get("properties", {}).items():
        needed = "yes" if key in required else ""
        default = "" if key in required else _default(field)
        yield f"| `{key}` | {_type(field)} | {needed} | {default} | {field.get('description', '')} |"
    yield ""


def _default(field: Mapping[str, Any]) -> str:
    value = field.get("default")
    return f"`{value}`" if value not in (None, [], "", ()) else ""


def _type(field: Mapping[str, Any]) -> str:
    if "$ref" in field:
        name = field["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "enum" in field:
        return " or ".join(f"`{value}`" for value in field["enum"])
    if "const" in field:
        return f"`{field['const']}`"
    if "anyOf" in field:
        return " or ".join(_type(part) for part in field["anyOf"] if part.get("type") != "null")
    if field.get("type") == "array":
        return f"list of {_type(field.get('items', {}))}"
    return {"string": "text", "integer": "whole number", "boolean": "yes or no"}.get(field.get("type", ""), "mapping")
