"""Reading what the mirror holds: trees and blobs by the batch, never one process an object."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from driftwatch.observe.sources.git.command import Git, Spoilt

LINK, SUBMODULE, EXECUTABLE = "120000", "160000", "100755"


@dataclass(frozen=True, slots=True)
class Entry:
    """One path of a tree. ``blob`` is its object id (a commit for a submodule), ``mode`` git's six octal digits."""

    blob: str
    mode: str


def decode(name: bytes) -> str:
    """A path as text that ``encode`` gives back byte for byte, whatever its encoding was."""
    return name.decode("utf-8", "surrogateescape")


def encode(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


def tree(git: Git, commit: str) -> dict[str, Entry]:
    """Every path of a commit."""
    found: dict[str, Entry] = {}
    for record in git.run("ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0"):
        head, _, name = record.partition(b"\t")
        if name:
            mode, _, blob = head.decode("ascii").split(" ")
            found[decode(name)] = Entry(blob, mode)
    return found


def sizes(git: Git, objects: Iterable[str]) -> dict[str, tuple[str, int]]:
    """Type and size of the objects that are there. What is missing in the mirror is missing in the answer."""
    asked = list(dict.fromkeys(objects))
    if not asked:
        return {}
    answer = git.run("cat-file", "--batch-check", "--buffer", stdin="".join(f"{sha}\n" for sha in asked).encode("ascii"))
    found = {}
    for line in answer.decode("utf-8", "replace").splitlines():
        parts = line.split(" ")
        if len(parts) == 3 and parts[2].isdigit():
            found[parts[0]] = (parts[1], int(parts[2]))
    return found


def contents(git: Git, blobs: Iterable[str]) -> Mapping[str, bytes]:
    """The bytes of blobs that are there (ask ``sizes`` first)."""
    asked = list(dict.fromkeys(blobs))
    if not asked:
        return {}
    answer = git.run("cat-file", "--batch", "--buffer", stdin="".join(f"{sha}\n" for sha in asked).encode("ascii"))
    found = dict(_batch(answer))
    if lacking := [sha for sha in asked if sha not in found]:
        raise Spoilt(f"git cat-file gave no content for {lacking[0]}", "", b"")
    return found


def _batch(answer: bytes) -> Iterator[tuple[str, bytes]]:
    """The answer of ``cat-file --batch``: a line ``<id> <type> <size>``, the bytes, a newline, and again."""
    at = 0
    while (end := answer.find(b"\n", at)) >= 0:
        parts = answer[at:end].decode("ascii", "replace").split(" ")
        if len(parts) != 3 or not parts[2].isdigit():
            at = end + 1  # "<id> missing"
            continue
        start, size = end + 1, int(parts[2])
        yield parts[0], answer[start : start + size]
        at = start + size + 1
