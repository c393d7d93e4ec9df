"""watchlist.lock: what was accepted. Committed, so a pull request shows how it moves: one line a tag, package and fact.

It holds versions, integrities, commits and values; no URLs, no times: accepting the same thing twice gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from driftwatch import atomic
from driftwatch.model import Json
from driftwatch.store import layout
from driftwatch.store.files import Record, StateFile

VERSION = 1
NOTHING: Mapping[Path, bytes] = {}


@dataclass(frozen=True, slots=True)
class LockedPackage:
    """The accepted version of one package and its Subresource Integrity ("" when the registry gave none)."""

    version: str
    integrity: str = ""


@dataclass(frozen=True, slots=True)
class LockedUpstream:
    """What was accepted of one upstream.

    ``version``: of the primary package; ``commit``: full SHA or ""; ``packages``: by name; ``tags``: ``pkg#tag`` ->
    version, all dist-tags then; ``tag_targets``: git tag name -> SHA; ``facts``: accepted values by address.
    """

    version: str
    commit: str = ""
    packages: Mapping[str, LockedPackage] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    tag_targets: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Lock:
    """Everything accepted, by upstream id."""

    upstreams: Mapping[str, LockedUpstream] = field(default_factory=dict)
    version: int = VERSION


def read(path: Path) -> Lock | None:
    """The lock at ``path``; None when there is none.

    Raises ConfigError with file and line for one that is cut off, conflict-marked, of a newer version or otherwise not
    a lock; StoreError when it cannot be read at all.
    """
    record = _file(path).read()
    if record is None:
        return None
    return Lock(
        {name: _upstream(upstream) for name, upstream in record.only("version", "upstreams").records("upstreams").items()}
    )


def dump(lock: Lock) -> str:
    """The lock's text: valid JSON, sorted, stable bytes."""
    upstreams = {name: _plain(lock.upstreams[name]) for name in sorted(lock.upstreams)}
    return layout.dump({"version": lock.version, "upstreams": upstreams}, depth=4)


def write(path: Path, lock: Lock, alongside: Mapping[Path, bytes] = NOTHING) -> None:
    """Replace the lock in one step. Raises as ``read`` does, and leaves the file alone, when the present one is broken;
    StoreError when it cannot be written. Files ``alongside`` are written with it: all, or none."""
    text = dump(lock)
    read(path)
    with atomic.together(alongside):
        _file(path).write(text)


def _file(path: Path) -> StateFile:
    return StateFile(
        path,
        VERSION,
        "restore it from version control, or move it away and run `driftwatch accept` to make it again; nothing was changed",
    )


def _upstream(record: Record) -> LockedUpstream:
    record.only("version", "commit", "packages", "tags", "tag_targets", "facts")
    return LockedUpstream(
        version=record.field("version", str),
        commit=record.field("commit", str),
        packages={
            name: LockedPackage(package.field("version", str), package.field("integrity", str, ""))
            for name, package in record.records("packages").items()
        },
        tags=record.strings("tags"),
        tag_targets=record.strings("tag_targets"),
        facts=record.values("facts"),
    )


def _plain(upstream: LockedUpstream) -> dict[str, Any]:
    packages = {
        name: {"version": package.version, "integrity": package.integrity} for name, package in sorted(upstream.packages.items())
    }
    return {
        "version": upstream.version,
        "commit": upstream.commit,
        "packages": packages,
        "tags": dict(sorted(upstream.tags.items())),
        "tag_targets": dict(sorted(upstream.tag_targets.items())),
        "facts": dict(sorted(upstream.facts.items())),
    }
