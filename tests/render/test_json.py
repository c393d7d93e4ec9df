from __future__ import annotations

import dataclasses
import json
import re
import time
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest

from driftwatch import model
from driftwatch.errors import ConfigError
from driftwatch.model import Report
from driftwatch.render import json as rendering
from driftwatch.render import wire
from tests.support import reports

MAKERS = {**reports.SAMPLES, "hostile": reports.everything, "hostile-2": reports.everything_but_strange}


@pytest.fixture(params=MAKERS)
def make(request: pytest.FixtureRequest) -> Callable[[], Report]:
    maker: Callable[[], Report] = MAKERS[request.param]
    return maker


def test_output_is_described_by_the_published_schema(make: Callable[[], Report]) -> None:
    schema = rendering.schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(json.loads(rendering.render(make())))


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        (("outcome",), "passed"),
        (("upstreams", 0, "findings", 0, "severity"), "fatal"),
        (("upstreams", 0, "probes", 0, "outcome"), "ok"),
        (("upstreams", 0, "tags", 0, "change"), "jumped"),
        (("schema_version",), 2),
    ],
)
def test_the_schema_refuses_what_is_wrong(path: tuple[Any, ...], wrong: object) -> None:
    document = json.loads(rendering.render(reports.drifted()))
    place = document
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = wrong
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(rendering.schema()).validate(document)


def test_the_schema_names_every_field_of_the_model() -> None:
    definitions = rendering.schema()["$defs"]
    described = {
        model.Ref: definitions["ref"],
        model.TagRow: definitions["tag"],
        model.EarlyRow: definitions["early"],
        model.PackageRow: definitions["package"],
        model.Finding: definitions["finding"],
        model.Waived: definitions["waived"],
        model.RelianceRow: definitions["reliance"],
        model.FileRow: definitions["file"],
        model.ProbeRow: definitions["probe"],
        model.Gap: definitions["gap"],
        model.UpstreamReport: definitions["upstream"],
        model.Report: rendering.schema(),
    }
    for kind, definition in described.items():
        names = {wire.key(kind, field.name) for field in dataclasses.fields(kind)}
        assert names <= set(definition["properties"]), kind.__name__


def test_the_names_other_programs_read_are_there() -> None:
    document = json.loads(rendering.render(reports.broken()))
    upstream = document["upstreams"][0]
    assert {"schema_version", "generated_at", "outcome", "upstreams"} <= set(document)
    assert {"id", "from", "to", "tags", "outcome", "findings", "probes", "gaps"} <= set(upstream)
    assert (upstream["from"]["version"], upstream["to"]["commit"]) == ("1.15.13", reports.OLD_COMMIT)
    assert {"name", "before", "after", "change"} <= set(upstream["tags"][0])
    named = "rule severity role confidence address before after where relied_on waived fingerprint message"
    assert set(named.split()) <= set(upstream["findings"][0])
    assert {"id", "version", "outcome", "facts", "reason", "seconds"} <= set(upstream["probes"][0])
    assert upstream["findings"][0]["message"] == "probe opencode/dispose held before and is absent now"
    assert upstream["findings"][0]["waived"] is None


def test_a_report_comes_back_as_it_was(make: Callable[[], Report]) -> None:
    text = rendering.render(make())
    again = rendering.parse(text)
    if "\ufffd" not in text:  # else it held lone surrogates, which UTF-8 cannot say
        assert again == make()
        assert rendering.render(again) == text
    assert rendering.render(rendering.parse(rendering.render(again))) == rendering.render(again)


def test_bytes_are_utf8_and_show_nothing_unseen(make: Callable[[], Report]) -> None:
    raw = rendering.render(make()).encode("utf-8")
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u2028-\u202e\u2066-\u2069\ufeff]", raw.decode("utf-8"))


def test_numbers_json_cannot_say_become_null() -> None:
    one = dataclasses.replace(reports.finding("r", "ts:a#b"), before=float("nan"), after=[float("inf")])
    upstream = dataclasses.replace(reports.compatible().upstreams[0], findings=(one,))
    text = rendering.render(reports.report("drifted", 0, upstream))
    assert "NaN" not in text
    assert json.loads(text)["upstreams"][0]["findings"][0]["after"] == [None]


def test_the_order_of_foreign_keys_does_not_matter() -> None:
    base = reports.compatible()
    texts = []
    for facts in ({"a": {"x": 1, "y": 2}, "b": 2}, {"b": 2, "a": {"y": 2, "x": 1}}):
        probe = dataclasses.replace(base.upstreams[0].probes[0], facts=facts)
        texts.append(rendering.render(reports.report("drifted", 0, dataclasses.replace(base.upstreams[0], probes=(probe,)))))
    assert texts[0] == texts[1]


def test_keys_of_a_later_driftwatch_are_ignored_and_missing_ones_take_their_default() -> None:
    document = json.loads(rendering.render(reports.broken()))
    document["upstreams"][0]["novel"] = [1]
    del document["upstreams"][0]["files"], document["rerun"]
    again = rendering.parse(json.dumps(document))
    assert again.upstreams[0].files == ()
    assert again.rerun == ""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "r.json:1:1: not JSON"),
        ('{"schema_version": 1,\n "upstreams": [}', "r.json:2:16: not JSON"),
        ("[]", "not a driftwatch report"),
        ('{"name": "x"}', "not a driftwatch report"),
        ('{"schema_version": 9, "upstreams": []}', "schema version 9, this driftwatch reads 1 (update driftwatch)"),
        ('{"schema_version": true, "upstreams": []}', "schema version True"),
        ('{"schema_version": 1, "upstreams": {}}', "$.tool_version is missing"),
        ("[" * 100_000, "nested too deeply"),
        ("\ufeff{}", "not JSON"),
    ],
)
def test_a_wrong_file_is_refused_by_name(text: str, told: str) -> None:
    with pytest.raises(ConfigError) as caught:
        rendering.parse(text, "r.json")
    assert told in str(caught.value)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("path", "wrong", "told"),
    [
        (("outcome",), "fine", "$.outcome is 'fine', should be one of compatible, drifted, broken, unverified"),
        (("exit_code",), "0", "$.exit_code is '0', should be a whole number"),
        (("exit_code",), True, "$.exit_code is true, should be a whole number"),
        (("upstreams",), None, "$.upstreams is null, should be a list"),
        (("upstreams", 0, "from"), [], "$.upstreams[0].from is a list, should be an object"),
        (("upstreams", 0, "findings", 1, "relied_on", 0), 7, "$.upstreams[0].findings[1].relied_on[0] is 7, should be text"),
        (("upstreams", 0, "findings", 0, "address"), None, "findings[0].address is null, should be text"),
        (("upstreams", 0, "probes", 0, "seconds"), "2", "probes[0].seconds is '2', should be a number"),
        (("upstreams", 0, "probes", 0, "facts"), [], "probes[0].facts is a list, should be an object"),
        (("upstreams", 0, "findings", 0, "waived"), "no", "findings[0].waived is 'no', should be an object"),
    ],
)
def test_a_wrong_field_is_named(path: tuple[Any, ...], wrong: object, told: str) -> None:
    document = json.loads(rendering.render(reports.broken()))
    place = document
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = wrong
    with pytest.raises(ConfigError, match=re.escape(told)):
        rendering.parse(json.dumps(document))


@pytest.mark.slow
def test_a_megabyte_in_every_field_is_rendered_and_read_again_in_time() -> None:
    huge = reports.everything("x" * 200_000)
    started = time.monotonic()
    assert rendering.parse(rendering.render(huge)) == huge
    assert time.monotonic() - started < 20
