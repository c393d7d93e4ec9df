"""Events: which are sent, on which stream, with which payload."""

from __future__ import annotations

import json

from driftwatch.judge.compare.openapi.record import Entry, Record
from driftwatch.judge.compare.openapi.side import Side, members
from driftwatch.judge.compare.openapi.variants import content
from driftwatch.judge.compare.openapi.walk import Walk
from driftwatch.model import Json

MANY = 5  # events that change alike: fewer may be chance


def compare_events(walk: Walk, same: frozenset[str]) -> None:
    """Removed, added, renamed (gone and come with the same payload), another stream, another payload."""
    old, new = walk.old, walk.new
    left = {address for address in old.subjects if address.startswith("event:")}
    right = {address for address in new.subjects if address.startswith("event:")}
    renamed = _renamed(old, new, sorted(left - right), sorted(right - left))
    for address in sorted(left - right - set(renamed)):
        walk.record.add(address, "removed", None, name(address), None, old.where(address))
    for address, later in renamed.items():
        walk.record.add(address, "renamed", None, name(address), name(later), new.where(later), to=name(later))
    for address in sorted(right - left - set(renamed.values())):
        walk.record.add(address, "added", None, None, name(address), new.where(address))
    for address in sorted(left & right - same):
        _payload(walk, address)
    _envelope(walk.record)


def name(address: str) -> str:
    return address.removeprefix("event:")


def _renamed(old: Side, new: Side, gone: list[str], come: list[str]) -> dict[str, str]:
    """Old name -> new name, where exactly one event of each side has that payload and the payload says something."""
    before, after = _by_payload(old, gone), _by_payload(new, come)
    return {
        addresses[0]: after[payload][0]
        for payload, addresses in before.items()
        if len(addresses) == 1 and len(after.get(payload, ())) == 1
    }


def _by_payload(side: Side, addresses: list[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for address in addresses:
        payload = {
            segment: content(side, child) for segment, child in members(side.children(address)) if segment not in (".type", ".id")
        }
        if any(side.children(child) for _, child in members(side.children(address))):
            found.setdefault(repr(sorted(payload.items())), []).append(address)
    return found


def _payload(walk: Walk, address: str) -> None:
    before, after = _streams(walk.old, address), _streams(walk.new, address)
    where = walk.new.where(address)
    for what, moved in (("stream-removed", before - after), ("stream-added", after - before)):
        if moved:
            streams: list[Json] = [*sorted(moved)]
            walk.record.add(address, what, None, [*sorted(before)], [*sorted(after)], where, streams=streams)
    if before & after or not before:
        walk.run(address, address, "response")
    if before != after:  # another stream has members of its own: they came (or went) with it
        echo = {"property-added", "property-added-required"} if after - before else {"property-removed"}
        walk.record.drop(lambda entry: entry.what in echo and _first_level(entry.address, address))


def _first_level(address: str, event: str) -> bool:
    subject, _, member = address.partition("#")
    return subject == event and not any(edge in member for edge in ".([")


def _envelope(record: Record) -> None:
    """The same edit of the same member of many events is one edit: of what all events are wrapped in."""
    alike: dict[str, list[Entry]] = {}
    for entry in record:
        if entry.address.startswith("event:") and (entry.sides or entry.what.startswith("stream-")):
            member = entry.address.partition("#")[2]
            alike.setdefault(json.dumps([member, entry.what, entry.before, entry.after, entry.args], sort_keys=True), []).append(
                entry
            )
    for entries in alike.values():
        if len(entries) >= MANY:
            gone = {id(entry) for entry in entries}
            record.drop(lambda entry, gone=gone: id(entry) in gone)  # type: ignore[misc]
            first = entries[0]
            one = record.put(f"event:*{''.join(first.address.partition('#')[1:])}", first)
            one.met = sorted(entry.address for entry in entries)


def _streams(side: Side, address: str) -> set[str]:
    listed = side.value(address).get("in")
    return {str(each) for each in listed} if isinstance(listed, list) else set()
