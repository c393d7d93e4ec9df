"""What the packages themselves say: package.json of each on a side, and how far the accepted versions are from the dist-tags."""

from __future__ import annotations

from dataclasses import replace

from driftwatch.errors import Unobservable
from driftwatch.judge.terms import Terms
from driftwatch.model import Gap, Observed
from driftwatch.pipeline.contract import wanted
from driftwatch.pipeline.polling import Polled
from driftwatch.pipeline.sides import Side
from driftwatch.pipeline.world import World


def manifests(side: Side, polled: Polled, world: World) -> Observed:
    """package.json of each package at its version on this side."""
    from driftwatch.observe.facts import manifest

    parts = [Observed(gaps=side.gaps)]
    for name, chosen in side.packages.items():
        packument = polled.packuments.get(name)
        if packument is None or chosen.version not in packument.versions:
            continue  # said by the side's gaps
        try:
            parts.append(manifest.observe(name, world.registry.manifest(name, chosen.version)))
        except Unobservable as error:
            parts.append(Observed(gaps=(Gap(f"manifest:{name}", error.message, error.remedy),)))
    return Observed.join(parts)


def pins(before: Side, polled: Polled, terms: Terms) -> Observed:
    """How far the accepted versions are from the dist-tags, when somebody asks: a fact of today, the same for both sides."""
    from driftwatch.observe.facts import pins as distances

    if not wanted(replace(terms, everything=False), ("pin",)):
        return Observed()
    parts = []
    for name, chosen in before.packages.items():
        packument = polled.packuments.get(name)
        if packument is None:
            parts.append(Observed(gaps=(Gap(f"pin:{name}", "the package could not be read from the registry", "see its tags"),)))
        else:
            parts.append(distances.observe(name, chosen.version, packument))
    return Observed.join(parts)
