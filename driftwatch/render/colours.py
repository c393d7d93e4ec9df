"""One line of source taken apart into coloured pieces. Small and linear on purpose: the text is upstream's.

No grammar: a hunk begins anywhere, so only what a line itself shows is coloured, plus block comments over lines. A language
is one pattern whose group names are the style sheet's classes: ``k`` keyword, ``s`` string, ``n`` number, ``c`` comment, ``t``
type or key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

Piece = tuple[str, str]  # class ("" for none), text

_LANGUAGES: Mapping[str, str] = {
    **dict.fromkeys(("ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs"), "ts"),
    **dict.fromkeys(("json", "jsonc", "json5"), "json"),
    **dict.fromkeys(("yaml", "yml"), "yaml"),
}
_STRING = r'"(?:[^"\\]|\\.)*"?'
_NUMBER = r"\b\d[\w.]*"
_KEYWORDS = (
    "abstract any as async await bigint boolean break case catch class const constructor continue declare default delete do else "
    "enum export extends false finally for from function get if implements import in infer instanceof interface is keyof let "
    "module namespace never new null number object of override private protected public readonly return satisfies set static "
    "string super switch symbol this throw true try type typeof undefined unique unknown var void while with yield"
)
_PATTERNS: Mapping[str, str] = {
    "ts": rf"(?P<c>//.*|/\*.*?\*/|/\*.*)|(?P<s>{_STRING}|'(?:[^'\\]|\\.)*'?|`(?:[^`\\]|\\.)*`?)|(?P<n>{_NUMBER})"
    rf"|(?P<k>\b(?:{'|'.join(_KEYWORDS.split())})\b)|(?P<t>\b[A-Z]\w*)|\w+",
    "json": rf"(?P<c>//.*)|(?P<t>{_STRING}(?=\s*:))|(?P<s>{_STRING})|(?P<n>-?{_NUMBER})|(?P<k>\b(?:true|false|null)\b)|\w+",
    "yaml": rf"(?P<c>(?:^|(?<=\s))\#.*)|(?P<t>^\s*(?:-\s+)?[\w./@$-]+(?=:(?:\s|$)))|(?P<s>{_STRING}|'[^']*'?)|(?P<n>{_NUMBER})"
    r"|(?P<k>\b(?:true|false|null|yes|no)\b)|\w+",
}
_INSIDE = re.compile(r"\s*\*(?:\s.*|/.*)?")  # a line that only a block comment can hold


def language(path: str) -> str:
    """What ``path`` is written in, by its ending; "" when it is not coloured."""
    return _LANGUAGES.get(path.rpartition(".")[2].lower(), "")


class Colours:
    """Colours the lines of one side of a diff, in order."""

    def __init__(self, language: str) -> None:
        self._language, self._pattern, self._comment = language, _pattern(language), False

    def line(self, text: str) -> list[Piece]:
        """The pieces of the next line; their texts together are ``text``."""
        if self._pattern is None or not text:
            return [("", text)]
        if self._language == "ts":
            return self._with_comments(text)
        return list(self._plain(text, 0))

    def jump(self) -> None:
        """The next line is somewhere else in the file."""
        self._comment = False

    def _with_comments(self, text: str) -> list[Piece]:
        start = 0
        if self._comment or _INSIDE.fullmatch(text):
            end = text.find("*/")
            self._comment = self._comment and end < 0
            if end < 0:
                return [("c", text)]
            start = end + 2
        pieces = [("c", text[:start])] if start else []
        pieces += self._plain(text, start)
        kind, last = pieces[-1] if pieces else ("", "")
        if kind == "c" and last.startswith("/*") and not last.endswith("*/"):
            self._comment = True
        return pieces

    def _plain(self, text: str, start: int) -> Iterator[Piece]:
        assert self._pattern is not None
        plain = start
        for found in self._pattern.finditer(text, start):
            if not found.lastgroup:
                continue
            if found.start() > plain:
                yield "", text[plain : found.start()]
            yield found.lastgroup, found[0]
            plain = found.end()
        if plain < len(text):
            yield "", text[plain:]


@cache
def _pattern(language: str) -> re.Pattern[str] | None:
    return re.compile(_PATTERNS[language]) if language in _PATTERNS else None
