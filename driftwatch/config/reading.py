"""YAML text -> plain data plus where each value stands. No tags, no objects, nothing that grows: safe for hostile files.

Built on the parser's events, not on its composer: no recursion (deep nesting cannot end the process), duplicate keys are
seen, and every value keeps its place and the words it was written with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import yaml

from driftwatch.errors import ConfigError, Problem

MAX_NODES = 50_000  # after aliases are expanded
MAX_DEPTH = 40

Path: TypeAlias = "tuple[str | int, ...]"
_YAML = "tag:yaml.org,2002:"
_CONFLICT = re.compile(r"^(<{7}|>{7}|\|{7})( |$)|^={7}$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value is written (from 1), and for a scalar the words it was written with."""

    line: int
    column: int
    raw: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """``data`` is made of dict, list, str, int, float, bool, date and None. ``places`` hold values by path;
    ``keys`` hold the keys of mappings by the path of their value."""

    data: Any
    places: Mapping[Path, Place]
    keys: Mapping[Path, Place]

    def place(self, path: Path, *, key: bool = False) -> Place:
        """Where the value (or its key) is written; for one that came through an alias or is missing, its nearest parent."""
        if key and path in self.keys:
            return self.keys[path]
        while path and path not in self.places:
            path = path[:-1]
        return self.places.get(path, Place(1, 1))


def read(text: str, name: str) -> Document:
    """Parse one YAML document whose top is a mapping. ``name`` is the file's name in problems. Raises ConfigError."""
    if clash := _CONFLICT.search(text):
        line = text.count("\n", 0, clash.start()) + 1
        raise _error(name, line, 1, "there is an unresolved merge conflict here", "keep one side and remove the markers")
    builder = _Builder(name)
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            builder.take(event)
    except yaml.reader.ReaderError as error:
        before = text[: error.position]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise _error(name, line, column, f"character U+{int(error.character):04X} is not allowed in YAML", "") from None
    except yaml.MarkedYAMLError as error:
        raise _syntax_error(name, text, error) from None
    return builder.finish()


def _error(name: str, line: int, column: int, message: str, remedy: str = "") -> ConfigError:
    return ConfigError([Problem(name, line, column, message, remedy)])


def _syntax_error(name: str, text: str, error: yaml.MarkedYAMLError) -> ConfigError:
    unclosed = "end of stream" in (error.problem or "")  # what was opened says more than the end of the file
    line, column = _at((unclosed and error.context_mark) or error.problem_mark or error.context_mark)
    lines = text.splitlines()
    for near in (line, line - 1):
        if 0 < near <= len(lines) and "\t" in lines[near - 1][: len(lines[near - 1]) - len(lines[near - 1].lstrip())]:
            return _error(name, near, 1, "the line is indented with a tab, which YAML does not allow", "indent with spaces")
    reason = ", ".join(part for part in (error.context, error.problem) if part)
    return _error(name, line, column, f"this is not YAML: {reason}", _syntax_remedy(error))


def _at(mark: Any) -> tuple[int, int]:
    """Line and column of a parser's mark, from 1."""
    return (mark.line + 1, mark.column + 1) if mark else (1, 1)


def _syntax_remedy(error: yaml.MarkedYAMLError) -> str:
    problem = error.problem or ""
    if "mapping values are not allowed" in problem:
        return "put text that holds ': ' in quotes, and check the indentation"
    if "cannot start any token" in problem:
        return "put text that starts with @, ` or % in quotes"
    if "expected <block end>" in problem or "expected ',' or" in problem:
        return "check the indentation and the brackets"
    return ""


_CONSTRUCTED = frozenset(_YAML + name for name in ("null", "bool", "int", "float", "timestamp"))


class _Scalars:
    """What YAML takes a plain word for: number, yes/no, date, nothing, or text."""

    def __init__(self) -> None:
        self._resolver: Any = yaml.resolver.Resolver()
        self._constructor: Any = yaml.constructor.SafeConstructor()

    def value(self, raw: str) -> Any:
        tag = self._resolver.resolve(yaml.ScalarNode, raw, (True, False))
        if tag not in _CONSTRUCTED:
            return raw
        try:
            return self._constructor.construct_object(yaml.ScalarNode(tag, raw))
        except (ValueError, OverflowError):
            return raw  # 2026-02-30 looks like a date: whoever wants a date says what is wrong with it


@dataclass(slots=True)
class _Open:
    """A mapping or a list that is being read. ``key`` is the mapping's key whose value comes next."""

    value: dict[str, Any] | list[Any]
    path: Path
    anchor: str | None
    start: int  # nodes before it
    key: str | None = None
    skip: bool = False  # the value that comes next belongs to a key that was refused


@dataclass(slots=True)
class _Builder:
    name: str
    stack: list[_Open] = field(default_factory=list)
    places: dict[Path, Place] = field(default_factory=dict)
    keys: dict[Path, Place] = field(default_factory=dict)
    anchors: dict[str, tuple[Any, int]] = field(default_factory=dict)  # value, number of nodes
    problems: list[Problem] = field(default_factory=list)
    nodes: int = 0
    documents: int = 0
    data: Any = None
    scalars: _Scalars = field(default_factory=_Scalars)

    def take(self, event: yaml.Event) -> None:
        line, column = _at(event.start_mark)
        if isinstance(event, yaml.DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                raise _error(self.name, line, column, "a second document starts here (---)", "a watchlist is one document")
        elif isinstance(event, yaml.AliasEvent):
            self._alias(str(event.anchor), line, column)
        elif isinstance(event, yaml.ScalarEvent):
            self._scalar(event, line, column)
        elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            self._open(event, line, column)
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            closed = self.stack.pop()
            if closed.anchor:
                self.anchors[closed.anchor] = (closed.value, self.nodes - closed.start)

    def finish(self) -> Document:
        if not self.problems and not isinstance(self.data, dict):
            what = "the file is empty" if self.data is None else f"the top of the file is {kind(self.data)}, not a mapping"
            place = self.places.get((), Place(1, 1))
            self._problem(place.line, place.column, what, "it starts with `version: 1`")
        if self.problems:
            raise ConfigError(sorted(self.problems, key=lambda problem: (problem.line, problem.column)))
        return Document(self.data, self.places, self.keys)

    def _problem(self, line: int, column: int, message: str, remedy: str = "") -> None:
        self.problems.append(Problem(self.name, line, column, message, remedy))

    def _count(self, more: int, line: int, column: int) -> None:
        self.nodes += more
        if self.nodes > MAX_NODES:
            raise _error(
                self.name, line, column, f"the file holds more than {MAX_NODES} values", "aliases count in full: use fewer"
            )

    def _path(self) -> Path:
        if not self.stack:
            return ()
        top = self.stack[-1]
        return (*top.path, top.key or "") if isinstance(top.value, dict) else (*top.path, len(top.value))

    def _tag(self, tag: str | None, line: int, column: int) -> None:
        if tag not in (None, "!", f"{_YAML}str", f"{_YAML}seq", f"{_YAML}map"):
            self._problem(line, column, f"the tag {tag!r} is not understood here", "remove it")

    def _open(self, event: yaml.MappingStartEvent | yaml.SequenceStartEvent, line: int, column: int) -> None:
        self._count(1, line, column)
        self._tag(event.tag, line, column)
        if len(self.stack) >= MAX_DEPTH:
            raise _error(self.name, line, column, f"values are nested more than {MAX_DEPTH} deep")
        if self._wants_key():
            raise _error(self.name, line, column, "a key must be plain text", "put text that starts with [ or { in quotes")
        value: dict[str, Any] | list[Any] = {} if isinstance(event, yaml.MappingStartEvent) else []
        path = self._path()
        self._put(value, Place(line, column))
        self.stack.append(_Open(value, path, event.anchor, self.nodes - 1))

    def _scalar(self, event: yaml.ScalarEvent, line: int, column: int) -> None:
        self._count(1, line, column)
        self._tag(event.tag, line, column)
        if self._wants_key():
            self._key(event.value, line, column)
            return
        plain = event.style is None and event.tag is None
        value = self.scalars.value(event.value) if plain else event.value
        if event.anchor:
            self.anchors[event.anchor] = (value, 1)
        self._put(value, Place(line, column, event.value))

    def _alias(self, anchor: str, line: int, column: int) -> None:
        if self._wants_key():
            raise _error(self.name, line, column, "an alias cannot be a key")
        if anchor not in self.anchors:
            raise _error(self.name, line, column, f"*{anchor} stands for nothing complete before it")
        value, nodes = self.anchors[anchor]
        self._count(nodes, line, column)
        self._put(value, Place(line, column))

    def _wants_key(self) -> bool:
        return bool(self.stack) and isinstance(self.stack[-1].value, dict) and self.stack[-1].key is None

    def _key(self, key: str, line: int, column: int) -> None:
        top = self.stack[-1]
        top.key = key
        path = (*top.path, key)
        top.skip = isinstance(top.value, dict) and key in top.value
        if key == "<<":
            self._problem(line, column, "merge keys (<<) are not understood here", "write the keys out")
        elif top.skip:
            self._problem(line, column, f"key {key!r} is there twice: first on line {self.keys[path].line}", "keep one of them")
        else:
            self.keys[path] = Place(line, column, key)

    def _put(self, value: Any, place: Place) -> None:
        if not self.stack:
            self.data = value
            self.places[()] = place
            return
        top = self.stack[-1]
        if not top.skip:
            self.places[self._path()] = place
        if isinstance(top.value, list):
            top.value.append(value)
        else:
            if not top.skip and top.key is not None:
                top.value[top.key] = value
            top.key, top.skip = None, False


def kind(value: object) -> str:
    """What a value is, in the words of its author."""
    names: Iterator[tuple[type, str]] = iter(
        ((bool, "yes/no"), (int, "a number"), (float, "a number"), (str, "text"), (list, "a list"), (dict, "a mapping"))
    )
    return next((name for type_, name in names if isinstance(value, type_)), "nothing" if value is None else "a date")
