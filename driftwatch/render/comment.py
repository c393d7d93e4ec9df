"""The report as a comment on a pull request: the first screen, the rest folded, always within the platform's limit."""

from __future__ import annotations

from driftwatch.model import Report
from driftwatch.render.markdown import Room, page
from driftwatch.render.page import slug

LIMIT = 65_536  # characters GitHub takes; bytes are counted here, which are never fewer

# From everything to the bare verdict; the first that fits is taken.
ROOMS: tuple[Room, ...] = (
    Room(folded=True),
    Room(folded=True, diff_lines=80),
    Room(folded=True, diff_lines=20),
    Room(folded=True, diff_lines=0),
    *(Room(folded=True, diff_lines=0, rows=rows) for rows in (100, 40, 15)),
    *(Room(parts=False, rows=rows) for rows in (40, 15, 5, 2, 0)),
)


def render(report: Report) -> str:
    """Markdown that begins with a hidden mark (``mark``), by which the comment is found again and updated in place."""
    return fit(report, LIMIT)


def fit(report: Report, limit: int) -> str:
    """As much of the report as ``limit`` bytes hold. The verdict is always whole; what is left out is counted."""
    for room in ROOMS[:-1]:
        if _least(report, room) <= limit:
            text = _text(report, room)
            if len(text.encode("utf-8")) <= limit:
                return text
    return _text(report, ROOMS[-1])


def _text(report: Report, room: Room) -> str:
    return f"{mark(report)}\n{page(report, room)}"


def _least(report: Report, room: Room) -> int:
    """Bytes the page takes at the very least: spares making pages of megabytes only to throw them away."""
    upstreams = report.upstreams[: room.rows] if room.parts else ()
    rows = sum(
        min(len(part), room.rows or len(part)) for one in upstreams for part in (one.findings, one.gaps, one.reliances, one.early)
    )
    lines = sum(min(row.diff.count("\n"), room.diff_lines) for one in upstreams for row in one.files[: room.rows])
    return 50 * rows + 2 * lines


def mark(report: Report) -> str:
    """The first line of the comment: the same for every run of one project."""
    return f"<!-- driftwatch:{slug(report.project)} -->"
