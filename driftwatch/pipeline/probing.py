"""``driftwatch probe``: probes on hosts of any versions, without a watchlist."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from driftwatch.errors import EXIT_CLEAN, EXIT_FINDINGS, EXIT_UNVERIFIED, UsageError, did_you_mean
from driftwatch.model import ProbeRow
from driftwatch.pipeline import behaviour
from driftwatch.pipeline.world import World

if TYPE_CHECKING:
    from driftwatch.config.model import Host


def probe(host: Host, versions: Sequence[str], ids: Sequence[str], world: World) -> tuple[ProbeRow, ...]:
    """Each probe (all of the host's library when ``ids`` is empty) on each version or dist-tag, sorted by version given.

    Raises UsageError for an unknown probe, Unobservable when dist-tags cannot be resolved.
    """
    from driftwatch.observe.probes import load_library

    folders = [world.root / each for each in ids if each.startswith("./")]
    library = load_library(folders, host.driver)
    unknown = [each for each in ids if not each.startswith("./") and each not in library]
    if unknown:
        raise UsageError(f"there is no probe {unknown[0]!r}", did_you_mean(unknown[0], library) or f"known: {', '.join(library)}")
    own = [each for each in library if each not in load_library(host=host.driver)]
    wanted = [library[each] for each in (*own, *(each for each in ids if each in library)) or library]
    rows: list[ProbeRow] = []
    for version in dict.fromkeys(resolve(host, version, world) for version in versions):
        rows += behaviour.on(host, wanted, version, world)
    return tuple(rows)


def resolve(host: Host, version: str, world: World) -> str:
    """A dist-tag of the host's own package, or the version as given."""
    from driftwatch.observe.hosts import driver
    from driftwatch.pipeline.versions import parse

    if parse(version):
        return version
    package = driver(host.driver).package()
    tags = world.registry.packument(package).dist_tags
    if version not in tags:
        raise UsageError(f"{version!r} is neither a version nor a dist-tag of {package}", did_you_mean(version, tags))
    return tags[version]


def exit_code(rows: Sequence[ProbeRow]) -> int:
    if any(row.outcome == "broken" for row in rows):
        return EXIT_FINDINGS
    return EXIT_UNVERIFIED if any(row.outcome == "unverified" for row in rows) else EXIT_CLEAN
