"""Changes of published versions: published, withdrawn, deprecated, and the alarm: the same version with other contents."""

from __future__ import annotations

from collections.abc import Iterator

from driftwatch.judge.compare import Facts
from driftwatch.model import Address, Change, Fact, Json


def compare(old: Facts, new: Facts) -> Iterator[Change]:
    for address in sorted({*old, *new}):
        before, after = old.get(address), new.get(address)
        if before is None:
            yield Change(address, "added", None, address.member)
        elif after is None:
            yield Change(address, "removed", address.member, None)
        elif before.value != after.value:
            yield from _integrity(address, _text(before, "integrity"), _text(after, "integrity"))
            yield from _deprecation(address, _text(before, "deprecated"), _text(after, "deprecated"))


def _integrity(address: Address, before: str, after: str) -> Iterator[Change]:
    """Two promises contradict each other when they name an algorithm both know and share no digest of it. Two that share
    no algorithm cannot be held against each other, and that is said."""
    if before == after:
        return
    was, now = _digests(before), _digests(after)
    common = was.keys() & now.keys()
    if not after or not before:
        kind = "integrity-added" if after else "integrity-removed"
    elif any(not was[algorithm] & now[algorithm] for algorithm in common):
        kind = "integrity-changed"
    elif not common:
        kind = "integrity-restated"
    else:
        return
    yield Change(address, kind, before or None, after or None)


def _digests(integrity: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for entry in integrity.split():
        algorithm, _, digest = entry.partition("?")[0].partition("-")
        found.setdefault(algorithm, set()).add(digest)
    return found


def _deprecation(address: Address, before: str, after: str) -> Iterator[Change]:
    if before != after:
        kind = "deprecated" if not before else "deprecation-changed" if after else "undeprecated"
        yield Change(address, kind, before or None, after or None)


def _text(fact: Fact, key: str) -> str:
    value: Json = fact.value.get(key) if isinstance(fact.value, dict) else None
    return value if isinstance(value, str) else ""
