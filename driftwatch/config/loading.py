"""The way from a file to a Watchlist: read, check the shape, check what one part says of another. All problems at once."""

from __future__ import annotations

import stat
from collections.abc import Collection, Mapping
from pathlib import Path

from pydantic import ValidationError

from driftwatch.config.crosscheck import crosscheck
from driftwatch.config.explain import Wrong, explain
from driftwatch.config.model import Watchlist
from driftwatch.config.reading import Document, read
from driftwatch.errors import ConfigError, Problem

MAX_BYTES = 1024 * 1024
MAX_WORDS = 400  # a problem quotes what is wrong, which may be a megabyte
MAX_PROBLEMS = 100  # the rest of a file that is not a watchlist at all helps nobody


def load(path: Path, known: Mapping[str, Collection[str] | None]) -> Watchlist:
    """Read and check ``path``. ``known`` holds the ids there are of each kind (rule, probe, driver); None: not asked."""
    document = read(_text(path), str(path))
    wrongs: list[Wrong] = []
    watchlist: Watchlist | None = None
    try:
        watchlist = Watchlist.model_validate(document.data, context=known)
    except ValidationError as error:
        wrongs.extend(explain(error, document))
    wrongs.extend(crosscheck(document.data))
    if watchlist is None or wrongs:
        raise ConfigError(_problems(str(path), document, wrongs))
    return watchlist.at(path, _lines(watchlist, document))


def _lines(watchlist: Watchlist, document: Document) -> dict[tuple[str, str], int]:
    """The line of everything relied on: entries of relies_on, watched paths and probes."""
    lines: dict[tuple[str, str], int] = {}
    for number, upstream in enumerate(watchlist.upstreams):
        listed = {
            "probes": [f"probe:{probe}" for probe in upstream.probes],
            "watch": [f"file:{watched.path}" for watched in upstream.watch],
            "relies_on": [reliance.address for reliance in upstream.relies_on],
        }
        for key, addresses in listed.items():
            for index, address in enumerate(addresses):
                lines[upstream.id, address] = document.place(("upstreams", number, key, index)).line
    return lines


def _problems(name: str, document: Document, wrongs: list[Wrong]) -> list[Problem]:
    found: dict[Problem, None] = {}
    for wrong in wrongs:
        place = document.place(wrong.path, key=wrong.key)
        found[Problem(name, place.line, place.column, _short(wrong.message), _short(wrong.remedy))] = None
    ordered = sorted(found, key=lambda problem: (problem.line, problem.column, problem.message))
    if len(ordered) > MAX_PROBLEMS:
        rest = len(ordered) - MAX_PROBLEMS
        return [*ordered[:MAX_PROBLEMS], Problem(name, 0, 0, f"and {rest} more problems")]
    return ordered


def _short(words: str) -> str:
    return words if len(words) <= MAX_WORDS else words[:MAX_WORDS] + "..."


def _text(path: Path) -> str:
    raw = _bytes(path)
    name = str(path)
    if len(raw) > MAX_BYTES:
        raise ConfigError(
            [Problem(name, 0, 0, f"the file is larger than {MAX_BYTES // 1024} KiB", "a watchlist is a short file")]
        )
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        column = error.start - raw.rfind(b"\n", 0, error.start)
        raise ConfigError([Problem(name, line, column, "the file is not UTF-8 text", "save it as UTF-8")]) from None
    return text


def _bytes(path: Path) -> bytes:
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            what = "a folder" if stat.S_ISDIR(mode) else "not a regular file"
            raise ConfigError([Problem(str(path), 0, 0, f"is {what}", "name the watchlist.yaml in it")])
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise ConfigError(
            [
                Problem(
                    str(path),
                    0,
                    0,
                    "there is no such file",
                    "`driftwatch init` proposes one from your project; docs/watchlist.md tells of every key",
                )
            ]
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigError([Problem(str(path), 0, 0, f"cannot be read: {reason}")]) from None
