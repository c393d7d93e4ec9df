"""watchlist.yaml -> Watchlist. Every problem is found at once, with file and line; nothing is half-read."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from driftwatch.config.model import Watchlist


def load(
    path: Path,
    *,
    rules: Collection[str] | None = None,
    probes: Collection[str] | None = None,
    drivers: Collection[str] | None = None,
) -> Watchlist:
    """Read a watchlist. Raises ConfigError carrying all problems: file, line, column, what is wrong, what would be right.

    ``rules``, ``probes`` and ``drivers`` are the ids there are; None leaves that question open. Probe ids that start
    with ``./`` are the user's own folders and are not looked up.
    """
    from driftwatch.config.loading import load as load_now

    return load_now(path, {"rule": rules, "probe": probes, "driver": drivers})


def json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of watchlist.yaml."""
    from driftwatch.config.model import json_schema as schema_now

    return schema_now()
