"""The type changes of a run, each proven by a witness where one can be made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from driftwatch.model import Change, Observed, Snapshot

if TYPE_CHECKING:
    from driftwatch.pipeline.polling import Polled
    from driftwatch.pipeline.sides import Side
    from driftwatch.pipeline.world import World

Pair = tuple[tuple[str, str, str], tuple[str, str, str]]  # (package, version, integrity), before and after


def pairs(before: Side, after: Side, polled: Polled) -> list[Pair]:
    """The packages that are at two versions."""
    found: list[Pair] = []
    for name, packument in polled.packuments.items():
        was, now = (side.packages[name].version for side in (before, after))
        if was != now and was in packument.versions and now in packument.versions:
            found.append(
                ((name, was, packument.versions[was].integrity), (name, now, packument.versions[now].integrity)),
            )
    return found


def prove(changes: Sequence[Change], old: Snapshot, new: Snapshot, among: Sequence[Pair], world: World) -> tuple[Change, ...]:
    """The same changes in the same order; those of types are ``proven`` where lines compile against one side only."""
    if not among or all(change.address.kind != "ts" for change in changes):
        return tuple(changes)
    from driftwatch.observe.facts.declarations import Declarations, Wanted

    settings = world.settings
    reader = Declarations(world.registry, settings.cache, settings.progress, offline=settings.offline)
    observed = (Observed(old.facts), Observed(new.facts))
    told = list(changes)
    for was, now in among:
        mine = [n for n, change in enumerate(told) if change.confidence == "likely" and owns(was[0], change)]
        for n, change in zip(mine, reader.prove((Wanted(*was), Wanted(*now)), observed, [told[n] for n in mine]), strict=True):
            told[n] = change
    return tuple(told)


def owns(package: str, change: Change) -> bool:
    """Whether a change stands in this package's types, or is reached from them."""
    reaches = change.args.get("reaches")
    touched = [change.address, *map(str, reaches if isinstance(reaches, list) else ())]
    return any(address.startswith((f"ts:{package}#", f"ts:{package}/")) or address == f"ts:{package}" for address in touched)
