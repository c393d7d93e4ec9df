from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from driftwatch import rules
from driftwatch.model import Address
from driftwatch.render.messages import Part, about, message, parts, prose, todo
from driftwatch.rules import Rule
from tests.support.reports import NASTY, finding


def use(monkeypatch: pytest.MonkeyPatch, template: str) -> None:
    rule = Rule("r", "ts", "x", "info", "info", template, "why", "do")
    monkeypatch.setattr(rules, "catalogue", lambda: {"r": rule})


@pytest.mark.parametrize(
    ("template", "given", "said"),
    [
        ("{member} of {subject}: {before} -> {after}", {"before": 1, "after": {"b": 1, "a": None}}, '{"a": null, "b": 1}'),
        ("{before} became {after}", {"before": None, "after": ""}, 'nothing became ""'),
        ("{before}/{after}", {"before": True, "after": [1, "x"]}, 'true/[1, "x"]'),
        ("{nothing_like_it} and {0} and {}", {}, "? and ? and ?"),
        ("{before.__class__} {before[0]} {before!r:>10}", {"before": "v"}, "? ? v"),
        ("two\nlines {after}", {"after": "a\nb\r\nc"}, "two lines a b c"),
        ("{{literal}} {after}", {"after": "{before}"}, "{literal} {before}"),
        ("{count} times", {"args": {"count": 3}}, "3 times"),
        ("{before}", {"before": "own", "args": {"before": "theirs"}}, "own"),
    ],
)
def test_messages(monkeypatch: pytest.MonkeyPatch, template: str, given: dict[str, Any], said: str) -> None:
    use(monkeypatch, template)
    assert said in message(finding("r", "ts:pkg#A.b", **given))


LONG = {f"answer_{number:02}": 200 for number in range(20)}
MANY: list[Any] = [f"a rather long item {number:02}" for number in range(20)]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (LONG, {**LONG, "answer_19": 404}, 'was {"answer_19": 200} and 19 the same, is {"answer_19": 404} and 19 the same'),
        (LONG, {**LONG, "more": 1}, 'was nothing else and 20 the same, is {"more": 1} and 20 the same'),
        (MANY, [*MANY[1:], "x"], 'was ["a rather long item 00"] and 19 the same, is ["x"] and 19 the same'),
        (MANY, [{"of": "another"}], 'was ["a rather long item 00"'),
        (MANY, MANY[::-1], 'was ["a rather long item 00"'),
        ({"a": 1}, {"a": 2, "b": 3}, 'was {"a": 1}, is {"a": 2, "b": 3}'),
        ({"blob": "1" * 200, "lines": 1}, {"blob": "2" * 200, "lines": 1}, "was 1111"),
        ("x" * 200, LONG, "was xxx"),
    ],
)
def test_two_long_values_are_told_apart(monkeypatch: pytest.MonkeyPatch, before: Any, after: Any, said: str) -> None:
    use(monkeypatch, "was {before}, is {after}")
    told = message(finding("r", "probe:a/b#c", before=before, after=after))
    assert told.startswith(said)
    assert len(told) < 400


def test_a_long_value_is_shortened_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, "now {after}")
    said = message(finding("r", "ts:a#b", after="y" * 1_000_000))
    assert said == f"now {'y' * 120}… (999,880 more characters)"


def test_an_unknown_rule_still_says_what_changed() -> None:
    one = finding("not-a-rule", "ts:pkg#A", before=1, after=2)
    assert message(one) == "ts:pkg#A changed from 1 to 2"
    assert (todo("not-a-rule"), about("not-a-rule")) == ("", "")


def test_values_are_told_apart_from_our_words_and_backticks_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, "file `{subject}` is `{after}`")
    one = dataclasses.replace(finding("r", "file:a`b", after="gone`"), address=Address("file:a`b"))
    assert parts(one) == (Part("file "), Part("a`b", True), Part(" is "), Part("gone`", True))
    assert message(one) == "file `a`b` is `gone``"


@pytest.mark.parametrize("text", NASTY)
def test_whatever_upstream_says_a_message_is_one_line_that_can_be_encoded(text: str) -> None:
    said = message(finding("ts-removed", f"ts:{text}#{text}", before=text, args={text: text, "subject": text}))
    said.encode("utf-8")
    assert said.isprintable() or "\u200d" in said


REAL = rules.catalogue


@pytest.mark.parametrize("rule", sorted(REAL()))
def test_every_real_rule_makes_a_message(monkeypatch: pytest.MonkeyPatch, rule: str) -> None:
    monkeypatch.setattr(rules, "catalogue", REAL)
    said = message(finding(rule, "ts:pkg#member", before="old", after="new"))
    assert said
    assert said != message(finding("not-a-rule", "ts:pkg#member", before="old", after="new"))
    assert "{" not in said


def test_prose_takes_pairs_of_backticks_apart() -> None:
    assert prose("run `a b` or `c`") == (Part("run "), Part("a b", True), Part(" or "), Part("c", True))
    assert prose("a ` lone one") == (Part("a ` lone one"),)
    assert prose("`a` and ` lone") == (Part("a", True), Part(" and ` lone"))
