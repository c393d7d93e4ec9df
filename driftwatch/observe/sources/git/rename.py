"""Where a vanished file went: by the same content first, then by git's own similarity among likely places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from driftwatch.observe.sources.git.command import Git
from driftwatch.observe.sources.git.objects import SUBMODULE, Entry, decode
from driftwatch.progress import Progress

MAX_CANDIDATES = 1000
SIMILAR = 50  # percent; git's own default
EMPTY = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"  # any empty file is like any other: that says nothing


class Renamed(NamedTuple):
    path: str
    similarity: int


def exact(gone: Sequence[str], before: Mapping[str, Entry], after: Mapping[str, Entry]) -> dict[str, Renamed]:
    """Old path -> a new path with the very same content: one with the same name if there is any, else the first. Pure."""
    known = sorted(path for path in gone if path in before and before[path].blob != EMPTY)
    asked = {before[path].blob for path in known}
    places: dict[str, list[str]] = {}
    for path, entry in sorted(after.items()):
        if entry.blob in asked and path not in before and entry.mode != SUBMODULE:
            places.setdefault(entry.blob, []).append(path)
    found: dict[str, Renamed] = {}
    for same_name in (True, False):
        for path in known:
            free = places.get(before[path].blob, [])
            fits = [place for place in free if not same_name or PurePosixPath(place).name == PurePosixPath(path).name]
            if fits and path not in found:
                free.remove(fits[0])
                found[path] = Renamed(fits[0], 100)
    return found


def candidates(gone: Sequence[str], before: Mapping[str, Entry], after: Mapping[str, Entry], progress: Progress) -> list[str]:
    """New paths where the vanished files may be: those of the same name, then of the same suffix (all of them, up to a limit
    that is told)."""
    if not gone:
        return []
    names = {PurePosixPath(path).name for path in gone}
    suffixes = {PurePosixPath(path).suffix for path in gone}
    fresh = [path for path, entry in after.items() if path not in before and entry.mode != SUBMODULE]
    likely = [path for path in fresh if PurePosixPath(path).suffix in suffixes or PurePosixPath(path).name in names]
    likely.sort(key=lambda path: (PurePosixPath(path).name not in names, path))
    if len(likely) > MAX_CANDIDATES:
        progress.note(f"looking for renamed files among {MAX_CANDIDATES} of {len(likely)} new ones")
    return likely[:MAX_CANDIDATES]


def similar(git: Git, old: str, new: str, gone: Sequence[str], places: Sequence[str]) -> dict[str, Renamed]:
    """Old path -> new path and similarity, as git sees it between the two commits."""
    if not gone or not places:
        return {}
    chosen = [f":(top,literal){path}" for path in (*gone, *places)]
    rename = (f"-M{SIMILAR}%", "-l0", "--diff-filter=R")
    fields = git.run("diff-tree", "-r", "-z", "--raw", *rename, old, new, "--", *chosen, deadline=120).split(b"\0")
    found = {}
    for head, before, after in zip(fields[0::3], fields[1::3], fields[2::3], strict=False):
        found[decode(before)] = Renamed(decode(after), int(head.rpartition(b" R")[2]))
    return found
