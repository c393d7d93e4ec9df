"""Timeline, trend, grid and what moved: the numbers of the pictures."""

from __future__ import annotations

from dataclasses import replace

from driftwatch.model import EarlyRow, FloorMark, Ref, ReleaseRow, RelianceRow, TagRow, TrendRow, UpstreamReport
from driftwatch.render.grid import grid
from driftwatch.render.moves import moves
from driftwatch.render.timeline import LEFT, MOST, RIGHT, timeline
from driftwatch.render.trend import TALL, trend
from driftwatch.render.view import standing
from tests.support import reports

DRIFTED = reports.drifted().upstreams[0]


def test_versions_stand_where_their_day_is() -> None:
    drawn = timeline(DRIFTED)
    assert drawn is not None
    assert drawn.dated
    assert (drawn.ticks[0], drawn.ticks[1][1], drawn.ticks[-1][0]) == ((LEFT, False), True, RIGHT)
    assert [(mark.version, mark.words, mark.role, mark.day) for mark in drawn.marks] == [
        ("1.15.0-beta.1", "tag beta", "tag", "2026-05-03"),
        ("1.15.4", "accepted", "accepted", "2026-05-11"),
        ("1.15.13", "compared · floor · tag latest", "target", "2026-05-29"),
    ]
    assert [mark.side for mark in drawn.marks] == ["start", "start", "end"]
    assert len({mark.y for mark in drawn.marks}) == len(drawn.marks)


def test_without_times_versions_stand_in_their_order() -> None:
    drawn = timeline(replace(DRIFTED, releases=tuple(replace(row, published="soon") for row in DRIFTED.releases)))
    assert drawn is not None
    assert not drawn.dated
    steps = [place for place, _ in drawn.ticks]
    assert steps == sorted(steps)
    assert (steps[0], steps[-1]) == (LEFT, RIGHT)
    mixed = (*DRIFTED.releases[:-1], replace(DRIFTED.releases[-1], published=""))
    assert timeline(replace(DRIFTED, releases=mixed)).dated is False  # type: ignore[union-attr]


def test_one_version_is_no_timeline() -> None:
    assert timeline(replace(DRIFTED, releases=DRIFTED.releases[:1])) is None
    assert timeline(replace(DRIFTED, releases=())) is None


def test_the_most_telling_labels_stay_when_tags_are_many() -> None:
    many = tuple(TagRow(reports.PLUGIN, f"t{n}", "", f"1.0.{n}", "added") for n in range(40))
    rows = (*(ReleaseRow(f"1.0.{n}", f"2026-01-{n % 28 + 1:02}T00:00:00Z") for n in range(40)), *DRIFTED.releases)
    drawn = timeline(replace(DRIFTED, tags=many, releases=rows))
    assert drawn is not None
    assert len(drawn.marks) == MOST
    assert {"1.15.4", "1.15.13"} <= {mark.version for mark in drawn.marks}
    assert drawn.left == 42 - MOST


def test_columns_stand_on_one_line_and_every_number_fits() -> None:
    drawn = trend(DRIFTED.trend)
    assert drawn is not None
    assert [[(part.what, part.count) for part in column.parts] for column in drawn.columns] == [
        [],
        [("risky", 1), ("breaking", 2)],
        [("risky", 1)],
    ]
    for column in drawn.columns:
        assert all(part.height >= 17 and part.y >= 0 for part in column.parts)
        if column.parts:
            assert column.parts[-1].y + column.parts[-1].height == drawn.height


def test_a_picture_grows_rather_than_squeeze_a_number() -> None:
    rows = [TrendRow("", "broken", "", "", 1000, 1, 1), TrendRow("", "broken", "", "", 1, 0, 0)]
    drawn = trend(rows)
    assert drawn is not None
    assert drawn.height > TALL
    assert min(part.y for part in drawn.columns[0].parts) == 0


def test_one_state_is_no_trend() -> None:
    assert trend(DRIFTED.trend[:1]) is None


def test_each_thing_relied_on_has_a_cell_for_each_version() -> None:
    drawn = grid(DRIFTED)
    assert [(column.kind, column.version) for column in drawn.columns] == [("accepted", "1.15.4"), ("target", "1.15.13")]
    assert drawn.floors
    fired = next(row for row in drawn.rows if row.reliance.address == "probe:opencode/dispose#fired")
    assert [mark.version for mark in fired.floors] == ["1.15.13"]
    before, after = fired.cells
    assert (before.status, before.value, after.status, after.value) == ("", False, "changed", True)
    assert before.probe is not None
    assert before.probe.outcome == "absent"
    assert [finding.rule for finding in after.findings] == ["probe-fixed"]
    assert "1.15.13" in after.source


def test_early_versions_that_were_compared_are_columns() -> None:
    told = RelianceRow("probe:opencode/dispose#fired", "", "breaks", True, False)
    early = (
        EarlyRow(reports.PLUGIN, "beta", "", "2.0.0-beta.1", "added", outcome="broken", reliances=(told,)),
        EarlyRow(reports.PLUGIN, "dev", "", "2.0.0-dev.1", "added"),
    )
    drawn = grid(replace(DRIFTED, early=early))
    assert [column.tag for column in drawn.columns] == ["", "", "beta"]
    cells = {row.reliance.address: row.cells[2] for row in drawn.rows}
    assert cells["probe:opencode/dispose#fired"].status == "breaks"
    assert cells["file:packages/plugin/src/**"].status == ""


def test_what_moved_is_counted_once() -> None:
    told = moves(DRIFTED)
    assert (told.releases, told.days, told.tags, told.files, told.others) == (2, 18, 3, 2, 3)
    assert [finding.rule for finding in told.findings] == ["file-changed"]
    assert not told.quiet
    still = UpstreamReport("o", Ref("o", "1.0.0"), Ref("o", "1.0.0"), "compatible")
    assert moves(still).quiet
    assert moves(still).releases == 0


def test_the_parts_of_the_bar_are_the_whole() -> None:
    parts = list(standing(DRIFTED.reliances))
    assert [(part.status, part.count, part.words) for part in parts] == [("changed", 2, "changed"), ("holds", 1, "holds")]
    assert abs(sum(part.width for part in parts) - 100) < 0.1
    assert list(standing(())) == []
    [only] = standing((replace(DRIFTED.reliances[0], status="absent"),))
    assert (only.status, only.words) == ("absent", "absent"), "not there is another thing than broken"


def test_floors_without_reliances_are_no_column() -> None:
    alone = FloorMark("ts:x#Y", "declared", "found", "1.0.0")
    assert grid(replace(DRIFTED, floors=(alone,))).floors is False
