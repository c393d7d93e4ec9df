"""The report as one self-contained HTML page: no network, readable everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftwatch.model import Finding, Report
from driftwatch.render import summary, view
from driftwatch.render.anchors import Anchors
from driftwatch.render.diffs import Line, lines
from driftwatch.render.messages import about, parts
from driftwatch.render.page import page, said

if TYPE_CHECKING:
    from markupsafe import Markup

FOLD = 25  # rows of a group that are not folded
NAMED = 12  # addresses named beside one reason
DIFF_LINES = 2000
DIFF_WIDTH = 1000


def render(report: Report) -> str:
    """The whole page. Each finding has the anchor ``f-<fingerprint>``, so that a link to it stays right over runs."""
    return page(
        "report.html.j2",
        ("base.css",),
        (),
        {"say": say, "diff": diff, "about": about},
        report=report,
        summary=summary.of(report),
        views=[view.of(upstream) for upstream in report.upstreams],
        fold=FOLD,
        anchors=Anchors(report.upstreams),
        why=summary.watched_why,
        explained=view.explained,
        most=NAMED,
    )


def say(finding: Finding) -> Markup:
    """The finding's message: our words as text, upstream's values as code."""
    return said(parts(finding))


def diff(text: str) -> tuple[list[Line], int]:
    """The lines to show of a unified diff, and how many are left out."""
    every = list(lines(text, DIFF_WIDTH))
    return every[:DIFF_LINES], max(0, len(every) - DIFF_LINES)
