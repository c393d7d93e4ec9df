"""reports/observed.json: what the last look at the registry saw. Not committed knowledge, only memory between two runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from driftwatch.store import layout
from driftwatch.store.files import Record, StateFile

VERSION = 1


class SeenVersion(NamedTuple):
    """A published version. ``deprecated`` is the registry's message, "" when it is not."""

    integrity: str = ""
    deprecated: str = ""


@dataclass(frozen=True, slots=True)
class SeenUpstream:
    """What was seen of one upstream. ``looked_at``: ISO 8601; ``tags``: ``pkg#tag`` -> version; ``versions``: by package."""

    looked_at: str
    tags: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, Mapping[str, SeenVersion]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Seen:
    """The last look, by upstream id."""

    upstreams: Mapping[str, SeenUpstream] = field(default_factory=dict)
    version: int = VERSION


def read(path: Path) -> Seen | None:
    """The last look; None when there was none. Raises as the lock's ``read`` does."""
    record = _file(path).read()
    if record is None:
        return None
    return Seen(
        {name: _upstream(upstream) for name, upstream in record.only("version", "upstreams").records("upstreams").items()}
    )


def dump(seen: Seen) -> str:
    """The text: valid JSON, sorted, one line a tag and package, stable bytes."""
    upstreams = {name: _plain(seen.upstreams[name]) for name in sorted(seen.upstreams)}
    return layout.dump({"version": seen.version, "upstreams": upstreams}, depth=4)


def write(path: Path, seen: Seen) -> None:
    """Replace it in one step. Raises, and leaves the file alone, when the present one is broken."""
    text = dump(seen)
    read(path)
    _file(path).write(text)


def _file(path: Path) -> StateFile:
    return StateFile(path, VERSION, "delete it: it only holds what the last look saw, the next run makes it again")


def _upstream(record: Record) -> SeenUpstream:
    record.only("looked_at", "tags", "versions")
    return SeenUpstream(
        looked_at=record.field("looked_at", str),
        tags=record.strings("tags"),
        versions={package: _seen(versions) for package, versions in record.records("versions").items()},
    )


def _seen(versions: Record) -> dict[str, SeenVersion]:
    """Ten thousand rows are read on every poll: the usual row is taken as it is, an odd one asked field by field."""
    found: dict[str, SeenVersion] = {}
    for version, row in versions.mapping().items():
        integrity, deprecated = (row.get("integrity", ""), row.get("deprecated", "")) if type(row) is dict else (None, None)
        if type(integrity) is not str or type(deprecated) is not str:
            odd = versions.entries()[version]
            integrity, deprecated = odd.field("integrity", str, ""), odd.field("deprecated", str, "")
        found[version] = SeenVersion(integrity, deprecated)
    return found


def _plain(upstream: SeenUpstream) -> dict[str, Any]:
    return {
        "looked_at": upstream.looked_at,
        "tags": dict(sorted(upstream.tags.items())),
        "versions": {package: _versions(versions) for package, versions in sorted(upstream.versions.items())},
    }


def _versions(versions: Mapping[str, SeenVersion]) -> dict[str, dict[str, str]]:
    return {
        version: {"integrity": seen.integrity} | ({"deprecated": seen.deprecated} if seen.deprecated else {})
        for version, seen in sorted(versions.items())
    }
