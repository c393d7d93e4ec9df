"""Watched files: changed, added, removed, renamed, type-changed, mode-changed, incomparable."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from driftwatch.model import Address, Change, Fact, Json

Facts = Mapping[Address, Fact]


def compare(old: Facts, new: Facts) -> Iterator[Change]:
    """Changes between ``file:`` facts (their value is described in ``observe.facts.files``).

    A renamed file is one change, at its old address. ``incomparable`` is a file that was read in two kinds of places, such as
    its source on one side and what was built from it on the other: nothing can be said about it.
    """
    moved = _moved(old, new)
    arrived = set(moved.values())
    for address in sorted({*old, *new}):
        before, after = old.get(address), new.get(address)
        if before and after:
            yield from _between(before, after)
        elif address in moved and before:
            yield _renamed(before, new[moved[address]])
        elif before:
            yield Change(address, "removed", before=before.value, where=before.where)
        elif after and address not in arrived:
            yield Change(address, "added", after=after.value, where=after.where)


def _moved(old: Facts, new: Facts) -> dict[Address, Address]:
    """Old address -> new address of what was followed, whichever side remembers it (so that reversing gives the mirror)."""
    moved = {origin: fact.address for fact in new.values() if (origin := _origin(fact)) in old and origin not in new}
    for fact in old.values():
        origin = _origin(fact)
        if origin in new and origin not in old and fact.address not in new:
            moved.setdefault(fact.address, origin)
    return {before: after for before, after in moved.items() if after not in old}


def _origin(fact: Fact) -> Address:
    return Address.of("file", str(_of(fact, "renamed_from") or ""))


def _renamed(before: Fact, after: Fact) -> Change:
    similarity = _of(after, "similarity") or _of(before, "similarity")
    args: dict[str, Json] = {"to": after.address.removeprefix("file:"), "similarity": similarity, "reaches": [str(after.address)]}
    return Change(before.address, "renamed", before.value, after.value, after.where, args)


def _between(before: Fact, after: Fact) -> Iterator[Change]:
    kind, args = _kind(before, after)
    if kind:
        yield Change(after.address, kind, before.value, after.value, after.where, args)


def _kind(before: Fact, after: Fact) -> tuple[str, Mapping[str, Json]]:
    if _of(before, "as") != _of(after, "as"):
        return "incomparable", {"read_before": before.where.partition("@")[0], "read_after": after.where.partition("@")[0]}
    if (types := (_type(before), _type(after))) and types[0] != types[1]:
        return "type-changed", {"type_before": types[0], "type_after": types[1]}
    if _of(before, "blob") != _of(after, "blob"):
        return "changed", {}
    if _of(before, "mode") != _of(after, "mode"):
        return "mode-changed", {}
    return "", {}


def _type(fact: Fact) -> str:
    mode = _of(fact, "mode")
    return "file" if mode in (None, "executable") else str(mode)


def _of(fact: Fact, key: str) -> Json:
    return fact.value.get(key) if isinstance(fact.value, dict) else None
