"""The facts of a document that was seen before, by its bytes: the same bytes have the same facts."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from driftwatch.errors import StoreError
from driftwatch.model import Address, Fact, Gap, Json, Observed
from driftwatch.observe.facts import openapi
from driftwatch.observe.facts.openapi.document import load, read
from driftwatch.observe.sources.cache import Cache

KIND = "openapi"


def observe_file(path: Path, folder: Path) -> Observed:
    """The facts of the document in a file; ``folder`` is the cache. Raises Unobservable as ``load_file`` and ``observe`` do."""
    data = read(path)
    kept, key = Cache(folder), f"{version()}|{hashlib.sha256(data).hexdigest()}"
    known = _unpacked(kept.read(KIND, key))
    if known is not None:
        return known
    told = openapi.observe(load(data, str(path)))
    with suppress(StoreError):  # a cache that can't be written costs time, nothing else
        kept.write(KIND, key, _packed(told))
    return told


@cache
def version() -> str:
    """Changes with the observer's own text: what an older one saw is not believed."""
    digest = hashlib.sha256()
    for file in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _packed(told: Observed) -> Json:
    facts: list[Json] = [[fact.address, fact.value, fact.where] for fact in told.facts]
    gaps: list[Json] = [[gap.address, gap.reason, gap.remedy] for gap in told.gaps]
    return {"facts": facts, "gaps": gaps}


def _unpacked(document: Any) -> Observed | None:
    try:
        facts = tuple(Fact(Address(address), value, where) for address, value, where in document["facts"])
        return Observed(facts, tuple(Gap(*gap) for gap in document["gaps"]))
    except (KeyError, TypeError, ValueError):
        return None  # nothing there, or not what was written
