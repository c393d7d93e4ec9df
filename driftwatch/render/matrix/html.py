"""The matrix as one self-contained page: no script, no network. Every cell leads to what it rests on."""

from __future__ import annotations

from driftwatch.model import ProbeRow
from driftwatch.model.matrix import Matrix
from driftwatch.render.matrix import table
from driftwatch.render.page import page, slug

TONES = {
    "holds": "good",
    "broken": "bad",
    "broken as expected": "note",
    "absent": "warn",
    "absent as expected": "note",
    "holds unexpectedly": "note",
    "flaky": "wonder",
    "unverified": "wonder",
    "not asked": "mute",
}


def render(matrix: Matrix) -> str:
    return page(
        "matrix.html.j2",
        ("base.css", "matrix.css"),
        (),
        {},
        matrix=matrix,
        headline=table.headline(matrix),
        tone=tone(matrix),
        lines=table.lines(matrix),
        moves=[(f"m-{number}", move, table.differences(move)) for number, move in enumerate(matrix.moves, 1)],
        meanings=table.used(matrix),
        tones=TONES,
        word=table.word,
        remarks=table.remarks,
        spans=table.spans,
        anchor=anchor,
        slug=slug,
    )


def anchor(row: ProbeRow) -> str:
    """The id of a cell's evidence: the same over runs."""
    return f"c-{slug(f'{row.id} {row.version}')}"


def tone(matrix: Matrix) -> str:
    """Never green without evidence."""
    words = {table.word(cell) for line in table.lines(matrix) for cell in line.cells}
    if "broken" in words:
        return "bad"
    return "wonder" if words & {"flaky", "unverified", "not asked"} or not words else "good"
