"""Which version of each package stands for the accepted and for the new state. Pure.

Packages of one upstream are released together, yet published versions have gaps and some packages run ahead. So the
upstream's version is looked for in each package: exactly, else the nearest published version below, and that is said.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from driftwatch.versions import ordered, parse


@dataclass(frozen=True, slots=True)
class Pick:
    """``version`` is "" when nothing fits; ``note`` says why the pick is not simply the wanted version."""

    version: str
    note: str = ""


def pick(wanted: str, published: Iterable[str]) -> Pick:
    """``wanted`` itself when published, else the nearest published version below it (never a prerelease of a lower one)."""
    available = ordered(published)
    if wanted in available:
        return Pick(wanted)
    target = parse(wanted)
    if target is None:
        return Pick("", f"{wanted!r} is not a version and not published")
    parsed = [(version, p) for version in available if (p := parse(version)) is not None]
    below = [version for version, p in parsed if p < target and (not p.prerelease or target.prerelease)]
    above = [version for version, p in parsed if p > target]
    if below:
        return Pick(below[-1], f"{wanted} is not published; {below[-1]} is the nearest published below")
    first = f"; the first published above is {above[0]}" if above else ""
    return Pick("", f"{wanted} is not published, and nothing below it is{first}")
