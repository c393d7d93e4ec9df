"""Keys of the host's configuration: who writes a config file is the sender, so what is asked for more is what breaks."""

from __future__ import annotations

import json
from collections.abc import Iterable

from driftwatch.judge.compare.openapi.record import Entry, Record
from driftwatch.judge.compare.openapi.side import below
from driftwatch.judge.compare.openapi.variants import content
from driftwatch.judge.compare.openapi.walk import Walk

ROOT = "config:"


def compare_config(walk: Walk, same: frozenset[str]) -> None:
    """What no edit of a shared schema already says: an edit that was found there reaches its config key there."""
    if ROOT in same:
        return
    apart = Walk(walk.old, walk.new, Record(), frozenset())
    apart.run(ROOT, ROOT, "request")
    entries = [entry for entry in _once(walk, apart.record) if not _claimed(walk, entry)]
    gone = {entry.address: entry for entry in entries if entry.what == "property-removed"}
    come = {entry.address: entry for entry in entries if entry.what in ("property-added", "property-added-required")}
    renamed = _renamed(walk, gone, come)
    for entry in entries:
        if entry.address in renamed:
            later = renamed[entry.address]
            walk.record.add(entry.address, "key-renamed", None, key(entry.address), key(later), entry.where, to=key(later))
        elif entry.address not in renamed.values():
            one = walk.record.put(entry.address, entry)
            one.met = entry.met
            one.what, one.sides = f"key-{entry.what.removeprefix('property-')}", set()


def key(address: str) -> str:
    return address.removeprefix(ROOT)


def _once(walk: Walk, found: Iterable[Entry]) -> list[Entry]:
    """A shared schema that describes several keys is edited once: said at the shortest key, which stands for the others."""
    alike: dict[str, list[Entry]] = {}
    for entry in found:
        at = _written(walk, entry.address)
        mark = [at[0], entry.what, entry.before, entry.after, entry.args] if at else [entry.address, entry.what, entry.args]
        alike.setdefault(json.dumps(mark, sort_keys=True), []).append(entry)
    kept = []
    for entries in alike.values():
        first = min(entries, key=lambda entry: (entry.address.count("."), entry.address))
        first.met = sorted(entry.address for entry in entries) if len(entries) > 1 else []
        kept.append(first)
    return kept


def _written(walk: Walk, address: str) -> list[str]:
    side = walk.old if address in walk.old.values else walk.new
    at = side.value(address).get("at")
    return [str(each) for each in at] if isinstance(at, list) else []


def _claimed(walk: Walk, entry: Entry) -> bool:
    """Whether the walk through the operations found this very edit in the shared schema the key is written in: then that
    edit is met at the key too."""
    places = _written(walk, entry.address)
    parent = _parent(entry.address)
    if parent in walk.old.values:  # a key that came: where it would be written in the old schema
        segment = entry.address[len(parent) :]
        places += [below(at, segment) for at in _written(walk, parent)]
    found = next((known for at in places if (known := walk.record.take(at, entry.what)) is not None), None)
    if found is None:
        return False
    found.met = sorted({*found.met, *(entry.met or [entry.address])})
    return True


def _renamed(walk: Walk, gone: dict[str, Entry], come: dict[str, Entry]) -> dict[str, str]:
    """Old key -> new key: one of each side under the same parent, the only ones there, of the same shape, and of a shape
    that says something: two keys that both take any text are no evidence."""
    found = {}
    for parent in {_parent(address) for address in gone}:
        before = [address for address in gone if _parent(address) == parent]
        after = [address for address in come if _parent(address) == parent]
        if (
            len(before) == len(after) == 1
            and _telling(walk, before[0])
            and content(walk.old, before[0]) == content(walk.new, after[0])
        ):
            found[before[0]] = after[0]
    return found


def _telling(walk: Walk, address: str) -> bool:
    return "enum" in walk.old.value(address) or bool(walk.old.children(address))


def _parent(address: str) -> str:
    return address.rpartition(".")[0]
