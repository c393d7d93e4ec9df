"""Reading a gzipped tar as a stream of entries, out of bytes nobody vouches for. Pure: bytes in, entries out.

The standard library's reader allocates what a header claims and understands forms no npm package needs (sparse files,
devices). This one knows plain files, folders and links, long names (pax ``path``, GNU ``L``) with a small cap, and calls
every other thing by its name. Source: POSIX pax interchange format; GNU tar manual, "Basic Tar Format".
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from driftwatch.errors import Unobservable

BLOCK = 512
_CHUNK = 256 * 1024
_LONGEST_HEADER = 1024 * 1024  # of an extended header; a real one holds a path
_KINDS = {
    b"0": "file",
    b"\0": "file",
    b"7": "file",
    b"5": "folder",
    b"1": "hard link",
    b"2": "symbolic link",
    b"3": "device",
    b"4": "device",
    b"6": "pipe",
    b"S": "sparse file",
}


class ArchiveError(Unobservable):
    """An archive that is broken or tries something: nothing of it was used."""


class Inflated:
    """The decompressed bytes of a gzip stream, never more than ``most``, never more than asked for at once."""

    def __init__(self, source: BinaryIO, most: int, ratio: int) -> None:
        self._source, self._most, self._ratio = source, most, ratio
        self._inflate, self._input = zlib.decompressobj(31), b""
        self._ready, self._at = b"", 0  # inflated, and how much of that is given out
        self.read_in = self.given_out = 0

    def read(self, size: int) -> bytes:
        """Up to ``size`` bytes; fewer only at the end."""
        parts: list[bytes] = []
        while size:
            if self._at == len(self._ready) and not self._fill():
                break
            part = self._ready[self._at : self._at + size]
            self._at += len(part)
            size -= len(part)
            parts.append(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _fill(self) -> bool:
        self._ready, self._at = b"", 0
        while not self._ready:
            if self._inflate.eof:
                self._input = self._inflate.unused_data or self._source.read(_CHUNK)
                if not self._input.strip(b"\0"):
                    return False
                self._inflate = zlib.decompressobj(31)  # gzip allows several members in a row
            if not self._input:
                self._input = self._source.read(_CHUNK)
                if not self._input:
                    raise ArchiveError("the archive is cut short")
            self._step()
        return True

    def _step(self) -> None:
        before = len(self._input)
        try:
            self._ready = self._inflate.decompress(self._input, _CHUNK)
        except zlib.error as error:
            raise ArchiveError("the archive is not a whole gzip file") from error
        self._input = self._inflate.unconsumed_tail
        self.read_in += before - len(self._input)
        self.given_out += len(self._ready)
        if self.given_out > self._most:
            raise ArchiveError(f"the archive unpacks to more than {self._most // 1024**2} MiB")
        if self.given_out > 32 * 1024**2 and self.given_out > self.read_in * self._ratio:
            raise ArchiveError(f"the archive unpacks to more than {self._ratio} times its size")


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing in the archive. ``kind`` is file, folder, or the name of something else; ``executable`` from the mode."""

    name: str
    kind: str
    size: int
    executable: bool


class Reader:
    """Iterates over entries. Between two steps ``data`` gives the present entry's bytes; what is left is skipped."""

    def __init__(self, stream: Inflated) -> None:
        self._stream = stream
        self._unread = self._padding = 0

    def __iter__(self) -> Iterator[Entry]:
        long_name, long_size = "", None
        while header := self._header():
            size, kind = _number(header[124:136]), header[156:157]
            if kind in (b"x", b"g", b"L", b"K"):
                body = self._extended(size)
                if kind == b"L":
                    long_name = _text(body.rstrip(b"\0"))
                elif kind == b"x":
                    long_name, long_size = _pax(body, long_name)
                continue
            size = size if long_size is None else long_size
            name = long_name or _plain_name(header)
            entry = Entry(name, _kind(kind, name), size, bool(_number(header[100:108]) & 0o111))
            self._unread, self._padding = (size, -size % BLOCK) if entry.kind in ("file", "sparse file") else (0, 0)
            long_name, long_size = "", None
            yield entry
            self._skip()

    def data(self) -> Iterator[bytes]:
        """The present entry's bytes, in pieces."""
        while self._unread:
            part = self._stream.read(min(self._unread, _CHUNK))
            if not part:
                raise ArchiveError("the archive is cut short")
            self._unread -= len(part)
            yield part

    def _skip(self) -> None:
        for _ in self.data():
            pass
        if len(self._stream.read(self._padding)) < self._padding:
            raise ArchiveError("the archive is cut short")
        self._padding = 0

    def _header(self) -> bytes:
        """The next header, b"" at the end of the archive (an empty block, or the end of the stream)."""
        header = self._stream.read(BLOCK)
        if not header:
            return b""
        if len(header) < BLOCK:
            raise ArchiveError("the archive is cut short")
        if not header.strip(b"\0"):
            while self._stream.read(_CHUNK):  # to its end, so that a damaged tail shows
                pass
            return b""
        told = _number(header[148:156])
        if told != sum(header) - sum(header[148:156]) + 8 * ord(" "):  # the field itself counts as blanks
            raise ArchiveError("the archive has a damaged header")
        return header

    def _extended(self, size: int) -> bytes:
        if size > _LONGEST_HEADER:
            raise ArchiveError("the archive has a header that is too long")
        body = self._stream.read(size + (-size % BLOCK))
        if len(body) < size:
            raise ArchiveError("the archive is cut short")
        return body[:size]


def _kind(flag: bytes, name: str) -> str:
    kind = _KINDS.get(flag, f"unknown entry {flag!r}")
    return "folder" if kind == "file" and flag == b"\0" and name.endswith("/") else kind


def _plain_name(header: bytes) -> str:
    name = header[:100].split(b"\0", 1)[0]
    prefix = header[345:500].split(b"\0", 1)[0] if header[257:263] == b"ustar\0" else b""
    return _text(prefix + b"/" + name if prefix else name)


def _text(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ArchiveError("the archive holds a name that is not UTF-8") from error


def _number(field: bytes) -> int:
    """A header's number: octal text, or base 256 when the first bit is set."""
    if field[0] & 0x80:
        value = int.from_bytes(bytes([field[0] & 0x7F]) + field[1:], "big")
    else:
        try:
            value = int(field.strip(b" \0") or b"0", 8)
        except ValueError as error:
            raise ArchiveError("the archive has a damaged header") from error
    if not 0 <= value < 1 << 50:
        raise ArchiveError("the archive has a damaged header")
    return value


def _pax(body: bytes, name: str) -> tuple[str, int | None]:
    """``path`` and ``size`` of an extended header: records of ``LENGTH KEY=VALUE\\n``."""
    size: int | None = None
    while body:
        length, _, _rest = body.partition(b" ")
        if not length.isdigit() or not len(length) < 8 or not 5 <= int(length) <= len(body):
            raise ArchiveError("the archive has a damaged header")
        record, body = body[len(length) + 1 : int(length) - 1], body[int(length) :]
        key, _, value = record.partition(b"=")
        if key == b"path":
            name = _text(value)
        elif key == b"size":
            if not value.isdigit() or len(value) > 15:
                raise ArchiveError("the archive has a damaged header")
            size = int(value)
        elif key.startswith(b"GNU.sparse"):
            raise ArchiveError("the archive holds a sparse file")
    return name, size
