"""Binaries by content: one executable out of a verified tarball, unpacked once, whatever runs at the same time."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path

from driftwatch.observe.hosts.driver import HostError

SIZE_LIMIT = 1024 * 1024 * 1024


def folder_of(cache: Path, integrity: str) -> Path:
    """Where the binary of a package with this Subresource Integrity lives: ``hosts/<algorithm>-<hex>``."""
    algorithm, _, digest = integrity.split(maxsplit=1)[0].partition("-")
    try:
        return cache / "hosts" / f"{algorithm}-{base64.b64decode(digest, validate=True).hex()}"
    except ValueError:
        raise HostError(f"the registry gives no usable integrity: {integrity[:80]!r}") from None


def cached(cache: Path, integrity: str, name: str) -> Path | None:
    """The executable, when it is there and whole."""
    folder = folder_of(cache, integrity)
    try:
        size = json.loads((folder / "size.json").read_text("utf-8"))["size"]
        path = folder / name
        return path if path.stat().st_size == size and os.access(path, os.X_OK) else None
    except (OSError, ValueError, KeyError):
        return None


def unpack(tarball: Path, member: str, cache: Path, integrity: str, name: str) -> Path:
    """Take the one regular file ``member`` out of ``tarball`` and nothing else. Raises HostError."""
    folder = folder_of(cache, integrity)
    folder.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=".unpacking-", dir=folder.parent))
    try:
        size = _take(tarball, member, temporary / name)
        (temporary / "size.json").write_text(json.dumps({"size": size}), "utf-8")
        _put(temporary, folder, lambda: cached(cache, integrity, name))
    except tarfile.TarError as error:
        raise HostError(f"{tarball.name} is not a readable archive: {error}") from error
    except OSError as error:
        raise HostError(
            f"cannot unpack {tarball.name} into {folder.parent}: {error.strerror or error}", "free space, then run again"
        ) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return folder / name


def _take(tarball: Path, member: str, target: Path) -> int:
    with tarfile.open(tarball, "r:gz") as archive:
        for entry in archive:
            if entry.name == member and entry.isreg():
                source = archive.extractfile(entry)
                if entry.size > SIZE_LIMIT or source is None:
                    raise HostError(f"{member} in {tarball.name} is bigger than {SIZE_LIMIT} bytes")
                with target.open("wb") as file:
                    shutil.copyfileobj(source, file, 1024 * 1024)
                    file.flush()
                    os.fsync(file.fileno())
                target.chmod(0o755)
                return entry.size
    raise HostError(f"{tarball.name} holds no {member}", "this version may lay its package out in another way")


def _put(temporary: Path, folder: Path, whole: Callable[[], Path | None]) -> None:
    """Into place in one step. Where another process was faster its folder stays; a broken one makes room."""
    for _ in range(3):
        try:
            temporary.rename(folder)
            return
        except OSError:
            if whole() is not None:
                return
            shutil.rmtree(folder, ignore_errors=True)
    temporary.rename(folder)


def file_integrity(path: Path) -> str:
    """Subresource Integrity (sha512) of a file."""
    with path.open("rb") as file:
        return "sha512-" + base64.b64encode(hashlib.file_digest(file, "sha512").digest()).decode()
