"""Reading and writing state files: every way one can be broken has its own words, and a broken one is never overwritten."""

from __future__ import annotations

import json
import re
import stat
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

from driftwatch import atomic
from driftwatch.errors import ConfigError, Problem, StoreError, did_you_mean

MAX_BYTES = 64 * 1024 * 1024
LEFTOVER_SECONDS = 600  # a temporary file this old belongs to a run that was killed

T = TypeVar("T")
_CONFLICT = re.compile(r"^(?:<{7}|>{7}|\|{7}|={7})(?: |$)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class StateFile:
    """A JSON state file: where it is, which format is understood, and what its user can do when it is broken."""

    path: Path
    version: int
    remedy: str

    def read(self) -> Record | None:
        """Its content, checked down to the format version; None when there is no such file."""
        text = self._text()
        if text is None:
            return None
        if clash := _CONFLICT.search(text):
            raise self.broken("there is an unresolved merge conflict here", text.count("\n", 0, clash.start()) + 1)
        record = Record(self, text, (), self._parse(text))
        version = record.field("version", int)
        if version != self.version:
            newer = "by a newer driftwatch" if version > self.version else "in a format that is no longer read"
            raise self.broken(f"written {newer}: version {version}, this one reads {self.version}", record.line("version"))
        return record

    def write(self, text: str) -> None:
        """Replace the file in one step; the same bytes are not written again. The caller has read the old one first."""
        self._sweep()
        with suppress(OSError):
            if self.path.read_bytes() == text.encode():
                return
        atomic.write(self.path, text)

    def broken(self, message: str, line: int = 0, column: int = 1) -> ConfigError:
        return ConfigError([Problem(str(self.path), line, column if line else 0, message, self.remedy)])

    def _text(self) -> str | None:
        try:
            if not stat.S_ISREG(self.path.stat().st_mode):
                raise StoreError(f"{self.path} is not a regular file", "move it away, then run again")
            with self.path.open("rb") as file:
                raw = file.read(MAX_BYTES + 1)
        except FileNotFoundError:
            return None
        except NotADirectoryError as error:
            raise StoreError(
                f"cannot read {self.path}: a file is where its folder should be", "move that file away, then run again"
            ) from error
        except OSError as error:
            raise StoreError(f"cannot read {self.path}: {error.strerror or error}", "make it readable, then run again") from error
        if len(raw) > MAX_BYTES:
            raise self.broken(f"the file is larger than {MAX_BYTES // 1024 // 1024} MiB")
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise self.broken("this is not UTF-8 text", raw.count(b"\n", 0, error.start) + 1) from None

    def _parse(self, text: str) -> Any:
        if not text.strip():
            raise self.broken("the file is empty")
        try:
            return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
        except json.JSONDecodeError as error:
            if not text[error.pos :].strip() or error.msg.startswith("Unterminated string"):
                last = text.rstrip()
                raise self.broken("the file ends in the middle: it was cut off", last.count("\n") + 1) from None
            raise self.broken(f"this is not JSON: {error.msg}", error.lineno, error.colno) from None
        except _Duplicate as error:
            raise self.broken(f"key {error.key!r} is there twice", _line_of(text, error.key, last=True)) from None
        except (ValueError, RecursionError) as error:
            raise self.broken(f"this is not JSON that can be read: {error}") from None

    def _sweep(self) -> None:
        """Remove what killed runs left beside the file."""
        target = self.path.resolve()
        with suppress(OSError):
            for leftover in target.parent.iterdir():
                ours = leftover.name.startswith(f".{target.name}.") and leftover.name.endswith(".tmp")
                if ours and time.time() - leftover.lstat().st_mtime > LEFTOVER_SECONDS:
                    leftover.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class Record:
    """A mapping in a state file that knows where it came from, so that a wrong value is named with its line."""

    file: StateFile
    text: str
    path: tuple[str, ...]
    data: Any

    def field(self, key: str, kind: type[T], default: T | None = None) -> T:
        """The value under ``key``, of exactly this kind; ``default`` when it is missing and there is one."""
        mapping = self.mapping()
        if key not in mapping and default is not None:
            return default
        value = mapping.get(key)
        if type(value) is not kind:
            raise self._wrong(key, f"must be {_KINDS.get(kind, kind.__name__)}")
        return value

    def records(self, key: str) -> dict[str, Record]:
        """The mappings under ``key``, by name."""
        return self._inside(key, self.field(key, dict)).entries()

    def entries(self) -> dict[str, Record]:
        """The mappings this one is made of, by name."""
        inside = {name: self._inside(name, value) for name, value in self.mapping().items()}
        for record in inside.values():
            record.mapping()
        return inside

    def strings(self, key: str) -> dict[str, str]:
        """A mapping from text to text."""
        inside = self._inside(key, self.field(key, dict))
        return {name: inside.field(name, str) for name in inside.mapping()}

    def values(self, key: str) -> dict[str, Any]:
        """A mapping from text to any JSON."""
        return dict(self.field(key, dict))

    def only(self, *keys: str) -> Record:
        """Itself, when it holds nothing but these keys: a misspelt one must not pass for an empty one."""
        for key in self.mapping():
            if key not in keys:
                raise self._wrong(key, f"is not a key driftwatch knows; {did_you_mean(key, keys) or 'known: ' + ', '.join(keys)}")
        return self

    def mapping(self) -> Mapping[str, Any]:
        if not isinstance(self.data, dict):
            raise self.file.broken(f"{'.'.join(self.path) or 'the top of the file'} must be a mapping", self.line())
        return cast("Mapping[str, Any]", self.data)

    def line(self, key: str = "") -> int:
        """The line of ``key``, or of the mapping when it is not there: the file is indented by two for each level."""
        start, here = 0, isinstance(self.data, dict) and key in self.data
        for depth, name in enumerate((*self.path, key) if here else self.path, 1):
            found = _key(name, depth).search(self.text, start) or _key(name).search(self.text, start)
            start = found.end() if found else start
        return self.text.count("\n", 0, start) + 1

    def _inside(self, key: str, value: Any) -> Record:
        return Record(self.file, self.text, (*self.path, key), value)

    def _wrong(self, key: str, message: str) -> ConfigError:
        return self.file.broken(f"{'.'.join((*self.path, key))} {message}", self.line(key))


_KINDS: Mapping[type, str] = {dict: "a mapping", str: "text", int: "a whole number"}


class _Duplicate(ValueError):
    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping: dict[str, Any] = {}
    for key, value in pairs:
        if key in mapping:
            raise _Duplicate(key)
        mapping[key] = value
    return mapping


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


def _key(name: str, depth: int = 0) -> re.Pattern[str]:
    indent = rf"^ {{{2 * depth}}}" if depth else ""
    return re.compile(indent + re.escape(json.dumps(name)) + r"\s*:", re.MULTILINE)


def _line_of(text: str, key: str, *, last: bool) -> int:
    places = [found.start() for found in _key(key).finditer(text)]
    return text.count("\n", 0, places[-1 if last else 0]) + 1 if places else 0
