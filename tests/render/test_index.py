from __future__ import annotations

import json
from typing import Any

from driftwatch.model import Json
from driftwatch.render import index
from driftwatch.render import json as to_json
from tests.support import reports

FORMS = ("html", "md", "json")


def document(make: Any) -> Json:
    given: Json = json.loads(to_json.render(make()))
    return given


def listed(name: str, make: Any = reports.drifted) -> index.Listed:
    one = index.listed(name, document(make), FORMS)
    assert one is not None
    return one


def line(at: str, outcome: str = "drifted", report: str = "latest", **counts: Json) -> dict[str, Json]:
    return {"at": at, "outcome": outcome, "report": report, "upstreams": {"o": {"from": "1", "to": "2", **counts}}}


def test_a_report_is_told_by_its_headline_and_versions() -> None:
    one = listed("latest")
    assert (one.project, one.outcome, one.at) == ("overclock", "drifted", "2026-07-17T06:00:00Z")
    assert one.headline.startswith("Drifted:")
    assert [(hop.upstream, hop.before, hop.after) for hop in one.hops] == [("opencode", "1.15.4", "1.15.13")]
    assert [name for name, _ in one.trends] == ["opencode"]


def test_other_json_is_no_report() -> None:
    for other in ([], {}, "x", None, {"version": 1, "upstreams": {}}, {"schema_version": 1, "outcome": "fine", "upstreams": []}):
        assert index.listed("x", other, ()) is None


def test_a_run_that_said_the_same_is_not_told_again() -> None:
    history = [line("1"), line("2"), line("3", risky=1), line("4", "broken", "a..b"), line("5", risky=1), line("6")]
    assert [(run.at, run.report) for run in index.runs(history)] == [
        ("6", "latest"),
        ("4", "a..b"),
        ("3", "latest"),
        ("1", "latest"),
    ]


def test_lines_somebody_wrote_by_hand_cost_only_themselves() -> None:
    odd: list[dict[str, Json]] = [
        {},
        {"outcome": "fine", "upstreams": {}},
        {"outcome": "broken"},
        {"outcome": "broken", "upstreams": {"o": 3}},
    ]
    assert [run.hops for run in index.runs([*odd, line("1", breaking="many")])] == [
        (index.Hop("o", "1", "2", "", 0, 0, 0),),
        (),
    ]


def test_the_page_lists_the_watch_first_and_links_what_is_there() -> None:
    text = index.render(
        [listed("examples/a"), listed("1.0..2.0", reports.broken), listed("latest")], [line("1"), line("2", "broken", "gone")]
    )
    order = [text.index(f'href="./{name}.html"') for name in ("latest", "1.0..2.0", "examples/a")]
    assert order == sorted(order)
    assert '<td role="cell" data-label="report">gone</td>' in text
    assert text.count("<h1>") == 1


def test_the_same_story_is_the_same_bytes() -> None:
    once = index.render([listed("latest")], [line("1"), line("2")])
    assert once == index.render([listed("latest")], [line("1"), line("2"), line("3")])


def test_names_of_files_stay_links_into_the_folder() -> None:
    one = listed('javascript:alert(1)//"><b>')
    assert one.link("html") == "./javascript%3Aalert%281%29//%22%3E%3Cb%3E.html"
    assert "<b>" not in index.render([one], [])


def test_an_empty_folder_is_a_page() -> None:
    assert "has not run here yet" in index.render([], [])
