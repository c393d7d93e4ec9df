"""Floors in words: every status, hostile upstream text, many versions."""

from __future__ import annotations

import json

import pytest

from driftwatch.model.floors import Floor, FloorReport, FloorRow, Look
from driftwatch.render.floor import cell, render, spans, story

HOSTILE = "x\x1b[31m | `a` <script> @everyone #1 \u202e](http://evil)"


def report(*rows: FloorRow, certain: bool = True) -> FloorReport:
    return FloorReport("up", rows, "1.2.3", ("ts:a#b",), certain, {"hosts (h)": 3})


def floor(**more: object) -> Floor:
    return Floor(**{"address": "ts:a#b", "package": "a", "status": "found", "version": "1.2.3", "below": "1.2.1", **more})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (None, "-"),
        (floor(), "1.2.3"),
        (floor(unseen=(Look("1.2.2", None, "dark"),)), "1.2.3?"),
        (floor(status="oldest"), "1.2.3 or older"),
        (floor(status="lost", version=""), "no longer"),
        (floor(status="never", version=""), "never"),
        (floor(status="unknown", version="", reason="down"), "unknown"),
    ],
)
def test_a_floor_in_one_word(given: Floor | None, words: str) -> None:
    assert cell(given) == words


def test_runs_of_versions_are_drawn_together() -> None:
    assert spans(["1.15.5", "1.15.6", "1.15.7", "1.16.0", "1.17.0-a.1"]) == "1.15.5 to 1.15.7, 1.16.0, 1.17.0-a.1"
    assert spans([]) == ""


def test_many_looks_and_many_unseen_stay_one_line() -> None:
    looks = tuple(Look(f"1.0.{n}", None if n % 2 else True, "dark" if n % 2 else "") for n in range(200))
    sentences = list(story(floor(looks=looks, unseen=tuple(look for look in looks if look.holds is None))))
    assert all(len(sentence) < 500 for sentence in sentences)
    assert any("and 76 more (dark)" in sentence for sentence in sentences)
    assert "every version was looked at (200)" in list(story(floor(looks=looks, exhaustive=True)))[-1]


@pytest.mark.parametrize("status", ["found", "oldest", "lost", "never", "unknown"])
@pytest.mark.parametrize("form", ["text", "md", "json"])
def test_every_status_in_every_form(status: str, form: str) -> None:
    bare = floor(status=status, version="", below="", looks=(Look("1.0.0", False),), reason="down")
    said = render([report(FloorRow("ts:a#b", "why", declared=bare, behaviour=bare))], form)
    assert "ts:a#b" in said and said.endswith("\n")
    if form == "json":
        assert json.loads(said)["upstreams"][0]["floors"][0]["declared"]["status"] == status


@pytest.mark.parametrize("form", ["text", "md", "json"])
def test_upstream_text_stays_text(form: str) -> None:
    row = FloorRow(f"ts:a#{HOSTILE}", HOSTILE, declared=floor(status="unknown", version="", reason=HOSTILE), reason=HOSTILE)
    said = render([report(row)], form)
    assert "\x1b" not in said
    if form == "md":
        assert "<script>" not in said.replace("`", "").split("| —")[-1] and "](http" not in said.replace("\\]", "")
    if form == "json":
        json.loads(said)


def test_no_minimum_and_an_uncertain_one_say_so() -> None:
    nothing = FloorReport("up", (), "", (), False)
    assert render([nothing], "text").startswith("up: no minimum could be found\n")
    assert "as far as could be told" in render([report(certain=False)], "text")


def test_of_many_looks_those_around_the_floor_are_named() -> None:
    looks = tuple(Look(f"1.0.{n}", n >= 9) for n in range(40))
    *_, evidence = story(floor(version="1.0.9", below="1.0.8", looks=looks))
    assert evidence.startswith("looked at 40 versions, among them 1.0.0 no, 1.0.6 no, 1.0.7 no, 1.0.8 no, 1.0.9 yes, 1.0.10 yes")
    assert evidence.endswith("1.0.12 yes, 1.0.39 yes")
