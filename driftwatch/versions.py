"""Versions by SemVer precedence. Registries give them in no order that can be trusted. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from semver import Version


def parse(version: str) -> Version | None:
    """None for what is no SemVer version, such as a commit or a dist-tag."""
    try:
        return Version.parse(version)
    except ValueError:
        return None


def ordered(versions: Iterable[str]) -> list[str]:
    """The valid ones in rising precedence."""
    pairs = [(parsed, version) for version in versions if (parsed := parse(version)) is not None]
    return [version for _, version in sorted(pairs, key=lambda pair: (pair[0], pair[1]))]
