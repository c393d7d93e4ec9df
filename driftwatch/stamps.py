"""Writing an accepted version where the project keeps it: text in, text out, and not a byte different elsewhere. Pure.

A place is found by a pattern on one line of text (``Validated against v{version} ({commit})``), or by a key of a JSON file. It
must be there exactly once: nothing is added, nothing is guessed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from driftwatch import jsonc
from driftwatch.errors import UsageError

PLACES = {
    "version": r"\d{1,12}\.\d{1,12}\.\d{1,12}"
    + "".join(rf"(?:{mark}[0-9A-Za-z-]{{1,80}}(?:\.[0-9A-Za-z-]{{1,80}}){{0,9}})?" for mark in ("-", r"\+")),
    "commit": r"\b[0-9a-f]{7,40}\b",
    "date": r"\d{4}-\d{2}-\d{2}",
}
"""What a placeholder stands for in text that is already there. A commit keeps the number of digits it was written with. All of
it has an end: a line of a million digits is looked through once."""

_PLACE = re.compile(r"\{(" + "|".join(PLACES) + r")\}")
_SEGMENT = re.compile(r'\.?([A-Za-z0-9_$@/-]+)|\["((?:[^"\\]|\\.)*)"\]')


@dataclass(frozen=True, slots=True)
class Values:
    """What is written: the version, its full commit ("" when it is not known), and the day (ISO)."""

    version: str
    commit: str
    date: str


def placeholders(template: str) -> frozenset[str]:
    return frozenset(_PLACE.findall(template))


def segments(key: str) -> tuple[str, ...]:
    """``engines.opencode`` or ``dependencies["@x/y"]`` as names. () for what is no such path."""
    found, at = [], 0
    while at < len(key):
        match = _SEGMENT.match(key, at)
        if not match or (at == 0 and match[0].startswith(".")):
            return ()
        try:
            found.append(match[1] if match[1] is not None else str(json.loads(f'"{match[2]}"')))
        except ValueError:  # an escape that JSON does not have
            return ()
        at = match.end()
    return tuple(found)


def by_pattern(text: str, pattern: str, values: Values, name: str) -> str:
    """``text`` with the placeholders of the one place that fits the pattern filled in. Raises UsageError, naming ``name``, when
    there is none, or more than one."""
    parts = _PLACE.split(pattern)  # literal, placeholder, literal, ...
    source = "".join(f"({PLACES[part]})" if odd % 2 else re.escape(part) for odd, part in enumerate(parts))
    found = list(re.finditer(source, text))
    if len(found) != 1:
        raise _places(name, pattern, text, [match.start() for match in found])
    match, names = found[0], parts[1::2]
    told = [_filled(kind, match[number], values, name) for number, kind in enumerate(names, 1)]
    if all(new == match[number] for number, (kind, new) in enumerate(zip(names, told, strict=True), 1) if kind != "date"):
        return text  # it says so already: the day it was written stays, too
    for number in range(len(told), 0, -1):
        text = text[: match.start(number)] + told[number - 1] + text[match.end(number) :]
    return text


def by_key(text: str, key: str, template: str, values: Values, name: str) -> str:
    """``text``, JSON with or without comments, with the string at ``key`` replaced. Raises UsageError as ``by_pattern`` does."""
    wanted = segments(key)
    try:
        found = [(start, end) for path, start, end in _strings(text) if path == wanted]
    except ValueError as error:
        raise UsageError(f"{name} cannot be stamped: {error}", "mend it; nothing was changed") from error
    if len(found) != 1:
        raise _places(name, key, text, [start for start, _ in found])
    start, end = found[0]
    new = _PLACE.sub(lambda match: _filled(match[1], "", values, name), template)
    return text if json.loads(text[start:end]) == new else text[:start] + json.dumps(new, ensure_ascii=False) + text[end:]


def _filled(kind: str, before: str, values: Values, name: str) -> str:
    if kind == "commit":
        if not values.commit:
            raise UsageError(
                f"{name} is to be stamped with a commit, and which one {values.version} is made from is not known",
                "name `git:` in the watchlist, and see `driftwatch run` for why its tag cannot be read; nothing was changed",
            )
        return values.commit[: len(before) or None]
    return values.version if kind == "version" else values.date


def _places(name: str, what: str, text: str, offsets: list[int]) -> UsageError:
    if not offsets:
        return UsageError(
            f"{name} has no place for the stamp {what!r}", "write it there once, or correct `stamps`; nothing was changed"
        )
    lines = ", ".join(str(text.count("\n", 0, offset) + 1) for offset in offsets[:5])
    return UsageError(
        f"{name} has {len(offsets)} places for the stamp {what!r} (lines {lines})", "say more of the line; nothing was changed"
    )


def _strings(text: str) -> Iterator[tuple[tuple[str, ...], int, int]]:
    """Every string that is a member's value, with the path of its keys and where its token begins and ends.

    Raises ValueError for what is no JSON. Members of lists have no path, and are passed over.
    """
    stack: list[tuple[str, str]] = []  # (bracket, the key it is the value of)
    key, waiting = "", ""  # the key whose value comes next; a string that may turn out to be a key
    expects_key = False
    for word, start in jsonc.tokens(text):
        if word in "{[":
            stack.append((word, key))
            key, expects_key = "", word == "{"
        elif word in "}]":
            if not stack or stack.pop()[0] != ("{" if word == "}" else "["):
                raise ValueError(f"a bracket is not closed, in line {jsonc.line(text, start)}")
            expects_key = False
        elif word == ":":
            if not waiting:
                raise ValueError(f"a colon without a key, in line {jsonc.line(text, start)}")
            key, waiting, expects_key = json.loads(waiting), "", False
        elif word == ",":
            key, expects_key = "", bool(stack) and stack[-1][0] == "{"
        elif word.startswith('"') and expects_key:
            waiting = word
        elif word.startswith('"') and stack and all(bracket == "{" for bracket, _ in stack):
            yield (*(name for _, name in stack[1:]), key), start, start + len(word)
    if stack or not text.strip():
        raise ValueError("it is no whole JSON")
