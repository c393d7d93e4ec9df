"""The one expression language of probes: JMESPath, with a few functions of ours.

``sort``, ``sort_by``, ``reverse``, ``keys`` and ``contains`` are JMESPath's own, and take nothing (null) for something empty:
what a host lacks is an answer, not an error.

- ``count(x)``: how many items or keys; 0 for nothing
- ``unique(list)``: each value once, sorted
- ``twice(list)``: the values that are there more than once, sorted
- ``fields(x)``: the sorted keys of an object, or of all objects in a list; [] for nothing
- ``shape(x)``: the same value with every leaf replaced by the name of its type, lists by their distinct shapes
- ``runs(list)``: the list with neighbours that are equal made one
- ``tally(list)``: how often each text is there
- ``where(list, text)``: the position of the first item that equals it, -1 for none
- ``without(list, other)``: the values of the first that are not in the other, each once, sorted
- ``said(log)``: what warnings and errors of log lines say, each once, sorted
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

INSERTED = re.compile(r"\$\{([^}]+)\}")


@cache
def _engine() -> Any:
    import jmespath
    from jmespath import functions

    signature = functions.signature

    class Ours(functions.Functions):
        @signature({"types": []})
        def _func_count(self, value: Any) -> int:
            return len(value) if isinstance(value, list | dict | str) else int(value is not None)

        @signature({"types": ["array", "null"]})
        def _func_sort(self, values: list[Any] | None) -> list[Any]:
            return _sorted(values or [])

        @signature({"types": ["array", "null"]}, {"types": ["expref"]})
        def _func_sort_by(self, values: list[Any] | None, by: Any) -> list[Any]:
            found: list[Any] = super()._func_sort_by(values, by) if values else []  # type: ignore[misc]
            return found

        @signature({"types": ["object", "null"]})
        def _func_keys(self, value: dict[str, Any] | None) -> list[str]:
            return list(value or {})

        @signature({"types": ["array", "string", "null"]})
        def _func_reverse(self, values: list[Any] | str | None) -> list[Any] | str:
            return [] if values is None else values[::-1]

        @signature({"types": ["array", "string", "null"]}, {"types": []})
        def _func_contains(self, values: list[Any] | str | None, wanted: Any) -> bool:
            return wanted in values if isinstance(values, list | str) else False

        @signature({"types": ["array", "null"]})
        def _func_unique(self, values: list[Any] | None) -> list[Any]:
            return _sorted({_key(value): value for value in values or []}.values())

        @signature({"types": ["array", "null"]})
        def _func_twice(self, values: list[Any] | None) -> list[Any]:
            keys = [_key(value) for value in values or []]
            return _sorted({_key(value): value for value in values or [] if keys.count(_key(value)) > 1}.values())

        @signature({"types": ["array", "null"]})
        def _func_runs(self, values: list[Any] | None) -> list[Any]:
            given = values or []
            return [value for index, value in enumerate(given) if index == 0 or value != given[index - 1]]

        @signature({"types": ["array", "null"]})
        def _func_tally(self, values: list[Any] | None) -> dict[str, int]:
            given = [str(value) for value in values or []]
            return {value: given.count(value) for value in sorted(set(given))}

        @signature({"types": []})
        def _func_fields(self, value: Any) -> list[str]:
            items = value if isinstance(value, list) else [value]
            return sorted({key for item in items if isinstance(item, dict) for key in item})

        @signature({"types": []})
        def _func_shape(self, value: Any) -> Any:
            return shape(value)

        @signature({"types": ["array", "null"]}, {"types": []})
        def _func_where(self, values: list[Any] | None, wanted: Any) -> int:
            return next((index for index, value in enumerate(values or []) if value == wanted), -1)

        @signature({"types": ["array", "null"]}, {"types": ["array", "null"]})
        def _func_without(self, values: list[Any] | None, other: list[Any] | None) -> list[Any]:
            left_out = {_key(value) for value in other or []}
            return _sorted({_key(value): value for value in values or [] if _key(value) not in left_out}.values())

        @signature({"types": ["array", "null"]})
        def _func_said(self, log: list[Any] | None) -> list[str]:
            return sorted({_said(line) for line in log or [] if line["level"] in LOUD})

    return jmespath, jmespath.Options(custom_functions=Ours())


LOUD = {"warn", "error"}


def _said(line: dict[str, Any]) -> str:
    error = line["fields"].get("error", "")
    return f"{line['level']}: {line['text']}{f' ({error})' if error else ''}"


def shape(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: shape(item) for key, item in sorted(value.items())}
    if isinstance(value, list):
        return _sorted({_key(shape(item)): shape(item) for item in value}.values())
    return {bool: "boolean", int: "number", float: "number", str: "string", type(None): "null"}[type(value)]


def _key(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _sorted(values: Any) -> list[Any]:
    return sorted(values, key=_key)


class ExpressionError(ValueError):
    """An expression does not fit what it was asked of."""


def wrong(expression: str) -> str:
    """Why an expression cannot be read, "" when it can."""
    jmespath, _ = _engine()
    try:
        jmespath.compile(expression)
    except jmespath.exceptions.JMESPathError as error:
        return str(error).splitlines()[0]
    return ""


def ask(expression: str, document: Any) -> Any:
    """The value of an expression. Raises ExpressionError."""
    jmespath, options = _engine()
    try:
        return jmespath.search(expression, document, options)
    except (jmespath.exceptions.JMESPathError, TypeError, ValueError, KeyError) as error:
        raise ExpressionError(f"{expression}: {str(error).splitlines()[0]}") from error


def insert(value: Any, document: Any) -> Any:
    """``value`` with every ``${expression}`` in its texts replaced. A text that is one expression becomes its value;
    raises ExpressionError when an expression finds nothing."""
    if isinstance(value, dict):
        return {insert(key, document): insert(item, document) for key, item in value.items()}
    if isinstance(value, list):
        return [insert(item, document) for item in value]
    if not isinstance(value, str):
        return value
    if whole := INSERTED.fullmatch(value):
        return _found(whole.group(1), document)
    return INSERTED.sub(lambda match: str(_found(match.group(1), document)), value)


def _found(expression: str, document: Any) -> Any:
    found = ask(expression, document)
    if found is None:
        raise ExpressionError(f"${{{expression}}} finds nothing")
    return found
