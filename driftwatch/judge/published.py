"""Version numbers around a floor: which were never published, and which floor is the highest. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from semver import Version

from driftwatch.model.floors import Floor, FloorRow
from driftwatch.versions import parse

MOST = 50  # numbers named of one gap


def unpublished(below: str, version: str, published: Iterable[str], known: Iterable[str] = ()) -> tuple[str, ...]:
    """The versions between ``below`` and ``version`` (both left out) that are not ``published``, in rising order.

    Those in ``known`` (git tags, versions of sibling packages) existed for certain; beside them every patch number that is
    skipped between the two. Which minor or major numbers were skipped no one can tell from numbers alone.
    """
    low, high = parse(below), parse(version)
    if low is None or high is None:
        return ()
    there = set(published)
    numbers = {parsed for each in known if (parsed := parse(each)) and low < parsed < high and not parsed.prerelease}
    line = (high.major, high.minor)
    first = low.patch + 1 if (low.major, low.minor) == line else 0
    numbers |= {Version(*line, patch) for patch in range(max(first, high.patch - MOST), high.patch)}
    return tuple(str(number) for number in sorted(numbers) if str(number) not in there)[-MOST:]


def minimum(rows: Sequence[FloorRow]) -> tuple[str, tuple[str, ...]]:
    """The highest floor of all, and the addresses that need it. ("", ()) when no floor is known."""
    floors = [(parsed, floor) for floor in _of(rows) if (parsed := parse(floor.version))]
    if not floors:
        return "", ()
    highest = max(parsed for parsed, _ in floors)
    return str(highest), tuple(dict.fromkeys(floor.address for parsed, floor in floors if parsed == highest))


def certain(rows: Sequence[FloorRow]) -> bool:
    """Whether every fact that was searched has a floor that stands, and there was one to search."""
    floors = _of(rows)
    return bool(floors) and all(floor.certain for floor in floors)


def _of(rows: Iterable[FloorRow]) -> list[Floor]:
    return [floor for row in rows for floor in row.floors]
