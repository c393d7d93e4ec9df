"""One watched file as it was read, and the fact it makes. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from driftwatch.model import Fact, Json
from driftwatch.observe.sources.paths import address

_LFS = b"version https://git-lfs.github.com/spec/v1\n"


@dataclass(frozen=True, slots=True)
class Seen:
    """``data`` is None when it was not read (a submodule, a very large file). ``mode`` is "" for a plain file."""

    path: str
    blob: str
    size: int
    data: bytes | None
    where: str
    mode: str = ""
    extra: Mapping[str, Json] = field(default_factory=dict)

    @property
    def fact(self) -> Fact:
        value: dict[str, Json] = {"blob": self.blob, "size": self.size, "lines": lines(self.data)}
        if mode := self.mode or ("lfs" if self.data is not None and self.data.startswith(_LFS) else ""):
            value["mode"] = mode
        return Fact(address(self.path), {**value, **self.extra}, self.where)


def blob_id(data: bytes) -> str:
    """The id git gives to this content (in a repository with SHA-1 names)."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def lines(data: bytes | None) -> int | None:
    """Lines of text; a last line without a newline counts. None for what git calls binary, and for what was not read."""
    if data is None or binary(data):
        return None
    return data.count(b"\n") + (not data.endswith(b"\n") if data else 0)


def binary(data: bytes) -> bool:
    """Git's own test: a NUL in the first 8000 bytes."""
    return b"\0" in data[:8000]
