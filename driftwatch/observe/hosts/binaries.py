"""Binaries by content: one executable out of a verified tarball, unpacked once, whatever runs at the same time."""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
from pathlib import Path

from driftwatch.observe.hosts.driver import HostError, Published, Tarballs
from driftwatch.observe.sources import archive
from driftwatch.progress import Progress


def unpacked(package: str, version: str, member: str, *, registry: Tarballs, cache: Path, progress: Progress) -> tuple[Path, str]:
    """The executable ``member`` of a package, and the package's Subresource Integrity.

    It lives in ``hosts/<algorithm>-<hex>/`` below ``cache``; when it is there already the tarball is not asked for. Raises
    Unobservable (registry), HostError (the package holds no such file).
    """
    integrity = integrity_of(registry.version(package, version))
    folder = folder_of(cache, integrity)
    path = folder / member
    if not path.is_file() or not os.access(path, os.X_OK):
        tarball = registry.tarball(package, version)
        if folder.is_dir() and not path.is_file():  # it appears whole, so something was cleaned away
            shutil.rmtree(folder, ignore_errors=True)
        with progress.task(f"unpacking {package} {version}"):
            archive.extract(tarball, folder, wanted=lambda name: name == member)
        if not path.is_file():
            shutil.rmtree(folder, ignore_errors=True)
            raise HostError(f"{package} {version} holds no {member}", "this version may lay its package out in another way")
        path.chmod(0o755)
    return path, integrity


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
