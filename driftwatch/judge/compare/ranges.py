"""npm version ranges against each other: which floor they set and which allows more. Source: npm's node-semver, README.

A range is a union of intervals. Bounds are compared by SemVer precedence; npm's extra rule about which prereleases an
interval lets in is left aside (it moves no floor).
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import Any

_LONGEST = 500
_EXACT = re.compile(r"(?:0|[1-9][0-9]{0,14})(?:\.(?:0|[1-9][0-9]{0,14})){2}")  # one version, which npm need not be asked about
_SPACED = re.compile(r"(?<![<>=~^])([<>]=?|=|[~^])\s+")  # npm allows a space after an operator


@functools.total_ordering
class Bound:
    """A version as the place of a bound: ``just_after`` is the place right behind it."""

    __slots__ = ("just_after", "version")

    def __init__(self, version: Any, just_after: bool = False) -> None:
        self.version, self.just_after = version, just_after

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Bound) and self._order(other) == 0

    def __lt__(self, other: Bound) -> bool:
        return self._order(other) < 0

    __hash__ = None  # type: ignore[assignment]

    def _order(self, other: Bound) -> int:
        """None as a version is beyond everything."""
        if self.version is None or other.version is None:
            return (self.version is None) - (other.version is None)
        by_version: int = self.version.compare(other.version)
        return by_version or self.just_after - other.just_after


@dataclass(frozen=True)
class Range:
    """Disjoint intervals in rising order, each from its low place (inside) up to its high place (outside)."""

    intervals: tuple[tuple[Bound, Bound], ...]

    @property
    def floor(self) -> str:
        """The lowest version allowed, such as "1.2.3" (">1.2.3" when only what is above it); "" when nothing is."""
        if not self.intervals:
            return ""
        low = self.intervals[0][0]
        return f">{low.version}" if low.just_after else str(low.version)

    def holds(self, version: str) -> bool:
        """Whether a version lies in it. Raises ValueError for what is no version."""
        from semver import Version

        place = Bound(Version.parse(version))
        return any(low <= place < high for low, high in self.intervals)

    def within(self, other: Range) -> bool:
        """Every version allowed here is allowed there."""
        return all(any(low >= start and high <= end for start, end in other.intervals) for low, high in self.intervals)


def parse(text: str) -> Range | None:
    """The range, or None when it is none (a tag, a URL, ``workspace:``, an alias)."""
    from semver import Version

    if len(text) > _LONGEST:
        return None
    if _EXACT.fullmatch(text):
        exact = Version.parse(text)
        return Range(((Bound(exact), Bound(exact, just_after=True)),))
    try:
        import nodesemver

        spec = nodesemver.make_range(_SPACED.sub(r"\1", " ".join(text.split())), False)
        intervals = [_interval(comparators, Version.parse) for comparators in spec.set]
    except (ValueError, TypeError, AttributeError, IndexError, KeyError, RecursionError):
        return None
    return Range(tuple(_merged([pair for pair in intervals if pair[0] < pair[1]])))


def _interval(comparators: Any, make: Any) -> tuple[Bound, Bound]:
    low, high = Bound(make("0.0.0")), Bound(None)
    for comparator in comparators:
        if comparator.operator is None:
            continue  # any version
        version = make(str(comparator.semver))
        if comparator.operator in (">=", "", "="):
            low = max(low, Bound(version))
        elif comparator.operator == ">":
            low = max(low, Bound(version, just_after=True))
        if comparator.operator in ("<=", "", "="):
            high = min(high, Bound(version, just_after=True))
        elif comparator.operator == "<":
            high = min(high, Bound(version))
    return low, high


def _merged(intervals: list[tuple[Bound, Bound]]) -> list[tuple[Bound, Bound]]:
    merged: list[tuple[Bound, Bound]] = []
    for low, high in sorted(intervals, key=lambda pair: pair[0]):
        if merged and low <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], high))
        else:
            merged.append((low, high))
    return merged


def difference(before: str, after: str) -> str:
    """What became of a range: ``same`` (perhaps written another way), ``raised`` (the floor grew), ``lowered`` (it fell and
    nothing is shut out), ``narrowed`` or ``widened`` (the floor is the same), or ``changed`` (anything else).
    """
    old, new = parse(before), parse(after)
    if old is None or new is None:
        return "same" if before == after else "changed"
    return _word(old, new)


def _word(old: Range, new: Range) -> str:
    inside, outside = new.within(old), old.within(new)
    if inside and outside:
        return "same"
    if not old.intervals or not new.intervals:
        return "narrowed" if inside else "widened"
    low_old, low_new = old.intervals[0][0], new.intervals[0][0]
    if low_old != low_new:
        return "raised" if low_old < low_new else "lowered" if outside else "changed"
    return "narrowed" if inside else "widened" if outside else "changed"
