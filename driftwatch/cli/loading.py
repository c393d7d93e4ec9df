"""Reading the user's watchlist with everything that can be checked about it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from driftwatch.config.model import Watchlist


def load(path: Path) -> Watchlist:
    """Raises ConfigError naming every problem with file and line; unknown rules, probes and drivers are problems too."""
    from driftwatch.config import load as read
    from driftwatch.observe.hosts import DRIVERS
    from driftwatch.observe.probes import library_ids
    from driftwatch.rules import catalogue

    return read(path, rules=catalogue(), probes=library_ids(), drivers=DRIVERS)
