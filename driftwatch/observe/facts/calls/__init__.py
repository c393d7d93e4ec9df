"""The call-site observer: how many places in the host trigger each declared hook. 0 means declared but dead.

From source (by syntax tree), from a shipped executable (by text), and through a history (when it died). Facts live at
``call:HOOK``, one a declared hook, value the count. A hook that the host reads as a value instead of calling it cannot be
counted: that is a gap, never a 0.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from driftwatch.errors import StoreError, Unobservable
from driftwatch.model import Address, Fact, Gap, Json, Observed
from driftwatch.observe.facts.calls import binary
from driftwatch.observe.facts.calls.history import Commits, Counting, Death, Repository, death, is_source
from driftwatch.observe.facts.calls.syntax import sites
from driftwatch.observe.sources.cache import Cache
from driftwatch.progress import SILENT, Progress

__all__ = ["Death", "observe", "observe_binary", "observe_commit", "observe_history"]

VERSION = 1
KEPT = "calls"  # the kind of document that counts are kept as
TRIGGERS = ("trigger",)
MARKS = (b"Hooks",)  # a file that names the declared interface may call a hook by its member


def observe(
    files: Mapping[str, bytes], hooks: Iterable[str], triggers: Sequence[str] = TRIGGERS, marks: Sequence[bytes] = MARKS
) -> Observed:
    """Counts in source files, path -> bytes. Tests and declarations are left out. Raises Unobservable when no source is left."""
    declared = frozenset(hooks)
    shipped = {path: data for path, data in sorted(files.items()) if is_source(path)}
    if not shipped:
        raise Unobservable("there is no host source to count call sites in", "check where the host's source is")
    found: dict[str, list[str]] = {hook: [] for hook in sorted(declared)}
    for path, data in shipped.items():
        for site in sites(path, data, declared, triggers, marks):
            found[site.hook].append(f"{path}:{site.line}")
    return _observed(
        {hook: len(where) for hook, where in found.items()}, {hook: where[0] for hook, where in found.items() if where}
    )


def observe_commit(
    repository: Repository,
    commit: str,
    hooks: Iterable[str],
    paths: Sequence[str],
    triggers: Sequence[str] = TRIGGERS,
    marks: Sequence[bytes] = MARKS,
) -> Observed:
    """Counts in the source at a commit, below ``paths`` (patterns). Raises Unobservable with the repository's reason."""
    found = Counting(repository, hooks, paths, triggers, marks).at(commit)
    return _observed(
        {hook: len(where) for hook, where in found.items()}, {hook: where[0] for hook, where in found.items() if where}
    )


def observe_binary(
    executable: Path, hooks: Iterable[str], *, cache: Path | None = None, integrity: str = "", triggers: Sequence[str] = TRIGGERS
) -> Observed:
    """Counts in a shipped executable. With ``cache`` and the package's ``integrity`` the count is remembered."""
    declared = sorted(set(hooks))
    store = Cache(cache) if cache is not None and integrity else None
    key = json.dumps([VERSION, integrity, declared, list(triggers)])
    counts = _remembered(store.read(KEPT, key)) if store else None
    if counts is None:
        found = binary.count(executable, declared, triggers)
        counts = {hook: found[hook] for hook in declared}
        if store:
            with suppress(StoreError):  # a cache that cannot be written costs time, not answers
                store.write(KEPT, key, dict(counts))
    return _observed(counts, dict.fromkeys(declared, executable.name))


def observe_history(
    repository: Repository,
    hook: str,
    old: str,
    new: str,
    paths: Sequence[str],
    *,
    commits: Commits | None = None,
    triggers: Sequence[str] = TRIGGERS,
    marks: Sequence[bytes] = MARKS,
    progress: Progress = SILENT,
) -> Death:
    """The release, and the commit when ``commits`` lists them, in which ``hook`` lost its last call site between two tags."""
    counting = Counting(repository, [hook], paths, triggers, marks)
    return death(counting, repository.tags(), hook, old, new, commits, progress)


def _observed(counts: Mapping[str, int], where: Mapping[str, str]) -> Observed:
    """A hook with a dotted name is always triggered by its name. One with a plain name (``tool``, ``auth``) may be read."""
    facts, gaps = [], []
    for hook, count in sorted(counts.items()):
        if count or "." in hook:
            facts.append(Fact(Address.of("call", hook), count, where.get(hook, "")))
        else:
            reason = f"no call of {hook} was found, and a hook of such a name may be read as a value instead of being called"
            gaps.append(Gap(Address.of("call", hook), reason, "a probe can tell whether it works"))
    return Observed(tuple(facts), tuple(gaps))


def _remembered(kept: Json) -> dict[str, int] | None:
    counts = {hook: count for hook, count in kept.items() if isinstance(count, int)} if isinstance(kept, dict) else None
    return counts if counts == kept else None
