"""Reading an OpenAPI document (or a JSON schema) from bytes or a file: JSON or safe YAML, with caps, friendly errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from driftwatch.errors import Unobservable

MAX_BYTES = 32 * 1024 * 1024
MAX_NODES = 2_000_000  # YAML aliases expanded: a bomb stops here
MAX_DEPTH = 150

Document = dict[str, Any]


def load_file(path: Path) -> Document:
    """The document in a file. Raises Unobservable with the file's name and the reason."""
    return load(read(path), str(path))


def read(path: Path) -> bytes:
    """The bytes of a document's file. Raises Unobservable when it cannot be read or is too large."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise Unobservable(f"{path} is larger than {MAX_BYTES // 2**20} MiB", "name the OpenAPI document itself")
        return path.read_bytes()
    except OSError as error:
        raise Unobservable(f"cannot read {path}: {error.strerror or error}", "check the path and its permissions") from error


def load(data: bytes, name: str = "the document") -> Document:
    """The document in ``data``, UTF-8 JSON or YAML. Raises Unobservable when it is neither, too large or too deep."""
    if len(data) > MAX_BYTES:
        raise Unobservable(f"{name} is larger than {MAX_BYTES // 2**20} MiB", "name the OpenAPI document itself")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unobservable(f"{name} is not UTF-8 text: {error.reason} at byte {error.start}") from error
    if text.lstrip()[:1] in ("{", "["):
        document = _json(text, name)
    elif text.lstrip()[:1] == "<":
        raise Unobservable(f"{name} is a web page, not an OpenAPI document", "ask for the route that serves the document itself")
    else:
        document = _yaml(text, name)
    if not isinstance(document, dict):
        raise Unobservable(f"{name} holds no object at its top", "an OpenAPI document begins with openapi, info and paths")
    return document


def _json(text: str, name: str) -> Any:
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise Unobservable(f"{name}:{error.lineno}:{error.colno}: not valid JSON: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        raise Unobservable(f"{name} is nested too deep, or holds a number too long to be one") from error
    _check_depth(document, name)
    return document


def _check_depth(document: Any, name: str) -> None:
    layer, depth = [document], 0
    while layer:
        depth += 1
        if depth > MAX_DEPTH:
            raise Unobservable(f"{name} is nested deeper than {MAX_DEPTH} levels")
        below: list[Any] = []
        for node in layer:
            if type(node) is dict:
                below.extend(node.values())
            elif type(node) is list:
                below.extend(node)
        layer = [node for node in below if type(node) is dict or type(node) is list]


def _yaml(text: str, name: str) -> Any:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        document = yaml.load(text, Loader=loader)  # noqa: S506 - both are the safe loader
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
        raise Unobservable(f"{name}{place}: not valid JSON or YAML: {getattr(error, 'problem', None) or error}") from error
    except (RecursionError, ValueError) as error:
        raise Unobservable(f"{name} cannot be read as YAML: {error}") from error
    return _Plain(name).of(document, 0)


class _Plain:
    """YAML's own values (dates, keys that are numbers, shared nodes) as JSON has them."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._nodes = 0

    def of(self, node: Any, depth: int) -> Any:
        self._nodes += 1
        if self._nodes > MAX_NODES or depth > MAX_DEPTH:
            raise Unobservable(f"{self._name} is too large once its YAML aliases are followed, or nested too deep")
        if isinstance(node, dict):
            return {_key(key): self.of(value, depth + 1) for key, value in node.items()}
        if isinstance(node, list):
            return [self.of(value, depth + 1) for value in node]
        return node if node is None or isinstance(node, (bool, int, float, str)) else str(node)


def _key(key: Any) -> str:
    return {True: "true", False: "false", None: "null"}.get(key, str(key)) if key is None or isinstance(key, bool) else str(key)
