"""What a place of one type says beside its type: literals, limits, format, and keywords compared as a whole."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from driftwatch.judge.compare.openapi.side import Value
from driftwatch.model import Json

# The bounds by what more of them means: a higher lower bound, a lower upper bound leave less.
LOWER = ("min", "minLength", "minItems", "minProperties")
UPPER = ("max", "maxLength", "maxItems", "maxProperties")
_WHOLE = ("pattern", "multipleOf", "uniqueItems")  # present or not is tighter or looser, another value is neither


@dataclass(frozen=True, slots=True)
class Difference:
    what: str
    before: Json = None
    after: Json = None
    detail: str = ""
    args: dict[str, Json] = field(default_factory=dict)


def differences(old: Value, new: Value) -> Iterator[Difference]:
    """Between two places of the same type. The type itself, flags and children are the walk's business."""
    yield from _literals(old, new)
    for name in LOWER:
        yield from _bound(name, old, new, 1)
    for name in UPPER:
        yield from _bound(name, old, new, -1)
    for name in _WHOLE:
        yield from _whole(name, old.get(name), new.get(name))
    if old.get("format") != new.get("format"):
        yield Difference("format-changed", old.get("format"), new.get("format"))
    if old.get("other") != new.get("other"):
        yield Difference("constraint-changed", old.get("other"), new.get("other"), "other", {"limit": "constraint"})


def _literals(old: Value, new: Value) -> Iterator[Difference]:
    before, after = old.get("enum"), new.get("enum")
    if before == after:
        return
    if not isinstance(before, list) or not isinstance(after, list):
        yield Difference("enum-closed" if before is None else "enum-opened", before, after)
        return
    known, now = {json.dumps(value) for value in before}, {json.dumps(value) for value in after}
    gone: list[Json] = [value for value in before if json.dumps(value) not in now]
    come: list[Json] = [value for value in after if json.dumps(value) not in known]
    if gone:
        yield Difference("enum-value-removed", before, after, args={"values": gone})
    if come:
        yield Difference("enum-value-added", before, after, args={"values": come})


def _bound(name: str, old: Value, new: Value, tighter: int) -> Iterator[Difference]:
    before, after = _place(name, old, tighter), _place(name, new, tighter)
    if before == after:
        return
    less = before is None or (after is not None and after > before)
    shown = (_shown(name, old), _shown(name, new))
    yield Difference("limit-tightened" if less else "limit-loosened", *shown, name, {"limit": name})


def _place(name: str, value: Value, tighter: int) -> tuple[float, bool] | None:
    """A bound as something that grows when it leaves less; a bound that is itself left out leaves less than one that is in."""
    bound = value.get(name)
    if isinstance(bound, bool) or not isinstance(bound, (int, float)):
        return None
    if tighter > 0 and bound == 0 and name != "min":
        return None  # no fewer than none is no limit
    return (bound * tighter, value.get(f"{name}Open") is True)


def _shown(name: str, value: Value) -> Json:
    bound: Any = value.get(name)
    return bound if value.get(f"{name}Open") is not True else f"{'>' if name == 'min' else '<'} {bound}"


def _whole(name: str, before: Any, after: Any) -> Iterator[Difference]:
    if before == after:
        return
    what = "limit-tightened" if before is None else "limit-loosened" if after is None else "constraint-changed"
    yield Difference(what, before, after, name, {"limit": name})
