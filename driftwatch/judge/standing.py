"""What is wrong at the new version by itself, changed or not: a relied-on probe that fails on both hosts is not fine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from driftwatch.judge.required import as_required
from driftwatch.judge.terms import Terms
from driftwatch.model import Change, Fact, Snapshot


def standing(old: Snapshot, new: Snapshot, changes: Sequence[Change], terms: Terms) -> Iterator[Change]:
    """Changes of the kind ``not-holding`` for facts of ``new`` that are bad, that no change already speaks of and that nobody
    requires to be so."""
    spoken = {change.address for change in changes}
    before = {fact.address: fact for fact in old.facts}
    for fact in new.facts:
        if fact.address not in spoken and _bad(fact) and not as_required(fact, terms):
            earlier = before.get(fact.address)
            yield Change(
                fact.address, "not-holding", before=earlier.value if earlier else None, after=fact.value, where=fact.where
            )


def _bad(fact: Fact) -> bool:
    return fact.address.kind == "probe" and fact.address.member == "outcome" and fact.value in ("broken", "absent")
