"""Probes: small experiments on a real host. ``load_library`` reads them, ``run`` runs them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from driftwatch.observe.probes.definition import Probe, control, library_ids, load_library

if TYPE_CHECKING:
    from driftwatch.observe.probes.runner import run

__all__ = ["Probe", "control", "library_ids", "load_library", "run"]


def __getattr__(name: str) -> Any:
    """The runner brings hosts and servers along: only who runs probes pays for it."""
    if name == "run":
        from driftwatch.observe.probes.runner import run

        return run
    raise AttributeError(name)
