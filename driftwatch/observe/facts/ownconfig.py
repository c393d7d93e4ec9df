"""The host's configuration keys that the project's own files set: ``use:opencode.json#config:KEY``. Reads JSON with comments."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from driftwatch import jsonc
from driftwatch.model import Address, Fact, Gap, Json, Observed

FILES = ("opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc")
MAX_BYTES = 1024 * 1024
MAX_DEPTH = 3  # names of keys below are the user's own, or of little weight

_NOT_KEYS = frozenset({"$schema"})


def observe(project: Path) -> Observed:
    """Facts for every key of the configuration files beside the source; a file that cannot be read is a gap."""
    facts: list[Fact] = []
    gaps: list[Gap] = []
    for name in FILES:
        path = project / name
        try:
            if not path.is_file():
                continue
            if path.stat().st_size > MAX_BYTES:
                raise ValueError(f"it is larger than {MAX_BYTES // 1024} KiB")
            facts.extend(_facts(name, path.read_text("utf-8-sig")))
        except (OSError, ValueError) as error:
            gaps.append(Gap(f"use:{name}", f"its keys could not be read: {error}"))
    return Observed(tuple(facts), tuple(gaps))


def _facts(name: str, text: str) -> Iterator[Fact]:
    places: dict[str, list[str]] = {}
    for path, offset in keys(text):
        line, column = text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)
        places.setdefault(".".join(path), []).append(f"{line}:{column}")
    for key, lines in sorted(places.items()):
        value: dict[str, Json] = {"kinds": ["config-set"], "lines": [*lines]}
        if any(other.startswith(f"{key}.") for other in places):
            value["through"] = True
        yield Fact(Address(f"use:{name}#config:{key}"), value, f"{name}:{lines[0]}")


def keys(text: str) -> Iterator[tuple[tuple[str, ...], int]]:
    """Every key with its path from the top, and where it stands. What is in lists has no path. Raises ValueError."""
    path: list[str] = []
    open_: list[str] = []
    string: tuple[str, int] | None = None
    key = False  # a string that comes now is a key
    for word, offset in jsonc.tokens(text):
        if word in "{[":
            open_.append(word)
        elif word in "}]" and (not open_ or (open_.pop() == "{") != (word == "}")):
            raise ValueError(f"a bracket is not closed, at character {offset}")
        elif word == ":":
            if string is None:
                raise ValueError(f"a colon without a key, at character {offset}")
            del path[_depth(open_) - 1 :]
            path.append(string[0])
            if "[" not in open_ and len(path) <= MAX_DEPTH and string[0] not in _NOT_KEYS:
                yield tuple(path), string[1]
            string = None
        key = (word in "{," and open_[-1:] == ["{"]) or (key and word.startswith('"'))
        if key and word.startswith('"'):
            string, key = (str(json.loads(word)), offset), False
    if open_:
        raise ValueError("it ends inside a bracket")


def _depth(open_: list[str]) -> int:
    return open_.count("{")
