"""References inside one document: what a ``$ref`` names, and what to do when it names nothing we hold."""

from __future__ import annotations

import json
import re
from typing import Any

from driftwatch.model import Gap
from driftwatch.observe.facts.openapi import segments

Raw = dict[str, Any]

_CONTAINERS = (("components", "schemas"), ("definitions",), ("$defs",))
_SCHEMAS = "#/components/schemas/"
_SPECIAL = re.compile(r"[/~%]")
_HOPS = 50  # a chain of references longer than this is a loop


class Refs:
    """Resolves local references, remembers as gaps those that lead out of the document or nowhere."""

    def __init__(self, document: Raw) -> None:
        self.document = document
        self.here = "http:**"  # the address that is being observed: a gap speaks of it
        self._gaps: dict[tuple[str, str], Gap] = {}
        self._addresses: dict[str, str] = {}
        held = document.get("components")
        shared = held.get("schemas") if isinstance(held, dict) else None
        known = shared.items() if isinstance(shared, dict) else ()
        self._targets: dict[str, Any] = {_SCHEMAS + name: schema for name, schema in known if not _SPECIAL.search(name)}

    @property
    def gaps(self) -> tuple[Gap, ...]:
        return tuple(self._gaps[key] for key in sorted(self._gaps))

    def miss(self, what: str, reason: str, remedy: str = "") -> None:
        self._gaps.setdefault((self.here, what), Gap(self.here, f"{what}: {reason}", remedy))

    def get(self, ref: Any) -> Any:
        """What a local reference points at; None (and a gap) for anything else."""
        target = self._targets.get(ref) if isinstance(ref, str) else None
        if target is None:
            target = self._get(ref)
            if target is not None:
                self._targets[ref] = target
        return target

    def _get(self, ref: Any) -> Any:
        if not isinstance(ref, str):
            self.miss(json.dumps(ref)[:80], "a reference that is not text")
            return None
        if not ref.startswith("#"):
            self.miss(ref[:200], "a reference out of the document is not followed", "bundle the document into one file")
            return None
        node: Any = self.document
        for part in _pointer(ref):
            if isinstance(node, dict) and part in node:
                node = node[part]
            elif isinstance(node, list) and part.isdigit() and int(part) < len(node):
                node = node[int(part)]
            else:
                self.miss(ref[:200], "the reference points at nothing in the document")
                return None
        return node

    def follow(self, node: Any) -> Raw:
        """A parameter, body, response, header or path item: behind its references, {} when it cannot be had."""
        for _ in range(_HOPS):
            if not isinstance(node, dict):
                return {}
            if "$ref" not in node:
                return node
            node = self.get(node["$ref"])
        self.miss("a chain of references", "it never ends")
        return {}

    def address(self, ref: Any) -> str:
        """The address of the shared schema (or of a part of one) a reference names, "" when it names something else."""
        if not isinstance(ref, str) or not ref.startswith("#/"):
            return ""
        if ref not in self._addresses:
            self._addresses[ref] = _address(ref)
        return self._addresses[ref]


def _address(ref: str) -> str:
    if ref.startswith(_SCHEMAS) and not _SPECIAL.search(ref, len(_SCHEMAS)):
        return f"schema:{ref[len(_SCHEMAS) :]}"
    parts = _pointer(ref)
    for container in _CONTAINERS:
        size = len(container)
        if tuple(parts[:size]) == container and len(parts) > size:
            return _inner(f"schema:{parts[size]}", parts[size + 1 :])
    return ""


def _inner(address: str, parts: list[str]) -> str:
    rest = list(parts)
    while rest:
        word = rest.pop(0)
        if word == "properties" and rest:
            address = segments.below(address, segments.key(rest.pop(0)))
        elif word == "items":
            address = segments.below(address, segments.ITEMS)
        elif word == "additionalProperties":
            address = segments.below(address, segments.VALUES)
        else:
            return ""
    return address


def _pointer(ref: str) -> list[str]:
    text = ref[1:].removeprefix("/")
    if "%" in text:
        from urllib.parse import unquote

        text = unquote(text)
    return [part.replace("~1", "/").replace("~0", "~") for part in text.split("/")] if text else []
