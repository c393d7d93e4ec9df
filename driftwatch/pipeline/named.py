"""What the project names in upstream's files: declarations by their syntax (``source:``) and texts (``text:``), of both sides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from driftwatch import addresses
from driftwatch.errors import Unobservable
from driftwatch.judge.terms import Terms
from driftwatch.model import Address, Gap, Observed
from driftwatch.observe.facts.texts import HOST
from driftwatch.pipeline.sides import Side
from driftwatch.pipeline.world import World

if TYPE_CHECKING:
    from driftwatch.config.model import Upstream
    from driftwatch.observe.sources.git import Mirror

KINDS = ("source", "text")


def asked(terms: Terms) -> list[Address]:
    """The patterns of the terms that mean something in the repository's files."""
    patterns = (Address(reliance.address) for reliance in terms.reliances)
    return [each for each in patterns if each.kind in KINDS and each.subject != HOST]


def look(upstream: Upstream, sides: Sequence[Side], terms: Terms, world: World) -> list[Observed]:
    """Facts and gaps of each side. Each side's commit is that of its branch, or of its version's tag."""
    patterns = asked(terms)
    return [_look(upstream, side, patterns, world) if patterns else Observed() for side in sides]


def _look(upstream: Upstream, side: Side, patterns: Sequence[Address], world: World) -> Observed:
    try:
        if upstream.git is None:
            raise Unobservable("no git repository is named for this upstream", "add `git:` to it in the watchlist")
        mirror = world.mirror(upstream.git)
        if upstream.branch and not side.commit:
            raise Unobservable(*((side.gaps[0].reason, side.gaps[0].remedy) if side.gaps else ("its commit is not known", "")))
        commit = side.commit or mirror.commit(side.version, upstream.git.tags)
        mirror.fetch(commit, watched=[pattern.subject for pattern in patterns])
        told = Observed.join(_read(mirror, commit, pattern) for pattern in patterns)
        return Observed(tuple({fact.address: fact for fact in told.facts}.values()), told.gaps)  # two patterns may mean one place
    except Unobservable as error:
        return Observed(gaps=tuple(Gap(pattern, error.message, error.remedy) for pattern in patterns))


def _read(mirror: Mirror, commit: str, pattern: Address) -> Observed:
    """The files a pattern means. One that is not there gives no fact: nobody looked into it."""
    from driftwatch.observe.facts import source, texts

    blobs = mirror.read(commit, mirror.tree(commit, [pattern.subject]))
    parts = []
    for path, blob in sorted(blobs.items()):
        where = f"git:{path}@{commit[:12]}"
        if blob.data is None:
            parts.append(Observed(gaps=(Gap(Address.of(pattern.kind, path), "the file is too large to be read"),)))
        elif pattern.kind == "text":
            parts.append(texts.observe(path, blob.data, [pattern.member], where))
        else:
            parts.append(_needed(source.observe(path, blob.data, where), pattern))
    return Observed.join(parts)


def _needed(declared: Observed, pattern: Address) -> Observed:
    """What the pattern means, and what tells that it was looked for: what it would be a member of, and one declaration."""
    match = addresses.compile([pattern])
    kept = [fact for fact in declared.facts if match(fact.address) or addresses.matches(fact.address, pattern)]
    return Observed(tuple(kept or declared.facts[:1]), declared.gaps)
