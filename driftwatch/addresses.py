"""Address patterns: which facts does ``relies_on``, a waiver or a severity override mean? Pure.

- A pattern without wildcards means the address itself and everything below it: ``ts:@x/y#Hooks`` covers
  ``ts:@x/y#Hooks.dispose`` and ``ts:@x/y#Hooks["tool.execute.before"]``, never ``ts:@x/y#HooksV2``.
- ``*`` stays inside one segment, ``**`` matches anything, ``/**/`` also matches a single ``/``.
- What a segment is depends on the kind: between ``/`` in paths and package names, between ``.`` in event, hook and config
  names, between ``.``, ``/`` and ``[`` in a member. A tag or a version is one name (``version:x#1.*`` covers 1.2.3), and
  so is a quoted key (``exports["*"]`` covers ``exports["./tui"]``).
- A path parameter's name means nothing: ``http:GET /session/{id}`` is ``http:GET /session/{}``, which is how facts spell it.
- The kind matches exactly, unless it is ``*``. Everything else, brackets and quotes too, is literal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import takewhile
from typing import TypeAlias

from driftwatch.errors import did_you_mean
from driftwatch.model import ADDRESS_KINDS

MAX_LENGTH = 1000  # longer is a paste accident

_METHODS = ("GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE")
_PACKAGE_KINDS = frozenset({"tag", "version", "manifest", "ts", "pin"})
_FILE_KINDS = frozenset({"file", "use", "anchor", "source", "text"})
_PACKAGE = re.compile(r"(?:@[a-z0-9~-][a-z0-9._~-]*/)?[a-z0-9~-][a-z0-9._~-]*", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x1f\x7f\x80-\x9f\u2028\u2029]")
_PARAMETER = re.compile(r"\{[^{}/*]*\}")
_QUOTED = re.compile(r'"[^"]*"')

# A literal pattern covers an address when one of these characters follows it: in the subject (by kind), in the member.
_SUBJECT_EDGES = {
    "file": "/",
    "use": "/",
    "anchor": "/",
    "source": "/",
    "text": "/",
    "probe": "/",
    "event": ".",
    "call": ".",
    "config": ".",
}
_MEMBER_EDGES = ".[("
_EDGE = {edges: re.compile(f"[{re.escape(edges)}]") for edges in ("/", ".", _MEMBER_EDGES)}
# Where `*` stops: in the subject (by kind; the rest stops at all of them), in the member.
_SUBJECT_STOPS = {**dict.fromkeys((*_FILE_KINDS, *_PACKAGE_KINDS, "commit"), "/#"), "schema": "#"}
_MEMBER_STOPS = {"tag": "#", "version": "#", "pin": "#"}
_STOPS = "/.#["


def package_problem(name: str) -> str | None:
    """What is wrong with an npm package name, or None. The rule: what the registry accepts, old mixed-case names too."""
    if name.startswith("@") and "/" not in name:
        return f"{name!r} is only a scope: a package is written @scope/name"
    if len(name) > 214 or not _PACKAGE.fullmatch(name) or name in ("node_modules", "favicon.ico"):
        return f"{name!r} is not an npm package name (name or @scope/name, without a version)"
    return None


def problem(pattern: str) -> str | None:
    """What is wrong with an address pattern, in words for its author; None when it is right."""
    if not pattern.strip():
        return "an address is empty"
    if pattern != pattern.strip() or _CONTROL.search(pattern):
        return f"address {pattern!r} has spaces around it or control characters in it"
    if len(pattern) > MAX_LENGTH:
        return f"an address is longer than {MAX_LENGTH} characters"
    kind, colon, rest = pattern.partition(":")
    if not colon:
        return f"address {pattern!r} has no kind: it is written kind:subject#member, such as tag:some-package#latest"
    if kind != "*" and kind not in ADDRESS_KINDS:
        hint = did_you_mean(kind, ADDRESS_KINDS) or f"one of {', '.join(ADDRESS_KINDS)}"
        return f"address {pattern!r}: unknown kind {kind!r} ({hint})"
    wrong = _stars(pattern) or _subject(kind, rest.partition("#")[0]) or (_text(rest) if kind == "text" else _member(rest))
    return f"address {pattern!r}: {wrong}" if wrong else None


def matches(pattern: str, address: str) -> bool:
    """Whether the pattern means this address. For many, ``compile`` once."""
    return bool(compile([pattern])(address))


def overlap(one: str, other: str) -> bool:
    """Whether some address is meant by both patterns. Never wrong when it says no; ``*`` is taken for ``**`` here, so it
    may say yes too often. What a gap hides is found with it: a missed overlap would turn "not looked at" into "no change".
    """
    one, other = _nameless(one), _nameless(other)
    if matches(one, other) or matches(other, one):
        return True
    mine, theirs = _tokens(one), _tokens(other)
    heads = zip(mine, theirs, strict=False)
    if any(a != b for a, b in takewhile(lambda pair: isinstance(pair[0], str) and isinstance(pair[1], str), heads)):
        return False
    return _meet(mine, theirs)


def compile(patterns: Iterable[str]) -> Callable[[str], tuple[str, ...]]:  # noqa: A001 - the word of re.compile
    """A function from an address to the patterns that mean it, in the order given. Each call costs microseconds."""
    return _Matcher(patterns)


def _nameless(address: str) -> str:
    """An http address with its path parameters as facts spell them."""
    if "{" not in address or not address.startswith(("http:", "*:")):
        return address
    subject, sharp, member = address.partition("#")
    return _PARAMETER.sub("{}", subject) + sharp + member


def _stars(pattern: str) -> str | None:
    return "more than two * in a row mean nothing" if "***" in pattern else None


def _subject(kind: str, subject: str) -> str | None:
    if not subject:
        return "nothing stands between the kind and the member"
    if kind == "http":
        method, space, path = subject.partition(" ")
        right = space and path.startswith(("/", "*")) and ("*" in method or method in _METHODS)
        return None if right or subject == "**" else "an http address is a method and a path, such as http:POST /session"
    if kind in _FILE_KINDS and (subject.startswith("/") or ".." in subject.split("/") or "\\" in subject):
        return "a file is written from the repository's root with /, without a leading / and without .."
    if kind in _PACKAGE_KINDS and "*" not in subject:
        name = "/".join(subject.split("/")[: 2 if subject.startswith("@") else 1])
        return package_problem(name)
    return None


def _text(rest: str) -> str | None:
    """The text looked for is free, but for what would be read as a wildcard."""
    _, _, text = rest.partition("#")
    if not text:
        return "no text to look for stands after the #"
    return "a * in the text looked for would be read as a wildcard: name a part without it" if "*" in text else None


def _member(rest: str) -> str | None:
    _, hash_sign, member = rest.partition("#")
    if hash_sign and not member:
        return "nothing stands after the #"
    if "['" in member:
        return 'quoted keys take double quotes, such as Hooks["tool.execute.before"]'
    bare = _QUOTED.sub("", member)
    if '"' in bare or bare.count("[") != bare.count("]"):
        return "a bracket or a quote is not closed"
    return None


@dataclass(frozen=True, slots=True)
class _Wild:
    """A pattern with wildcards. ``needle`` is its longest literal part: a cheap way to say no."""

    order: int
    needle: str
    match: Callable[[str], object]


class _Matcher:
    """Literal patterns are looked up by the address and its ancestors; wildcard patterns by their literal beginning."""

    def __init__(self, patterns: Iterable[str]) -> None:
        self._patterns = tuple(dict.fromkeys(patterns))
        self._literal: dict[str, int] = {}
        self._any_kind: dict[str, int] = {}  # `*:rest`, by rest
        self._wild: dict[int, dict[str, list[_Wild]]] = {}  # length of the beginning -> beginning -> patterns
        for order, pattern in enumerate(self._patterns):
            self._add(order, pattern)

    def _add(self, order: int, written: str) -> None:
        pattern = _nameless(written)
        kind, _, rest = pattern.partition(":")
        if kind == "*":
            self._any_kind[rest] = order
        # A pattern with a star may also be the very address it names: exports["./*"] is a real key with keys below.
        self._literal[pattern] = order
        if kind == "config" and "*" not in rest and "." in rest:
            self._add_key(order, rest)
        if "*" in rest:
            beginning = "" if kind == "*" else pattern.partition("*")[0]
            needle = max(re.split(r"/\*\*/|\*+", rest), key=len)
            wild = _Wild(order, needle, re.compile(_regex(kind, rest), re.DOTALL).match)
            self._wild.setdefault(len(beginning), {}).setdefault(beginning, []).append(wild)

    def _add_key(self, order: int, rest: str) -> None:
        """A key of the configuration is also meant by the ``*`` that stands for a name the user chooses."""
        first, *names = re.split(r"\.(?=[^.])", rest)
        deeper = "".join(rf"\.(?:\*|{re.escape(name)})" for name in names)
        pattern = re.compile(
            rf"config:{re.escape(first)}{deeper}(?:[{re.escape('#' + _SUBJECT_EDGES['config'])}].*)?\Z", re.DOTALL
        )
        beginning = f"config:{first}."
        self._wild.setdefault(len(beginning), {}).setdefault(beginning, []).append(_Wild(order, "*", pattern.match))

    def __call__(self, address: str) -> tuple[str, ...]:
        address = _nameless(address)
        hits: set[int] = set()
        colon = address.find(":") + 1
        for end in _ends(address, colon):
            if (order := self._literal.get(address[:end])) is not None:
                hits.add(order)
            if self._any_kind and (order := self._any_kind.get(address[colon:end])) is not None:
                hits.add(order)
        for length, beginnings in self._wild.items():
            for wild in beginnings.get(address[:length], ()):
                if wild.needle in address and wild.match(address):
                    hits.add(wild.order)
        return tuple(self._patterns[order] for order in sorted(hits)) if hits else ()


_Letter: TypeAlias = "str | frozenset[str] | None"  # a character; perhaps one of these and then anything; anything


def _tokens(pattern: str) -> list[_Letter]:
    """A pattern as characters and wildcards, and at its end what may lie below."""
    kind, _, rest = pattern.partition(":")
    tokens: list[_Letter] = []
    for piece in _PIECE.findall(pattern):
        tokens.extend(["/", None] if piece == "/**/" else [None] if piece.startswith("*") else piece)
    edges = _MEMBER_EDGES if "#" in rest else "#./[(" if kind == "*" else "#" + _SUBJECT_EDGES.get(kind, "")
    return [*tokens, frozenset(edges)]


def _meet(mine: list[_Letter], theirs: list[_Letter]) -> bool:
    """Whether two token lists have a text in common: a table over their endings, filled from the back."""
    below = [False] * len(theirs) + [True]
    for j in range(len(theirs) - 1, -1, -1):
        below[j] = below[j + 1] and not isinstance(theirs[j], str)
    for a in reversed(mine):
        row = [False] * len(theirs) + [below[-1] and not isinstance(a, str)]
        for j in range(len(theirs) - 1, -1, -1):
            row[j] = _step(a, theirs[j], below[j], row[j + 1], below[j + 1])
        below = row
    return below[0]


def _step(a: _Letter, b: _Letter, without_a: bool, without_b: bool, without_both: bool) -> bool:
    if a is None or b is None:
        return without_a or without_b
    if isinstance(a, frozenset):
        return without_a or b in a
    if isinstance(b, frozenset):
        return without_b or a in b
    return a == b and without_both


def _ends(address: str, colon: int) -> list[int]:
    """Where the address and each of its ancestors end."""
    ends = [len(address)]
    hash_sign = address.find("#", colon)
    if edge := _SUBJECT_EDGES.get(address[: colon - 1]):
        end = hash_sign if hash_sign >= 0 else len(address)
        ends.extend(found.start() for found in _EDGE[edge].finditer(address, colon, end))
    if hash_sign >= 0:
        ends.append(hash_sign)
        ends.extend(found.start() for found in _EDGE[_MEMBER_EDGES].finditer(address, hash_sign + 1))
    return ends


_PIECE = re.compile(r"/\*\*/|\*+|[^*/]+|/")


def _regex(kind: str, rest: str) -> str:
    """A regular expression for one pattern that cannot run away on a hostile address.

    ``**`` and ``*`` are lazy and everything up to the next wildcard is an atomic group, which is right because the
    earliest end of a part leaves the most for the next: the cost grows with the square of the address at worst.
    """
    kind_part = r"[^:]*:" if kind == "*" else re.escape(f"{kind}:")
    chunks = [[""]]  # between `**`; each chunk is a list of parts, each part is what one wildcard and its literal become
    before = ""
    for piece in _PIECE.findall(rest):
        if piece == "/**/":
            chunks[-1][-1] += "/"
            chunks.append(["(?:.*?/)??"])
        elif piece == "**":
            chunks.append([".*?"])
        elif piece.startswith("*"):
            chunks[-1].append(f"[^{re.escape(_stop(kind, before))}]*?")
        else:
            chunks[-1][-1] += re.escape(piece)
        before += piece
    head = "".join(f"(?>{_chunk(chunk)})" for chunk in chunks[:-1])
    *most, last = chunks[-1]
    return f"{kind_part}{head}{_last(most, last)}\\Z"


def _chunk(parts: list[str]) -> str:
    first, *others = parts
    return first + "".join(f"(?>{part})" for part in others)


def _last(most: list[str], last: str) -> str:
    return (_chunk(most) if most else "") + last


def _stop(kind: str, before: str) -> str:
    """The characters at which a ``*`` stops, given the part of the pattern before it."""
    subject, hash_sign, member = before.partition("#")
    if hash_sign:
        return '"' if member.count('"') % 2 else _MEMBER_STOPS.get(kind, _STOPS)
    if "**" in subject and kind not in _FILE_KINDS:
        return _STOPS  # `**` may have crossed into the member
    return _SUBJECT_STOPS.get(kind, _STOPS)
