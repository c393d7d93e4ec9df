"""A stable name for a finding: the same finding tomorrow, on another machine, after a line moved, has the same name."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from driftwatch.model import Address, Json

# Evidence and explanation, not identity: they may be worded differently tomorrow.
NOT_IDENTITY = frozenset(
    {
        "witness",
        "witness_role",
        "witness_needs",
        "reaches",
        "reach_count",
        "reaches_whole",
        "direction",
        "sides",
        "breaks",
        "since",
        "similarity",
        "where_before",
    }
)


def fingerprint(rule: str, address: Address, args: Mapping[str, Json]) -> str:
    """24 hex digits over rule, address and the canonical identifying args; never prose, line numbers or time."""
    identity = {key: value for key, value in args.items() if key not in NOT_IDENTITY}
    canonical = json.dumps([rule, str(address), identity], sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(canonical.encode()).hexdigest()[:24]
