"""reports/history.jsonl: one JSON line per run, only ever added to."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from driftwatch.errors import StoreError
from driftwatch.model import Json
from driftwatch.store.layout import one_line


def append(path: Path, line: Mapping[str, Json]) -> None:
    """Add one line. Parent folders are made. Raises StoreError with the system's reason.

    One write in append mode, so two runs at once do not mix. A last line without its end (a run that was killed, a disk
    that was full) is closed first: it costs itself, never the new one.
    """
    try:
        text = one_line(dict(line)) + "\n"
    except (ValueError, TypeError, RecursionError) as error:
        raise StoreError(f"a history line cannot be stored as JSON: {error}") from error
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            raw = (b"\n" if _torn(handle) else b"") + text.encode()
            if (written := os.write(handle, raw)) != len(raw):
                raise StoreError(f"cannot write {path}: only {written} of {len(raw)} bytes fitted", "free space, then run again")
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        raise StoreError(
            f"cannot write {path}: {error.strerror or error}", "free space or make the folder writable, then run again"
        ) from error


def read(path: Path) -> list[dict[str, Json]]:
    """All whole lines, oldest first; empty when there is no history. Torn lines are passed over. Raises StoreError."""
    try:
        with path.open("rb") as file:
            return [line for raw in file if (line := _line(raw)) is not None]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise StoreError(f"cannot read {path}: {error.strerror or error}", "make it readable, then run again") from error


def _torn(handle: int) -> bool:
    size = os.fstat(handle).st_size
    return size > 0 and os.pread(handle, 1, size - 1) != b"\n"


def _line(raw: bytes) -> dict[str, Json] | None:
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
