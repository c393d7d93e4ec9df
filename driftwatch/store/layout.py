"""JSON laid out for people who read diffs: containers open down to a depth, below it one line an entry. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from driftwatch.errors import StoreError


def dump(data: Mapping[str, Any], depth: int) -> str:
    """Valid JSON in stable bytes: mappings are opened ``depth`` levels deep, one line an entry, in their own order;
    what lies deeper is on one line with sorted keys. ASCII only, so that no upstream text can disguise a line of a diff.

    Raises StoreError for what JSON cannot hold (NaN, infinity, nesting without end).
    """
    try:
        return "".join(_lines(data, depth, "")) + "\n"
    except (ValueError, TypeError, RecursionError) as error:
        raise StoreError(f"a value cannot be stored as JSON: {error}") from error


def one_line(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=True, allow_nan=False, separators=(", ", ": "))


def _lines(value: Any, depth: int, indent: str) -> Iterator[str]:
    if depth == 0 or not isinstance(value, Mapping) or not value:
        yield one_line(value)
        return
    inner = indent + "  "
    separator = "{\n"
    for key, entry in value.items():
        yield f"{separator}{inner}{json.dumps(key)}: "
        yield from _lines(entry, depth - 1, inner)
        separator = ",\n"
    yield f"\n{indent}}}"
