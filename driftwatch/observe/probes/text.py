"""YAML that remembers its lines. Safe: no tags, no duplicate keys, no aliases (a probe has no need of them)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from driftwatch.errors import ConfigError, Problem

Path = tuple[str | int, ...]
PLAIN = {"str", "int", "float", "bool", "null", "timestamp"}


@dataclass(frozen=True, slots=True)
class Lines:
    """Where each key and item of a file stands. ``source`` is its text."""

    file: str
    source: str
    places: dict[Path, tuple[int, int]]

    def problem(self, path: Path, message: str, remedy: str = "") -> Problem:
        """A problem at a path, or at the nearest thing above it that has a place."""
        at = path
        while at and at not in self.places:
            at = at[:-1]
        line, column = self.places.get(at, (0, 0))
        return Problem(self.file, line, column, message, remedy)


def load(source: str, file: str) -> tuple[Any, Lines]:
    """The plain data of one YAML document. Raises ConfigError."""
    import yaml

    lines = Lines(file, source, {})
    try:
        node = _composed(source)
        if node is _ALIASES:
            raise ConfigError([Problem(file, 0, 0, "aliases (*name) are not allowed", "write the value out")])
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        at = (mark.line + 1, mark.column + 1) if mark else (0, 0)
        raise ConfigError([Problem(file, *at, f"not readable as YAML: {error.problem or error.context}")]) from error
    except yaml.YAMLError as error:
        raise ConfigError([Problem(file, 0, 0, f"not readable as YAML: {error}")]) from error
    return _plain(node, (), lines), lines


_ALIASES: Any = object()


def _composed(source: str) -> Any:
    """The document's node, read by libyaml where it is there (ten times as fast). A problem is told by the Python reader,
    so that it is told alike everywhere."""
    import yaml

    for loader in (getattr(yaml, "CSafeLoader", yaml.SafeLoader), yaml.SafeLoader):
        try:
            if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(source, Loader=loader)):
                return _ALIASES
            return yaml.compose(source, Loader=loader)
        except yaml.YAMLError:
            if loader is yaml.SafeLoader:
                raise
    return None


@cache
def _constructor() -> Any:
    import yaml

    return yaml.constructor.SafeConstructor()


def _plain(node: Any, path: Path, lines: Lines) -> Any:
    import yaml

    if node is None:
        return None
    lines.places.setdefault(path, (node.start_mark.line + 1, node.start_mark.column + 1))
    if isinstance(node, yaml.MappingNode):
        return _mapping(node, path, lines)
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item, (*path, number), lines) for number, item in enumerate(node.value)]
    if node.tag.removeprefix("tag:yaml.org,2002:") not in PLAIN:
        raise ConfigError([lines.problem(path, f"the tag {node.tag} is not allowed")])
    value = _constructor().construct_object(node, deep=True)
    return value if isinstance(value, bool | int | float | str | None) else node.value  # a date stays the text it was


def _mapping(node: Any, path: Path, lines: Lines) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key_node, value_node in node.value:
        key = str(key_node.value)
        at = (*path, key)
        lines.places[at] = (key_node.start_mark.line + 1, key_node.start_mark.column + 1)
        if key in found:
            raise ConfigError([lines.problem(at, f"the key {key!r} is there twice")])
        found[key] = _plain(value_node, at, lines)
    return found
