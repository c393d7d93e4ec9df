"""Tags: the same version's tag points at another commit than it did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from driftwatch.model import Address, Change, Fact


def compare(old: Mapping[Address, Fact], new: Mapping[Address, Fact]) -> Iterator[Change]:
    """``tag-retargeted`` for each ``commit:TAG`` on both sides with another value. A tag on one side alone is no news: the
    two sides are different versions, and a tag that was looked for and is gone is a gap of the observer's."""
    for address in sorted(old.keys() & new.keys()):
        before, after = old[address], new[address]
        if before.value != after.value:
            yield Change(address, "tag-retargeted", before.value, after.value, after.where)
