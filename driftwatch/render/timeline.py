"""When the versions of an upstream were published, and which of them matter here: the numbers of a picture.

Places are in percent of the picture's width, so that it fits any screen while its words keep their size.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from driftwatch.model import ReleaseRow, UpstreamReport
from driftwatch.render import clean

MOST = 8  # labelled versions
LABEL = 24  # characters of a tag's name
LEFT, RIGHT = 1.5, 98.5  # percent
LANE, TOP = 24, 16  # pixels


@dataclass(frozen=True, slots=True)
class Mark:
    """A version with a label. ``side`` is where its words stand; ``role``: accepted, target, floor or tag."""

    x: float
    y: int
    version: str
    words: str
    role: str
    side: str
    day: str


@dataclass(frozen=True, slots=True)
class Timeline:
    """``dates`` are words under the axis, none when the registry tells no times (then versions stand in their order)."""

    height: int
    axis: int
    ticks: tuple[tuple[float, bool], ...]  # place, deprecated
    marks: tuple[Mark, ...]
    dates: tuple[tuple[float, str, str], ...]  # place, anchor, day
    left: int  # tags that have no label
    labels: Mapping[str, tuple[str, ...]]  # version -> what it is here

    @property
    def dated(self) -> bool:
        return bool(self.dates)


def timeline(upstream: UpstreamReport) -> Timeline | None:
    """None when fewer than two versions are known: there is nothing to see."""
    rows = upstream.releases
    if len(rows) < 2:
        return None
    days = [_moment(row) for row in rows]
    known = [day for day in days if day]
    dated = len(known) == len(rows) and len(set(known)) > 1
    places = _by_time([day for day in days if day]) if dated else _by_order(len(rows))
    labels = _labels(upstream)
    named = [(place, row) for place, row in zip(places, rows, strict=True) if row.version in labels]
    shown = sorted(sorted(named, key=lambda one: _rank(labels[one[1].version]))[:MOST], key=lambda one: one[0])
    marks = _marks(shown, labels)
    axis = TOP + LANE * len(marks)
    dates = _dates(min(known), max(known)) if dated else ()
    height = axis + (34 if dates else 16)
    ticks = tuple((place, bool(row.deprecated)) for place, row in zip(places, rows, strict=True))
    return Timeline(height, axis, ticks, marks, dates, len(named) - len(shown), labels)


def day(published: str) -> str:
    """The day of a registry's time, or "" when it is none."""
    moment = _parse(published)
    return moment.date().isoformat() if moment else ""


def _labels(upstream: UpstreamReport) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for words, version in (
        ("accepted", upstream.before.version),
        ("compared", upstream.after.version),
        ("floor", upstream.minimum),
    ):
        if version:
            found.setdefault(version, []).append(words)
    for tag in upstream.tags:
        if tag.package == upstream.after.package and tag.after:
            found.setdefault(tag.after, []).append(f"tag {clean.line(tag.name, LABEL)}")
    return {version: tuple(words) for version, words in found.items()}


def _rank(labels: tuple[str, ...]) -> int:
    return next((n for n, role in enumerate(("compared", "accepted", "floor")) if role in labels), 3)


def _marks(shown: list[tuple[float, ReleaseRow]], labels: Mapping[str, tuple[str, ...]]) -> tuple[Mark, ...]:
    """Each on a lane of its own. Words stand towards the middle, and further out is higher: no line crosses words."""
    lefts = [one for one in shown if one[0] < 50]
    rights = [one for one in reversed(shown) if one[0] >= 50]
    marks = []
    for lane, (place, row) in enumerate([*lefts, *rights]):
        names = labels[row.version]
        words = " · ".join(names[:3]) + (f" +{len(names) - 3}" if len(names) > 3 else "")
        role = ("target", "accepted", "floor", "tag")[_rank(names)]
        side = "start" if place < 50 else "end"
        version = clean.line(row.version, LABEL)
        marks.append(Mark(place, TOP + LANE * lane, version, words, role, side, day(row.published)))
    return tuple(marks)


def _by_time(moments: list[datetime]) -> list[float]:
    first = min(moments)
    whole = (max(moments) - first).total_seconds()
    return [round(LEFT + (RIGHT - LEFT) * (moment - first).total_seconds() / whole, 2) for moment in moments]


def _by_order(number: int) -> list[float]:
    return [round(LEFT + (RIGHT - LEFT) * place / (number - 1), 2) for place in range(number)]


def _dates(first: datetime, last: datetime) -> tuple[tuple[float, str, str], ...]:
    middle = first + (last - first) / 2
    told = ((LEFT, "start", first), (50.0, "middle", middle), (RIGHT, "end", last))
    return tuple((place, anchor, moment.date().isoformat()) for place, anchor, moment in told)


def _moment(row: ReleaseRow) -> datetime | None:
    return _parse(row.published)


def _parse(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text[:19])  # whole seconds, and without a zone: all of them are in UTC
    except ValueError:
        return None


def days_between(upstream: UpstreamReport) -> int:
    """Whole days between the publication of the two versions, 0 when it is not known."""
    moments = {row.version: _moment(row) for row in upstream.releases}
    before, after = (moments.get(version) for version in (upstream.before.version, upstream.after.version))
    return abs((after - before).days) if before and after else 0
