"""Finding references to lines in texts: ``path:12``, ``path:12-15``, ``path#L12-L15``, with a commit as ``path@1a2b3c4:12`` or
in the address of a web page (``.../blob/1a2b3c4/path#L12``). Reading documents, no upstream."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from driftwatch.model import Gap
from driftwatch.observe.facts.anchors.follow import Span
from driftwatch.observe.sources import paths

MOST = 4 * 1024 * 1024  # bytes of one document
MOST_DOCUMENTS = 500
MOST_REFERENCES = 2000  # of one document
MOST_LINE = 10_000_000

_REFERENCE = re.compile(
    r"(?<![\w./@-])(?:https?://\S*?/blob/(?P<page>[0-9a-f]{7,40})/)?"
    r"(?P<path>(?:(?:\([\w.-]{1,60}\)|[\w.$\[\]@+-]{1,120})/){0,20}[\w.$@+-]{1,120}\.[A-Za-z][A-Za-z0-9]{0,9})"
    r"(?:@(?P<commit>[0-9a-f]{7,40}))?"
    r"(?::(?P<line>\d{1,8})(?:[-\u2013](?P<last>\d{1,8}))?(?![\d.:]*\d)|#L(?P<mark>\d{1,8})(?:-L?(?P<end>\d{1,8}))?)"
)


@dataclass(frozen=True, slots=True)
class Reference:
    """One reference: ``place`` is ``document:line``; ``commit`` "" when it names none. Lines count from 1, both ends included."""

    document: str
    place: str
    path: str
    first: int
    last: int
    commit: str = ""

    @property
    def lines(self) -> str:
        return Span(self.first, self.last).numbers

    @property
    def member(self) -> str:
        """How it is written in an address: with what tells it from another reference of the same document."""
        return f"{self.path}{'@' + self.commit if self.commit else ''}:{self.lines}"


def documents(root: Path, globs: Sequence[str]) -> tuple[dict[str, str], tuple[Gap, ...]]:
    """The texts of the project's documents by their path from ``root``, and what could not be read of them."""
    texts: dict[str, str] = {}
    gaps: list[Gap] = []
    for glob in globs:
        found = _matching(root, glob)
        if not found:
            gaps.append(Gap(f"anchor:{glob}", f"no document is meant by {glob}", "correct `anchors` in the watchlist"))
        for path in found:
            name = path.relative_to(root).as_posix()
            try:
                if path.stat().st_size > MOST or len(texts) >= MOST_DOCUMENTS:
                    raise OSError(0, f"larger than {MOST // 1024 // 1024} MiB, or one too many")
                texts[name] = path.read_text("utf-8-sig", "replace")
            except OSError as error:
                gaps.append(Gap(f"anchor:{subject(name)}", f"{name} could not be read: {error.strerror}", "make it readable"))
    return dict(sorted(texts.items())), tuple(gaps)


def _matching(root: Path, glob: str) -> list[Path]:
    try:
        return sorted(path for path in root.glob(glob.removeprefix("./")) if path.is_file() and not path.is_symlink())
    except (OSError, ValueError, NotImplementedError):
        return []


def subject(document: str) -> str:
    return paths.address(document).subject


def references(document: str, text: str) -> Iterator[Reference]:
    """Every reference once, in order. Ports (``127.0.0.1:80``), times and versions are none."""
    seen: set[str] = set()
    for number, line in enumerate(text.splitlines(), 1):
        for match in _REFERENCE.finditer(line[:20_000]):
            first = int(match["line"] or match["mark"])
            last = int(match["last"] or match["end"] or first)
            if not 1 <= first <= last <= MOST_LINE:
                continue
            found = Reference(
                document, f"{document}:{number}", match["path"], first, last, match["commit"] or match["page"] or ""
            )
            if found.member not in seen:
                seen.add(found.member)
                yield found
            if len(seen) >= MOST_REFERENCES:
                return
