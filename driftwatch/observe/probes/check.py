"""Taking typed values out of plain data, noting every problem with its line instead of stopping at the first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from difflib import get_close_matches
from typing import Any

from driftwatch.errors import Problem
from driftwatch.observe.probes import language
from driftwatch.observe.probes.text import Lines, Path

NAME = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*$")
MISSING: Any = object()


class Reading:
    """One mapping of a file. Each question marks its key as known; ``unknown`` complains about the others."""

    def __init__(self, data: Any, lines: Lines, path: Path = (), problems: list[Problem] | None = None) -> None:
        self.lines = lines
        self.path = path
        self.problems: list[Problem] = [] if problems is None else problems
        self.known: list[str] = []
        if not isinstance(data, dict):
            self.wrong((), f"expected keys and values here, found {_kind(data)}")
        self.data: dict[str, Any] = data if isinstance(data, dict) else {}

    def wrong(self, path: Path, message: str, remedy: str = "") -> None:
        self.problems.append(self.lines.problem((*self.path, *path), message, remedy))

    def has(self, key: str) -> bool:
        return key in self.data

    def anything(self, key: str, default: Any = None) -> Any:
        self.known.append(key)
        return self.data.get(key, default)

    def _typed(self, key: str, types: type | tuple[type, ...], what: str, default: Any) -> Any:
        value = self.anything(key, MISSING)
        if value is MISSING:
            if default is MISSING:
                self.wrong((), f"the key {key!r} is missing")
            return None if default is MISSING else default
        if not isinstance(value, types) or (isinstance(value, bool) and types is not bool):
            self.wrong((key,), f"{key!r} must be {what}, found {_kind(value)}")
            return None if default is MISSING else default
        return value

    def text(self, key: str, default: Any = MISSING) -> str:
        value = self._typed(key, (str, int, float), "text", default)
        return "" if value is None else str(value)

    def name(self, key: str) -> str:
        """A name that expressions can use."""
        value = self.text(key, "")
        if value and not NAME.match(value):
            self.wrong((key,), f"{value!r} is no name", "use letters, digits and _")
        return value

    def number(self, key: str, default: float) -> float:
        value = float(self._typed(key, (int, float), "a number", default))
        if value < 0:
            self.wrong((key,), f"{key!r} must not be negative")
        return value

    def versions(self, key: str) -> str:
        """An npm range of versions."""
        import nodesemver

        value = self.text(key)
        try:
            known = not value or nodesemver.valid_range(value, False) is not None
        except (ValueError, TypeError, AttributeError, IndexError, RecursionError):
            known = False
        if not known:
            self.wrong((key,), f"{value!r} is not a range of versions", "such as <1.15.13 or 1.17.x")
        return value

    def day(self, key: str) -> str:
        value = self.text(key)
        try:
            return date.fromisoformat(value).isoformat() if value else ""
        except ValueError:
            self.wrong((key,), f"{value!r} is not a day", "write YYYY-MM-DD")
            return ""

    def flag(self, key: str) -> bool:
        return bool(self._typed(key, bool, "true or false", False))

    def choice(self, key: str, choices: Sequence[str]) -> str:
        value = self.text(key, choices[0])
        if value not in choices:
            self.wrong((key,), f"{key!r} must be one of {', '.join(choices)}, found {value!r}")
        return value

    def mapping(self, key: str) -> dict[str, Any]:
        value: dict[str, Any] = self._typed(key, dict, "keys and values", {})
        return value

    def list_of_texts(self, key: str) -> list[str]:
        found: list[Any] = self._typed(key, list, "a list", [])
        for number, value in enumerate(found):
            if not isinstance(value, str | int | float) or isinstance(value, bool):
                self.wrong((key, number), f"expected text, found {_kind(value)}", "put it in quotes")
        return [str(value) for value in found]

    def texts(self, key: str) -> dict[str, str]:
        found = self.mapping(key)
        for name, value in found.items():
            if not isinstance(value, str | int | float) or isinstance(value, bool):
                self.wrong((key, name), f"{name!r} must be text, found {_kind(value)}", "put it in quotes")
        return {name: str(value) for name, value in found.items()}

    def expressions(self, key: str) -> dict[str, str]:
        found = self.texts(key)
        for name, expression in found.items():
            if reason := language.wrong(expression):
                self.wrong((key, name), f"not a JMESPath expression: {reason}")
        return found

    def expression(self, key: str) -> str:
        value = self.text(key, "")
        if value and (reason := language.wrong(value)):
            self.wrong((key,), f"not a JMESPath expression: {reason}")
        return value

    def items(self, key: str) -> Iterator[Reading]:
        found = self._typed(key, list, "a list", [])
        for number, item in enumerate(found):
            yield Reading(item, self.lines, (*self.path, key, number), self.problems)

    def only_one(self, keys: Sequence[str]) -> str | None:
        found = [key for key in self.data if key in keys]
        if len(found) == 1:
            return found[0]
        said = f"found {' and '.join(found)}" if found else f"found {', '.join(self.data) or 'nothing'}"
        self.wrong((), f"a step does one thing: {said}", f"one of {', '.join(keys)}")
        return None

    def unknown(self) -> None:
        for key in self.data:
            if key not in self.known:
                near = get_close_matches(key, self.known, 1)
                remedy = f"did you mean {near[0]!r}?" if near else f"known keys: {', '.join(self.known)}"
                self.wrong((key,), f"unknown key {key!r}", remedy)


def _kind(value: Any) -> str:
    if value is None:
        return "nothing"
    return {dict: "keys and values", list: "a list", str: "text", bool: "true or false", int: "a number", float: "a number"}.get(
        type(value), type(value).__name__
    )
