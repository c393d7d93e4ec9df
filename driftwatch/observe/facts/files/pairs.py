"""Watched files of one version, or of two with what happened to each between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from driftwatch.errors import Unobservable
from driftwatch.model import Gap, Json, Observed
from driftwatch.observe.facts.files import repository, tarball
from driftwatch.observe.facts.files.seen import Seen
from driftwatch.observe.facts.files.texts import Text, from_bytes, from_patch
from driftwatch.observe.sources.git import Mirror, Renamed
from driftwatch.observe.sources.paths import address

_NO_GIT = Unobservable("no git repository is named for this upstream", "add `git:` to it in the watchlist")


@dataclass(frozen=True, slots=True)
class Version:
    """Where the files of one version may be read.

    ``commit`` is a full id; when it is "", the version's tag is looked up by ``tags`` (``v{version}``). ``packages`` is asked
    only when git can't be reached; it may raise Unobservable.
    """

    version: str
    mirror: Mirror | None = None
    tags: str = "v{version}"
    commit: str = ""
    packages: Callable[[], Sequence[tarball.Package]] = tuple

    def resolved(self) -> tuple[Mirror, str]:
        """The mirror and the commit. Raises Unobservable."""
        if self.mirror is None:
            raise _NO_GIT
        return self.mirror, self.commit or self.mirror.commit(self.version, self.tags)


@dataclass(frozen=True, slots=True)
class Pair:
    """Facts and gaps of both sides, and a diff for each address that differs. Renamed files carry where they came from."""

    old: Observed
    new: Observed
    texts: Mapping[str, Text] = field(default_factory=dict)


def observe(version: Version, watched: Sequence[str]) -> Observed:
    """The watched files of one version. Never raises Unobservable: what can't be looked at is a gap."""
    try:
        mirror, commit = version.resolved()
        return _observed(repository.seen(mirror, commit, watched).values())
    except Unobservable as refusal:
        found, gaps = _carried(version, watched, refusal)
        return _observed((seen for part in found.values() for seen in part), gaps.values())


def pair(old: Version, new: Version, watched: Sequence[str]) -> Pair:
    """The watched files of two versions, read in git on both sides, or in the packages on both. Never raises Unobservable."""
    if not watched:
        return Pair(Observed(), Observed())
    try:
        return _in_git(old, new, watched)
    except Unobservable as refusal:
        return _in_packages(old, new, watched, refusal)


def _in_git(old: Version, new: Version, watched: Sequence[str]) -> Pair:
    (mirror, before), (_, after) = old.resolved(), new.resolved()
    mirror.fetch(before, after, watched=watched)
    one, other = (repository.seen(mirror, commit, watched) for commit in (before, after))
    renames, gaps = _followed(mirror, before, after, sorted(one.keys() - other.keys()))
    places = repository.seen(mirror, after, [place for place, _ in renames.values()]) if renames else {}
    for path, (place, similarity) in renames.items():
        extra: dict[str, Json] = {"renamed_from": str(address(path)).removeprefix("file:"), "similarity": similarity}
        other[place] = replace(places[place], extra=extra)
    differing = sorted(path for path in {*one, *other} if _differ(one.get(path), other.get(path)))
    patches = mirror.patches(before, after, differing)
    texts: dict[str, Text] = {address(path): from_patch(patch) for path, patch in patches.items()}
    for path, (place, _) in renames.items():
        texts[address(place)] = from_patch(mirror.renamed_patch(before, after, path, place))
    return Pair(_observed(one.values()), _observed(other.values(), gaps), texts)


def _followed(mirror: Mirror, before: str, after: str, vanished: Sequence[str]) -> tuple[Mapping[str, Renamed], list[Gap]]:
    """Where vanished files went. When the likely places can't be read, what is not found is a gap, not the whole run's end."""
    if not vanished:
        return {}, []
    try:
        return mirror.renames(before, after, vanished), []
    except Unobservable as refusal:
        found = mirror.exact_renames(before, after, vanished)
        reason = f"it is gone, and whether it was renamed could not be looked at: {refusal.message}"
        return found, [Gap(address(path), reason, refusal.remedy) for path in vanished if path not in found]


def _in_packages(old: Version, new: Version, watched: Sequence[str], refusal: Unobservable) -> Pair:
    one, one_gaps = _carried(old, watched, refusal)
    other, other_gaps = _carried(new, watched, refusal)
    gaps = {**other_gaps, **one_gaps}
    # A single file that only one package carries says nothing about the repository: both sides have the gap.
    lost = {pattern for pattern in watched if pattern in gaps and not (one.get(pattern) and other.get(pattern))}
    before, after = (
        {seen.path: seen for pattern in watched if pattern not in lost for seen in side[pattern]} for side in (one, other)
    )
    texts: dict[str, Text] = {
        address(path): from_bytes(path, _data(before.get(path)), _data(after.get(path)))
        for path in sorted({*before, *after})
        if _differ(before.get(path), after.get(path))
    }
    return Pair(_observed(before.values(), gaps.values()), _observed(after.values(), gaps.values()), texts)


def _carried(version: Version, watched: Sequence[str], refusal: Unobservable) -> tuple[dict[str, list[Seen]], dict[str, Gap]]:
    """What the packages carry of each pattern, and a gap, with git's reason, for each that they don't carry whole."""
    reason, remedy = refusal.message, refusal.remedy
    packages: Sequence[tarball.Package] = ()
    try:
        packages = version.packages()
    except Unobservable as second:
        reason = f"{reason}; and the package could not be read: {second.message}"
        remedy = "; or ".join(each for each in (remedy, second.remedy) if each)
    found = {pattern: tarball.carried(packages, pattern) for pattern in watched}
    gaps = {}
    for pattern, seen in found.items():
        if not tarball.complete(pattern, seen):
            part = f"; only the {len(seen)} files that the package carries were compared" if seen else ""
            part = part or ("; and the package does not carry it" if packages else "")
            gaps[pattern] = Gap(f"file:{pattern.rstrip('/')}", f"{reason}{part}", remedy)
    return found, gaps


def _observed(seen: Iterable[Seen], gaps: Iterable[Gap] = ()) -> Observed:
    return Observed(tuple(one.fact for one in seen), tuple(gaps))


def _differ(one: Seen | None, other: Seen | None) -> bool:
    return one is None or other is None or (one.blob, one.mode) != (other.blob, other.mode)


def _data(seen: Seen | None) -> bytes | None:
    return seen.data if seen else None
