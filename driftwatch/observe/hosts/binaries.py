"""Binaries by content: one executable out of a verified tarball, unpacked once, whatever runs at the same time."""

from __future__ import annotations

import base64
import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from driftwatch.errors import StoreError
from driftwatch.observe.hosts.driver import HostError, Published, Tarballs
from driftwatch.observe.sources import archive
from driftwatch.observe.sources.cache import Cache
from driftwatch.progress import Progress

KEPT = "hosts"  # the kind of document that says what was unpacked


def unpacked(package: str, version: str, member: str, *, registry: Tarballs, cache: Path, progress: Progress) -> tuple[Path, str]:
    """The executable ``member`` of a package, and the package's Subresource Integrity.

    It lives in ``hosts/<algorithm>-<hex>/`` below ``cache``; when it is there already, whole, the tarball is not asked for.
    Raises Unobservable (registry), HostError (the package holds no such file).
    """
    integrity = integrity_of(registry.version(package, version))
    folder = folder_of(cache, integrity)
    path = folder / member
    store = Cache(cache)
    if not _whole(path, store):
        tarball = registry.tarball(package, version)
        with progress.task(f"unpacking {package} {version}"), _alone(folder):
            if not _whole(path, store):
                _unpack(tarball, folder, path, f"{package} {version}", store)
    return path, integrity


def _unpack(tarball: Path, folder: Path, path: Path, what: str, store: Cache) -> None:
    member = path.relative_to(folder).as_posix()
    _clear(folder)  # it appears whole, so something was cleaned away, cut or changed
    archive.extract(tarball, folder, wanted=lambda name: name == member)
    if not path.is_file():
        _clear(folder)
        raise HostError(f"{what} holds no {member}", "this version may lay its package out in another way")
    path.chmod(0o755)
    _remember(path, store)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """One that unpacks into ``folder`` at a time, across threads and processes."""
    lock = folder.with_name(f"{folder.name}.lock")
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        reason = f"cannot unpack into {folder}: {error.strerror or error}"
        raise StoreError(reason, "free space or make the cache folder writable") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _whole(path: Path, store: Cache) -> bool:
    """Whether the executable is what was unpacked: by size and time of change; when only the time differs, by content."""
    known = store.read(KEPT, str(path.parent))
    if not isinstance(known, dict) or not path.is_file() or not os.access(path, os.X_OK):
        return False
    now = path.stat()
    if known.get("size") != now.st_size:
        return False
    if known.get("changed") != now.st_mtime_ns:  # a cache that was copied
        if known.get("integrity") != file_integrity(path):
            return False
        _remember(path, store)
    return True


def _remember(path: Path, store: Cache) -> None:
    now = path.stat()
    with suppress(StoreError):  # then it is unpacked again next time
        integrity = file_integrity(path)
        store.write(KEPT, str(path.parent), {"size": now.st_size, "changed": now.st_mtime_ns, "integrity": integrity})


def _clear(folder: Path) -> None:
    if folder.is_dir() and not folder.is_symlink():
        shutil.rmtree(folder, ignore_errors=True)
    else:
        with suppress(OSError):
            folder.unlink()


def integrity_of(published: Published) -> str:
    """The one integrity to go by. Raises HostError."""
    if published.integrity:
        return published.integrity.split(maxsplit=1)[0]
    raise HostError("the registry promises no integrity for this version, so its binary cannot be verified")


def folder_of(cache: Path, integrity: str) -> Path:
    algorithm, _, digest = integrity.partition("-")
    try:
        return cache / "hosts" / f"{algorithm}-{base64.b64decode(digest, validate=True).hex()}"
    except ValueError:
        raise HostError(f"the registry gives no usable integrity: {integrity[:80]!r}") from None


def file_integrity(path: Path) -> str:
    """Subresource Integrity (sha512) of a file."""
    with path.open("rb") as file:
        return "sha512-" + base64.b64encode(hashlib.file_digest(file, "sha512").digest()).decode()
