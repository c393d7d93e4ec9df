"""What a difference is called, by where it stands. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from driftwatch.judge.compare.types.text import show
from driftwatch.judge.compare.types.walk import Spot


def kind_at(direction: str, spot: Spot) -> str:
    if direction == "any":
        return "became-any"
    if not spot.given:
        return f"param-{direction}"
    if spot.slot == "return":
        return f"return-{direction}"
    return "type-changed" if direction == "changed" else direction


def added(row: Mapping[str, Any], spot: Spot) -> str:
    if spot.given:
        return "added-optional" if row.get("o") else "added-required"
    if row.get("o"):
        return "param-field-added-optional"
    return "output-field-added" if spot.hook else "param-field-added-required"


def member(row: Mapping[str, Any]) -> str:
    """A property as before or after of a change: its type, with the flags that matter."""
    return f"{'readonly ' if row.get('r') else ''}{show(row['t'])}{' (optional)' if row.get('o') else ''}"


def optional(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"optional": True} if row.get("o") else {}
