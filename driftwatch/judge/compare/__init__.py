"""compare(old, new): what differs between two snapshots. Pure, no prose, no severity.

One module a kind of address (or several kinds that share their parts), each with ``compare(old, new)`` over the facts of
that kind by address. A module knows what a difference is called (``moved-backward``, ``widened``); what it means is the
rule catalogue's business.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib import import_module
from typing import Protocol, cast

from driftwatch.addresses import compile as compile_patterns
from driftwatch.model import Address, Change, Fact, Snapshot

Facts = Mapping[Address, Fact]


class Comparator(Protocol):
    def compare(self, old: Facts, new: Facts) -> Iterable[Change]: ...


# Loaded when a kind of address is there: a registry poll never pays for the type comparator.
MODULES: Mapping[str, str] = {
    "tag": "tags",
    "version": "versions",
    "manifest": "manifest",
    "file": "files",
    "commit": "commits",
    "probe": "probes",
    "ts": "types",
    "http": "openapi",
    "schema": "openapi",
    "event": "openapi",
    "config": "openapi",
    "call": "calls",
    "anchor": "anchors",
    "source": "named",
    "text": "named",
}


def compare(old: Snapshot, new: Snapshot) -> tuple[Change, ...]:
    """All changes, sorted by address and kind. ``compare(x, x)`` is empty."""
    before, after = _by_kind(old), _by_kind(new)
    changes: list[Change] = []
    kinds = {*before, *after} & set(MODULES)
    for name in sorted({MODULES[kind] for kind in kinds}):
        module = cast(Comparator, import_module(f"{__name__}.{name}"))
        changes.extend(module.compare(_facts(before, name), _facts(after, name)))
    return tuple(sorted(changes, key=lambda change: (change.address, change.kind)))


def comparable(old: Snapshot, new: Snapshot) -> tuple[Snapshot, Snapshot]:
    """Both sides without what a gap on the other side hides: not looked at is neither removed nor added."""

    def visible(snapshot: Snapshot, other: Snapshot) -> Snapshot:
        hidden = compile_patterns(gap.address for gap in other.gaps)
        there = {fact.address for fact in other.facts}
        facts = tuple(fact for fact in snapshot.facts if fact.address in there or not hidden(fact.address))
        return replace(snapshot, facts=facts)

    return visible(old, new), visible(new, old)


def _facts(kinds: Mapping[str, dict[Address, Fact]], module: str) -> Facts:
    """The facts one module compares: of one kind, or of several that share what they are made of (http, schema, ...)."""
    found = [facts for kind, facts in kinds.items() if MODULES.get(kind) == module]
    return found[0] if len(found) == 1 else {address: fact for facts in found for address, fact in facts.items()}


def _by_kind(snapshot: Snapshot) -> dict[str, dict[Address, Fact]]:
    kinds: dict[str, dict[Address, Fact]] = {}
    for fact in snapshot.facts:
        kinds.setdefault(fact.address.kind, {})[fact.address] = fact
    return kinds
