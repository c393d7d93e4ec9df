"""Answers kept by what they depend on: the binary's bytes, the probe's folder, the control, and how we run them."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from driftwatch import atomic
from driftwatch.errors import StoreError
from driftwatch.observe.hosts.driver import Binary, Driver
from driftwatch.observe.probes.definition import Probe
from driftwatch.observe.probes.outcome import Result

RUNNER = 1  # rises when the same probe on the same binary could say something else


def key(driver: Driver, binary: Binary, control: Probe, probe: Probe) -> str:
    helper = files(__package__).joinpath("mark.mjs").read_text("utf-8")
    parts = [RUNNER, driver.name, driver.revision, binary.integrity, control.digest, probe.id, probe.digest, helper]
    return sha256(json.dumps(parts).encode()).hexdigest()


def _file(cache: Path, name: str) -> Path:
    return cache / "probes" / name[:2] / f"{name}.json"


def read(cache: Path | None, driver: Driver, binary: Binary, control: Probe, probes: Iterable[Probe]) -> dict[str, Result]:
    """What is known, by probe id. A file that cannot be read is not known."""
    known: dict[str, Result] = {}
    for probe in probes if cache else ():
        assert cache is not None
        with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
            data = json.loads(_file(cache, key(driver, binary, control, probe)).read_text("utf-8"))
            known[probe.id] = Result(**{**data, "evidence": tuple(data["evidence"])})
    return known


def write(cache: Path | None, driver: Driver, binary: Binary, control: Probe, results: Iterable[tuple[Probe, Result]]) -> None:
    """Keep what is certain. A cache that cannot be written costs time, not answers."""
    for probe, result in results if cache else ():
        assert cache is not None
        if result.outcome == "unverified" or (probe.control and result.outcome != "holds"):
            continue
        data = {
            "outcome": result.outcome,
            "facts": dict(result.facts),
            "reason": result.reason,
            "evidence": list(result.evidence),
            "seconds": result.seconds,
            "version": result.version,
        }
        with contextlib.suppress(StoreError):
            atomic.write(_file(cache, key(driver, binary, control, probe)), json.dumps(data, sort_keys=True, indent=1) + "\n")
