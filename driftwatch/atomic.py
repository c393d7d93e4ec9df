"""Writing a file whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from driftwatch.errors import StoreError


def write(path: Path, data: bytes | str) -> None:
    """Replace ``path`` with ``data`` in one step: a reader, or a kill at any moment, sees the old or the new bytes.

    Parent folders are made. Text is written as UTF-8 with ``\\n`` line endings. A link is followed, so that the file it
    points at is replaced and the link stays; a device or a pipe is written to, never replaced. Raises StoreError with the
    system's reason; the old file is then untouched.
    """
    raw = data.encode("utf-8") if isinstance(data, str) else data
    target = Path(os.path.realpath(path))
    try:
        if target.exists() and not target.is_file():  # a device or a pipe, such as /dev/null: written into, never replaced
            target.write_bytes(raw)
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(raw)
                file.flush()
                os.fsync(file.fileno())
            temporary.chmod(target.stat().st_mode & 0o7777 if target.exists() else 0o644)
            temporary.replace(target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise StoreError(
            f"cannot write {path}: {error.strerror or error}", "free space or make the folder writable, then run again"
        ) from error
