"""What changed in the behaviour of a host.

Kinds: ``broke`` (it held and no longer does), ``revived`` (it holds now and did not), ``vanished`` (the host no longer has
what was probed), ``appeared`` (it has it now, but it does not hold), ``changed`` (something else observed differs). A probe
whose outcome moved says so once: the observations behind it ride along in ``args`` instead of being changes of their own.
"""

from __future__ import annotations

from collections.abc import Iterator

from driftwatch.judge.compare import Facts
from driftwatch.model import Address, Change, Fact, Json

OUTCOME = "outcome"


def compare(old: Facts, new: Facts) -> Iterator[Change]:
    """Only probes that have an answer on both sides: a missing one is a gap, which says so by itself."""
    before, after = _by_probe(old), _by_probe(new)
    for probe in sorted(before.keys() & after.keys()):
        yield from _probe(probe, before[probe], after[probe])


def _by_probe(facts: Facts) -> dict[str, dict[str, Fact]]:
    probes: dict[str, dict[str, Fact]] = {}
    for address, fact in facts.items():
        probes.setdefault(address.subject, {})[address.member] = fact
    return {name: members for name, members in probes.items() if OUTCOME in members}


def _probe(probe: str, old: dict[str, Fact], new: dict[str, Fact]) -> Iterator[Change]:
    was, now = old[OUTCOME].value, new[OUTCOME].value
    differing = sorted(name for name in (old.keys() | new.keys()) - {OUTCOME} if _value(old, name) != _value(new, name))
    if was != now:
        seen: dict[str, Json] = {name: [_value(old, name), _value(new, name)] for name in differing}
        # Whoever relies on one of the observations behind it is hit as well.
        reaches: list[Json] = [str(Address.of("probe", probe, name)) for name in differing]
        args: dict[str, Json] = {"observed": seen, "reaches": reaches}
        yield Change(Address.of("probe", probe, OUTCOME), kind(was, now), was, now, new[OUTCOME].where, args)
        return
    for name in differing:
        where = new.get(name, new[OUTCOME]).where
        yield Change(Address.of("probe", probe, name), "changed", _value(old, name), _value(new, name), where)


def _value(facts: dict[str, Fact], name: str) -> Json:
    return facts[name].value if name in facts else None


def kind(was: Json, now: Json) -> str:
    """The word for an outcome's move."""
    if now == "holds":
        return "revived"
    if now == "absent":
        return "vanished"
    return "broke" if was == "holds" else "appeared"
