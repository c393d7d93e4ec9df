"""The validator's errors in the words of the watchlist's author, each with the path it is about. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from driftwatch.config.model import json_schema
from driftwatch.config.reading import Document, Path, kind
from driftwatch.errors import did_you_mean


@dataclass(frozen=True, slots=True)
class Wrong:
    """One problem, at the value (or with ``key`` at the key) of ``path``."""

    path: Path
    message: str
    remedy: str = ""
    key: bool = False


def explain(error: ValidationError, document: Document) -> Iterator[Wrong]:
    for detail in error.errors(include_url=False):
        yield from _explain(detail, document)


def _explain(detail: ErrorDetails, document: Document) -> Iterator[Wrong]:
    path = cast(Path, tuple(detail["loc"]))
    context = detail.get("ctx", {})
    match detail["type"]:
        case "driftwatch":
            yield Wrong(path, f"{_name(path)}: {context['text']}", str(context["remedy"]))
        case "extra_forbidden":
            yield _unknown_key(path)
        case "missing":
            yield _missing_key(path)
        case "too_short":
            if not detail["input"]:  # otherwise its entries are wrong, which they say themselves
                yield Wrong(path, f"{_name(path)} must have at least one entry", key=True)
        case "string_too_short":
            yield Wrong(path, f"{_name(path)} is empty")
        case "literal_error":
            yield _not_a_choice(path, detail["input"], str(context["expected"]))
        case _:
            yield _wrong_kind(path, detail, document)


def _unknown_key(path: Path) -> Wrong:
    keys = list(_properties(path[:-1]))
    remedy = did_you_mean(str(path[-1]), keys) or f"known here: {', '.join(keys)}"
    if path[-1] in _properties(()):
        remedy = "it belongs to the top of the file: check the indentation"
    return Wrong(path, f"unknown key {path[-1]!r} in {_name(path[:-1])}", remedy, key=True)


def _missing_key(path: Path) -> Wrong:
    about = str(_properties(path[:-1]).get(str(path[-1]), {}).get("description", ""))
    return Wrong(path[:-1], f"{_name(path[:-1])} has no `{path[-1]}`", re.split(r"[.;] ", about)[0].rstrip("."))


def _not_a_choice(path: Path, value: object, expected: str) -> Wrong:
    choices = re.findall(r"'([^']*)'", expected)
    return Wrong(path, f"{_name(path)} is {value!r}, but must be {' or '.join(choices)}", did_you_mean(str(value), choices))


_WANTED = {
    "string_type": "text",
    "tuple_type": "a list",
    "model_type": "a mapping",
    "dict_type": "a mapping",
    "date_type": "a date",
}


def _wrong_kind(path: Path, detail: ErrorDetails, document: Document) -> Wrong:
    name, wanted, value = _name(path), _WANTED.get(detail["type"]), detail["input"]
    if wanted is None:
        return Wrong(path, f"{name}: {detail['msg']}")
    if value is None:
        return Wrong(path, f"{name} has no value: {wanted} is wanted", "give it one or remove the key", key=True)
    raw = document.place(path).raw
    if wanted == "text" and not isinstance(value, list | dict):
        return Wrong(path, f"{name} must be text, but YAML reads {raw} as {kind(value)}", f'quote it: "{raw}"')
    remedy = f'write it as a list: ["{raw}"]' if wanted == "a list" and raw else ""
    if wanted == "a mapping" and isinstance(value, str):
        remedy = f"its keys are {', '.join(_properties(path))}"
    return Wrong(path, f"{name} must be {wanted}, not {kind(value)}", remedy)


def _name(path: Path) -> str:
    """``upstreams[0].watch[2].path``, or the file itself."""
    words = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return words.lstrip(".") or "the watchlist"


@cache
def _schema() -> dict[str, Any]:
    return json_schema()


def _properties(path: Path) -> dict[str, Any]:
    """The keys a mapping at ``path`` may have, with their schemas; empty when there is no such mapping."""
    here = [_schema()]
    for part in path:
        here = [step for schema in here for step in _step(schema, part)]
    found: dict[str, Any] = {}
    for schema in here:
        for option in _options(schema):
            found.update(option.get("properties", {}))
    return found


def _step(schema: dict[str, Any], part: str | int) -> Iterator[dict[str, Any]]:
    for option in _options(schema):
        if isinstance(part, int) and "items" in option:
            yield option["items"]
        elif isinstance(part, str) and part in option.get("properties", {}):
            yield option["properties"][part]


def _options(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if "$ref" in schema:
        yield from _options(_schema()["$defs"][schema["$ref"].rpartition("/")[2]])
    for option in schema.get("anyOf", ()):
        yield from _options(option)
    yield schema
