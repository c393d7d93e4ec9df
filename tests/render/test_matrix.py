"""The matrix in every format: nothing unseen is green, each cell leads to its evidence, hostile words are only words."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace

import jsonschema
import pytest

from driftwatch.errors import ConfigError, UsageError
from driftwatch.model.matrix import Matrix
from driftwatch.render.matrix import FORMATS, render, table
from driftwatch.render.matrix import html as page
from driftwatch.render.matrix import json as wire
from tests.support import matrices


@pytest.mark.parametrize("make", matrices.SAMPLES.values(), ids=matrices.SAMPLES)
def test_json_is_described_and_comes_back(make: Callable[[], Matrix]) -> None:
    made = make()
    document = json.loads(render(made, "json"))
    schema = wire.schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    if make is not matrices.everything:
        jsonschema.Draft202012Validator(schema).validate(document)
        assert wire.parse(render(made, "json"), "m.json") == made


def test_words_are_told_apart() -> None:
    text = render(matrices.whole(), "text")
    assert re.search(r"opencode/dispose +broken +holds +holds\*", text)
    assert re.search(r"opencode/tools +absent as expected +flaky +unverified", text)
    assert "opencode/tools on 1.15.4: absent as expected: no such route; known of hosts <1.15.13 until 2099-01-31" in text
    assert "opencode/dispose on 1.18.33: holds: varies from run to run, so it is no drift: order" in text
    assert "3 probes on 3 opencode hosts: holds 5, broken 1, absent as expected 1, flaky 1, unverified 1" in text


def test_what_is_said_of_a_whole_host_is_said_once() -> None:
    whole = matrices.whole()
    dark = tuple(matrices.row(row.id, row.version, "unverified", reason="no host") for row in whole.cells)
    text = render(replace(whole, cells=dark), "text")
    assert text.count("no host") == 3, "once for each host"
    assert "3 probes (opencode/load, opencode/dispose, opencode/tools) on 1.15.4: unverified: no host" in text


def test_what_moved_is_told_and_what_varies_is_not() -> None:
    first, second = matrices.whole().moves
    assert [(each.fact, each.text) for each in table.differences(first)] == [
        ("outcome", "broken became holds"),
        ("fired", "false became true"),
    ]
    assert table.differences(second) == []
    assert {gap.address for gap in second.unseen} == {"probe:opencode/dispose#order", "probe:opencode/tools#**"}


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (1, 2, "1 became 2"),
        (None, [], "nothing became []"),
        (["a", "b"], ["b", "c"], "new: c; gone: a"),
        (["a", "a"], ["a"], "gone: a"),
        (["a", "b"], ["b", "a"], "the order changed"),
        ({"k": 1, "x": 1}, {"k": 2, "y": 1}, "new: y; gone: x; k: 1 became 2"),
        ([{"k": 1}], [{"k": 2}], 'new: {"k": 2}; gone: {"k": 1}'),
    ],
)
def test_only_the_difference_of_two_values_is_told(before: object, after: object, words: str) -> None:
    assert words in table.moved(before, after)  # type: ignore[arg-type]


def test_every_cell_of_the_page_leads_to_its_evidence() -> None:
    text = render(matrices.whole(), "html")
    links = re.findall(r'<td><a href="#([^"]+)">', text)
    assert len(links) == 9
    assert all(f'id="{link}"' in text for link in links)
    assert "default-src &#39;none&#39;" in text or "default-src 'none'" in text
    assert "<script" not in text
    assert not re.findall(r'(?:src|href)="(?!#)', text), "nothing is loaded, nothing leads away"


def test_nothing_unseen_is_green() -> None:
    whole = matrices.whole()
    assert page.tone(whole) == "bad"
    assert page.tone(matrices.parts(2)["part-1.json"]) != "good", "a part has cells that nobody asked"
    assert 'class="banner good"' not in render(whole, "html")


@pytest.mark.parametrize("form", FORMATS)
def test_hostile_words_are_only_words(form: str) -> None:
    text = render(matrices.everything(), form)
    text.encode("utf-8")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202e\u2066]", text)
    if form == "html":
        assert "<script>document" not in text
        assert "<img src=x" not in text
    if form == "md":
        assert "](https://evil.example)" not in text.replace("\\](", "")
    assert not re.search(r"^\s*::", text, re.MULTILINE)


def test_the_same_matrix_gives_the_same_bytes() -> None:
    for form in FORMATS:
        assert render(matrices.whole(), form) == render(matrices.whole(), form)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not JSON"),
        ("[]", "not a matrix of probes"),
        ('{"schema_version": 1, "upstreams": []}', "not a matrix of probes"),
        ('{"schema_version": 9, "cells": [], "hosts": [], "probes": []}', "schema version 9"),
        ('{"schema_version": 1, "cells": [3], "hosts": [], "probes": []}', "not a whole matrix"),
    ],
)
def test_what_is_no_matrix_is_refused_with_its_file(text: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words) as caught:
        wire.parse(text, "m.json")
    assert "m.json" in str(caught.value)


def test_a_shard_that_cannot_be_is_refused() -> None:
    text = render(matrices.parts(2)["part-1.json"], "json").replace('"index": 1', '"index": 3')
    with pytest.raises(ConfigError, match="no shard 3 of 2"):
        wire.parse(text, "m.json")


def test_there_is_no_other_format() -> None:
    with pytest.raises(UsageError, match="no format 'pdf'"):
        render(matrices.whole(), "pdf")
