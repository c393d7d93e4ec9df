"""A checked plugin in every form, also with hostile words in it."""

from __future__ import annotations

import json
from dataclasses import replace
from html.parser import HTMLParser

import jsonschema
import pytest

from driftwatch.judge.plugin import outcome, steps
from driftwatch.model import Json
from driftwatch.model.plugins import PluginFault, PluginReport, PluginRow
from driftwatch.render.plugin import headline, moved, render, schema, value

HOSTILE = "</style><script>alert(1)</script>\x1b[31m`|*x*\u202e\n::error::\ud800"


def report(words: str = "be quick") -> PluginReport:
    text: Json = {"added": 8, "removed": "none", "begins": words, "digest": "abc"}
    rows = (
        PluginRow("1.15.13", "works", (), {"chat#turn.1.system": text, "tool#turn.1.system": text, "plugin#hooks": ["event"]}),
        PluginRow(
            "1.18.4",
            "flawed",
            (PluginFault("leaves-process", words, "flaw", (words,)),),
            {"left#processes": [words], "config#tools": {"added": [words]}, "chat#agent": {"without": "a", "with": words}},
            ("chat#agent",),
            (f"its hook auth: {words}",),
            "network namespace",
            words,
            "process namespace",
        ),
    )
    moves = steps(rows)
    worst = outcome(rows, moves)
    return PluginReport(1, "0", "2026-01-01T00:00:00Z", words, "1.0.0", "npm", "opencode", worst, 0, rows, moves)


def test_json_is_what_the_schema_says() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    for each in (report(), report(HOSTILE)):
        told = json.loads(render(each, "json"))
        jsonschema.validate(told, schema(), cls=jsonschema.Draft202012Validator)
    assert told["rows"][0]["facts"]["plugin#hooks"] == ["event"]


@pytest.mark.parametrize("form", ["text", "md", "html", "json"])
def test_the_same_report_gives_the_same_bytes_and_hides_nothing(form: str) -> None:
    text = render(report(HOSTILE), form)
    assert text == render(report(HOSTILE), form)
    assert not {"\x1b", "\u202e", "\ud800"} & set(text)
    assert "leaves-process" in text


def test_html_holds_no_foreign_element() -> None:
    tags: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            tags.append(tag)
            assert not [name for name, _ in attrs if name.startswith("on")]

    Reader().feed(render(report(HOSTILE), "html"))
    assert "script" not in tags
    assert tags.count("style") == 1


def test_the_page_allows_nothing_but_its_own_style() -> None:
    text = render(report(), "html")
    assert "unsafe-inline" not in text
    assert "style-src &#39;sha256-" in text or "style-src 'sha256-" in text


def test_text_says_the_same_of_many_requests_once_and_stands_in() -> None:
    text = render(report(), "text")
    assert "    chat turn.1.system, tool turn.1.system: 8 characters added" in text
    assert "(not stable)" in text
    assert not [line for line in render(report(HOSTILE), "text").splitlines() if line.startswith("::")]


def test_what_changed_alike_is_said_once() -> None:
    before, after = ({f"{scene}#turn.1.system": word for scene in ("chat", "tool")} for word in ("one", "two"))
    (step,) = steps((PluginRow("1", "works", facts=before), PluginRow("2", "works", facts=after)))
    (told,) = moved(step)
    assert (told.name, told.before, told.after) == ("chat#turn.1.system, tool#turn.1.system", "one", "two")


def test_values_in_words() -> None:
    assert value({"added": ["a"], "changed": ["b.c"]}) == "added a; changed b.c"
    assert value({"without": None, "with": 2}) == "nothing -> 2"
    assert value([]) == ""
    assert value(True) == "true"


def test_a_safe_move_says_how_much_of_it_was_not_seen() -> None:
    rows = tuple(PluginRow(version, "works", untried=("its hook auth: it needs an account",)) for version in ("1.0.0", "1.1.0"))
    moves = steps(rows)
    made = PluginReport(1, "0", "2026-01-01T00:00:00Z", "p", "1.0.0", "npm", "h", outcome(rows, moves), 0, rows, moves)
    assert headline(made).endswith("the move is safe, everything observed is the same (1 part of it could not be tried)")
    seen = replace(made, rows=tuple(replace(row, untried=()) for row in rows))
    assert headline(seen).endswith("everything observed is the same")
