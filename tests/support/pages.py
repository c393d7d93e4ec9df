"""Documentation that is run. A page is one session in an empty folder, from top to bottom:

- ``<!-- file: NAME -->`` before a fenced block: the block is written to that file.
- ``<!-- run -->`` before a ``console`` block: its ``$ driftwatch ...`` lines are run, and what follows each is what it prints to
  stdout; a line or part of ``...`` stands for anything. ``exit=N`` (or ``exit=N|M``, by what the machine reaches) when it does
  not end with 0, ``live`` when it needs the registry.
- ``<!-- not run: REASON -->`` before a ``console`` block that nobody runs.
"""

from __future__ import annotations

import io
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from driftwatch.cli import main

ROOT = Path(__file__).parent.parent.parent
FENCE = re.compile(r"(?:^<!-- (?P<note>[^\n]*?) -->\n)?^```(?P<kind>\w*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    """``note`` is the comment before it, "" when there is none; ``line`` where it starts."""

    note: str
    kind: str
    body: str
    line: int

    @property
    def runs(self) -> bool:
        return self.note.split(" ", 1)[0] == "run"

    @property
    def live(self) -> bool:
        return self.runs and "live" in self.note.split()

    @property
    def exits(self) -> list[int]:
        said = next((word[5:] for word in self.note.split() if word.startswith("exit=")), "0")
        return [int(code) for code in said.split("|")]


def blocks(page: Path) -> list[Block]:
    text = page.read_text("utf-8")
    return [
        Block(match["note"] or "", match["kind"], match["body"], text.count("\n", 0, match.start()) + 1)
        for match in FENCE.finditer(text)
    ]


def pages() -> list[Path]:
    return sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])


def replay(page: Path, folder: Path, *, live: bool) -> Iterator[str]:
    """Run a page in ``folder`` (the current one); give what went otherwise than it says. Without ``live`` its live blocks
    are left out."""
    for block in blocks(page):
        if block.note.startswith("file: "):
            target = folder / block.note[6:].strip()
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.body, "utf-8")
        elif block.runs and (live or not block.live):
            for command, wanted in commands(block.body):
                out, err = io.StringIO(), io.StringIO()
                code = main(shlex.split(command, comments=True)[1:], out, err)
                said = out.getvalue()
                if code not in block.exits:
                    yield f"{page.name}:{block.line}: `{command}` ended with {code}, not {block.exits}\n{said}\n{err.getvalue()}"
                elif wanted and not fits(wanted, said):
                    yield f"{page.name}:{block.line}: `{command}` says\n{said}\n--- and the page says\n{wanted}"


def commands(body: str) -> list[tuple[str, str]]:
    """Each ``$ command`` and the output written below it."""
    parts = re.split(r"^\$ (.*)\n", body, flags=re.MULTILINE)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


def fits(wanted: str, said: str) -> bool:
    """Whether output is what a page says: line ends and runs of blanks do not count, ``...`` is anything."""
    pattern = ".*?".join(r"\s+".join(map(re.escape, piece.split())) for piece in f" {wanted.strip()} ".split("..."))
    return re.fullmatch(rf"\s*{pattern}\s*".replace(".*?", r"\s*.*?\s*"), said, re.DOTALL) is not None
