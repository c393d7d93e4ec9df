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


class Renamed(NamedTuple):
    path: str
    similarity: int


def candidates(gone: Sequence[str], before: Mapping[str, Entry], after: Mapping[str, Entry], progress: Progress) -> list[str]:
    """New paths where the vanished files may be: same content, same name, or else same suffix (all of them, up to a limit
    that is told)."""
    blobs = {before[path].blob for path in gone}
    names = {PurePosixPath(path).name for path in gone}
    suffixes = {PurePosixPath(path).suffix for path in gone}
    ranked: dict[str, int] = {}
    for path, entry in after.items():
        if path in before or entry.mode == SUBMODULE:
            continue
        place = PurePosixPath(path)
        if entry.blob in blobs or place.name in names:
            ranked[path] = 0
        elif place.suffix in suffixes:
            ranked[path] = 1
    chosen = sorted(ranked, key=lambda path: (ranked[path], path))
    if gone and len(chosen) > MAX_CANDIDATES:
        progress.note(f"looking for renames among {MAX_CANDIDATES} of {len(chosen)} new files")
    return chosen[:MAX_CANDIDATES] if gone else []


def find(git: Git, old: str, new: str, gone: Sequence[str], places: Sequence[str]) -> dict[str, Renamed]:
    """Old path -> new path and similarity, as git sees it between the two commits."""
    if not gone or not places:
        return {}
    chosen = [f":(top,literal){path}" for path in (*gone, *places)]
    answer = git.run(
        "diff-tree", "-r", "-z", f"-M{SIMILAR}%", "-l0", "--diff-filter=R", "--raw", old, new, "--", *chosen, deadline=120
    )
    fields = answer.split(b"\0")
    found = {}
    for head, before, after in zip(fields[0::3], fields[1::3], fields[2::3], strict=False):
        similarity = head.rpartition(b" R")[2]
        found[decode(before)] = Renamed(decode(after), int(similarity))
    return found
