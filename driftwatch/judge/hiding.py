"""What a gap hides. Pure."""

from __future__ import annotations

from driftwatch import addresses
from driftwatch.model import Gap


def hides(gap: Gap, pattern: str) -> bool:
    """Whether what a pattern speaks of cannot be told because of a gap. Who relies on a probe relies on its outcome; one
    observation of it that varies from run to run hides no more than itself."""
    if one_observation(gap) and "#" not in pattern:
        return False
    return overlap(gap.address, pattern)


def one_observation(gap: Gap) -> bool:
    """Whether a gap is about one observation of a probe that otherwise has an answer."""
    kind, _, member = gap.address.partition("#")
    return kind.startswith("probe:") and member not in ("", "*", "**", "outcome")


def overlap(one: str, other: str) -> bool:
    """Whether two address patterns can speak of the same address (exact for literals, generous for two patterns)."""
    return addresses.overlap(one, other)
