"""A unified diff laid out side by side, as one table: what was on the left, what is now on the right."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby, pairwise, takewhile, zip_longest

from driftwatch.render.colours import Colours, Piece, language
from driftwatch.render.diffs import Line, lines
from driftwatch.render.page import escape, pieces

LINES = 2000  # of one diff that are shown
WIDTH = 1000  # characters of one line
_WORD = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class Pair:
    """One row: the same line on both sides, a changed one, or None where a side has none. ``note`` is a row of its own."""

    old: Line | None = None
    new: Line | None = None
    note: str = ""
    jump: bool = False

    @property
    def kind(self) -> str:
        if self.note:
            return "hunk" if self.jump else "head"
        if self.old and self.new:
            return "same" if self.old.kind == "same" else "both"
        return "gone" if self.old else "come"


def pairs(given: Iterable[Line]) -> Iterator[Pair]:
    """Removed lines face the added ones that follow them. File names at the top are left out: the heading has them."""
    changed: list[tuple[bool, list[Line]]] = [
        (key, list(group)) for key, group in groupby(given, lambda line: line.kind in ("add", "del"))
    ]
    for moved, group in changed:
        if moved:
            gone, come = ([line for line in group if line.kind == kind] for kind in ("del", "add"))
            yield from (Pair(*both) for both in zip_longest(gone, come))
            continue
        for line in group:
            if line.kind == "same":
                yield Pair(line, line)
            elif line.kind == "hunk":
                yield Pair(note=line.text, jump=True)
            elif not line.text.startswith(("--- ", "+++ ")):
                yield Pair(note=line.text)


def table(diff: str, path: str, old_path: str = "") -> tuple[str, int]:
    """The body of the table as HTML, and how many lines of the diff are left out."""
    every = list(lines(diff, WIDTH))
    sides = Colours(language(old_path or path)), Colours(language(path))
    rows = [_row(pair, *sides) for pair in pairs(every[:LINES])]
    return "\n".join(rows), max(0, len(every) - LINES)


def _row(pair: Pair, old: Colours, new: Colours) -> str:
    if pair.note:
        if pair.jump:
            old.jump()
            new.jump()
        return f'<tr class="{pair.kind}"><td colspan="4">{escape(pair.note)}</td></tr>'
    left = old.line(pair.old.text) if pair.old else None
    right = new.line(pair.new.text) if pair.new else None
    if pair.kind == "both" and pair.old and pair.new and left and right:
        spans = changed(pair.old.text, pair.new.text)
        if spans:
            left, right = _marked(left, *spans[0]), _marked(right, *spans[1])
    cells = _cells("old", pair.old, left, pair.kind) + _cells("new", pair.new, right, pair.kind)
    return f'<tr class="{pair.kind}">{cells}</tr>'


def _cells(side: str, line: Line | None, coloured: list[Piece] | None, kind: str) -> str:
    if line is None or coloured is None:
        return f'<td class="n {side}"></td><td class="{side} void"></td>'
    number = line.old if side == "old" else line.new
    word = "" if kind == "same" else f'<span class="hidden">{"removed" if side == "old" else "added"}: </span>'
    return f'<td class="n {side}">{number}</td><td class="{side}">{word}{pieces(coloured)}</td>'


Span = tuple[int, int]


def changed(old: str, new: str) -> tuple[Span, Span] | None:
    """The part of each line that differs, whole words of it; None when that is nearly all of both."""
    start = _whole(old, new, _common(old, new))
    back, front = old[::-1], new[::-1]
    end = _whole(back, front, min(_common(back, front), min(len(old), len(new)) - start))
    kept = len((old[:start] + old[len(old) - end :]).strip())
    if kept * 4 < min(len(old.strip()), len(new.strip())):
        return None
    return (start, len(old) - end), (start, len(new) - end)


def _whole(one: str, other: str, place: int) -> int:
    """``place``, or the beginning of the word that goes on behind it in either line."""
    while (
        place and _WORD.match(one[place - 1]) and (_WORD.match(one[place : place + 1]) or _WORD.match(other[place : place + 1]))
    ):
        place -= 1
    return place


def _common(one: str, other: str) -> int:
    """How many characters both begin with."""
    return sum(1 for _ in takewhile(lambda both: both[0] == both[1], zip(one, other, strict=False)))


def _marked(given: list[Piece], start: int, end: int) -> list[Piece]:
    """The pieces with those between two places marked: a class more, and cut where the mark begins and ends."""
    found: list[Piece] = []
    place = 0
    for kind, text in given:
        cuts = sorted({0, len(text), *(max(0, min(len(text), cut - place)) for cut in (start, end))})
        for left, right in pairwise(cuts):
            inside = start <= place + left and place + right <= end
            found.append((f"{kind} m".strip() if inside else kind, text[left:right]))
        place += len(text)
    return found
