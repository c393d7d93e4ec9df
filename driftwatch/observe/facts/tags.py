"""Dist-tags and published versions as facts. Source: the packument; when something was published is no fact of it.

``tag:NAME#TAG`` is {"version", "published" (the version is there), "deprecated" (its note or null)};
``version:NAME#V`` is {"integrity" (Subresource Integrity), "deprecated"}.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from driftwatch.model import Address, Fact, Gap, Json, Observed


class Version(Protocol):
    @property
    def integrity(self) -> str: ...
    @property
    def deprecated(self) -> str | None: ...


class Package(Protocol):
    """What is needed of a packument."""

    @property
    def dist_tags(self) -> Mapping[str, str]: ...
    @property
    def versions(self) -> Mapping[str, Version]: ...
    @property
    def gaps(self) -> tuple[Gap, ...]: ...


def observe(name: str, packument: Package) -> Observed:
    """Facts of every tag and version, and the packument's own gaps."""
    versions = packument.versions
    # With no list of versions at all nobody knows what a tag points at: saying "withdrawn" would be a guess.
    unknown = not versions and bool(packument.gaps)
    facts = [
        Fact(Address.of("tag", name, tag), _tag(version, versions.get(version), unknown))
        for tag, version in packument.dist_tags.items()
    ]
    start = Address.of("version", name, "")
    facts += [
        Fact(Address(f"{start}#{version}"), {"integrity": info.integrity, "deprecated": info.deprecated})
        for version, info in versions.items()
    ]
    return Observed(tuple(facts), packument.gaps)


def _tag(version: str, info: Version | None, unknown: bool) -> Json:
    return {"version": version, "published": unknown or info is not None, "deprecated": info.deprecated if info else None}
