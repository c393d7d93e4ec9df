"""Compares call sites: how many places in the host trigger a hook."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from driftwatch.model import Address, Change, Fact, Json


def compare(old: Mapping[Address, Fact], new: Mapping[Address, Fact]) -> Iterator[Change]:
    """``dead`` (some -> none), ``revived`` (none -> some), ``count-changed``; a hook known on one side only is the business
    of the declared interface, unless it is triggered: ``appeared`` and ``vanished``."""
    for address in sorted({*old, *new}):
        before, after = _count(old.get(address)), _count(new.get(address))
        where = new[address].where if address in new else old[address].where
        kind = _kind(before, after)
        if kind:
            yield Change(address, kind, before, after, where)


def _count(fact: Fact | None) -> Json:
    value = fact.value if fact else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _kind(before: Json, after: Json) -> str:
    if before == after or (before or 0) == (after or 0):
        return ""
    if before is None:
        return "appeared"
    if after is None:
        return "vanished"
    return "dead" if not after else "revived" if not before else "count-changed"
