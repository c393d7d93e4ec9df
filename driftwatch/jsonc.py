"""JSON with comments and commas at the end, as people write configuration."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_TOKEN = re.compile(r'\s+|//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"/]+', re.DOTALL)


def tokens(text: str) -> Iterator[tuple[str, int]]:
    """Every word and sign with its offset, without blanks, comments and a byte order mark. Raises ValueError."""
    at = 1 if text.startswith("\ufeff") else 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if not found:
            raise ValueError(f"it is no JSON, in line {line(text, at)}")
        if not found[0].isspace() and not found[0].startswith(("//", "/*")):
            yield found[0], at
        at = found.end()


def line(text: str, offset: int) -> int:
    """The number, from 1, of the line an offset is in."""
    return text.count("\n", 0, offset) + 1


def loads(text: str) -> Any:
    """What the text says; None when it says nothing. Raises ValueError, RecursionError."""
    kept: list[str] = []
    for word, _ in tokens(text):
        if word in ("}", "]") and kept[-1:] == [","] and kept[-2:-1] not in (["{"], ["["], [","]):
            kept.pop()
        kept.append(word)
    return json.loads(" ".join(kept)) if kept else None
