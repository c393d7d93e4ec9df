"""The published versions a timeline needs: those around the versions that matter here, not the thousands of a registry."""

from __future__ import annotations

from collections.abc import Iterable

from driftwatch.model import ReleaseRow
from driftwatch.observe.sources.npm import Packument
from driftwatch.versions import ordered, parse

MOST = 200  # rows; the oldest that nobody names are left out first
CONTEXT = 5  # releases below the lowest version that matters


def rows(packument: Packument | None, named: Iterable[str]) -> tuple[ReleaseRow, ...]:
    """By version, rising: every stable release from just below the lowest of ``named`` to the newest, and the
    versions a dist-tag points at. Times are the registry's own word: nothing is ordered or judged by them."""
    if packument is None:
        return ()
    every = ordered(packument.versions)
    named = {*named} & {*every}
    kept = named | ({*packument.dist_tags.values()} & {*every})
    stable = [version for version in every if (number := parse(version)) and not number.prerelease]
    start = max(0, stable.index(first) - CONTEXT) if (first := next((one for one in stable if one in named), "")) else 0
    room = max(0, MOST - len(kept))
    kept |= {*stable[start:][-room:]} if room else set()
    return tuple(
        ReleaseRow(version, packument.times.get(version, ""), packument.versions[version].deprecated or "")
        for version in every
        if version in kept
    )
