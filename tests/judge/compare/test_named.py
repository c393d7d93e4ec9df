"""Declarations by their syntax, and texts: every kind once, silence for the same, one change for a whole."""

from __future__ import annotations

from typing import Any

import pytest

from driftwatch.judge.compare import compare
from driftwatch.model import Address, Fact, Observed, Ref, Snapshot
from driftwatch.rules import by_change

A = "source:src/a.ts#A"
OLD = {A: {"kind": "interface"}, f"{A}.b": {"type": "string"}, f"{A}.b.c": {"type": "number"}}


def side(facts: dict[str, Any]) -> Snapshot:
    return Snapshot.of(Ref("x", "1"), Observed(tuple(Fact(Address(a), v, "git:src/a.ts@0:1") for a, v in facts.items())))


def changes(old: dict[str, Any], new: dict[str, Any]) -> list[tuple[str, str]]:
    found = compare(side(old), side(new))
    assert all((change.address.kind, change.kind) in by_change() for change in found)
    return [(change.address, change.kind) for change in found]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (OLD, OLD, []),
        (OLD, {A: OLD[A]}, [(f"{A}.b", "removed")]),
        (OLD, {}, [(A, "removed")]),
        ({A: OLD[A]}, OLD, [(f"{A}.b", "added")]),
        (OLD, OLD | {f"{A}.b": {"type": "string", "optional": True}}, [(f"{A}.b", "changed")]),
        ({"text:a#X": 1}, {"text:a#X": 0}, [("text:a#X", "vanished")]),
        ({"text:a#X": 1}, {}, [("text:a#X", "vanished")]),
        ({"text:a#X": 0}, {"text:a#X": 3}, [("text:a#X", "appeared")]),
        ({"text:a#X": 2}, {"text:a#X": 3}, [("text:a#X", "recounted")]),
        ({"text:a#X": 0}, {"text:a#X": 0}, []),
    ],
)
def test_kinds(old: dict[str, Any], new: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    assert changes(old, new) == expected


def test_every_kind_of_the_catalogue_is_made() -> None:
    kinds = {(kind, change) for kind, change in by_change() if kind in ("source", "text")}
    standing = {"missing", "unexpected", "other-value"}  # made by judge/required.py
    assert {change for _, change in kinds} - standing == {"removed", "added", "changed", "vanished", "appeared", "recounted"}
