"""Package tarballs: the files in them, or a folder made of them. Guarded: an archive that tries anything gives nothing.

Paths come without their first component (``package/``), as npm strips it. Refused: links, devices, absolute paths, ``..``,
backslashes, control characters, names a case-blind disk would merge, and whatever goes over the caps. Of a name that is
there twice the last one counts, as with npm.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import tempfile
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from driftwatch import atomic
from driftwatch.errors import StoreError
from driftwatch.observe.sources.untar import ArchiveError, Entry, Inflated, Reader

__all__ = ["CAPS", "ArchiveError", "Caps", "extract", "lay_out", "members"]

MIB = 1024 * 1024
_BAD = re.compile(r"[\x00-\x1f\x7f\\]|^[A-Za-z]:")


@dataclass(frozen=True, slots=True)
class Caps:
    """The most an archive may hold: entries, bytes of one file, bytes in all, and times its packed size."""

    entries: int = 100_000
    file: int = 512 * MIB
    total: int = 2048 * MIB
    ratio: int = 200


CAPS = Caps()
IN_MEMORY = Caps(total=512 * MIB)


def members(source: Path | bytes, *, wanted: Callable[[str], bool] | None = None, caps: Caps = IN_MEMORY) -> dict[str, bytes]:
    """The files of a ``.tgz`` by path, sorted: those ``wanted`` says yes to (their path is its argument), or all.

    Every entry is checked, wanted or not. Raises ArchiveError with what is wrong.
    """
    found: dict[str, bytes] = {}
    with _reader(source, caps) as reader:
        for path, _ in _files(reader, wanted, caps):
            found[path] = b"".join(reader.data())
    return dict(sorted(found.items()))


def extract(source: Path | bytes, target: Path, *, wanted: Callable[[str], bool] | None = None, caps: Caps = CAPS) -> Path:
    """Unpack a ``.tgz`` into the folder ``target``, which appears whole or not at all; gives ``target``.

    A ``target`` that is there already was whole and stays as it is. Files are 0644 or 0755. Raises ArchiveError, StoreError.
    """
    with _appearing(target) as folder:
        if folder:
            with _reader(source, caps) as reader:
                _fill(folder, ((path, reader.data(), entry.executable) for path, entry in _files(reader, wanted, caps)))
    return target


def lay_out(files: Mapping[str, bytes], target: Path) -> Path:
    """The same for files that were read: ``files`` are members of an archive, by path. Raises StoreError."""
    with _appearing(target) as folder:
        if folder:
            _fill(folder, ((path, (data,), False) for path, data in files.items()))
    return target


@contextmanager
def _appearing(target: Path) -> Iterator[Path | None]:
    """A folder to fill, which becomes ``target`` at the end; None where that is there."""
    if target.is_dir():
        yield None
        return
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=atomic.prefix(target.name), suffix=atomic.SUFFIX, dir=target.parent))
        try:
            yield temporary
            temporary.chmod(0o755)
            _publish(temporary, target)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    except OSError as error:
        raise StoreError(
            f"cannot unpack into {target}: {error.strerror or error}", "free space, or another cache folder"
        ) from error


def _fill(folder: Path, files: Iterable[tuple[str, Iterable[bytes], bool]]) -> None:
    """Write files: each is its path, its bytes in pieces, and whether it may be executed."""
    made: set[str] = set()
    for path, parts, executable in files:
        place = f"{folder}/{path}"
        parent = place.rpartition("/")[0]
        if parent not in made:
            Path(parent).mkdir(parents=True, exist_ok=True)
            made.add(parent)
        handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC)  # thousands: no buffer for each
        try:
            for part in parts:
                _write(handle, part)
            os.fchmod(handle, 0o755 if executable else 0o644)
        finally:
            os.close(handle)


def _write(handle: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(handle, left) :]


def _publish(temporary: Path, target: Path) -> None:
    try:
        temporary.rename(target)
    except OSError:
        if not target.is_dir():  # else another process was faster, with the same bytes
            raise


@contextmanager
def _reader(source: Path | bytes, caps: Caps) -> Iterator[Reader]:
    try:
        with io.BytesIO(source) if isinstance(source, bytes) else source.open("rb") as file:
            yield Reader(Inflated(file, caps.total + caps.entries * 1024, caps.ratio))
    except ArchiveError as error:
        name = f" ({source.name[:20]})" if isinstance(source, Path) else ""
        raise ArchiveError(error.message + name, "nothing of it was used: look at the package before you install it") from error


def _files(reader: Reader, wanted: Callable[[str], bool] | None, caps: Caps) -> Iterator[tuple[str, Entry]]:
    """The wanted files, every entry checked on the way."""
    paths = _Paths()
    for count, entry in enumerate(reader, 1):
        if count > caps.entries:
            raise ArchiveError(f"the archive holds more than {caps.entries} entries")
        if entry.kind not in ("file", "folder"):
            raise ArchiveError(f"the archive holds a {entry.kind}: {entry.name[:120]!r}")
        if entry.size > caps.file and entry.kind == "file":
            raise ArchiveError(f"the archive holds a file of {entry.size // MIB} MiB: {entry.name[:120]!r}")
        path = _path(entry)
        if not path:
            continue
        paths.add(path, entry.kind)
        if entry.kind == "file" and (wanted is None or wanted(path)):
            yield path, entry


def _path(entry: Entry) -> str:
    """The path without its first component; "" for that one itself. Raises ArchiveError for one that leads elsewhere."""
    name = entry.name.rstrip("/") if entry.kind == "folder" else entry.name
    parts = [part for part in name.split("/") if part != "."]
    long = len(name.encode()) > 250 and any(len(part.encode()) > 250 for part in parts)
    if _BAD.search(name) or ".." in parts or "" in parts or len(name) > 1000 or long:
        raise ArchiveError(f"the archive holds a path that leads elsewhere: {entry.name[:120]!r}")
    if len(parts) < 2 and entry.kind == "file":
        raise ArchiveError(f"the archive holds a file beside its folder: {entry.name[:120]!r}")
    return "/".join(parts[1:])


class _Paths:
    """Which paths were there, to refuse two that one disk would merge and a file that is also a folder."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[str, str]] = {}  # folded -> (as written, kind)
        self._folders: set[str] = {""}  # with all that they stand in

    def add(self, path: str, kind: str) -> None:
        self._folder(path.rpartition("/")[0])
        self._one(path, kind)

    def _folder(self, path: str) -> None:
        if path not in self._folders:
            self._folder(path.rpartition("/")[0])
            self._one(path, "folder")
            self._folders.add(path)

    def _one(self, path: str, kind: str) -> None:
        folded = unicodedata.normalize("NFC", path).casefold()
        written, was = self._seen.setdefault(folded, (path, kind))
        if written != path:
            raise ArchiveError(f"the archive holds {written[:80]!r} and {path[:80]!r}, one file on some disks")
        if was != kind:
            raise ArchiveError(f"the archive holds {path[:80]!r} as a file and as a folder")
