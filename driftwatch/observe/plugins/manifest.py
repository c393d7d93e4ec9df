"""What a plugin's own package.json says about where it fits. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from driftwatch.model.plugins import PluginFault


def unfitting(manifest: Mapping[str, Any], there: Mapping[str, str]) -> Iterator[PluginFault]:
    """``there``: the versions on this host, of the packages plugins import and of the host itself (as in ``engines``)."""
    for table, words in (("peerDependencies", "its peer"), ("engines", "its engine")):
        wanted = manifest.get(table)
        for name, version in there.items():
            told = wanted.get(name) if isinstance(wanted, dict) else None
            if isinstance(told, str) and version and not _within(version, told):
                kind = "peer-unmet" if table == "peerDependencies" else "engines-unmet"
                yield PluginFault(
                    kind, f"{words} {name} is wanted at {told}, and is {version} here", "flaw", (f"package.json {table}",)
                )


def _within(version: str, wanted: str) -> bool:
    """Whether npm would call the version satisfying; a range nobody can read is no complaint."""
    import nodesemver

    try:
        return nodesemver.valid_range(wanted, False) is None or bool(nodesemver.satisfies(version, wanted, False))
    except ValueError:
        return True
