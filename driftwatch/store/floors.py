"""reports/floors.json: the floors `driftwatch floor` last found. What is published does not change, so they stay true."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast, get_args

from driftwatch.model import FloorMark, FloorStatus
from driftwatch.store import layout
from driftwatch.store.files import Record, StateFile

VERSION = 1


@dataclass(frozen=True, slots=True)
class KnownFloors:
    """The floors of one upstream. ``minimum``: the version everything needs, "" when that is not certain."""

    minimum: str = ""
    marks: tuple[FloorMark, ...] = ()


def read(path: Path) -> dict[str, KnownFloors]:
    """By upstream id; empty when none were looked for. Raises ConfigError with file and line for a broken file."""
    record = _file(path).read()
    if record is None:
        return {}
    found = record.only("version", "upstreams").records("upstreams")
    return {name: _known(one.only("minimum", "floors")) for name, one in found.items()}


def write(path: Path, floors: Mapping[str, KnownFloors]) -> None:
    """Replace those of the upstreams given and keep the others. Raises, and leaves the file alone, when it is broken."""
    every = {**read(path), **floors}
    plain = {name: _plain(every[name]) for name in sorted(every)}
    _file(path).write(layout.dump({"version": VERSION, "upstreams": plain}, depth=4))


def _file(path: Path) -> StateFile:
    return StateFile(path, VERSION, "delete it: `driftwatch floor` makes it again")


def _known(record: Record) -> KnownFloors:
    marks = [
        _mark(address, kind, row)
        for address, kinds in record.records("floors").items()
        for kind, row in kinds.only("declared", "behaving").entries().items()
    ]
    return KnownFloors(record.field("minimum", str, ""), tuple(marks))


def _mark(address: str, kind: str, row: Record) -> FloorMark:
    status = row.only("status", "version", "below").field("status", str)
    if status not in get_args(FloorStatus):
        raise row.file.broken(f"status {status!r} is none of {', '.join(get_args(FloorStatus))}", row.line("status"))
    return FloorMark(address, cast("Any", kind), cast("Any", status), row.field("version", str, ""), row.field("below", str, ""))


def _plain(known: KnownFloors) -> dict[str, Any]:
    floors: dict[str, dict[str, Any]] = {}
    for mark in sorted(known.marks, key=lambda mark: (mark.address, mark.kind)):
        row = {key: value for key, value in asdict(mark).items() if key in ("status", "version", "below") and value}
        floors.setdefault(mark.address, {})[mark.kind] = row
    return {"minimum": known.minimum, "floors": floors}
