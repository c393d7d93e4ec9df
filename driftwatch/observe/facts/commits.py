"""Where the git tags of versions point: ``commit:TAG`` = the full commit id."""

from __future__ import annotations

from collections.abc import Sequence

from driftwatch.errors import Unobservable
from driftwatch.model import Address, Fact, Gap, Observed
from driftwatch.observe.sources.git import Mirror


def observe(mirror: Mirror, versions: Sequence[str], tags: str = "v{version}") -> Observed:
    """One fact a version (one call to the remote in all), or a gap with git's reason. ``tags`` is the tag pattern.

    To see a tag that was moved after it was accepted, ask for the accepted version again on the new side.
    """
    facts, gaps = [], []
    for version in dict.fromkeys(versions):
        name = tags.replace("{version}", version)
        address = Address.of("commit", name)
        try:
            facts.append(Fact(address, mirror.commit(version, tags), f"git:refs/tags/{name}"))
        except Unobservable as refusal:
            gaps.append(Gap(address, refusal.message, refusal.remedy))
    return Observed(tuple(facts), tuple(gaps))
