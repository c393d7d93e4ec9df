"""Writing a file whole or not at all, and clearing away what killed runs left half-made."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from driftwatch.errors import StoreError

SUFFIX = ".tmp"
FOREIGN_SECONDS = 24 * 3600.0
_OWNED = re.compile(r"\..*\.(\d+)-([0-9a-f]{8})\.[^.]*\.tmp")


def write(path: Path, data: bytes | str) -> None:
    """Replace ``path`` with ``data`` in one step: a reader, or a kill at any moment, sees the old or the new bytes.

    Parent folders are made. Text is written as UTF-8 with ``\\n`` line endings. A link is followed, so that the file it
    points at is replaced and the link stays; a device or a pipe is written to, never replaced. Raises StoreError with the
    system's reason; the old file is then untouched.
    """
    import tempfile

    raw = data.encode("utf-8") if isinstance(data, str) else data
    target = Path(os.path.realpath(path))
    try:
        if target.exists() and not target.is_file():  # a device or a pipe, such as /dev/null: written into, never replaced
            target.write_bytes(raw)
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        sweep(target.parent, target.name)
        handle, name = tempfile.mkstemp(prefix=prefix(target.name), suffix=SUFFIX, dir=target.parent)
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


@contextmanager
def together(texts: Mapping[Path, bytes]) -> Iterator[None]:
    """``write`` each, in order, and keep them if the block ends well. When one cannot be written, or the block raises, those
    that were have their old bytes back (and what was not there goes again). A kill leaves whole files, some of them new."""
    try:
        before = {path: path.read_bytes() if path.exists() else None for path in texts}
    except OSError as error:
        raise StoreError(f"cannot read {error.filename}: {error.strerror}", "make it readable; nothing was changed") from error
    done: list[Path] = []
    try:
        for path, data in texts.items():
            write(path, data)
            done.append(path)
        yield
    except BaseException:
        for path in reversed(done):
            old = before[path]
            with suppress(StoreError, OSError):
                path.unlink() if old is None else write(path, old)
        raise


def prefix(name: str) -> str:
    """tempfile's ``prefix`` (with ``SUFFIX``) for what will become ``name``: hidden, and it says which process it is of."""
    return f".{name}.{os.getpid()}-{here()}."


def sweep(folder: Path, name: str = "*") -> None:
    """Remove the temporary files and folders of processes that are no more (those for ``name`` alone, or all)."""
    with suppress(OSError):
        for path in folder.glob(f".{name}.*{SUFFIX}"):
            if (owner := _OWNED.fullmatch(path.name)) and orphaned(int(owner[1]), owner[2], path):
                _remove(path)


def _remove(path: Path) -> None:
    if path.is_symlink() or not path.is_dir():
        path.unlink()
        return
    import shutil

    shutil.rmtree(path, ignore_errors=True)


def orphaned(process: int, where: str, path: Path) -> bool:
    """Whether the process that made ``path`` is no more. Of another machine or container, nobody here can tell whether its
    processes run: its files count as left behind when they are old."""
    try:
        if where != here():
            return time.time() - path.lstat().st_mtime > FOREIGN_SECONDS
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


@cache
def here() -> str:
    """A name for the machine and the process namespace: where a process id means something. Eight hex digits."""
    import hashlib

    try:
        namespace = os.stat("/proc/self/ns/pid").st_ino  # noqa: PTH116 - the link itself leads nowhere
    except OSError:
        namespace = 0
    return hashlib.sha256(f"{os.uname().nodename} {namespace}".encode()).hexdigest()[:8]
