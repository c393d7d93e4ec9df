"""Watched files read in git."""

from __future__ import annotations

from collections.abc import Sequence

from driftwatch.observe.facts.files.seen import Seen
from driftwatch.observe.sources.git import Mirror
from driftwatch.observe.sources.git.objects import EXECUTABLE, LINK, SUBMODULE

_MODES = {EXECUTABLE: "executable", LINK: "link", SUBMODULE: "submodule"}


def seen(mirror: Mirror, commit: str, watched: Sequence[str]) -> dict[str, Seen]:
    """Every watched file of a commit, by path. Raises Unobservable."""
    tree = mirror.tree(commit, watched)
    blobs = mirror.read(commit, tree)
    found = {}
    for path, entry in tree.items():
        blob = blobs.get(path)
        found[path] = Seen(
            path,
            entry.blob,
            blob.size if blob else 0,
            blob.data if blob else None,
            f"git:{path}@{commit[:12]}",
            _MODES.get(entry.mode, ""),
        )
    return found
