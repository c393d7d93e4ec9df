"""Making foreign text harmless to look at: what a person cannot see is written out, what is too long is shortened.

Upstream text may hold terminal escapes, direction overrides, NUL, lone surrogates or a megabyte on one line. Nothing here
escapes for a medium (Markdown, HTML, ...): each renderer does that for its own.
"""

from __future__ import annotations

import json
import math
import re

from driftwatch.model import Json

# Controls (but tab and newline), C1, soft hyphen, direction marks and overrides, invisible operators, line and paragraph
# separators, byte order marks, interlinear marks, noncharacters, lone surrogates, tag characters. Zero-width joiners stay:
# scripts and emoji need them. (https://www.unicode.org/reports/tr36/, https://trojansource.codes)
UNSEEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufeff\uffa0\ufff9-\ufffb\ufffe\uffff\ud800-\udfff\U000e0000-\U000e007f"
)
_UNSEEN = re.compile(f"[{UNSEEN}]")
_BREAK = re.compile(r"\r\n?")
_SPACE = re.compile(r"\s+")
_SURROGATE = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    """``text`` with ``\\n`` line ends and every unseen character written as an escape (``\\x1b``, ``\\u202e``)."""
    return _UNSEEN.sub(_escape, _BREAK.sub("\n", text))


def line(text: str, limit: int = 0) -> str:
    """``text`` cleaned, on one line, at most ``limit`` characters and a note of how many are left out (0: no limit)."""
    if limit and len(text) > limit:
        return f"{_flat(text[:limit])}… ({len(text) - limit:,} more characters)"
    return _flat(text)


def value(given: Json, limit: int = 120) -> str:
    """A value as one line: text as it is, nothing as "nothing", a file as its blob's id, the rest as compact JSON;
    shortened to ``limit``."""
    if isinstance(given, dict) and isinstance(given.get("blob"), str) and given.keys() & {"lines", "size"}:
        return line(_file(given), limit)
    if given is None:
        return "nothing"
    if given == "":
        return '""'
    return line(given if isinstance(given, str) else compact(given), limit)


def apart(before: Json, after: Json, limit: int = 120) -> tuple[Json, Json]:
    """What tells two values apart, when they are too long for ``limit``: of objects the members, of lists the items that the
    other has not, with how many are the same. Two that are short, of different kinds, or lists in another order stay as they
    are. Cut at their ends, both might look the same."""
    if max(len(value(before, 0)), len(value(after, 0))) <= limit:
        return before, after
    if isinstance(before, dict) and isinstance(after, dict) and "blob" not in before:
        same = {key for key in before.keys() & after.keys() if before[key] == after[key]}
        return _rest({key: before[key] for key in before if key not in same}, len(same)), _rest(
            {key: after[key] for key in after if key not in same}, len(same)
        )
    if isinstance(before, list) and isinstance(after, list):
        shared = {compact(item) for item in before} & {compact(item) for item in after}
        gone, come = ([item for item in side if compact(item) not in shared] for side in (before, after))
        if gone or come:
            return _rest(gone, len(before) - len(gone)), _rest(come, len(after) - len(come))
    return before, after


def _rest(part: Json, same: int) -> Json:
    return f"{compact(part) if part else 'nothing else'} and {same} the same" if same else part


def compact(given: Json) -> str:
    """Canonical JSON on one line (sorted keys), for showing."""
    return json.dumps(finite(given), ensure_ascii=False, sort_keys=True)


def finite(given: Json) -> Json:
    """``given`` with sorted keys and without numbers that JSON cannot say (NaN and infinities become null)."""
    if isinstance(given, float):
        return given if math.isfinite(given) else None
    if isinstance(given, dict):
        return {key: finite(given[key]) for key in sorted(given)}
    if isinstance(given, list | tuple):
        return [finite(item) for item in given]
    return given


def encodable(text: str) -> str:
    """``text`` without lone surrogates, which no UTF-8 file can hold (they become U+FFFD)."""
    return _SURROGATE.sub("\ufffd", text)


def _file(fact: dict[str, Json]) -> str:
    """A watched file's fact: enough to tell two contents apart, not every detail of it."""
    lines = f", {fact['lines']} lines" if "lines" in fact else ""
    return f"{str(fact['blob'])[:12]}{lines}"


def _flat(text: str) -> str:
    if text.isascii() and text.isprintable():  # nearly every text, and ten times as fast
        return " ".join(text.split())
    return _UNSEEN.sub(_escape, _SPACE.sub(" ", text)).strip()


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
