"""Unified diffs between two commits, for many paths in one go."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from driftwatch.observe.sources.git.command import Git
from driftwatch.observe.sources.git.objects import decode

# diff-tree is plumbing: it does not read the user's taste in diffs. What it could still read is said here.
_PLAIN = (
    "diff-tree", "-r", "-p", "--no-ext-diff", "--no-textconv", "--no-color", "--full-index", "--submodule=short",
    "--ignore-submodules=none", "--unified=3", "--inter-hunk-context=0", "--diff-algorithm=myers", "--indent-heuristic",
    "--src-prefix=a/", "--dst-prefix=b/",
)  # fmt: skip
_BATCH = 500  # paths a command line
_ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"v": b"\v", b"f": b"\f"}
_HEADER = re.compile(rb"^diff --git ", re.MULTILINE)
_QUOTED = re.compile(rb'"((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)


def patches(git: Git, old: str, new: str, paths: Sequence[str]) -> dict[str, bytes]:
    """The patch of each path that differs between two commits; a changed type (file to link) is two patches in one."""
    found: dict[str, bytes] = {}
    for start in range(0, len(paths), _BATCH):
        chosen = [f":(top,literal){path}" for path in paths[start : start + _BATCH]]
        for path, section in _sections(git.run(*_PLAIN, "--no-renames", old, new, "--", *chosen)):
            found[path] = found.get(path, b"") + section
    return found


def renamed(git: Git, old: str, new: str, before: str, after: str) -> bytes:
    """The patch from one path in ``old`` to another path in ``new``."""
    chosen = [f":(top,literal){path}" for path in (before, after)]
    return git.run(*_PLAIN, "-M1%", "-l0", old, new, "--", *chosen)


def _sections(patch: bytes) -> Iterator[tuple[str, bytes]]:
    """The patch cut at its headers. Lines of content begin with a space, a sign or a backslash, so none looks like one."""
    starts = [match.start() for match in _HEADER.finditer(patch)]
    for start, end in zip(starts, [*starts[1:], len(patch)], strict=True):
        section = patch[start:end]
        yield decode(_name(section.partition(b"\n")[0])), section


def _name(header: bytes) -> bytes:
    """The path of ``diff --git a/X b/X``: both halves are the same, and quoted when a name needs it."""
    rest = header.removeprefix(b"diff --git ")
    if quoted := _QUOTED.match(rest):
        return _ESCAPE.sub(_unescape, quoted[1])[2:]
    return rest[2 : (len(rest) - 1) // 2]


def _unescape(match: re.Match[bytes]) -> bytes:
    code = match[1]
    return bytes([int(code, 8) & 255]) if len(code) == 3 else _ESCAPES.get(code, code)
