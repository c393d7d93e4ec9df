"""What code scanners, CI systems and forges take: each output is read back by their rules."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import jsonschema
import pytest
from markdown_it import MarkdownIt

from driftwatch.model import Gap, RelianceRow, Report, Waived
from driftwatch.render import comment, github, github_summary, gitlab, issues, jsonl, junit, sarif, summary
from driftwatch.render import json as report_json
from tests.support import reports

SARIF_SCHEMA = json.loads((Path(__file__).parents[1] / "data" / "sarif-2.1.0.schema.json").read_text("utf-8"))
MAKERS: dict[str, Callable[[], Report]] = {
    **reports.SAMPLES,
    "everything": lambda: reports.everything(size=2),
    "our words": reports.everything_and_our_words,
    "huge": lambda: reports.everything("z" * 50_000),
}
each = pytest.mark.parametrize("name", MAKERS)


def many(number: int) -> Report:
    """A break with ``number`` findings, gaps and diffs: too much for every platform's limit."""
    upstream = reports.broken().upstreams[0]
    findings = tuple(
        reports.finding("ts-removed", f"ts:pkg#Member{n}", severity="breaking", counts=True, before="x" * 200)
        for n in range(number)
    )
    files = tuple(replace(upstream.files[0], path=f"src/{n}.ts", diff="@@ -1 +1 @@\n" + "+line\n" * 500) for n in range(40))
    gaps = tuple(Gap(f"file:{n}", "refused " * 20, f"open {n}") for n in range(number))
    return replace(reports.broken(), upstreams=(replace(upstream, findings=findings, files=files, gaps=gaps),))


# --- issues ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("src/a.ts:41", ("src/a.ts", 41)),
        ("./src/a b.ts:7:3", ("src/a b.ts", 7)),
        ("ts:@x/y#Z", None),
        ("file:src/a.ts", None),
        ("/etc/passwd:1", None),
        ("../up.ts:1", None),
        ("C:\\x.ts:1", None),
        ("src/a.ts:0", None),
        ("src/a.ts", None),
        ("src/**:3", None),
    ],
)
def test_places_are_lines_inside_the_project(text: str, place: tuple[str, int] | None) -> None:
    found = issues.place(text)
    assert (found and (found.path, found.line)) == place


def test_an_issue_points_at_our_source_then_the_watchlist_line_then_the_watchlist() -> None:
    report = replace(reports.broken(), watchlist="watch/list.yaml")
    upstream = report.upstreams[0]
    rows = tuple(replace(row, where=f"watch/list.yaml:{n + 10}") for n, row in enumerate(upstream.reliances))
    placed = issues.of(replace(report, upstreams=(replace(upstream, reliances=rows),)))
    assert [[(place.path, place.line) for place in issue.places] for issue in placed] == [
        [("src/shutdown.ts", 41), ("watch/list.yaml", 10)],
        [("watch/list.yaml", 11)],
        [("watch/list.yaml", 13)],
    ]
    assert {place.path for issue in issues.of(report) for place in issue.places} == {"src/shutdown.ts", "watch/list.yaml"}


def test_what_could_not_be_looked_at_is_an_issue_and_unrelated_findings_are_not() -> None:
    assert [issue.rule for issue in issues.of(reports.unverified())] == [issues.UNSEEN] * 3
    assert [issue.rule for issue in issues.of(reports.drifted())] == ["probe-fixed", "file-changed", "file-removed"]
    assert issues.of(reports.compatible()) == ()


def test_fingerprints_do_not_move_with_reasons_or_places() -> None:
    report = reports.unverified()
    upstream = report.upstreams[0]
    later = replace(upstream, gaps=tuple(replace(gap, reason=gap.reason + " again") for gap in upstream.gaps))
    before = {issue.fingerprint for issue in issues.of(report)}
    assert before <= {issue.fingerprint for issue in issues.of(replace(report, upstreams=(later,)))}


@each
def test_issues_are_clean_single_lines(name: str) -> None:
    for issue in issues.of(MAKERS[name]()):
        for text in (issue.rule, issue.text, issue.todo, issue.fingerprint, *(place.path for place in issue.places)):
            text.encode("utf-8")
            assert "\n" not in text
            assert len(text) < 4000
        assert re.fullmatch(r"[A-Za-z0-9_-]{8,128}", issue.fingerprint)
        assert issue.places


# --- SARIF ----------------------------------------------------------------------------------------------------------


@each
def test_sarif_is_valid(name: str) -> None:
    text = sarif.render(MAKERS[name]())
    text.encode("utf-8")
    jsonschema.Draft4Validator(SARIF_SCHEMA, format_checker=jsonschema.FormatChecker()).validate(json.loads(text))


@each
def test_sarif_rules_locations_and_links(name: str) -> None:
    run = json.loads(sarif.render(MAKERS[name]()))["runs"][0]
    known = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert {result["ruleId"] for result in run["results"]} == known
    for result in run["results"]:
        assert "](" not in result["message"]["text"]
        assert result["partialFingerprints"]["primaryLocationLineHash"].startswith(result["partialFingerprints"]["driftwatch/v1"])
        for location in result["locations"]:
            uri = location["physicalLocation"]["artifactLocation"]["uri"]
            assert re.fullmatch(r"[A-Za-z0-9._~%/-]+", uri)
            assert ".." not in unquote(uri).split("/")


def test_sarif_says_how_bad_it_is_and_never_looks_clear_when_it_is_not() -> None:
    broken = json.loads(sarif.render(reports.broken()))["runs"][0]
    assert [result["level"] for result in broken["results"]] == ["error", "error", "warning"]
    unverified = json.loads(sarif.render(reports.unverified()))["runs"][0]
    assert [result["level"] for result in unverified["results"]] == ["warning"] * 3
    assert unverified["invocations"][0] == {"executionSuccessful": False, "exitCode": 11}
    assert json.loads(sarif.render(reports.compatible()))["runs"][0]["results"] == []


def test_sarif_waivers_are_suppressions_with_their_reason() -> None:
    results = json.loads(sarif.render(reports.drifted()))["runs"][0]["results"]
    suppressed = [result for result in results if "suppressions" in result]
    assert [result["ruleId"] for result in suppressed] == ["file-removed"]
    assert suppressed[0]["suppressions"][0]["justification"] == "until 2026-12-31: the example was only documentation"


@pytest.mark.slow
def test_sarif_keeps_the_worst_within_the_limit() -> None:
    report = many(3000)
    run = json.loads(sarif.render(report))["runs"][0]
    assert len(run["results"]) == sarif.MOST
    assert run["properties"]["leftOut"] == len(issues.of(report)) - sarif.MOST
    assert sum(result["level"] == "error" for result in run["results"]) == 3002


# --- GitHub annotations ---------------------------------------------------------------------------------------------

_COMMAND = re.compile(r"::(error|warning|notice) ((?:file=[^,:]*,)?(?:line=\d+,)?title=[^,:]*)::(.*)")


@each
def test_annotations_are_one_command_a_line_and_say_what_was_meant(name: str) -> None:
    text = github.render(MAKERS[name]())
    text.encode("utf-8")
    lines = text.split("\n")[:-1]
    assert lines
    for line in lines:
        match = _COMMAND.fullmatch(line)
        assert match, line
        assert re.fullmatch(r"(?:[^%]|%25|%0D|%0A)*", match[3])
        assert re.fullmatch(r"(?:[^%]|%25|%0D|%0A|%3A|%2C)*", match[2])


def test_annotations_escape() -> None:
    made = github.command("error", "a:b,c\n%", "100% of\r\nit: a, b ::x", "src/a,b:c.ts", 3)
    assert made == "::error file=src/a%2Cb%3Ac.ts,line=3,title=a%3Ab%2Cc%0A%25::100%25 of%0D%0Ait: a, b ::x"


def test_annotations_begin_with_the_verdict() -> None:
    first = {name: github.render(make()).split("\n")[0] for name, make in reports.SAMPLES.items()}
    assert first["broken"].startswith("::error title=driftwatch::Broken: 2 things")
    assert first["unverified"].startswith("::warning title=driftwatch::Unverified: 3 things")
    assert first["compatible"].startswith("::notice title=driftwatch::Compatible:")
    assert "::notice title=driftwatch::Drifted:" in github.render(reports.drifted())


def test_annotations_stay_within_what_is_shown_and_count_the_rest() -> None:
    lines = github.render(many(500)).split("\n")
    errors = [line for line in lines if line.startswith("::error")]
    assert len(errors) == github.MOST
    assert errors[0].startswith("::error title=driftwatch::Broken:")
    assert errors[-1] == f"::error title=driftwatch::{500 + 2 + 1 - 9} more are in the job summary and the report."


# --- GitLab, JUnit, JSON Lines --------------------------------------------------------------------------------------


@each
def test_gitlab_entries_have_what_gitlab_asks_for(name: str) -> None:
    entries = json.loads(gitlab.render(MAKERS[name]()))
    fingerprints = [entry["fingerprint"] for entry in entries]
    assert len(set(fingerprints)) == len(fingerprints)
    for entry in entries:
        assert set(entry) == {"description", "check_name", "fingerprint", "severity", "location"}
        assert entry["severity"] in ("info", "minor", "major", "critical", "blocker")
        assert not entry["location"]["path"].startswith(("/", "./"))
        assert entry["location"]["lines"]["begin"] >= 1


def test_gitlab_severities() -> None:
    assert [entry["severity"] for entry in json.loads(gitlab.render(reports.broken()))] == ["critical", "critical", "major"]
    assert [entry["severity"] for entry in json.loads(gitlab.render(reports.unverified()))] == ["major"] * 3


def suites(report: Report) -> ElementTree.Element:
    return ElementTree.fromstring(junit.render(report).encode("utf-8"))


@each
def test_junit_is_xml_and_its_totals_are_right(name: str) -> None:
    root = suites(MAKERS[name]())
    for holder in (root, *root.findall("testsuite")):
        cases = list(holder.iter("testcase"))
        assert int(holder.get("tests", "-1")) == len(cases)
        for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(holder.get(attribute, "-1")) == sum(case.find(tag) is not None for case in cases)


def test_junit_follows_the_verdict() -> None:
    totals = {name: (suites(make()).get("failures"), suites(make()).get("errors")) for name, make in reports.SAMPLES.items()}
    assert totals == {"compatible": ("0", "0"), "drifted": ("0", "0"), "broken": ("3", "0"), "unverified": ("0", "5")}


def test_junit_fails_on_risks_when_the_run_does() -> None:
    failing = replace(reports.drifted(), exit_code=10)
    names = [case.get("name") for case in suites(failing).iter("testcase") if case.find("failure") is not None]
    assert names == ["verdict"]
    upstream = replace(failing.upstreams[0], reliances=())
    names = [
        case.get("name")
        for case in suites(replace(failing, upstreams=(upstream,))).iter("testcase")
        if case.find("failure") is not None
    ]
    assert names == ["verdict", "file:packages/plugin/src/index.ts"]


def test_junit_waived_findings_are_skipped_with_their_reason() -> None:
    skipped = {case.get("name"): case.find("skipped") for case in suites(reports.drifted()).iter("testcase")}
    element = skipped["file:packages/plugin/src/example.ts"]
    assert element is not None
    assert element.get("message") == "waived until 2026-12-31: the example was only documentation"


@each
def test_json_lines_hold_what_the_json_report_holds(name: str) -> None:
    report = MAKERS[name]()
    text = jsonl.render(report)
    text.encode("utf-8")
    entries = [json.loads(line) for line in text.split("\n")[:-1]]
    whole = json.loads(report_json.render(report))
    assert entries[0]["type"] == "report"
    assert entries[0]["headline"] == whole["headline"]
    for key, kind in jsonl.KINDS.items():
        rows = [row for upstream in whole["upstreams"] for row in upstream[key]]
        told = [{k: v for k, v in entry.items() if k not in ("type", "upstream")} for entry in entries if entry["type"] == kind]
        assert told == rows


# --- comments -------------------------------------------------------------------------------------------------------


@each
def test_a_comment_fits_and_keeps_the_verdict(name: str) -> None:
    report = MAKERS[name]()
    text = comment.render(report)
    assert len(text) <= len(text.encode("utf-8")) <= comment.LIMIT
    _whole(text, report)


@pytest.mark.parametrize("number", [3, 30, 300, 1500])
@pytest.mark.slow
def test_a_comment_folds_and_counts_what_does_not_fit(number: int) -> None:
    report = many(number)
    text = comment.render(report)
    assert len(text.encode("utf-8")) <= comment.LIMIT
    _whole(text, report)
    assert f"## What breaks ({number + 2:,} changes)" in text
    shown = text.count("no longer declared by `pkg`")
    assert shown >= 3
    assert shown >= number or "more in the full report" in text


def test_a_comment_shows_all_there_is_room_for() -> None:
    text = comment.render(reports.drifted())
    assert "Everything about opencode" in text
    assert "+  dispose?: () => Promise<void>" in text
    assert "more in the full report" not in text


@pytest.mark.slow
def test_the_bare_verdict_always_fits() -> None:
    upstream = reports.broken().upstreams[0]
    crowd = tuple(replace(upstream, id=f"u{n}" * 5000) for n in range(40))
    text = comment.render(replace(reports.everything("|`" * 200_000), upstreams=crowd))
    assert len(text.encode("utf-8")) <= comment.LIMIT
    assert text.split("\n")[1].startswith("# ❌ Broken: 80 things relied on no longer hold")


def test_the_mark_is_the_same_for_every_run_of_a_project_and_safe() -> None:
    assert comment.render(reports.broken()).split("\n")[0] == comment.mark(reports.drifted()) == "<!-- driftwatch:overclock -->"
    hostile = replace(reports.broken(), project="--> <script>")
    assert re.fullmatch(r"<!-- driftwatch:[0-9a-f]{16} -->", comment.mark(hostile))


@pytest.mark.slow
def test_a_job_summary_fits() -> None:
    assert len(github_summary.render(many(1500)).encode("utf-8")) <= 1024 * 1024
    assert "Everything about opencode" in github_summary.render(many(30))


def _whole(text: str, report: Report) -> None:
    """The comment is well formed: the verdict's heading, and every fold closed."""
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(text)
    heading = next(tokens[index + 1].content for index, token in enumerate(tokens) if token.type == "heading_open")
    assert summary.of(report).headline in heading
    blocks = "".join(token.content for token in tokens if token.type == "html_block")
    assert blocks.count("<details>") == blocks.count("</details>")


def test_reliances_that_break_alone_reach_every_platform() -> None:
    row = RelianceRow("http:POST /x", "we call it", "breaks", reason="absent at 2.0", where="watchlist.yaml:9")
    upstream = replace(reports.broken().upstreams[0], findings=(), reliances=(row,))
    report = replace(reports.broken(), upstreams=(upstream,))
    assert "line=9,title=driftwatch%3A reliance-broken::http:POST /x no longer holds: absent at 2.0" in github.render(report)
    assert json.loads(sarif.render(report))["runs"][0]["results"][0]["ruleId"] == "reliance-broken"
    assert json.loads(gitlab.render(report))[0]["severity"] == "critical"
    assert suites(report).get("failures") == "2"


def test_a_waived_break_annotates_nothing() -> None:
    upstream = reports.broken().upstreams[0]
    waived: Any = tuple(replace(one, waived=Waived("known", "2027-01-01"), counts=False) for one in upstream.findings)
    report = replace(reports.broken(), outcome="drifted", upstreams=(replace(upstream, findings=waived, reliances=()),))
    assert github.render(report).count("\n") == 1
    assert json.loads(gitlab.render(report)) == []
