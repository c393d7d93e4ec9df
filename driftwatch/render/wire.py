"""The model as plain JSON values and back, one generic walk over the dataclasses: a new field needs no code here."""

from __future__ import annotations

import json
import sys
import types
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from driftwatch.model import Address, Json, TrendRow, UpstreamReport
from driftwatch.render.clean import finite

# The names other programs read, where they differ from the model's.
RENAMED: Mapping[tuple[type, str], str] = {
    (owner, ours): theirs for owner in (UpstreamReport, TrendRow) for ours, theirs in (("before", "from"), ("after", "to"))
}


class Wrong(ValueError):
    """A JSON value that is not what the model says; the message names the place, such as ``$.upstreams[0].id``."""


def encode(value: Any) -> Json:
    """A dataclass of the model (or a part of one) as JSON values, keys in the model's order, foreign mappings sorted."""
    if is_dataclass(value) and not isinstance(value, type):
        return {key(type(value), field.name): encode(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple):
        return [encode(item) for item in value]
    return finite(dict(value) if isinstance(value, Mapping) else value)


def decode(kind: Any, given: Json, place: str = "$") -> Any:
    """``given`` as ``kind`` (a dataclass, tuple[X, ...], Literal, X | None, Json, ...). Keys the model does not know are
    ignored, missing ones take the field's default. Raises Wrong."""
    if is_dataclass(kind) and isinstance(kind, type):
        return _dataclass(kind, given, place)
    origin = get_origin(kind)
    if origin is Literal:
        return _literal(get_args(kind), given, place)
    if origin is tuple:
        return tuple(decode(get_args(kind)[0], item, f"{place}[{n}]") for n, item in enumerate(_list(given, place)))
    if origin in (Union, types.UnionType):
        return _union(get_args(kind), given, place)
    return _plain(kind, given, place)


def key(owner: type, name: str) -> str:
    return RENAMED.get((owner, name), name)


def _dataclass(kind: type, given: Json, place: str) -> Any:
    if not isinstance(given, dict):
        raise Wrong(f"{place} is {_called(given)}, should be an object")
    hints = _hints(kind)
    values: dict[str, Any] = {}
    for field in fields(kind):
        name = key(kind, field.name)
        if name in given:
            values[field.name] = decode(hints[field.name], given[name], f"{place}.{name}")
        elif _required(field):
            raise Wrong(f"{place}.{name} is missing")
    return kind(**values)


def _required(field: Field[Any]) -> bool:
    return field.default is MISSING and field.default_factory is MISSING


def _literal(allowed: tuple[Any, ...], given: Json, place: str) -> Any:
    if given not in allowed:
        raise Wrong(f"{place} is {_called(given)}, should be one of {', '.join(map(str, allowed))}")
    return given


def _union(kinds: tuple[Any, ...], given: Json, place: str) -> Any:
    if given is None and type(None) in kinds:
        return None
    return decode(next(kind for kind in kinds if kind is not type(None)), given, place)


def _list(given: Json, place: str) -> list[Json]:
    if not isinstance(given, list):
        raise Wrong(f"{place} is {_called(given)}, should be a list")
    return given


def _plain(kind: Any, given: Json, place: str) -> Any:
    if kind is _ANY:
        return given
    if get_origin(kind) is Mapping or kind is Mapping:
        if not isinstance(given, dict):
            raise Wrong(f"{place} is {_called(given)}, should be an object")
        return given
    if kind is float and isinstance(given, int) and not isinstance(given, bool):
        return _float(given, place)
    if not isinstance(given, str if kind is Address else kind) or (kind is int and isinstance(given, bool)):
        raise Wrong(f"{place} is {_called(given)}, should be {_NAMES.get(kind, kind.__name__)}")
    return Address(given) if kind is Address else given


def _float(given: int, place: str) -> float:
    try:
        return float(given)
    except OverflowError:
        raise Wrong(f"{place} is larger than any number of seconds or shares can be") from None


def _called(given: Json) -> str:
    if given is None or isinstance(given, bool | int | float):
        return json.dumps(given)[:40]
    if isinstance(given, str):
        return repr(given[:40])
    return "a list" if isinstance(given, list) else "an object"


class _Any:
    """Stands for "any JSON value" in the resolved hints."""


_ANY = _Any
_NAMES: Mapping[type, str] = {str: "text", Address: "text", int: "a whole number", float: "a number", bool: "true or false"}


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind, {**vars(sys.modules[kind.__module__]), "Json": _ANY})
