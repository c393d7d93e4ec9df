"""What a project expects of the new version by itself, whether or not anything moved: that something is there, that it is not
there (yet), or that it has a certain value. Pure.

Absence is an answer only where the place was looked at: a fact of the same package, file or document was seen, nothing hides it,
and what the missing thing would be a member of is there. Otherwise nobody knows, and a misspelt address would look right.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from driftwatch import addresses
from driftwatch.judge.hiding import hides
from driftwatch.judge.holding import same
from driftwatch.judge.terms import Reliance, Terms
from driftwatch.model import Address, Change, Fact, Gap, Json, Snapshot

Presence = Literal["present", "absent", "unknown"]

COUNTED = frozenset({"call", "text"})  # of these a fact may say that there is none
_BY_PACKAGE = frozenset({"manifest", "ts", "tag", "version", "pin"})
_BY_FILE = frozenset({"source", "text"})
_DEPENDED = frozenset({"dependencies", "optionalDependencies", "peerDependencies", "peerDependenciesMeta"})
_TABLES = frozenset({"bin", "engines", "exports"}) | _DEPENDED
_LAST = re.compile(r'(\.[^.\[("]+|\["[^"]*"\]|\[[^\]]*\]|\([^)]*\))$')


def unmet(old: Snapshot, new: Snapshot, changes: Sequence[Change], terms: Terms) -> Iterator[Change]:
    """``missing``, ``unexpected`` and ``other-value`` changes, each at the address that was expected otherwise. What went away
    between the two versions is said by its own change."""
    asked = [reliance for reliance in terms.reliances if reliance.expect or reliance.value is not None]
    if not asked:
        return
    before, after = facts_of(old, asked), facts_of(new, asked)
    moved = addresses.compile(reliance.address for reliance in asked)
    spoken = {pattern for change in changes for pattern in moved(change.address)}
    for reliance in asked:
        address = Address(reliance.address)
        was, now = before.get(address, []), after.get(address, [])
        state = presence(reliance.address, now, new)
        if reliance.expect == "absent" and state == "present":
            yield Change(address, "unexpected", _shown(was), _shown(now), _where(now))
        elif reliance.expect == "present" and state == "absent" and (not _there(was) or reliance.address not in spoken):
            yield Change(address, "missing", _shown(was), _shown(now), _where(now))
        elif differs(reliance, now):
            yield Change(address, "other-value", _shown(was), _shown(now), _where(now), {"expected": reliance.value})


def as_required(fact: Fact, terms: Terms) -> bool:
    """Whether somebody requires the very value a fact has: a probe that is to be ``absent`` on this host is not failing."""
    demands = [reliance for reliance in terms.reliances if reliance.value is not None and same(fact.value, reliance.value)]
    return bool(demands) and bool(addresses.compile(reliance.address for reliance in demands)(fact.address))


def differs(reliance: Reliance, facts: Sequence[Fact]) -> bool:
    """Whether something was seen and none of it has the value asked for."""
    wanted = reliance.value
    return wanted is not None and bool(facts) and not any(same(fact.value, wanted) for fact in facts)


def presence(pattern: str, facts: Sequence[Fact], snapshot: Snapshot) -> Presence:
    """Whether what a pattern means is there at one version. ``facts`` are those it matched there."""
    if _there(facts):
        return "present"
    if any(hides(gap, pattern) for gap in snapshot.gaps):
        return "unknown"
    if facts:
        return "absent"
    return "absent" if _looked_at(Address(pattern), snapshot.facts) else "unknown"


def facts_of(snapshot: Snapshot, reliances: Iterable[Reliance]) -> Mapping[str, list[Fact]]:
    """The facts below each pattern."""
    match = addresses.compile(reliance.address for reliance in reliances)
    found: dict[str, list[Fact]] = {}
    for fact in snapshot.facts:
        for pattern in match(fact.address):
            found.setdefault(pattern, []).append(fact)
    return found


def hidden(pattern: str, gaps: Iterable[Gap]) -> Gap | None:
    """The first gap behind which what a pattern means may be."""
    return next((gap for gap in gaps if hides(gap, pattern)), None)


def _there(facts: Sequence[Fact]) -> bool:
    return any(bool(fact.value) if fact.address.kind in COUNTED else True for fact in facts)


def _looked_at(address: Address, facts: Sequence[Fact]) -> bool:
    ground = _ground(address)
    seen = [fact.address for fact in facts if fact.address.kind == address.kind and _ground(fact.address) == ground]
    parent = _parent(address)
    return bool(seen) and (not parent or any(addresses.matches(parent, each) for each in seen))


def _ground(address: Address) -> str:
    """What is looked at as a whole: a package, a file, else everything of the kind (one API document)."""
    if address.kind in _BY_FILE:
        return address.subject
    if address.kind in _BY_PACKAGE:
        return "/".join(address.subject.split("/")[: 2 if address.subject.startswith("@") else 1])
    return ""


def _parent(address: Address) -> str:
    """The address of what the last name is a member of; "" when it is no member, or when the members are free text."""
    if not address.member or address.kind in ("text", "tag", "version", "pin") or _in_table(address):
        return ""
    above = _LAST.sub("", address.member)
    return Address.of(address.kind, address.subject, above if above != address.member else "")


def _in_table(address: Address) -> bool:
    """An entry of one of package.json's tables, which is there or not as a whole: a package without engines names no node."""
    return address.kind == "manifest" and address.member.partition(".")[0].partition("[")[0] in _TABLES


def _shown(facts: Sequence[Fact]) -> Json:
    return facts[0].value if len(facts) == 1 else None


def _where(facts: Sequence[Fact]) -> str:
    return next((fact.where for fact in facts if fact.where), "")
