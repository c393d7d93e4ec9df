"""Shared schemas that nothing reaches: no call can meet them, but who imports a generated type by name can."""

from __future__ import annotations

from driftwatch.judge.compare.openapi.reach import ways
from driftwatch.judge.compare.openapi.record import Record
from driftwatch.judge.compare.openapi.side import Side
from driftwatch.judge.compare.openapi.variants import content, text
from driftwatch.judge.compare.openapi.walk import Walk


def compare_unused(walk: Walk, same: frozenset[str]) -> None:
    """One change a schema, whatever was edited in it. A schema that only got another name is none."""
    old, new = walk.old, walk.new
    left = {each for each in old.subjects if each not in same and _unused(old, each)}
    right = {each for each in new.subjects if each not in same and _unused(new, each)}
    renamed = {content(new, each) for each in right - left}
    for address in sorted(left - right):
        if content(old, address) not in renamed and address not in new.subjects:
            walk.record.add(address, "unused-removed", None, text(old, address), None, old.where(address))
    known = {content(old, each) for each in left - right}
    for address in sorted(right - left):
        if content(new, address) not in known and address not in old.subjects:
            walk.record.add(address, "unused-added", None, None, text(new, address), new.where(address))
    for address in sorted(left & right):
        if _edited(walk, address):
            walk.record.add(address, "unused-changed", None, text(old, address), text(new, address), new.where(address))


def _unused(side: Side, subject: str) -> bool:
    if not subject.startswith("schema:") or "event" in side.value(subject) or side.value(subject).get("type") == "events":
        return False
    return not ways(side, subject)


def _edited(walk: Walk, address: str) -> bool:
    """Looked at apart: what is found in a schema that nothing reaches must not be taken for an edit of one that is used."""
    apart = Walk(walk.old, walk.new, Record(), frozenset())
    apart.run(address, address, "response")
    return any(entry.address.partition("#")[0] == address for entry in apart.record)
