"""Who reads and who writes a type, told by where it stands."""

from __future__ import annotations

from typing import Any

import pytest

from driftwatch.judge.compare.types.direction import Directions, direction
from tests.support import declared


def ref(name: str, *args: Any) -> dict[str, Any]:
    return {"ref": name, **({"args": list(args)} if args else {})}


def function(*given: Any, gives: Any = "void") -> dict[str, Any]:
    return {"obj": {"call": [{"p": [{"t": one} for one in given], "r": gives}]}}


def prop(kind: Any) -> dict[str, Any]:
    return {"obj": {"props": [{"n": "x", "t": kind}]}}


def directions(**rows: dict[str, Any]) -> Directions:
    noted = {name: {**row, "uses": {"": sorted(named(row))}} for name, row in rows.items()}
    return Directions(noted, frozenset(rows), frozenset(rows))


def named(part: Any) -> set[str]:
    if isinstance(part, dict):
        return {part["ref"]} if "ref" in part and not part.get("args") else set[str]().union(*map(named, part.values()))
    return set[str]().union(*map(named, part)) if isinstance(part, list) else set()


T: dict[str, Any] = {"tp": [{"n": "0.0"}]}
READ, WRITTEN = ("consumer", 1), ("consumer", -1)


@pytest.mark.parametrize(
    ("value", "uses"),
    [
        (function(ref("D")), {WRITTEN}),
        (function(gives=ref("D")), {READ}),
        (function(ref("D"), gives=ref("D")), {READ, WRITTEN}),
        (function(function(ref("D"))), {READ}),
        (function(ref("@lib#Array", ref("D"))), {WRITTEN}),
        (function(ref("Box", ref("D"))), {WRITTEN}),
        (function(ref("Sink", ref("D"))), {READ}),
        (function(ref("Nothing", ref("D"))), set()),
        (function(ref("Endless", ref("D"))), {WRITTEN}),
        (function({"cond": [ref("D"), ref("E"), "string", "never"]}), {WRITTEN}),
        (function({"keyof": ref("D")}), set()),
        (function(prop({"union": [ref("D"), "null"]})), {WRITTEN}),
    ],
)
def test_what_an_exported_function_takes_is_written_and_what_it_gives_is_read(value: Any, uses: set[Any]) -> None:
    found = directions(
        f={"value": value},
        D={"type": prop("string")},
        Box={**T, "type": prop({"tp": "0.0"})},
        Sink={**T, "type": prop(function({"tp": "0.0"}))},
        Nothing={**T, "type": prop("string")},
        Endless={**T, "type": prop({"union": [{"tp": "0.0"}, ref("Endless", ref("Endless", {"tp": "0.0"}))]})},
    )
    assert found.of("D") == uses


def test_what_hooks_are_handed_first_is_read_and_beside_it_may_be_changed() -> None:
    hooks = {"type": {"obj": {"props": [{"n": "on", "t": function(ref("Event"), ref("Draft"), gives=ref("Reply"))}]}}}
    found = directions(
        Hooks=hooks, Event={"type": prop("string")}, Draft={"type": prop("string")}, Reply={"type": prop("string")}
    )
    assert found.of("Event") == {("implementer", -1)}
    assert found.of("Draft") == {("implementer", 1), ("implementer", -1)}
    assert found.of("Reply") == {("implementer", 1)}


def test_of_a_type_that_nothing_leads_to_nobody_is_known() -> None:
    found = directions(Data={"type": prop(ref("Part"))}, Part={"type": prop("string")})
    assert found.of("Data") == found.of("Part") == frozenset()
    assert direction(found.of("Part")) == ""


@pytest.mark.parametrize(
    ("uses", "way"),
    [
        ({WRITTEN}, "given"),
        ({WRITTEN, ("implementer", -1)}, "given"),
        ({WRITTEN, READ}, ""),
        ({WRITTEN, ("implementer", 1)}, ""),
        ({("implementer", -1)}, "handed"),
        ({("implementer", -1), READ}, "handed"),
        ({("implementer", -1), ("implementer", 1)}, ""),
        ({READ}, ""),
    ],
)
def test_what_is_known_of_who_uses_it(uses: set[Any], way: str) -> None:
    assert direction(frozenset(uses)) == way


def test_a_member_that_must_be_given_now_is_told_so_only_where_it_is_given() -> None:
    both = declared.kept("ts-direction")
    told = {str(one.address)[8:]: (one.kind, one.args.get("direction")) for one in declared.changes(both["old"], both["new"])}
    assert told == {
        "Answer.next": ("became-required", None),
        "Both.mark": ("became-required", None),
        "Draft.tone": ("became-required", None),
        "Happened.detail": ("became-required", "handed"),
        "Reply.body": ("became-required", None),
        "Request.limit": ("param-field-required", "given"),
        "Seen.by": ("became-required", None),
    }
