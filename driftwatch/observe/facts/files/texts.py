"""Unified diffs of watched files, with their counts: from git where git read both sides, from the bytes otherwise."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import unified_diff

from driftwatch.observe.facts.files.seen import binary

MAX_LINES = 2000  # of a diff that is shown; the counts are of the whole
# difflib's time grows with the square of what differs: beyond this the sides are only counted
MAX_COMPARED = 4000


@dataclass(frozen=True, slots=True)
class Text:
    """``text`` is unified diff text (upstream's: hostile); ``added`` and ``removed`` count lines of the whole difference."""

    text: str
    added: int = 0
    removed: int = 0


def from_patch(patch: bytes) -> Text:
    """What git says about one file, folded to MAX_LINES."""
    found = patch.decode("utf-8", "replace").split("\n")
    while found and not found[-1]:
        found.pop()
    added = removed = 0
    inside = False
    for line in found:
        if line.startswith("diff --git "):
            inside = False
        elif line.startswith("@@"):
            inside = True
        elif inside and line.startswith("+"):
            added += 1
        elif inside and line.startswith("-"):
            removed += 1
    return Text(_folded(found), added, removed)


def from_bytes(path: str, old: bytes | None, new: bytes | None) -> Text:
    """The diff of two contents; None is a file that is not there. Says so when it is binary or too much to compare here."""
    names = (f"a/{path}" if old is not None else "/dev/null", f"b/{path}" if new is not None else "/dev/null")
    before, after = old or b"", new or b""
    if binary(before) or binary(after):
        return Text(f"Binary files {names[0]} and {names[1]} differ" if before != after else "")
    one, other = _lines(before), _lines(after)
    start, end = _same_ends(one, other)
    middle = one[start : len(one) - end], other[start : len(other) - end]
    if len(middle[0]) + len(middle[1]) > MAX_COMPARED and all(middle):
        return Text(
            f"--- {names[0]}\n+++ {names[1]}\n"
            "(too much differs to show it without git: "
            f"from line {start + 1} on, {len(middle[0])} lines became {len(middle[1])})",
            len(middle[1]),
            len(middle[0]),
        )
    near = one[max(0, start - 3) : len(one) - max(0, end - 3)], other[max(0, start - 3) : len(other) - max(0, end - 3)]
    shown = list(_moved(unified_diff(*near, *names, lineterm=""), max(0, start - 3)))
    body = [line for line in shown[2:] if line[:1] in "+-"]
    added = sum(line.startswith("+") for line in body)
    marked = [piece for line in shown for piece in line.split("\n")]
    return Text(_folded(marked), added, len(body) - added)


def _lines(data: bytes) -> list[str]:
    """Lines without their newline; a last line that has none carries git's remark, so that it differs from one that has."""
    text = data.decode("utf-8", "replace")
    found = text.split("\n")
    last = found.pop()
    return [*found, f"{last}\n\\ No newline at end of file"] if last else found


def _same_ends(one: list[str], other: list[str]) -> tuple[int, int]:
    """How many lines are the same at the start and at the end."""
    most = min(len(one), len(other))
    start = next((index for index in range(most) if one[index] != other[index]), most)
    left = most - start
    end = next((index for index in range(left) if one[-1 - index] != other[-1 - index]), left)
    return start, end


def _moved(diff: Iterable[str], by: int) -> Iterable[str]:
    """The diff with the line numbers of its hunks moved down."""
    for number, line in enumerate(diff):
        if number > 1 and line.startswith("@@ "):
            _, old, new, _ = line.split(" ")
            yield f"@@ -{_range(old[1:], by)} +{_range(new[1:], by)} @@"
        else:
            yield line


def _range(text: str, by: int) -> str:
    start, comma, length = text.partition(",")
    return f"{int(start) + by}{comma}{length}"


def _folded(found: list[str]) -> str:
    if len(found) <= MAX_LINES:
        return "\n".join(found)
    return "\n".join([*found[:MAX_LINES], f"({len(found) - MAX_LINES} more lines of this diff are left out)"])
