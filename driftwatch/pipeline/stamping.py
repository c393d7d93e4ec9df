"""What accepting changes in the project's own files: every stamp of the watchlist, worked out before a byte is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from driftwatch import stamps
from driftwatch.config.model import Stamp, Upstream, Watchlist
from driftwatch.errors import UsageError
from driftwatch.pipeline.run import chosen, lock_path
from driftwatch.store.lock import Lock, LockedUpstream

MOST = 16 * 1024 * 1024  # bytes of one file


def plan(watchlist: Watchlist, lock: Lock, now: datetime, only: Sequence[str] = ()) -> Mapping[Path, bytes]:
    """Path -> its new bytes, for the files that change. Raises UsageError for a place that is not there, or there twice."""
    before: dict[Path, bytes] = {}
    after: dict[Path, str] = {}
    for upstream in chosen(watchlist, only):
        for stamp in upstream.stamps:
            path = watchlist.root / stamp.file
            if path not in before:
                _within(path, watchlist, stamp)
                before[path] = _read(path, stamp)
                after[path] = before[path].decode("utf-8", "surrogateescape")
            values = _values(upstream, stamp, lock.upstreams[upstream.id], now)
            after[path] = _edited(after[path], stamp, values)
    raw = {path: text.encode("utf-8", "surrogateescape") for path, text in after.items()}
    return {path: data for path, data in raw.items() if data != before[path]}


def _edited(text: str, stamp: Stamp, values: stamps.Values) -> str:
    if stamp.pattern is not None:
        return stamps.by_pattern(text, stamp.pattern, values, stamp.file)
    assert stamp.key is not None
    return stamps.by_key(text, stamp.key, stamp.value, values, stamp.file)


def _values(upstream: Upstream, stamp: Stamp, locked: LockedUpstream, now: datetime) -> stamps.Values:
    last = stamps.segments(stamp.key)[-1] if stamp.key else ""
    own = locked.packages.get(last) if last in upstream.packages else None
    return stamps.Values(own.version if own else locked.version, locked.commit, now.date().isoformat())


def _within(path: Path, watchlist: Watchlist, stamp: Stamp) -> None:
    """Raises UsageError for a file outside of the project, also by a link, and for what git or driftwatch itself keeps.

    The project is the repository the watchlist is in, else its folder: a watchlist may come from somebody else's branch."""
    folder = watchlist.root.resolve()
    top = next((each for each in (folder, *folder.parents) if (each / ".git").exists()), folder)
    target = path.resolve()
    remedy = "correct `stamps` in the watchlist; nothing was changed"
    if not target.is_relative_to(top):
        raise UsageError(f"{stamp.file} is to be stamped, and leads out of the project", remedy)
    if ".git" in target.relative_to(top).parts or target == lock_path(watchlist).resolve():
        raise UsageError(f"{stamp.file} is to be stamped, and is not a text of the project's own", remedy)


def _read(path: Path, stamp: Stamp) -> bytes:
    remedy = "correct `stamps` in the watchlist; nothing was changed"
    try:
        if not path.is_file():
            raise UsageError(f"{stamp.file} is to be stamped, and is not a file", remedy)
        if path.stat().st_size > MOST:
            raise UsageError(f"{stamp.file} is larger than {MOST // 1024 // 1024} MiB", remedy)
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{stamp.file} cannot be read: {error.strerror or error}", remedy) from error
