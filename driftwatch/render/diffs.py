"""Unified diff text taken apart into lines with their numbers on both sides. The text is upstream's: nothing is trusted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from driftwatch.render import clean

Kind = Literal["add", "del", "same", "hunk", "head"]
_HUNK = re.compile(r"@@ -(\d{1,9})(?:,\d{1,9})? \+(\d{1,9})(?:,\d{1,9})? @@")
_KINDS: dict[str, Kind] = {"+": "add", "-": "del", " ": "same"}


@dataclass(frozen=True, slots=True)
class Line:
    """``old`` and ``new`` are line numbers from 1, 0 where the line is not on that side; ``text`` is without its sign."""

    kind: Kind
    text: str
    old: int = 0
    new: int = 0


def lines(diff: str, width: int = 0) -> Iterator[Line]:
    """Every line of ``diff``, cleaned, longer ones cut at ``width`` with an ellipsis (0: never)."""
    old = new = 0
    for raw in clean.clean(diff).rstrip("\n").split("\n") if diff else ():
        text = raw[: width + 1] + "…" if width and len(raw) > width + 1 else raw
        hunk = _HUNK.match(raw)
        if hunk:
            old, new = int(hunk[1]), int(hunk[2])
            yield Line("hunk", text)
        elif not old and not new:
            yield Line("head", text)
        else:
            kind = _KINDS.get(raw[:1], "same" if not raw else "head")
            yield Line(kind, text if kind == "head" else text[1:], old * (kind in _OLD), new * (kind in _NEW))
            old += kind in _OLD
            new += kind in _NEW


_OLD = ("del", "same")
_NEW = ("add", "same")
