"""The repository side of an upstream: where versions point, and the watched files of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from driftwatch.errors import Unobservable
from driftwatch.judge.compare import files as compare_files
from driftwatch.model import Address, Fact, FileRow, Gap, Observed
from driftwatch.pipeline.polling import Polled
from driftwatch.pipeline.sides import Side
from driftwatch.pipeline.world import World
from driftwatch.store.lock import LockedUpstream

if TYPE_CHECKING:
    from driftwatch.config.model import Upstream
    from driftwatch.observe.facts.files import Package, Pair, Version
    from driftwatch.observe.sources.git import Mirror


NOTHING = Observed()


@dataclass(frozen=True, slots=True)
class Looked:
    """Facts and gaps of both sides, the rows a reader sees, and the commits the two versions point at ("" unknown)."""

    old: Observed = NOTHING
    new: Observed = NOTHING
    rows: tuple[FileRow, ...] = ()
    before: str = ""
    after: str = ""


def look(upstream: Upstream, before: Side, after: Side, locked: LockedUpstream | None, polled: Polled, world: World) -> Looked:
    """The tag targets, the anchors, then the watched files: in git, or where git can't be reached in the published packages."""
    if upstream.git is None and not upstream.watch and not upstream.anchors:
        return Looked()
    mirror, refused = _mirror(upstream, world)
    if upstream.branch:  # the sides know their commits; one that is not known is why nothing of it can be read
        commits, found = (before.commit, after.commit), _Targets()
        unknown = next((gap for side in (before, after) if not side.commit for gap in side.gaps), None)
        refused = refused or (Unobservable(unknown.reason, unknown.remedy) if unknown else None)
    else:
        commits, found = _commits(upstream, before, after, locked, mirror)
    told = _anchors(upstream, commits, before.version, locked, mirror, refused, world)
    found = _Targets(found.old + told[0], found.new + told[1])
    watched = [path.path for path in upstream.watch]
    if not watched:
        return Looked(found.old, found.new, before=commits[0], after=commits[1])
    from driftwatch.observe.facts.files import Version, pair

    pattern = upstream.git.tags if upstream.git else "v{version}"
    versions: list[Version] = [
        Version(side.version, mirror, pattern, commit, lambda side=side: _packages(side, polled, world))  # type: ignore[misc]
        for side, commit in zip((before, after), commits, strict=True)
    ]
    seen: Pair = pair(versions[0], versions[1], watched)
    if refused:
        seen = replace(seen, old=_because(seen.old, refused), new=_because(seen.new, refused))
    rows = compare_files.rows(seen.old, seen.new, [(path.path, path.breaks) for path in upstream.watch], seen.texts)
    return Looked(found.old + seen.old, found.new + seen.new, rows, *commits)


def _anchors(
    upstream: Upstream,
    commits: tuple[str, str],
    accepted: str,
    locked: LockedUpstream | None,
    mirror: Mirror | None,
    refused: Unobservable | None,
    world: World,
) -> tuple[Observed, Observed]:
    """Where the references of the project's own documents point, on both sides."""
    if not upstream.anchors:
        return NOTHING, NOTHING
    if mirror is None or not all(commits):
        reason = refused.message if refused else "the commits of the versions are not known" if mirror else "no `git:` is named"
        gaps = tuple(
            Gap(f"anchor:{glob}", reason, refused.remedy if refused else "see `git` in the watchlist")
            for glob in upstream.anchors
        )
        return Observed(gaps=gaps), Observed(gaps=gaps)
    from driftwatch.observe.facts import anchors

    kept = locked.facts if locked and locked.version == accepted else {}
    seen = anchors.observe(world.root, upstream.anchors, mirror, *commits, kept)
    return seen.old, seen.new


def _mirror(upstream: Upstream, world: World) -> tuple[Mirror | None, Unobservable | None]:
    if upstream.git is None:
        return None, None
    try:
        return world.mirror(upstream.git), None
    except Unobservable as error:
        return None, error


def _because(side: Observed, refused: Unobservable) -> Observed:
    """Gaps that only say "no repository" get the reason it could not be opened."""
    return replace(side, gaps=tuple(replace(gap, reason=refused.message, remedy=refused.remedy) for gap in side.gaps))


@dataclass(frozen=True, slots=True)
class _Targets:
    old: Observed = NOTHING
    new: Observed = NOTHING


def _commits(
    upstream: Upstream, before: Side, after: Side, locked: LockedUpstream | None, mirror: Mirror | None
) -> tuple[tuple[str, str], _Targets]:
    """The commits of both versions by tag, and what the lock says the accepted tag pointed at against today."""
    if upstream.git is None or mirror is None:
        return ("", ""), _Targets()
    shas: list[str] = []
    facts: tuple[list[Fact], list[Fact]] = ([], [])
    gaps: list[Gap] = []
    for side in (before, after):
        name = upstream.git.tags.replace("{version}", side.version or "*")
        try:
            sha = mirror.commit(side.version, upstream.git.tags)
        except Unobservable as error:
            gaps.append(Gap(f"commit:{name}", error.message, error.remedy))
            sha = ""
        shas.append(sha)
        accepted = locked.tag_targets.get(name) if locked else None
        if sha and accepted:
            facts[0].append(Fact(Address.of("commit", name), accepted, "watchlist.lock"))
            facts[1].append(Fact(Address.of("commit", name), sha, "git"))
    # An accepted commit that the tag no longer points at is still what was accepted: files are compared from there.
    if locked and locked.commit and before.version == locked.version:
        shas[0] = locked.commit
    unique = tuple(dict.fromkeys(gaps))
    return (shas[0], shas[1]), _Targets(Observed(tuple(dict.fromkeys(facts[0])), unique), Observed(tuple(facts[1]), unique))


def _packages(side: Side, polled: Polled, world: World) -> Sequence[Package]:
    """The published packages of a side, read from their verified tarballs. Raises Unobservable when none can be had."""
    from driftwatch.observe.facts.files import Package
    from driftwatch.observe.sources.archive import members

    packages: list[Package] = []
    refusal: Unobservable | None = None
    for name, chosen in side.packages.items():
        if name not in polled.packuments or not chosen.version:
            continue
        try:
            packages.append(Package(name, chosen.version, members(world.registry.tarball(name, chosen.version))))
        except Unobservable as error:
            refusal = error
    if refusal and not packages:
        raise refusal
    return packages
