"""What the native compiler says, as errors at places of our own source. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from driftwatch.model.typecheck import TypeProblem

_PLACED = re.compile(r"^(?P<file>[^\s(].*?)\((?P<line>\d+),(?P<column>\d+)\): error (?P<code>TS\d+): (?P<text>.*)$")
_BARE = re.compile(r"^error (?P<code>TS\d+): (?P<text>.*)$")
_OPTION = re.compile(r"[Oo]ption '(?P<name>\w+)(?:=(?P<value>\w+))?' (?:has been removed|is deprecated|is no longer supported)")
_FOLDER = re.compile(r"""import\("[^"]*/node_modules/([^"]*)"\)""")
LONGEST = 2000


@dataclass(frozen=True, slots=True)
class Said:
    """``own``: errors in our files. ``elsewhere``: how many stand in installed packages. ``options``: compiler options it refuses
    (name, value). ``stopped``: complaints about the configuration for which it did not look at the source."""

    own: tuple[TypeProblem, ...] = ()
    elsewhere: int = 0
    options: tuple[tuple[str, str], ...] = ()
    stopped: tuple[str, ...] = ()


def parse(text: str) -> Said:
    """The output of ``tsc --pretty false``, run in the folder that the files are relative to."""
    found = list(_problems(text))
    own = [one for one in found if one.file and not _foreign(one.file) and not _about_options(one)]
    options = {(match["name"], match["value"] or "") for one in found if (match := _OPTION.search(one.message))}
    stopped = [one.message for one in found if _about_options(one)]
    return Said(
        tuple(sorted(set(own), key=_place)), sum(_foreign(one.file) for one in found), tuple(sorted(options)), tuple(stopped)
    )


def _problems(text: str) -> Iterator[TypeProblem]:
    current: TypeProblem | None = None
    for line in text.splitlines():
        if line.startswith(" ") and current is not None:
            current = _with(current, line)
            continue
        if current is not None:
            yield current
        current = None
        if match := _PLACED.match(line):
            file = match["file"].replace("\\", "/")
            current = TypeProblem(file, int(match["line"]), int(match["column"]), match["code"], _short(match["text"]))
        elif match := _BARE.match(line):
            current = TypeProblem("", 0, 0, match["code"], _short(match["text"]))
    if current is not None:
        yield current


def _with(one: TypeProblem, line: str) -> TypeProblem:
    return TypeProblem(one.file, one.line, one.column, one.code, f"{one.message}\n{_short(line)}"[:LONGEST])


def _short(text: str) -> str:
    """Folders of this run are nobody's business, and would make two alike errors differ."""
    return _FOLDER.sub(r'import("\1")', text)[:LONGEST]


def _foreign(file: str) -> bool:
    return "node_modules/" in file or file.startswith(("../", "/"))


def _about_options(one: TypeProblem) -> bool:
    """Codes 5000 to 6999 and 18000 to 18003 are about the configuration; with any of them the source is not looked at."""
    number = int(one.code[2:])
    return (5000 <= number < 7000 or 18000 <= number <= 18003) and (not one.file or one.file.endswith(".json"))


def _place(one: TypeProblem) -> tuple[str, int, int, str, str]:
    return one.file, one.line, one.column, one.code, one.message
