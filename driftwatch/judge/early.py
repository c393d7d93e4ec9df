"""Early news: dist-tags beside or ahead of the watched one, and whether a tag's name speaks of something relied on. Pure.

A tag is early when what it points at is a pre-release, or newer than what the watched tag of that package points at. Tags of
older lines (``v1-lts``) are not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from driftwatch.model import Address, EarlyRow, TagRow
from driftwatch.versions import parse

# Words that say what kind of tag it is, or that stand in nearly every address: they tell nothing about a surface.
_GENERIC = """
alpha api beta body branch canary ci count data default dev development edge error experiment experimental feat feature file files
fired fix fixes for from get http id index input insiders js json latest lts main manifest master name next nightly off old on opt
or outcome output package packages parameters patch path post pr preview prerelease properties pull put query rc ref refactor
release response schema sha snapshot spec src stable staging status string test tests the ts tsx type types unstable use value
version wip with work
"""
GENERIC = frozenset(_GENERIC.split())
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_LINE = re.compile(r"v\d+")


def news(tags: Iterable[TagRow], watched: str, relied: Sequence[str]) -> tuple[EarlyRow, ...]:
    """A row for each early tag: those whose names touch ``relied`` (address patterns) first, then those that moved."""
    tags = tuple(tags)
    current = {row.package: row.after for row in tags if row.name == watched}
    rows = [
        EarlyRow(row.package, row.name, row.before, row.after, row.change, touching(row.name, relied))
        for row in tags
        if row.name not in (watched, "latest") and _leads(row.after or row.before, current.get(row.package, ""))
    ]
    return tuple(sorted(rows, key=lambda row: (not row.touches, row.change == "same", row.package, row.tag)))


def touching(tag: str, relied: Iterable[str]) -> tuple[str, ...]:
    """The patterns that share a telling word with a tag's name: ``tui-v2`` and ``ts:@scope/plugin/tui#Api.notify``."""
    said = words(tag)
    return tuple(sorted({pattern for pattern in relied if said & words(_speaking(pattern))}))


def words(text: str) -> frozenset[str]:
    """``tool.execute.before`` and ``ToolExecuteBefore`` are the same words; short, numbered and generic ones are left out."""
    lines = frozenset(_LINE.findall(text.lower()))
    parts = {part.lower() for part in _PART.findall(text)} - GENERIC
    singular = {part.removesuffix("s") if len(part) > 4 else part for part in parts} - GENERIC
    return lines | {part for part in singular if len(part) >= 3 and not part.isdigit()}


def _speaking(pattern: str) -> str:
    """The part of an address that is the surface's own: without its kind and the package's scope."""
    address = Address(pattern)
    subject = address.subject
    if address.kind in ("ts", "manifest", "tag", "version") and subject.startswith("@"):
        subject = subject.partition("/")[2]
    if address.kind == "probe":
        subject = subject.partition("/")[2] or subject
    return f"{subject} {address.member}"


def _leads(version: str, current: str) -> bool:
    ahead = parse(version)
    if ahead is None:
        return False
    known = parse(current)
    return bool(ahead.prerelease) or known is None or ahead > known
