"""Compares what source files declare by their syntax, and how often texts stand somewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from driftwatch import addresses
from driftwatch.model import Address, Change, Fact, Json


def compare(old: Mapping[Address, Fact], new: Mapping[Address, Fact]) -> Iterator[Change]:
    """Declarations: ``removed``, ``added``, ``changed``; of a whole that came or went, not each of its parts. Texts:
    ``vanished`` (some -> none), ``appeared`` (none -> some), ``recounted``."""
    sources = sorted(address for address in {*old, *new} if address.kind == "source")
    yield from _gone(sources, old, new, "removed")
    yield from _gone(sources, new, old, "added")
    for address in sorted({*old} & {*new}):
        if address.kind == "source" and old[address].value != new[address].value:
            yield Change(address, "changed", old[address].value, new[address].value, new[address].where, confidence="likely")
    for address in sorted(address for address in {*old, *new} if address.kind == "text"):
        yield from _text(address, old.get(address), new.get(address))


def _gone(sources: list[Address], here: Mapping[Address, Fact], there: Mapping[Address, Fact], kind: str) -> Iterator[Change]:
    """What only ``here`` has; a file that ``there`` has nothing of was not looked at there, or went as a whole."""
    gone = [address for address in sources if address in here and address not in there]
    tops: list[str] = []
    for address in gone:  # sorted: the whole stands before its parts
        if not (tops and addresses.matches(tops[-1], address)):
            tops.append(address)
            value, where = here[address].value, here[address].where
            before, after = (value, None) if kind == "removed" else (None, value)
            yield Change(address, kind, before, after, where, confidence="likely")


def _text(address: Address, before: Fact | None, after: Fact | None) -> Iterator[Change]:
    was, now = _count(before), _count(after)
    if was != now:
        kind = "vanished" if not now else "appeared" if not was else "recounted"
        where = after.where if after and after.where else before.where if before else ""
        yield Change(address, kind, was, now, where)


def _count(fact: Fact | None) -> int:
    value: Json = fact.value if fact else 0
    return value if isinstance(value, int) else 0
