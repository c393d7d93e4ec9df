"""The cache on disk: blobs by digest and small keyed documents. Everything read is verified, everything written is whole.

Nothing here is trusted on the way back: a blob whose bytes no longer give its digest, or a document whose checksum is
off, is thrown away and reads as "not there", so that it is fetched again. Several processes may use one folder.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, cast

from driftwatch import atomic
from driftwatch.errors import StoreError
from driftwatch.model import Json

_FRESH = 3600.0  # prune leaves alone what somebody may be using right now, in seconds
_STALE_TEMPORARY = 24 * 3600.0


def sweep(root: Path) -> None:
    """Clear away what killed runs left half-made anywhere in the cache at ``root``."""
    for folder in (root / "tmp", root / "hosts", root / "git", *(root / "typescript").glob("*")):
        atomic.sweep(folder)


def digest_of(file: BinaryIO, algorithm: str) -> str:
    """The hex digest of an open file's whole contents."""
    file.flush()
    file.seek(0)
    digest = hashlib.new(algorithm)
    while chunk := file.read(1024 * 1024):
        digest.update(chunk)
    return digest.hexdigest()


class Cache:
    """A cache under ``root`` (made when first written). Digests are lower-case hex of a hashlib algorithm."""

    def __init__(self, root: Path) -> None:
        self.root = root

    # --- blobs

    def blob(self, algorithm: str, digest: str) -> Path | None:
        """The file with these contents, verified right now, or None."""
        path = self._blob_path(algorithm, digest)
        try:
            with path.open("rb") as file:
                if digest_of(file, algorithm) == digest:
                    _touch(path)
                    return path
        except OSError:
            return None
        _remove(path)
        return None

    def read_blob(self, algorithm: str, digest: str) -> bytes | None:
        """The bytes with this digest, verified, or None."""
        path = self._blob_path(algorithm, digest)
        try:
            data = path.read_bytes()
        except OSError:
            return None
        if hashlib.new(algorithm, data).hexdigest() == digest:
            _touch(path)
            return data
        _remove(path)
        return None

    def put(self, data: bytes, algorithm: str = "sha256") -> str:
        """Keep ``data``; gives its digest. Raises StoreError."""
        digest = hashlib.new(algorithm, data).hexdigest()
        path = self._blob_path(algorithm, digest)
        if not path.exists():
            with self.temporary() as file:
                file.write(data)
                self.adopt(file, algorithm, digest)
        return digest

    @contextmanager
    def temporary(self) -> Iterator[BinaryIO]:
        """An open file inside the cache, removed at the end unless ``adopt`` took it. Raises StoreError."""
        import tempfile  # a warm run never writes

        folder = self.root / "tmp"
        with _reported(folder):
            folder.mkdir(parents=True, exist_ok=True)
            file = tempfile.NamedTemporaryFile(  # noqa: SIM115
                dir=folder, prefix=atomic.prefix("part"), suffix=atomic.SUFFIX, delete=False
            )
        try:
            with file:
                yield cast(BinaryIO, file)
        finally:
            _remove(Path(file.name))

    def adopt(self, file: BinaryIO, algorithm: str, digest: str) -> Path:
        """Make a ``temporary`` file the blob of this digest (the caller has verified it). Raises StoreError."""
        path = self._blob_path(algorithm, digest)
        with _reported(path):
            file.flush()
            path.parent.mkdir(parents=True, exist_ok=True)
            Path(file.name).replace(path)
        return path

    def _blob_path(self, algorithm: str, digest: str) -> Path:
        return self.root / "blobs" / algorithm / digest[:2] / digest[2:]

    # --- documents

    def read(self, kind: str, key: str) -> Json:
        """The document kept under (kind, key), or None."""
        path = self._document_path(kind, key)
        try:
            checksum, _, body = path.read_bytes().partition(b"\n")
            if hashlib.sha256(body).hexdigest().encode() == checksum:
                _touch(path)
                loaded: Json = json.loads(body)
                return loaded
        except (OSError, ValueError):
            pass
        return None

    def write(self, kind: str, key: str, document: Json) -> None:
        """Keep a document. ``key`` may be anything; only its hash reaches the file name. Raises StoreError."""
        body = json.dumps(document, separators=(",", ":"), sort_keys=True).encode()
        path = self._document_path(kind, key)
        with self.temporary() as file, _reported(path):
            file.write(hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
            file.flush()
            path.parent.mkdir(parents=True, exist_ok=True)
            Path(file.name).replace(path)

    def _document_path(self, kind: str, key: str) -> Path:
        return self.root / "documents" / kind / f"{hashlib.sha256(key.encode()).hexdigest()}.json"

    # --- growth

    def prune(self, most: int, now: float | None = None) -> int:
        """Remove what was used longest ago until ``most`` bytes are left; gives the bytes removed. What was used within
        the last hour stays, so that no other process loses what it holds.
        """
        now = time.time() if now is None else now
        entries = sorted(self._entries(now))
        size, removed = sum(entry[1] for entry in entries), 0
        for used, length, path in entries:
            if size - removed <= most or now - used < _FRESH:
                break
            _remove(path)
            removed += length
        return removed

    def _entries(self, now: float) -> Iterator[tuple[float, int, Path]]:
        for path in self.root.rglob("*"):
            with suppress(OSError):
                stat = path.stat()
                if not path.is_file():
                    continue
                if path.parent.name == "tmp":
                    if now - stat.st_mtime > _STALE_TEMPORARY:
                        _remove(path)
                    continue
                yield stat.st_mtime, stat.st_size, path


def _touch(path: Path) -> None:
    """Remember the use for ``prune``, at most once an hour: a warm run should not write."""
    with suppress(OSError):
        if time.time() - path.stat().st_mtime > _FRESH / 2:
            os.utime(path)


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink(missing_ok=True)


@contextmanager
def _reported(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(
            f"cannot write the cache at {path}: {error.strerror or error}",
            "free space or make the folder writable, or name another cache folder",
        ) from error
