"""How the runs came out over time: the numbers of a picture of columns, one for each state that runs reported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from driftwatch.model import TrendRow

STEP, BAR, TALL = 60, 44, 96  # pixels: from one column to the next, its width, the tallest
LEAST = 17  # pixels of the smallest part: its number has to fit
PARTS = (("breaking", "bad"), ("risky", "warn"), ("gaps", "wonder"))


@dataclass(frozen=True, slots=True)
class Part:
    y: int
    height: int
    count: int
    what: str
    tone: str


@dataclass(frozen=True, slots=True)
class Column:
    x: int
    parts: tuple[Part, ...]
    row: TrendRow


@dataclass(frozen=True, slots=True)
class Trend:
    width: int
    height: int  # of the columns alone
    columns: tuple[Column, ...]


def trend(rows: Sequence[TrendRow]) -> Trend | None:
    """Columns of counting findings and gaps, oldest first. None for fewer than two states: that is no trend."""
    if len(rows) < 2:
        return None
    most = max(row.breaking + row.risky + row.gaps for row in rows)
    columns = [Column(n * STEP, _parts(row, most), row) for n, row in enumerate(rows)]
    lift = -min((part.y for column in columns for part in column.parts), default=0)
    lift = max(0, lift)
    moved = [Column(column.x, tuple(_moved(part, lift) for part in column.parts), column.row) for column in columns]
    return Trend(len(rows) * STEP - STEP + BAR, TALL + lift, tuple(moved))


def _parts(row: TrendRow, most: int) -> tuple[Part, ...]:
    """From the top down, the gravest at the bottom where columns are compared best."""
    parts: list[Part] = []
    floor = TALL
    for what, tone in PARTS:
        count = getattr(row, what)
        if count:
            height = max(LEAST, round(TALL * count / most))
            floor -= height
            parts.append(Part(floor, height, count, what, tone))
    return tuple(reversed(parts))


def _moved(part: Part, lift: int) -> Part:
    return Part(part.y + lift, part.height, part.count, part.what, part.tone)
