"""What the compiler said of our source, in every form."""

from __future__ import annotations

import json

import jsonschema
import pytest

from driftwatch.model.floors import Floor
from driftwatch.model.typecheck import TypecheckReport, TypecheckRow, TypeProblem
from driftwatch.render.typecheck import render, schema

HOSTILE = "Type '`</b>\x1b[31m\u202e\n::error::'"


def report(words: str = "Type 'a' is not 'b'") -> TypecheckReport:
    one, other = TypeProblem("src/a.ts", 3, 14, "TS2322", words), TypeProblem("src/b.ts", 1, 1, "TS2304", "x")
    rows = (
        TypecheckRow("1.15.7", "fails", {"api": "1.15.7"}, (one,)),
        TypecheckRow("1.16.0", "unverified", reason=words),
        TypecheckRow("1.17.0", "compiles", gone=(other,), elsewhere=2, notes=("left out",)),
    )
    floor = Floor("use:source#compiles", "api", "found", "1.15.11", "1.15.7")
    return TypecheckReport(1, "0", "2026-01-01T00:00:00Z", "1.15.13", (other,), "broken", 10, rows, floor)


def test_json_is_what_the_schema_says() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    for each in (report(), report(HOSTILE)):
        jsonschema.validate(json.loads(render(each, "json")), schema(), cls=jsonschema.Draft202012Validator)


def test_text_names_our_lines_and_what_no_version_is_to_blame_for() -> None:
    text = render(report(), "text")
    assert "  src/a.ts:3:14: TS2322: Type 'a' is not 'b'" in text
    assert "standing with 1.15.13 already, and no version's fault: 1" in text
    assert "compiles from: 1.15.11" in text


@pytest.mark.parametrize("form", ["text", "md", "json"])
def test_hostile_words_are_shown_harmless(form: str) -> None:
    text = render(report(HOSTILE), form)
    assert not {"\x1b", "\u202e"} & set(text)
    assert not [line for line in text.splitlines() if line.startswith("::")]
