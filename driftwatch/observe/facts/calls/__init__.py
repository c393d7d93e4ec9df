"""The call-site observer: how many places in the host trigger each declared hook. 0 means declared but dead.

From source (by syntax tree), from a shipped executable (by text), and through a history (when it died). Facts live at
``call:HOOK``, one a declared hook, value the count. A hook that the host reads as a value instead of calling it cannot be
counted: that is a gap, never a 0.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from driftwatch import atomic
from driftwatch.errors import Unobservable
from driftwatch.model import Address, Fact, Gap, Observed
from driftwatch.observe.facts.calls import binary
from driftwatch.observe.facts.calls.history import Commits, Counting, Death, Repository, death, is_source
from driftwatch.observe.facts.calls.syntax import sites
from driftwatch.progress import SILENT, Progress

__all__ = ["Death", "observe", "observe_binary", "observe_commit", "observe_history"]

VERSION = 1
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
    saved = _saved(cache, integrity, declared, triggers)
    counts = _remembered(saved)
    if counts is None:
        found = binary.count(executable, declared, triggers)
        counts = {hook: found[hook] for hook in declared}
        if saved is not None:
            atomic.write(saved, json.dumps(counts, sort_keys=True))
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


def _saved(cache: Path | None, integrity: str, hooks: Sequence[str], triggers: Sequence[str]) -> Path | None:
    if cache is None or not integrity:
        return None
    mark = json.dumps([VERSION, integrity, list(hooks), list(triggers)])
    return cache / "calls" / f"{hashlib.sha256(mark.encode()).hexdigest()[:32]}.json"


def _remembered(saved: Path | None) -> dict[str, int] | None:
    if saved is None:
        return None
    try:
        counts = json.loads(saved.read_bytes())
    except (OSError, ValueError):
        return None
    valid = isinstance(counts, dict) and all(isinstance(count, int) for count in counts.values())
    return counts if valid else None
