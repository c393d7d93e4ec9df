"""Compares what an API means: operations, shared schemas, events and config keys of two versions, together.

They are one comparison because they share their schemas: one edit of a shared schema is one Change, at ``schema:...``,
with the sides it was met on and the addresses it reaches.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from driftwatch.judge.compare.openapi.events import compare_events
from driftwatch.judge.compare.openapi.hostconfig import compare_config
from driftwatch.judge.compare.openapi.operations import Operations
from driftwatch.judge.compare.openapi.reach import met
from driftwatch.judge.compare.openapi.record import Record, change
from driftwatch.judge.compare.openapi.same import same_subjects
from driftwatch.judge.compare.openapi.side import Side
from driftwatch.judge.compare.openapi.unused import compare_unused
from driftwatch.judge.compare.openapi.walk import Walk
from driftwatch.model import Address, Change, Fact


def compare(old: Mapping[Address, Fact], new: Mapping[Address, Fact]) -> Iterator[Change]:
    """Changes between the facts of the kinds http, schema, event and config. A kind that one side has no fact of was not
    looked at there (a gap says so): nothing is said about it."""
    before, after = Side(old.values()), Side(new.values())
    same = same_subjects(before, after)
    record = Record()
    walk = Walk(before, after, record, same)
    if _both(before, after, "http:"):
        _operations(walk, same)
    if _both(before, after, "event:") or _both(before, after, "http:"):
        compare_events(walk, same)  # a document that was looked at and lists no event has none
    if _both(before, after, "http:"):
        compare_unused(walk, same)
    if _both(before, after, "config:"):
        compare_config(walk, same)
    for entry in record:
        roots = walk.roots(entry) if entry.address.startswith("schema:") else set()
        led = met(before, after, entry.address, roots) if roots else []
        yield change(entry, sorted({*led, *entry.met}))


def _both(before: Side, after: Side, kind: str) -> bool:
    return all(any(subject.startswith(kind) for subject in side.subjects) for side in (before, after))


def _operations(walk: Walk, same: frozenset[str]) -> None:
    operations = Operations(walk)
    old, new = walk.old, walk.new
    for address in sorted({*old.subjects, *new.subjects} - same):
        if not address.startswith("http:"):
            continue
        if address not in new.subjects:
            walk.record.add(address, "operation-removed", None, old.value(address).get("operationId"), None, old.where(address))
        elif address not in old.subjects:
            walk.record.add(address, "operation-added", None, None, new.value(address).get("operationId"), new.where(address))
        else:
            operations.compare(address)
