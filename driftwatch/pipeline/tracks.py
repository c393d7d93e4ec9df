"""What a floor search walks along: the published versions of one package, and how one version is looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from driftwatch.errors import Unobservable
from driftwatch.judge.holding import Demand
from driftwatch.judge.terms import Relied, Terms
from driftwatch.model import Gap, Observed
from driftwatch.pipeline import behaviour, contract
from driftwatch.pipeline.sides import Side
from driftwatch.pipeline.world import World
from driftwatch.versions import ordered

if TYPE_CHECKING:
    from driftwatch.config.model import Upstream
    from driftwatch.observe.facts.declarations import Declarations
    from driftwatch.observe.probes import Probe


class Track(Protocol):
    """``title`` says what is looked at; ``whole``: all versions at once cost what one costs; ``limit``: so many looks are as
    much as should be spent without being asked to."""

    title: str
    whole: bool
    limit: int

    @property
    def package(self) -> str:
        """Whose published versions they are. Raises Unobservable."""

    def look(self, versions: Sequence[str]) -> Iterator[tuple[str, Observed]]:
        """What is at each version. Never raises for what cannot be looked at: that is a gap."""


def published(track: Track, world: World) -> list[str]:
    """Every published version, prereleases too, in semver order. Raises Unobservable."""
    return ordered(world.registry.packument(track.package).versions)


class Manifests:
    """package.json of every version: all of them came with the list of versions."""

    whole = True
    limit = 0

    def __init__(self, package: str, world: World) -> None:
        self.package, self.title, self._registry = package, f"manifests of {package}", world.registry

    def look(self, versions: Sequence[str]) -> Iterator[tuple[str, Observed]]:
        from driftwatch.observe.facts import manifest

        for version in versions:
            try:
                yield version, manifest.observe(self.package, self._registry.manifest(self.package, version))
            except Unobservable as error:
                yield version, Observed(gaps=(Gap(f"manifest:{self.package}", error.message, error.remedy),))


class Declared:
    """The declared types of a package, read by the compiler's own API."""

    whole = False
    limit = 48

    def __init__(self, package: str, world: World) -> None:
        self.package, self.title, self._world = package, f"declarations of {package}", world

    @cached_property
    def _reader(self) -> Declarations:
        from driftwatch.observe.facts.declarations import Declarations

        settings = self._world.settings
        return Declarations(self._world.registry, settings.cache, settings.progress, offline=settings.offline)

    def look(self, versions: Sequence[str]) -> Iterator[tuple[str, Observed]]:
        from driftwatch.observe.facts.declarations import Wanted

        known = self._world.registry.packument(self.package).versions
        wanted = [Wanted(self.package, version, known[version].integrity) for version in versions]
        # Two together would be a pair to compare: what moved between them is then followed, which no floor asks for.
        batches = [wanted] if len(wanted) > 2 else [[one] for one in wanted]
        for batch in batches:
            for one, observed in zip(batch, self._reader.observe(batch), strict=True):
                yield one.version, observed


class Hosts:
    """Booted hosts: one boot answers every probe. Their API documents and call sites too, where they are asked for."""

    whole = False
    limit = 24

    def __init__(self, upstream: Upstream, demands: Sequence[Demand], probes: Sequence[Probe], world: World) -> None:
        self._upstream, self._probes, self._world = upstream, probes, world
        self._demands = demands
        self._kinds = {demand.address.partition(":")[0] for demand in demands}
        self.title = "hosts"

    @cached_property
    def package(self) -> str:
        from driftwatch.observe.hosts import driver

        assert self._upstream.host is not None
        return driver(self._upstream.host.driver).package()

    def look(self, versions: Sequence[str]) -> Iterator[tuple[str, Observed]]:
        workers = max(1, min(len(versions), self._world.settings.jobs // 2))
        pool = ThreadPoolExecutor(workers)
        try:
            yield from zip(versions, pool.map(self._one, versions), strict=True)
        except BaseException:
            from driftwatch.observe.ending import ending

            with ending():
                pool.shutdown(cancel_futures=True)
            raise
        finally:
            pool.shutdown()

    def _one(self, version: str) -> Observed:
        from driftwatch.observe.facts import behaviour as rows_observed

        parts = []
        if self._probes:
            rows = behaviour.on(self._upstream.host, self._probes, version, self._world, thrifty=True)
            parts.append(rows_observed.observe(rows))
        served = contract.Served(self._upstream, Side(version, {}), self._world, boot=True)
        if self._kinds & set(contract.API):
            parts.append(served.api())
        if "call" in self._kinds:
            parts.append(served.calls(self._hooks))
        return contract.merged(parts)

    @cached_property
    def _hooks(self) -> list[str]:
        """Every hook that the newest declarations know, and those asked for: a count of 0 means something only where another
        hook of the same host is counted."""
        relied = [Relied(demand.address) for demand in self._demands]
        terms = Terms("implementer", self._world.settings.now.date(), relied)
        newest = Declared(self._upstream.primary, self._world)
        try:
            versions = [version for version in published(newest, self._world) if "-" not in version][-1:]
            declared = [observed for _, observed in newest.look(versions)]
        except Unobservable as error:
            self._world.settings.progress.note(f"only the hooks asked for are counted: {error.message}")
            declared = []
        found = Observed.join(declared)
        return contract.countable(self._upstream, terms, (found, found))
