"""The two sides of a run: for each package of an upstream, the version that stands for before and for after."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from driftwatch.errors import UsageError, did_you_mean
from driftwatch.model import Gap, PackageRow, Ref
from driftwatch.pipeline.polling import Polled
from driftwatch.pipeline.versions import Pick, pick
from driftwatch.store.lock import LockedUpstream
from driftwatch.versions import ordered, parse

if TYPE_CHECKING:
    from driftwatch.config.model import Upstream


@dataclass(frozen=True, slots=True)
class Side:
    """``packages``: package -> its version on this side ("" when it has none there). ``gaps``: what that hides."""

    version: str
    packages: Mapping[str, Pick]
    gaps: tuple[Gap, ...] = ()
    commit: str = ""

    def ref(self, upstream: Upstream, polled: Polled) -> Ref:
        if upstream.branch:
            return Ref(upstream.id, self.version, commit=self.commit)
        version = self.packages[upstream.primary].version
        packument = polled.packuments.get(upstream.primary)
        info = packument.versions.get(version) if packument else None
        return Ref(upstream.id, self.version, upstream.primary, self.commit, info.integrity if info else "")


def before(upstream: Upstream, polled: Polled, locked: LockedUpstream | None, asked: str = "", fallback: str = "") -> Side:
    """The accepted side: ``asked`` (--from), else the lock, else the watchlist's ``accepted``, else ``fallback``."""
    if locked and not asked:
        packages = {name: Pick(locked.packages[name].version) if name in locked.packages else _of(name, locked.version, polled)
                    for name in upstream.packages}  # fmt: skip
        return Side(locked.version, packages, _lacking(packages, polled))
    _not_above(upstream, polled, asked)
    version = asked or upstream.accepted or fallback
    if not version:
        raise UsageError(
            f"upstream {upstream.id!r} has no accepted version to compare with",
            "run `driftwatch accept`, or write `accepted:` into the watchlist, or pass --from",
        )
    return _side(upstream, polled, _resolve(upstream, polled, version))


def after(upstream: Upstream, polled: Polled, asked: str = "") -> Side:
    """The new side: ``asked`` (--to, a version or a dist-tag), else what the watched dist-tag of the primary package says."""
    _not_above(upstream, polled, asked)
    wanted = asked or upstream.tag
    side = _side(upstream, polled, _resolve(upstream, polled, wanted))
    packument = polled.packuments.get(upstream.primary)
    if asked and (packument is None or asked not in packument.dist_tags):
        return side  # a version of the user's choice: the nearest published one may stand for it, and that is said
    astray = tag_gaps(upstream, polled, wanted)
    if astray and side.version:
        packages = {**side.packages, upstream.primary: Pick("", f"{side.version} is not published")}
        side = replace(side, packages=packages, gaps=_lacking(packages, polled))
    return replace(side, gaps=side.gaps + astray)


def must_be_published(upstream: Upstream, polled: Polled, asked: str) -> None:
    """Raises UsageError where the user names a version that the first package does not have: another one would be compared
    under its name. A sibling that lacks it is another matter, since packages may skip versions."""
    packument = polled.packuments.get(upstream.primary)
    published = ordered(packument.versions) if packument else []
    if not published or parse(asked) is None or asked in published:
        return
    _not_above(upstream, polled, asked)
    row = ordered([*published, asked])
    place = row.index(asked)
    near = row[max(0, place - 1) : place] + row[place + 1 : place + 2]
    raise UsageError(
        f"{asked} of {upstream.primary} is not published",
        f"the nearest published version{'s are' if len(near) > 1 else ' is'} {' and '.join(near)}",
    )


def _not_above(upstream: Upstream, polled: Polled, asked: str) -> None:
    """Raises UsageError for a version above everything published: the newest one is no evidence for what is not there yet."""
    packument = polled.packuments.get(upstream.primary)
    published = ordered(packument.versions) if packument else []
    if not published or parse(asked) is None or asked in published or ordered([*published, asked])[-1] != asked:
        return
    raise UsageError(
        f"{asked} of {upstream.primary} is not published, nor is anything above it", f"the newest version is {published[-1]}"
    )


def pinned(side: Side, pins: Mapping[str, Pick], polled: Polled) -> Side:
    """The side with these packages at versions of their own: what the project installs beats what belongs together."""
    if not pins:
        return side
    packages = {name: pins.get(name, chosen) for name, chosen in side.packages.items()}
    return replace(side, packages=packages, gaps=_lacking(packages, polled))


def tag_gaps(upstream: Upstream, polled: Polled, tag: str) -> tuple[Gap, ...]:
    """Why a dist-tag of the primary package leads nowhere: it is not there, or what it names is not published."""
    packument = polled.packuments.get(upstream.primary)
    version = packument.dist_tags.get(tag) if packument else None
    if packument is None or not version:
        reason = f"no dist-tag {tag!r} of {upstream.primary} could be read"
        return (Gap(f"tag:{upstream.primary}#{tag}", reason, "look at `driftwatch poll`"),)
    if packument.versions and version not in packument.versions:
        reason = f"the dist-tag {tag} points at {version}, which is not published"
        remedy = "name a published version with --to, and do not install by that tag"
        return (Gap(f"version:{upstream.primary}#{version}", reason, remedy),)
    return ()


def _resolve(upstream: Upstream, polled: Polled, wanted: str) -> str:
    """A dist-tag of the primary package, else the version as it was given; "" when the packument is not to be had."""
    packument = polled.packuments.get(upstream.primary)
    tags = packument.dist_tags if packument else {}
    if wanted in tags or wanted == upstream.tag:
        return tags.get(wanted, "")
    if parse(wanted) is None:
        known = [*tags, *(packument.versions if packument else ())]
        raise UsageError(
            f"{wanted!r} is neither a version nor a dist-tag of {upstream.primary}",
            did_you_mean(wanted.strip().removeprefix("v"), known) or "see `driftwatch poll` for its dist-tags",
        )
    return wanted


def _side(upstream: Upstream, polled: Polled, version: str) -> Side:
    packages = {name: _of(name, version, polled) for name in upstream.packages}
    return Side(version, packages, _lacking(packages, polled))


def _of(name: str, version: str, polled: Polled) -> Pick:
    packument = polled.packuments.get(name)
    if packument is None or not version:
        return Pick("", "")
    return pick(version, packument.versions)


def _lacking(packages: Mapping[str, Pick], polled: Polled) -> tuple[Gap, ...]:
    """A package that has no version on a side hides its manifest and declarations there."""
    gaps: list[Gap] = []
    for name, chosen in packages.items():
        packument = polled.packuments.get(name)
        if packument is None:
            reason, remedy = "the package could not be read from the registry", "see the gap at its tags"
        elif not chosen.version:
            reason, remedy = chosen.note or "no version to look at", "see its tags and versions"
        elif chosen.version not in packument.versions:
            reason, remedy = f"{name} {chosen.version} is not published (any more)", "accept a published version"
        else:
            continue
        gaps += [Gap(pattern, reason, remedy) for pattern in (f"manifest:{name}", f"ts:{name}", f"ts:{name}/**")]
    return tuple(gaps)


def package_rows(old: Side, new: Side) -> tuple[PackageRow, ...]:
    return tuple(
        PackageRow(name, old.packages[name].version, new.packages[name].version, _note(old.packages[name], new.packages[name]))
        for name in new.packages
    )


def _note(old: Pick, new: Pick) -> str:
    return "; ".join(dict.fromkeys(note for note in (old.note, new.note) if note))
