"""The expressions of probes, what they see, and what makes two runs say the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from driftwatch.observe.hosts.driver import LogLine
from driftwatch.observe.hosts.model import Request
from driftwatch.observe.probes import language
from driftwatch.observe.probes.evidence import MARKS, Evidence, Normal, asked, logged, named, read_marks
from driftwatch.observe.probes.outcome import fits

DOCUMENT: dict[str, Any] = {"list": ["b", "a", "b"], "things": [{"x": 1}, {"y": "z"}], "none": None, "text": "abc"}
DOCUMENT["log"] = [
    {"level": "warn", "text": "odd", "fields": {"error": "why", "run": "1"}},
    {"level": "warn", "text": "odd", "fields": {"error": "why", "run": "2"}},
    {"level": "error", "text": "bad", "fields": {}},
    {"level": "info", "text": "good", "fields": {}},
]


@pytest.mark.parametrize(
    "expression, value",
    [
        ("count(list)", 3),
        ("count(none)", 0),
        ("count(missing)", 0),
        ("unique(list)", ["a", "b"]),
        ("twice(list)", ["b"]),
        ("twice(missing)", []),
        ("runs(list)", ["b", "a", "b"]),
        ("runs(missing)", []),
        ("tally(list)", {"a": 1, "b": 2}),
        ("fields(things)", ["x", "y"]),
        ("fields(none)", []),
        ("shape(things)", [{"x": "number"}, {"y": "string"}]),
        ("where(list, 'a')", 1),
        ("where(list, 'q')", -1),
        ("sort(list)", ["a", "b", "b"]),
        ("sort(missing)", []),
        ("sort_by(missing, &x)", []),
        ("sort_by(things[?x], &x)", [{"x": 1}]),
        ("keys(missing)", []),
        ("keys(things[0])", ["x"]),
        ("reverse(missing)", []),
        ("reverse(text)", "cba"),
        ("reverse(list)", ["b", "a", "b"]),
        ("contains(list, 'a')", True),
        ("contains(missing, 'a')", False),
        ("contains(text, 'bc')", True),
        ("without(list, missing)", ["a", "b"]),
        ("without(list, ['a'])", ["b"]),
        ("without(missing, list)", []),
        ("said(log)", ["error: bad", "warn: odd (why)"]),
    ],
)
def test_expressions(expression: str, value: object) -> None:
    assert language.wrong(expression) == ""
    assert language.ask(expression, DOCUMENT) == value


def test_an_expression_that_does_not_fit() -> None:
    with pytest.raises(language.ExpressionError, match=r"unique\(text\)"):
        language.ask("unique(text)", DOCUMENT)
    assert language.wrong("a b")
    assert language.wrong("nosuch(") != ""


def test_inserting() -> None:
    assert language.insert({"path": "/x/${text}", "whole": "${list}"}, DOCUMENT) == {"path": "/x/abc", "whole": ["b", "a", "b"]}
    with pytest.raises(language.ExpressionError, match="finds nothing"):
        language.insert("/session/${session.id}", DOCUMENT)


@pytest.mark.parametrize(
    "value, wanted, fit",
    [
        (1, 1, True),
        (True, 1, False),
        (1, True, False),
        (None, 0, False),
        ([1], [1], True),
        (3, {"at-least": 2}, True),
        (None, {"at-least": 0}, False),
        (3, {"at-most": 2}, False),
        (["a"], {"contains": "a"}, True),
        (["a"], {"lacks": "a"}, False),
        (None, {"lacks": "a"}, False),
        ("x", {"one-of": ["x", "y"]}, True),
        ("abc", {"matches": "^a.c$"}, True),
        (None, {"matches": "."}, False),
        (1, {"not": 2}, True),
        ({"at-least": 1, "b": 2}, {"at-least": 1, "b": 2}, True),
    ],
)
def test_comparisons(value: Any, wanted: Any, fit: bool) -> None:
    assert fits(value, wanted) is fit


def test_marks_are_whole_lines(tmp_path: Path) -> None:
    file = tmp_path / MARKS
    file.parent.mkdir()
    file.write_text('{"mark": "init", "n": 1}\nnot json\n[1]\n{"n": 2}\n{"mark": "end"}\n{"mark": "ha')
    assert read_marks(file) == [{"mark": "init", "n": 1}, {"mark": "end"}]
    document = Evidence(tmp_path).document()
    assert document["order"] == ["init", "end"]
    assert document["marks"] == {"init": [{"n": 1}], "end": [{}]}
    assert read_marks(tmp_path / "nothing") == []


def test_requests_in_the_words_of_probes() -> None:
    messages = [
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": [{"type": "text", "text": "hi"}]},
        {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "bash", "arguments": "{}"}}]},
    ]
    body = {"model": "m1", "messages": messages, "tools": [{"function": {"name": "bash"}}], "temperature": 0}
    seen = asked(Request("turn", "/v1/chat/completions", {"x": "1"}, body))
    assert seen["system"] == ["be brief"]
    assert seen["messages"][0] == {"role": "user", "text": "hi", "calls": []}
    assert seen["messages"][1]["calls"] == [{"name": "bash", "arguments": "{}"}]
    assert seen["options"] == {"temperature": 0}
    assert asked(Request("other", "/v1/models", {}, None))["messages"] == []


def test_log_lines_of_the_project(tmp_path: Path) -> None:
    lines = [LogLine("error", "bad", {"path": f"{tmp_path}/x.js"}), LogLine("info", "other", {})]
    lines.append(LogLine("error", "of a neighbour", {"path": f"{tmp_path}-prompt/x.js"}))
    assert [line["text"] for line in logged(lines, tmp_path)] == ["bad"]
    assert len(logged(lines)) == 3


def test_what_varies_is_replaced() -> None:
    normal = Normal({"project": Path("/tmp/s/projects/p"), "scratch": Path("/tmp/s")}, "1.2.3")
    assert normal.of("/tmp/s/projects/p/a.txt and /tmp/s/home") == "<project>/a.txt and <scratch>/home"
    spaced = Normal({"scratch": Path("/tmp/a b")}, "1.2.3")
    assert spaced.of("file:///tmp/a%20b/x or /tmp/a b/x") == "file://<scratch>/x or <scratch>/x", (
        "in a URL it is spelled otherwise"
    )
    assert normal.of("ses_dd119edb9ffednmuIgJfpv6NUd") == "<ses>"
    assert normal.of("tool_definition") == "tool_definition"
    assert normal.of("err_2904a601") == "<err>"
    assert normal.of("from '/$bunfs/root/chunk-60vr97bj.js'") == "from '/$bunfs/root/<file>'"
    assert normal.of("http://127.0.0.1:4096/x") == "http://127.0.0.1:<port>/x"
    assert normal.of("at 2026-11-30T23:50:44.179Z") == "at <time>"
    assert normal.of({"created": 1796083167548, "count": 3, "yes": True}) == {"created": "<time>", "count": 3, "yes": True}
    assert normal.of(["opencode/1.2.3", "11.2.3", "1.2.34"]) == ["opencode/<version>", "11.2.3", "1.2.34"]
    assert normal.of("0b5a7e0e-1111-4222-8333-444455556666") == "<uuid>"


def test_what_came_many_times_is_named_once() -> None:
    assert named(["init", *["event"] * 59, "dispose"]) == "init, event (59 times), dispose"
    assert named([str(number) for number in range(9)], most=2) == "0, 1, and 7 more"
    assert named([]) == ""
