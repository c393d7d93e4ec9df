"""Surfaces: what is called by one name, with the kinds of evidence there are."""

from __future__ import annotations

import pytest

from driftwatch.model import RelianceRow, Report, UpstreamReport
from driftwatch.render import render, surfaces
from tests.support import reports


def row(status: str, surface: str = "hooks", evidence: str = "declared", reason: str = "") -> RelianceRow:
    return RelianceRow(f"ts:x#{evidence}{status}", "", status, surface=surface, evidence=evidence, reason=reason, uses=2)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("statuses", "state"),
    [
        (["holds", "holds"], "confirmed"),
        (["holds", "unverified"], "unverified"),
        (["unverified", "changed"], "drifted"),
        (["holds", "absent"], "drifted"),
        (["breaks", "unverified"], "drifted"),
    ],
)
def test_the_worst_of_its_evidence_decides(statuses: list[str], state: str) -> None:
    assert surfaces.whole(_report([[row(status) for status in statuses]]))[0].state == state


def test_evidence_is_told_by_its_kind_and_only_where_it_was_looked_at() -> None:
    rows = [row("holds"), row("unverified", evidence="probed", reason="no host"), row("holds", evidence="counted")]
    surface = surfaces.whole(_report([rows]))[0]
    assert [cell.status for cell in surface.cells] == ["holds", "holds", "unverified"]
    assert surface.evidence == ("declared", "counted")
    assert surface.cells[2].reasons == ("no host",)
    assert surface.uses == 6


def test_one_name_is_one_surface_also_in_two_upstreams() -> None:
    report = _report([[row("holds"), row("holds", surface="")], [row("changed")]])
    assert [(each.name, each.state) for each in surfaces.whole(report)] == [("hooks", "drifted")]
    assert [each.state for upstream in report.upstreams for each in surfaces.of(upstream)] == ["confirmed", "drifted"]
    assert surfaces.count(surfaces.whole(report)) == {"confirmed": 0, "drifted": 1, "unverified": 0}


@pytest.mark.parametrize("name", ["md", "html"])
def test_pages_show_them_and_escape_their_names(name: str) -> None:
    hostile = "<script>|[x](y)"
    page = render(_report([[row("unverified", surface=hostile, evidence="probed", reason="no host here")]]), name)
    assert "Surfaces and their evidence" in page and "no host here" in page
    assert hostile not in page
    assert "Surfaces and their evidence" not in render(_report([[row("holds", surface="")]]), name)


def _report(upstreams: list[list[RelianceRow]]) -> Report:
    from dataclasses import replace

    base = reports.drifted()
    one: UpstreamReport = replace(base.upstreams[0], findings=(), gaps=())
    return replace(base, upstreams=tuple(replace(one, id=f"u{n}", reliances=tuple(rows)) for n, rows in enumerate(upstreams)))
