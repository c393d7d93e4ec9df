"""``driftwatch probe``: probes on hosts of any versions, without a watchlist, on this machine or handed to an engine."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from driftwatch.errors import Unobservable, UsageError, did_you_mean
from driftwatch.model import ProbeRow
from driftwatch.model.matrix import Matrix, Shard
from driftwatch.pipeline import behaviour, matrix
from driftwatch.pipeline.behaviour import Rows
from driftwatch.pipeline.engines import Engine, Here
from driftwatch.pipeline.specs import chosen
from driftwatch.pipeline.work import Work
from driftwatch.pipeline.world import World

if TYPE_CHECKING:
    from driftwatch.config.model import Host, OwnHost
    from driftwatch.observe.probes import Probe


A_FOLDER = ("./", "../", "/")  # an id begins with its host's name


@dataclass(frozen=True, slots=True)
class Request:
    """``versions`` (or dist-tags), then ``owns``, are the columns; ``ids`` the probes (none: the host's whole library; a pattern
    stands for all it fits). ``repeat``: ask every binary so often. ``fresh``: believe no kept answer. ``confirm``: what differs
    between neighbours is asked once more. ``shard``: only that part of the cells."""

    versions: tuple[str, ...]
    ids: tuple[str, ...] = ()
    owns: tuple[OwnHost, ...] = ()
    repeat: int = 1
    fresh: bool = False
    confirm: bool = True
    shard: Shard | None = None


def probe(host: Host, request: Request, world: World, engine: Engine | None = None) -> Matrix:
    """The matrix, or one shard of it. ``engine`` runs the units of work (None: this machine, as many hosts at once as jobs).

    Raises UsageError for an unknown probe or a shard of hosts nobody else has, Unobservable when dist-tags cannot be resolved.
    """
    if request.shard and request.owns:
        raise UsageError("a shard is of published versions: a host of your own is on this machine only", "leave --shard away")
    wanted = _probes(host, request.ids, world)
    versions = list(dict.fromkeys(resolve(host, version, world) for version in request.versions))
    runs = _Runs(host, wanted, request, world, engine or Here(world))
    told = runs.told([*versions, *request.owns])
    columns: dict[str, Rows] = {version: told[version] for version in versions}
    for own in request.owns:
        rows = labelled(told[own], own, columns)
        columns[rows[0].version] = tuple(rows)
    made = matrix.assembled(runs.driver, runs.lines, columns, runs.integrities(versions), world.settings.now.date())
    return matrix.part(made, request.shard) if request.shard else made


def _probes(host: Host, ids: Sequence[str], world: World) -> list[Probe]:
    from driftwatch.observe.probes import load_library

    folders = [world.root / each for each in ids if each.startswith(A_FOLDER)]
    library = load_library(folders, host.driver)
    built_in = chosen([each for each in ids if not each.startswith(A_FOLDER)], library)
    beside = [each for each in library if each not in load_library(host=host.driver)]
    return [library[each] for each in dict.fromkeys([*beside, *built_in]) or library]


class _Runs:
    def __init__(self, host: Host, probes: Sequence[Probe], request: Request, world: World, engine: Engine) -> None:
        from driftwatch.observe.hosts import driver
        from driftwatch.observe.probes import control, load_library

        self.driver = driver(host.driver)
        self.control = control(load_library(host=host.driver), host.driver)
        self._host, self._request, self._world, self._engine = host, request, world, engine
        self._probes = [probe for probe in probes if probe.id != self.control.id]
        self.lines = [self.control, *self._probes]

    def told(self, columns: Sequence[str | OwnHost]) -> dict[str | OwnHost, Rows]:
        """The rows of every column (only those of the shard, when there is one)."""
        wanted: dict[str | OwnHost, list[Probe]] = {column: [*self._probes] for column in columns}
        if shard := self._request.shard:
            versions = [column for column in columns if isinstance(column, str)]
            own = set(matrix.dealt(versions, [probe.id for probe in self._probes], shard))
            wanted = {version: [p for p in self._probes if (version, p.id) in own] for version in versions}
        idle = shard is not None and bool(self._probes)
        told = self._all(wanted, self._request.repeat, fresh=self._request.fresh, idle=idle)
        if self._request.confirm and shard is None:
            second = self._doubtful(told)
            told = {column: _joined(told[column], second.get(column, ())) for column in columns}
        return told

    def _doubtful(self, told: Mapping[str | OwnHost, Rows]) -> dict[str | OwnHost, Rows]:
        doubts = behaviour.doubtful(told)
        wanted = {column: [probe for probe in self._probes if probe.id in names] for column, names in doubts.items()}
        return self._all({column: some for column, some in wanted.items() if some}, max(2, self._request.repeat), idle=True)

    def _all(
        self, wanted: Mapping[str | OwnHost, Sequence[Probe]], repeat: int, *, fresh: bool = False, idle: bool = False
    ) -> dict[str | OwnHost, Rows]:
        """``idle``: a column with nothing to ask is left alone; else the control is asked there."""
        from driftwatch.observe.probes.runner import groups

        rows: dict[str | OwnHost, Rows] = dict.fromkeys(wanted, ())
        spread = max(1, ceil(self._engine.workers / max(1, sum(map(bool, wanted.values())))))
        units = []
        for column, probes in wanted.items():
            for group in groups(probes, self.control, spread) if probes or not idle else ():
                version, own = (column, None) if isinstance(column, str) else ("", column)
                units.append((column, Work(self._host, group.probes, version, own, repeat, fresh)))
        for (column, _), more in zip(units, self._engine.all([work for _, work in units]), strict=True):
            rows[column] = _joined(rows[column], more)
        return rows

    def integrities(self, columns: Collection[str]) -> dict[str, str]:
        """Of the published versions, as the registry promises them."""
        found: dict[str, str] = {}
        for version in columns:
            try:
                found[version] = self._world.registry.version(self.driver.package(), version).integrity
            except Unobservable:
                continue
        return found


def _joined(rows: Rows, more: Rows) -> Rows:
    """Rows of one host by id; what was asked later counts. The control is asked with every group: the best of it counts."""
    by_id = {row.id: row for row in rows}
    for row in more:
        if row.outcome != "unverified" or row.flaky or row.id not in by_id:
            by_id[row.id] = row
    return tuple(by_id[name] for name in sorted(by_id))


def labelled(rows: Sequence[ProbeRow], own: OwnHost, taken: Collection[str]) -> list[ProbeRow]:
    """Rows of a host of the user's own, called by the version it says it is; by its program as well where it said none or
    another host has the same."""
    name = Path(own.executable or own.command[0]).name
    said = next((row.version for row in rows if row.version), "")
    label = said if said and said not in taken else f"{said} ({name})".strip()
    number = 2
    while label in taken:
        label, number = f"{said} ({name}, {number})".strip(), number + 1
    return [replace(row, version=label) for row in rows]


def resolve(host: Host, version: str, world: World) -> str:
    """A dist-tag of the host's own package, or the version as given."""
    from driftwatch.observe.hosts import driver
    from driftwatch.versions import parse

    if parse(version):
        return version
    package = driver(host.driver).package()
    tags = world.registry.packument(package).dist_tags
    if version not in tags:
        raise UsageError(f"{version!r} is neither a version nor a dist-tag of {package}", did_you_mean(version, tags))
    return tags[version]
