"""What every job needs to know about where and how it runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from driftwatch.progress import SILENT, Progress


def default_cache(environment: Mapping[str, str] = os.environ) -> Path:
    """``DRIFTWATCH_CACHE``, else the platform's cache folder. Safe to delete at any time."""
    if named := environment.get("DRIFTWATCH_CACHE"):
        return Path(named).expanduser()
    if xdg := environment.get("XDG_CACHE_HOME"):
        return Path(xdg) / "driftwatch"
    home = Path(environment.get("HOME") or Path.home())
    return home / ("Library/Caches" if sys.platform == "darwin" else ".cache") / "driftwatch"


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Settings:
    """``jobs`` bounds what runs at once; it never changes a result. ``now`` is the only clock of a run."""

    cache: Path = field(default_factory=default_cache)
    offline: bool = False
    jobs: int = 4
    progress: Progress = SILENT
    now: datetime = field(default_factory=_now)
