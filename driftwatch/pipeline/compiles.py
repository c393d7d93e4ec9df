"""Our own source as a floor: the first version of the API package with which it compiles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from driftwatch import addresses as patterns
from driftwatch.config.model import Upstream, Watchlist
from driftwatch.errors import ConfigError, Problem, Unobservable
from driftwatch.judge.holding import Demand
from driftwatch.model import Fact, Gap, Observed
from driftwatch.observe.typescript.typecheck import Project, relied
from driftwatch.pipeline.asked import Asked
from driftwatch.pipeline.typecheck import ADDRESS, Request, Source
from driftwatch.pipeline.world import World

TYPED = (".ts", ".tsx", ".mts", ".cts")


def asked(upstream: Upstream, watchlist: Watchlist, only: Sequence[str]) -> tuple[Asked, ...]:
    """The floor's row for our own source, where there is TypeScript that depends on this upstream. ``only``: unless other
    addresses are asked for. Raises ConfigError for a manifest that cannot be read."""
    from driftwatch.observe.typescript.usage.sources import select

    if only and not any(patterns.matches(address, ADDRESS) for address in only):
        return ()
    try:
        depends = relied(Project(watchlist.root), upstream.packages)
    except Unobservable as error:
        raise ConfigError([Problem(str(watchlist.root / "package.json"), 0, 0, error.message)]) from error
    if not depends or not any(file.endswith(TYPED) for file in select(watchlist.root, watchlist.project.source).files):
        return ()
    demand = Demand(ADDRESS)
    return (Asked(demand, "our own source compiles with it", declared=demand),)


class Compiles:
    """The track of a floor search along which our own source is compiled."""

    whole = False
    limit = 24
    title = "our source"

    def __init__(self, upstream: Upstream, watchlist: Watchlist, world: World) -> None:
        self._source = Source(Request(watchlist.root, upstream.packages, watchlist.project.source), world)

    @property
    def package(self) -> str:
        return self._source.packages[0]

    def look(self, versions: Sequence[str]) -> Iterator[tuple[str, Observed]]:
        for version in versions:
            yield version, self._one(version)

    def _one(self, version: str) -> Observed:
        found = self._source.row(version)
        if found.outcome == "unverified":
            return Observed(gaps=(Gap(ADDRESS, found.reason),))
        return Observed((Fact(ADDRESS, True),)) if found.outcome == "compiles" else Observed()
