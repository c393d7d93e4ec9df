"""The first level of a shared schema shown under the operation that uses it: ``http:POST /session#body.model`` is there
to be relied on, locked and given a floor, whether the body is written in place or shared. Such a fact says where it
really is in ``at``; changes are found there, once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from driftwatch.model import Address, Fact
from driftwatch.observe.facts.openapi import segments
from driftwatch.observe.facts.openapi.shape import Value

_HOPS = 50
_DEEPER = re.compile(r"[.(\[]")
_INSIDE = re.compile(r"[.(]")


def aliases(facts: Iterable[Fact]) -> Iterator[Fact]:
    values: dict[str, Value] = {}
    members: dict[str, list[str]] = {}  # the first-level addresses of a shared schema
    uses: list[Fact] = []
    for fact in facts:
        values[fact.address] = fact.value  # type: ignore[assignment]
        if fact.address.startswith("schema:"):
            _member(fact.address, members)
        elif fact.address.startswith("http:") and "ref" in fact.value and _root(fact.address.member):  # type: ignore[operator]
            uses.append(fact)
    for use in uses:
        yield from _shown(use.address, values, members)


def _member(address: str, members: dict[str, list[str]]) -> None:
    subject, sharp, member = address.partition("#")
    if sharp and not _DEEPER.search(member, 1):
        members.setdefault(subject, []).append(address)


def _root(member: str) -> bool:
    return member.startswith(("body", "response.")) and not _INSIDE.search(member.removeprefix("response."))


def _shown(use: str, values: dict[str, Value], members: dict[str, list[str]]) -> Iterator[Fact]:
    target = _target(use, values)
    subject, _, inner = target.partition("#")
    if not inner:
        for address in members.get(subject, ()):
            member = address.partition("#")[2]
            segment = member if member[0] in "[(" else f".{member}"
            final = _target(address, values)
            value = {**values.get(final, {}), **{k: v for k, v in values[address].items() if k != "ref"}, "at": address}
            yield Fact(Address(segments.below(use, segment)), value)


def _target(address: str, values: dict[str, Value]) -> str:
    for _ in range(_HOPS):
        ref = values.get(address, {}).get("ref")
        if not isinstance(ref, str):
            break
        address = ref
    return address
