"""Which version of each package stands for the accepted and for the new state. Pure.

Packages of one upstream are released together, yet published versions have gaps and some packages run ahead. So the
upstream's version is looked for in each package: exactly, else the nearest published version below, and that is said.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import semver


@dataclass(frozen=True, slots=True)
class Pick:
    """``version`` is "" when nothing fits; ``note`` says why the pick is not simply the wanted version."""

    version: str
    note: str = ""


def parse(version: str) -> semver.Version | None:
    try:
        return semver.Version.parse(version)
    except ValueError:
        return None


def ordered(versions: Iterable[str]) -> list[str]:
    """Valid semver versions in rising precedence. Registries give them in no order that can be trusted."""
    pairs = [(parsed, version) for version in versions if (parsed := parse(version)) is not None]
    return [version for _, version in sorted(pairs, key=lambda pair: (pair[0], pair[1]))]


def pick(wanted: str, published: Iterable[str]) -> Pick:
    """``wanted`` itself when published, else the nearest published version below it (never a prerelease of a lower one)."""
    available = ordered(published)
    if wanted in available:
        return Pick(wanted)
    target = parse(wanted)
    if target is None:
        return Pick("", f"{wanted!r} is not a version and not published")
    below = [v for v in available if (p := semver.Version.parse(v)) < target and (not p.prerelease or target.prerelease)]
    above = [v for v in available if semver.Version.parse(v) > target]
    if below:
        return Pick(below[-1], f"{wanted} is not published; {below[-1]} is the nearest published below")
    first = f"; the first published above is {above[0]}" if above else ""
    return Pick("", f"{wanted} is not published, and nothing below it is{first}")
