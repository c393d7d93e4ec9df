"""``driftwatch probe``: probes on hosts of any versions, without a watchlist."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from driftwatch.errors import EXIT_CLEAN, EXIT_FINDINGS, EXIT_UNVERIFIED, UsageError, did_you_mean
from driftwatch.model import ProbeRow
from driftwatch.pipeline import behaviour
from driftwatch.pipeline.specs import chosen
from driftwatch.pipeline.world import World

if TYPE_CHECKING:
    from driftwatch.config.model import Host, OwnHost


def probe(
    host: Host, versions: Sequence[str], ids: Sequence[str], world: World, owns: Sequence[OwnHost] = ()
) -> tuple[ProbeRow, ...]:
    """Each probe (all of the host's library when ``ids`` is empty; a pattern stands for all it fits) on each version or
    dist-tag in the order given, then on each host of the user's own.

    Raises UsageError for an unknown probe, Unobservable when dist-tags cannot be resolved.
    """
    from driftwatch.observe.probes import load_library

    folders = [world.root / each for each in ids if each.startswith("./")]
    library = load_library(folders, host.driver)
    built_in = chosen([each for each in ids if not each.startswith("./")], library)
    beside = [each for each in library if each not in load_library(host=host.driver)]
    wanted = [library[each] for each in dict.fromkeys([*beside, *built_in]) or library]
    rows: list[ProbeRow] = []
    for version in dict.fromkeys(resolve(host, version, world) for version in versions):
        rows += behaviour.on(host, wanted, version, world)
    for own in owns:
        rows += labelled(behaviour.on(host, wanted, "", world, own), own, {row.version for row in rows})
    return tuple(rows)


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
