"""When a hook died: the first release (and, where commits are at hand, the commit) that triggers it no more."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from driftwatch.errors import Unobservable
from driftwatch.observe.facts.calls.syntax import Site, sites
from driftwatch.progress import SILENT, Progress

Commits = Callable[[str, str], Sequence[str]]  # (alive, dead) -> the commits after the one up to the other, oldest first


class Entry(Protocol):
    @property
    def blob(self) -> str: ...


class Blob(Protocol):
    @property
    def data(self) -> bytes | None: ...


class Repository(Protocol):
    """What a history must answer; the git mirror does."""

    def tags(self) -> Mapping[str, str]: ...
    def tree(self, commit: str, watched: Sequence[str]) -> Mapping[str, Entry]: ...
    def read(self, commit: str, paths: Iterable[str]) -> Mapping[str, Blob]: ...


@dataclass(frozen=True, slots=True)
class Death:
    """``count`` call sites at the tag ``alive``, none from the tag ``dead`` on. ``commit`` is the first without, "" when only
    tags were looked at; ``where`` are the last sites that were there, ``path:line``."""

    hook: str
    alive: str
    count: int
    dead: str
    where: tuple[str, ...]
    commit: str = ""


class Counting:
    """Counts call sites at any commit of a repository; a file that did not move is parsed once."""

    def __init__(
        self, repository: Repository, hooks: Iterable[str], paths: Sequence[str], triggers: Sequence[str], marks: Sequence[bytes]
    ) -> None:
        self._repository = repository
        self._hooks = frozenset(hooks)
        self._paths = paths
        self._triggers = triggers
        self._marks = marks
        self._known: dict[str, list[Site]] = {}

    def at(self, commit: str) -> dict[str, list[str]]:
        """Hook -> its sites, ``path:line``, sorted. Raises Unobservable when the commit has no such files."""
        tree = {path: entry for path, entry in self._repository.tree(commit, self._paths).items() if is_source(path)}
        if not tree:
            raise Unobservable(f"{commit[:12]} has no source below {', '.join(self._paths)}", "check where the host's source is")
        lacking = [path for path, entry in tree.items() if entry.blob not in self._known]
        for path, blob in self._repository.read(commit, lacking).items():
            found = sites(path, blob.data or b"", self._hooks, self._triggers, self._marks)
            self._known[tree[path].blob] = found
        counted: dict[str, list[str]] = {hook: [] for hook in sorted(self._hooks)}
        for path in sorted(tree):
            for site in self._known.get(tree[path].blob, ()):
                counted[site.hook].append(f"{path}:{site.line}")
        return counted


_NOT_SHIPPED = re.compile(r"(^|/)(tests?|__tests__|e2e|fixtures?|node_modules)/|\.(test|spec|d)\.[cm]?tsx?$")


def is_source(path: str) -> bool:
    """TypeScript or JavaScript that is shipped: not a test, not a declaration."""
    return path.endswith((".ts", ".tsx", ".mts", ".js", ".mjs")) and not _NOT_SHIPPED.search(path)


def death(
    counting: Counting,
    tags: Mapping[str, str],
    hook: str,
    old: str,
    new: str,
    commits: Commits | None = None,
    progress: Progress = SILENT,
) -> Death:
    """Bisects the releases between the tags ``old`` (where the hook is triggered) and ``new`` (where it is not), then the
    commits between the two releases when ``commits`` can list them. A hook that died more than once: one of its deaths.

    Raises Unobservable when a tag is missing, or when the hook is not alive at ``old`` and dead at ``new``.
    """
    for tag in (old, new):
        if tag not in tags:
            raise Unobservable(f"the history has no tag {tag}", "name two release tags of the repository")
    ordered = releases(tags, old, new)
    if not counting.at(tags[old])[hook] or counting.at(tags[new])[hook]:
        raise Unobservable(f"{hook} is not triggered at {old} and untriggered at {new}", "name a tag at which it was alive")
    with progress.task(f"looking for the release in which {hook} died"):
        alive, dead = _bisect(ordered, lambda tag: bool(counting.at(tags[tag])[hook]))
    where = counting.at(tags[alive])[hook]
    commit = ""
    if commits is not None:
        between = [tags[alive], *commits(tags[alive], tags[dead])]
        with progress.task(f"looking for the commit between {alive} and {dead}"):
            commit = _bisect(between, lambda sha: bool(counting.at(sha)[hook]))[1]
    return Death(hook, alive, len(where), dead, tuple(where), commit)


def _bisect(ordered: Sequence[str], alive: Callable[[str], bool]) -> tuple[str, str]:
    """Two neighbours, the first alive and the second not; the first of all is alive and the last is not."""
    low, high = 0, len(ordered) - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if alive(ordered[middle]) else (low, middle)
    return ordered[low], ordered[high]


_RELEASE = re.compile(r"v?(\d+)\.(\d+)\.(\d+)")


def releases(tags: Iterable[str], old: str, new: str) -> list[str]:
    """The release tags from ``old`` to ``new`` by version, both included; previews and other tags are left out."""
    numbered = {tag: _version(tag) for tag in tags if _RELEASE.fullmatch(tag)}
    first, last = _version(old), _version(new)
    between = sorted((tag for tag, version in numbered.items() if first < version < last), key=lambda tag: numbered[tag])
    return [old, *between, new]


def _version(tag: str) -> tuple[int, ...]:
    found = _RELEASE.match(tag)
    return tuple(int(part) for part in found.groups()) if found else (0, 0, 0)
