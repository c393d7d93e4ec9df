"""What the project's own source uses of an upstream, at the versions it is pinned to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftwatch.model import Observed
from driftwatch.pipeline.polling import Polled
from driftwatch.pipeline.sides import Side
from driftwatch.pipeline.world import World

if TYPE_CHECKING:
    from driftwatch.config.model import Upstream, Watchlist


def look(watchlist: Watchlist, upstream: Upstream, before: Side, polled: Polled, world: World) -> Observed:
    """``use:`` facts and gaps. The same for both sides of a comparison: it is our source that is looked at, with the
    declarations of the accepted versions."""
    from driftwatch.observe.facts import ownconfig
    from driftwatch.observe.facts.declarations import Wanted
    from driftwatch.observe.facts.usage import Usage
    from driftwatch.observe.typescript.usage.sources import select

    if not select(watchlist.root, watchlist.project.source).files and not watchlist.project.source:
        return ownconfig.observe(watchlist.root) if upstream.host else Observed()
    settings = world.settings
    wanted = []
    for name, chosen in before.packages.items():
        packument = polled.packuments.get(name)
        if packument is not None and chosen.version in packument.versions:
            wanted.append(Wanted(name, chosen.version, packument.versions[chosen.version].integrity))
    if not wanted:
        return Observed()  # said by the side's gaps
    reader = Usage(world.registry, settings.cache, settings.progress, offline=settings.offline)
    found = reader.observe(watchlist.root, watchlist.project.source, wanted)
    return found + ownconfig.observe(watchlist.root) if upstream.host else found


def kinds(used: Observed) -> frozenset[str]:
    """The kinds of address the source was found to use: what is worth observing upstream."""
    return frozenset(fact.address.member.partition(":")[0] for fact in used.facts)
