"""What a report tells beside its verdict: the trend, the floors, the releases, and the page that lists the reports."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from driftwatch.errors import ConfigError
from driftwatch.model import FloorMark, Gap, Json
from driftwatch.model.floors import Floor, FloorReport, FloorRow
from driftwatch.observe.sources.npm import Packument, VersionInfo
from driftwatch.pipeline import releases, shelf, story
from driftwatch.pipeline.save import line
from driftwatch.render import render
from driftwatch.store import floors, history
from driftwatch.store.floors import KnownFloors
from tests.support import reports

UPSTREAM = reports.drifted().upstreams[0]


def told(outcome: str, at: str, report: str = "latest", **more: Json) -> dict[str, Json]:
    return {"at": at, "report": report, "upstreams": {"opencode": {**story.counts(UPSTREAM), "outcome": outcome, **more}}}


def test_the_trend_ends_with_this_run_and_folds_what_said_the_same() -> None:
    lines = [told("broken", "1"), told("broken", "2"), told("drifted", "3"), told("drifted", "4")]
    assert [(row.at, row.outcome) for row in story.trend(lines, UPSTREAM, "5")] == [("1", "broken"), ("3", "drifted")]
    assert [(row.at, row.outcome) for row in story.trend(lines[:2], UPSTREAM, "5")] == [("1", "broken"), ("5", "drifted")]


def test_the_same_runs_give_the_same_trend_however_often() -> None:
    lines: list[dict[str, Json]] = []
    seen = set()
    for now in "123":
        seen.add(story.trend(lines, UPSTREAM, now))
        lines.append(line(replace(reports.drifted()), now))
    assert len(seen) == 1


def test_comparisons_somebody_asked_for_and_broken_lines_are_passed_over() -> None:
    odd: list[dict[str, Json]] = [
        told("broken", "1", "1.0..2.0"),
        {},
        {"upstreams": []},
        {"upstreams": {"opencode": {"outcome": "fine"}}},
        {"at": "0", "upstreams": {"other": {"outcome": "broken"}}},
    ]
    assert [row.at for row in story.trend(odd, UPSTREAM, "9")] == ["9"]
    assert [row.breaking for row in story.trend([told("broken", "1", breaking="many")], UPSTREAM, "9")] == [0, 0]


def test_a_line_of_before_the_counts_were_kept_agrees() -> None:
    old = told("drifted", "1")
    for key in ("holds", "relied"):
        del old["upstreams"]["opencode"][key]  # type: ignore[index, call-overload, arg-type, union-attr]
    rows = story.trend([old], UPSTREAM, "2")
    assert [(row.at, row.relied) for row in rows] == [("1", 3)]


def test_floors_are_kept_and_told_for_what_is_relied_on(tmp_path: Path) -> None:
    found = Floor("probe:opencode/dispose#fired", "opencode-linux-x64", "found", "1.15.13", "1.15.7")
    other = Floor("ts:x#Gone", "x", "never")
    report = FloorReport(
        "opencode",
        (FloorRow(found.address, behaviour=found), FloorRow(other.address, declared=other)),
        minimum="1.15.13",
        certain=True,
    )
    path = tmp_path / "floors.json"
    floors.write(path, {"opencode": story.marks(report)})
    known = floors.read(path)
    assert known["opencode"].marks == (
        FloorMark("probe:opencode/dispose#fired", "behaving", "found", "1.15.13", "1.15.7"),
        FloorMark("ts:x#Gone", "declared", "never"),
    )
    with_them = story.with_floors(UPSTREAM, known["opencode"])
    assert ([mark.address for mark in with_them.floors], with_them.minimum) == (["probe:opencode/dispose#fired"], "1.15.13")
    assert story.with_floors(UPSTREAM, None) is UPSTREAM
    uncertain = story.marks(replace(report, certain=False))
    assert uncertain.minimum == ""


def test_floors_of_other_upstreams_stay_and_the_bytes_too(tmp_path: Path) -> None:
    path = tmp_path / "floors.json"
    floors.write(path, {"a": KnownFloors("1.0.0", ())})
    floors.write(path, {"b": KnownFloors("", (FloorMark("ts:x#Y", "declared", "oldest", "0.1.0"),))})
    before = path.read_bytes()
    floors.write(path, floors.read(path))
    assert (sorted(floors.read(path)), path.read_bytes()) == (["a", "b"], before)


@pytest.mark.parametrize(
    "text",
    [
        '{"version": 1, "upstreams": {"o": {"floors": {"a": {"declared": {"status": "maybe"}}}}}}',
        '{"version": 1, "upstreams": {"o": {"floors": {"a": {"guessed": {}}}}}}',
        '{"version": 2}',
        "",
    ],
)
def test_a_broken_file_of_floors_is_named_and_left_alone(tmp_path: Path, text: str) -> None:
    path = tmp_path / "floors.json"
    path.write_text(text)
    with pytest.raises(ConfigError, match=r"floors\.json"):
        floors.write(path, {"b": KnownFloors()})
    assert path.read_text() == text


def test_releases_begin_just_below_what_matters() -> None:
    versions = {f"1.{n}.0": VersionInfo() for n in range(30)} | {
        "2.0.0-beta.1": VersionInfo(deprecated="no"),
        "1.5.0-rc.1": VersionInfo(),
    }
    packument = Packument("x", {"latest": "1.29.0", "beta": "2.0.0-beta.1"}, versions, {"1.29.0": "2026-01-01T00:00:00Z"})
    rows = releases.rows(packument, ("1.20.0", "1.29.0", "1.18.0"))
    assert [row.version for row in rows] == [*(f"1.{n}.0" for n in range(13, 30)), "2.0.0-beta.1"]
    assert (rows[-2].published, rows[-1].deprecated) == ("2026-01-01T00:00:00Z", "no")
    assert releases.rows(None, ("1.0.0",)) == ()
    assert [row.version for row in releases.rows(packument, ("9.9.9",))][:2] == ["1.0.0", "1.1.0"]


def test_the_newest_stay_when_releases_are_too_many() -> None:
    versions = {f"1.{n}.0": VersionInfo() for n in range(900)}
    rows = releases.rows(Packument("x", {"latest": "1.899.0"}, versions), ("1.3.0", "1.899.0"))
    assert len(rows) <= releases.MOST
    assert (rows[0].version, rows[1].version, rows[-1].version) == ("1.3.0", "1.702.0", "1.899.0")


def test_the_page_of_reports_is_written_once(tmp_path: Path) -> None:
    report = reports.drifted()
    for name in ("latest", "deep/er/one", "too/deep/for/it"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / f"{name}.json").write_text(render(report, "json"))
    (tmp_path / "latest.html").write_text("x")
    (tmp_path / "observed.json").write_text('{"version": 1}')
    (tmp_path / "broken.json").write_text("{")
    (tmp_path / "deep" / "nested.json").write_text("[" * 100_000)
    history.append(tmp_path / "history.jsonl", line(report, "2026-07-17T06:00:00Z"))
    page = shelf.index(tmp_path)
    text = page.read_text()
    assert 'href="./latest.html"' in text
    assert 'href="./deep/er/one.json"' in text
    assert "too/deep" not in text
    assert "broken" not in text.partition("</style>")[2].partition("<main")[0]
    stamp = page.stat().st_mtime_ns
    history.append(tmp_path / "history.jsonl", line(report, "2026-07-18T06:00:00Z"))
    assert shelf.index(tmp_path).stat().st_mtime_ns == stamp
    assert json.loads((tmp_path / "latest.json").read_text())["upstreams"][0]["trend"]


def test_gaps_are_counted_as_the_report_tells_them() -> None:
    hides, idle = Gap("probe:opencode/load", "no host"), Gap("ts:other", "not read", asked=False)
    counts = story.counts(replace(UPSTREAM, gaps=(hides, idle), reliances=(), probes=()))
    assert counts["gaps"] == 1
