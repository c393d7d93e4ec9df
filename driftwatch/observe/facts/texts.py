"""How often a text stands in a file, or in the host's executable: ``text:PATH#TEXT``, ``text:@host#TEXT``. 0 is an answer.

For names that no declaration has: an environment variable, a message, a constant.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterable
from pathlib import Path

from driftwatch.errors import Unobservable
from driftwatch.model import Address, Fact, Observed

HOST = "@host"


def observe(path: str, data: bytes, texts: Iterable[str], where: str = "") -> Observed:
    """One fact a text. ``where`` is the file as evidence; the line of the first place is added."""
    facts = []
    for text in sorted(set(texts)):
        sought = text.encode()
        at = data.find(sought)
        number = data.count(b"\n", 0, at) + 1
        line = f":{number}" if at >= 0 and where else ""
        facts.append(Fact(Address.of("text", path, text), data.count(sought), f"{where}{line}"))
    return Observed(tuple(facts))


def observe_executable(executable: Path, texts: Iterable[str]) -> Observed:
    """One fact a text, in the bytes of an executable. Raises Unobservable when it cannot be read."""
    try:
        with executable.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            facts = [
                Fact(Address.of("text", HOST, text), _count(data, text.encode()), executable.name) for text in sorted(set(texts))
            ]
    except (OSError, ValueError) as error:
        raise Unobservable(f"cannot read {executable.name}: {getattr(error, 'strerror', None) or error}") from error
    return Observed(tuple(facts))


def _count(data: mmap.mmap, sought: bytes) -> int:
    count, at = 0, data.find(sought)
    while at >= 0:
        count, at = count + 1, data.find(sought, at + len(sought))
    return count
