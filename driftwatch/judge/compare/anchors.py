"""References of the project's documents: the text they mean moved, changed, or is gone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from driftwatch.model import Address, Change, Fact, Json

Facts = Mapping[Address, Fact]


def compare(old: Facts, new: Facts) -> Iterator[Change]:
    """Changes between ``anchor:`` facts (their value is described in ``observe.facts.anchors``)."""
    for address in sorted(old):
        before, after = old[address], new.get(address)
        args: dict[str, Json] = {"text": _of(before, "text"), "at": before.where}
        if after is None:
            yield Change(address, "gone", before.value, None, before.where, args)
            continue
        args["to"] = f"{_of(after, 'path')}:{_of(after, 'lines')}"
        if _of(before, "digest") != _of(after, "digest"):
            yield Change(address, "text-changed", before.value, after.value, before.where, args)
        elif (_of(before, "path"), _of(before, "lines")) != (_of(after, "path"), _of(after, "lines")):
            yield Change(address, "text-moved", before.value, after.value, before.where, args)


def _of(fact: Fact, key: str) -> str:
    return str(fact.value.get(key, "")) if isinstance(fact.value, dict) else ""
