"""The OpenAPI documents of two real hosts (prose left out), and slices of one: an operation with all it needs."""

from __future__ import annotations

import gzip
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[1] / "data"
_REF = re.compile(r'"#/components/schemas/([^"]+)"')


@cache
def text(version: str) -> str:
    return gzip.decompress((DATA / f"opencode-openapi-{version}.json.gz").read_bytes()).decode()


def document(version: str) -> dict[str, Any]:
    """A fresh copy."""
    found: dict[str, Any] = json.loads(text(version))
    return found


def named(node: Any) -> set[str]:
    """The shared schemas a piece of a document names."""
    return set(_REF.findall(json.dumps(node)))


def closure(node: Any, schemas: dict[str, Any]) -> set[str]:
    """The shared schemas a piece of a document needs, by and by."""
    found: set[str] = set()
    todo = named(node)
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo |= named(schemas[name]) - found
    return found


@cache
def slices(largest: int = 30) -> tuple[str, ...]:
    """Documents of one operation each, as JSON, with the shared schemas it needs: only those of a handy size."""
    whole = document("1.18.4")
    schemas = whole["components"]["schemas"]
    found = []
    for path, item in whole["paths"].items():
        for method, operation in item.items():
            needed = closure(operation, schemas)
            if len(needed) <= largest:
                part = {**whole, "paths": {path: {method: operation}}}
                part["components"] = {"schemas": {name: schemas[name] for name in sorted(needed)}}
                found.append(json.dumps(part))
    return tuple(found)
