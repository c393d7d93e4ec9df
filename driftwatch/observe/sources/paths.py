"""A file's path in the upstream repository, as an address and against patterns. Names may hold any byte."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from driftwatch import addresses
from driftwatch.model import Address

_AWKWARD = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def address(path: str) -> Address:
    """``file:PATH``. What can't stand in an address (``#``, control characters, bytes that are not UTF-8) is escaped.

    ``path`` may hold undecodable bytes as surrogates (``surrogateescape``); the address never does.
    """
    if path.isascii() and path.isprintable() and "#" not in path:
        return Address(f"file:{path}")
    readable = path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace").replace("#", "%23")
    return Address("file:" + _AWKWARD.sub(_escaped, readable))


def matcher(patterns: Iterable[str]) -> Callable[[str], tuple[str, ...]]:
    """A function from a path to the patterns that mean it: ``*``, ``**``, and a folder for all below it."""
    asked = {f"file:{pattern.rstrip('/')}": pattern for pattern in patterns}
    chosen = addresses.compile(asked)
    beginnings = tuple(pattern.partition("*")[0] for pattern in asked)  # a cheap way to say no to most of a repository

    def match(path: str) -> tuple[str, ...]:
        place = address(path)
        return tuple(asked[hit] for hit in chosen(place)) if place.startswith(beginnings) else ()

    return match


def _escaped(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")
