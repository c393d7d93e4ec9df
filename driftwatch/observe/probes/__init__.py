"""Probes: small experiments on a real host. ``load_library`` reads them, ``run`` runs them."""

from driftwatch.observe.probes.definition import Probe, control, library_ids, load_library
from driftwatch.observe.probes.runner import run

__all__ = ["Probe", "control", "library_ids", "load_library", "run"]
