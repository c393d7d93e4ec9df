"""What a floor search is asked: a row for everything relied on, with what it demands of packages and of booted hosts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from driftwatch import addresses as patterns
from driftwatch.errors import ConfigError, Problem, UsageError
from driftwatch.judge.holding import Demand
from driftwatch.model import Address
from driftwatch.pipeline import behaviour
from driftwatch.pipeline.world import World

if TYPE_CHECKING:
    from driftwatch.config.model import Upstream, Watchlist
    from driftwatch.observe.probes import Probe

PACKAGE_KINDS = ("manifest", "ts")
HOST_KINDS = ("probe", "call", "http", "schema", "event", "config")
NO_FLOOR = "nothing that a version could begin to satisfy: {kind}: addresses have no floor"


@dataclass(frozen=True, slots=True)
class Asked:
    """One row to be: what is relied on, why, and the demands it makes of packages and of hosts."""

    demand: Demand
    why: str
    declared: Demand | None = None
    behaviour: Demand | None = None
    reason: str = ""

    @property
    def demands(self) -> tuple[Demand, ...]:
        return tuple(demand for demand in (self.demand, self.declared, self.behaviour) if demand is not None)


def asked(upstream: Upstream, watchlist: Watchlist, only: Sequence[str], world: World) -> tuple[Asked, ...]:
    """The rows of one upstream, in the order they are written; ``only`` what these addresses cover, when there are any.

    Raises UsageError for an address that is none, ConfigError for a manifest of ours that cannot be read.
    """
    ours = _ours(watchlist)
    written = [
        (Demand(each.address, each.value, each.at_least or "", ours.get(each.address, "")), each.why)
        for each in upstream.relies_on
    ]
    if not written:
        written = [(Demand(f"probe:{probe}"), "listed under probes") for probe in _probe_ids(upstream, world)]
    for address in only:
        if wrong := patterns.problem(address):
            raise UsageError(wrong, "see docs/addresses.md")
    if only:
        written = [pair for address in only for pair in _only(address, written, upstream, ours)]
    pairs = _Counterparts(upstream, world, {demand.address: demand for demand, _ in written})
    return tuple(_merged(pairs.row(demand, why) for demand, why in dict.fromkeys(written)))


def _probe_ids(upstream: Upstream, world: World) -> list[str]:
    return [probe.id for probe in behaviour.selected(upstream, world.root)]


def _only(
    address: str, written: Sequence[tuple[Demand, str]], upstream: Upstream, ours: Mapping[str, str]
) -> list[tuple[Demand, str]]:
    """What an address of the command line means: the entries it covers, else itself where the upstream has such things."""
    covered = [(demand, why) for demand, why in written if patterns.matches(address, demand.address)]
    kind = address.partition(":")[0]
    here = (
        package_of(address) in upstream.packages if kind in PACKAGE_KINDS else upstream.host is not None or kind not in HOST_KINDS
    )
    return covered or ([(Demand(address, ours=ours.get(address, "")), "")] if here else [])


def package_of(address: str) -> str:
    """The package a ``manifest:`` or ``ts:`` address speaks of."""
    parts = Address(address).subject.split("/")
    return "/".join(parts[: 2 if parts[0].startswith("@") else 1])


def _ours(watchlist: Watchlist) -> dict[str, str]:
    """What the project's own manifest declares, by the address at which a package of the upstream says the same kind of
    thing: its peers (else what it depends on) and its engines. Raises ConfigError for a manifest that cannot be read."""
    path = watchlist.root / watchlist.project.manifest
    if not path.is_file():
        return {}
    try:
        data = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError([Problem(str(path), 0, 0, f"cannot be read as JSON: {error}")]) from error
    tables = {key: data.get(key) if isinstance(data, dict) else None for key in ("dependencies", "peerDependencies", "engines")}
    found: dict[str, str] = {}
    for key, table in tables.items():
        for name, value in table.items() if isinstance(table, dict) else ():
            if isinstance(value, str):
                kind = "engines" if key == "engines" else "peerDependencies"
                for upstream in watchlist.upstreams:
                    found.update({f"manifest:{package}#{kind}.{name}": value for package in upstream.packages})
    return found


class _Counterparts:
    """Which probe tries what a declaration promises, and the other way round: the probes say so themselves."""

    def __init__(self, upstream: Upstream, world: World, written: Mapping[str, Demand]) -> None:
        self._upstream, self._written = upstream, written
        self._pairs: list[tuple[str, str]] = []  # (declared, probe)
        if upstream.host is not None:
            for probe in library(upstream, world).values():
                self._pairs += [(address, f"probe:{probe.id}#{name}") for name, address in probe.declares.items()]

    def row(self, demand: Demand, why: str) -> Asked:
        kind = demand.address.partition(":")[0]
        if kind in PACKAGE_KINDS:
            if "*" in package_of(demand.address):
                return Asked(demand, why, reason="it names no one package, and versions belong to a package")
            tried = next((probe for said, probe in self._pairs if patterns.matches(said, demand.address)), None)
            return Asked(demand, why, declared=demand, behaviour=self._demand(tried))
        if kind in HOST_KINDS:
            said = next((said for said, probe in self._pairs if self._speaks(probe, demand.address)), None)
            return Asked(demand, why, declared=self._demand(said), behaviour=demand)
        return Asked(demand, why, reason=NO_FLOOR.format(kind=kind))

    def _speaks(self, probe: str, address: str) -> bool:
        """Whether a probe's observation is what the address asks for: itself, or the whole of a probe with only one such."""
        whole = Address(address).subject == Address(probe).subject and Address(address).member in ("", "outcome")
        alone = sum(Address(other).subject == Address(probe).subject for _, other in self._pairs) == 1
        return Address(address).kind == "probe" and (address == probe or (whole and alone))

    def _demand(self, address: str | None) -> Demand | None:
        return None if address is None else self._written.get(address, Demand(address))


def library(upstream: Upstream, world: World) -> dict[str, Probe]:
    """Every probe there is for the upstream's host, built in or of the user's own, by id."""
    from driftwatch.observe.probes import load_library

    assert upstream.host is not None
    own = {probe.id: probe for probe in behaviour.selected(upstream, world.root)}
    return {**load_library(host=upstream.host.driver), **own}


def _merged(rows: Iterable[Asked]) -> list[Asked]:
    """A declaration and its probe, both relied on, are one row."""
    found: dict[object, Asked] = {}
    for row in rows:
        key = (row.declared, row.behaviour) if row.declared or row.behaviour else row.demand
        if first := found.get(key):
            found[key] = replace(first, why="; ".join(dict.fromkeys(filter(None, (first.why, row.why)))))
        else:
            found[key] = row
    return list(found.values())
