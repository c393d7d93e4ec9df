"""Where lines of one text are in another. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

MOST_ALIGNED = 20_000  # lines: beyond, texts are searched and not aligned
DISTINCTIVE = 12  # characters a text must have to be recognised far from its neighbours


@dataclass(frozen=True, slots=True)
class Span:
    """Lines ``first`` to ``last`` of a text, from 1, both included."""

    first: int
    last: int

    @property
    def numbers(self) -> str:
        """``12``, or ``12-15``."""
        return str(self.first) if self.first == self.last else f"{self.first}-{self.last}"


def lines(text: str) -> list[str]:
    """Lines as they are compared: without line ends and blanks before them."""
    return [line.rstrip() for line in text.split("\n")]


def block(rows: Sequence[str], span: Span) -> list[str] | None:
    """The lines of a span; None when the text does not reach so far."""
    return list(rows[span.first - 1 : span.last]) if span.last <= len(rows) else None


def digest(rows: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(rows).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def follow(old: Sequence[str], new: Sequence[str], span: Span) -> Span | None:
    """Where the lines of ``span`` are in ``new``: by aligning both texts, else by a text that is there once. The span may hold
    other lines than before when its ends can still be told; None when it is gone."""
    wanted = old[span.first - 1 : span.last]
    if list(new[span.first - 1 : span.last]) == list(wanted) and old[: span.last] == new[: span.last]:
        return span
    if max(len(old), len(new)) > MOST_ALIGNED:
        return _found(wanted, new)
    return _aligned(old, new, span, wanted) or _found(wanted, new)


def _aligned(old: Sequence[str], new: Sequence[str], span: Span, wanted: Sequence[str]) -> Span | None:
    """By the lines that both texts have in common. A span survives changes inside of it when its first and last lines do."""
    places = {}
    for match in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
        for offset in range(match.size):
            places[match.a + offset + 1] = match.b + offset + 1
    first, last = places.get(span.first), places.get(span.last)
    if first is None or last is None or last < first:
        return None
    if not _telling(wanted) and not _neighbours(places, span, first, last):
        return None
    return Span(first, last)


def _telling(rows: Sequence[str]) -> bool:
    return sum(len(row.strip()) for row in rows) >= DISTINCTIVE


def _neighbours(places: dict[int, int], span: Span, first: int, last: int) -> bool:
    """Whether a line that says little, such as a bracket, is still where its neighbours are."""
    before = span.first > 1 and places.get(span.first - 1) == first - 1
    return before or (places.get(span.last + 1, 0) == last + 1)


def _found(wanted: Sequence[str], new: Sequence[str]) -> Span | None:
    """The one place in ``new`` with these very lines; None when there is none, or several."""
    if not _telling(wanted):
        return None
    size = len(wanted)
    places = [at for at in range(len(new) - size + 1) if new[at] == wanted[0] and list(new[at : at + size]) == list(wanted)]
    return Span(places[0] + 1, places[0] + size) if len(places) == 1 else None
