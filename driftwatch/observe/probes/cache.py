"""Answers kept by what they depend on: the binary's bytes, the probe's folder, the control, and how we run them."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

from driftwatch.errors import StoreError
from driftwatch.model import Json
from driftwatch.observe.hosts.driver import Binary, Driver
from driftwatch.observe.probes.definition import Probe
from driftwatch.observe.probes.outcome import Result
from driftwatch.observe.sources.cache import Cache

RUNNER = 2  # rises when the same probe on the same binary could say something else


def key(driver: Driver, binary: Binary, control: Probe, probe: Probe) -> str:
    helper = files(__package__).joinpath("mark.mjs").read_text("utf-8")
    parts = [RUNNER, driver.name, driver.revision, binary.integrity, control.digest, probe.id, probe.digest, helper]
    return sha256(json.dumps(parts).encode()).hexdigest()


def read(cache: Path | None, driver: Driver, binary: Binary, control: Probe, probes: Iterable[Probe]) -> dict[str, Result]:
    """What is known, by probe id; nothing of a host that cannot be told from another. What cannot be read, or is not what was
    written, is not known."""
    known: dict[str, Result] = {}
    for probe in probes if cache and binary.integrity else ():
        assert cache is not None
        data: Any = Cache(cache).read("probes", key(driver, binary, control, probe))
        with contextlib.suppress(TypeError, KeyError):
            known[probe.id] = Result(**{**data, "evidence": tuple(data["evidence"]), "unstable": tuple(data["unstable"])})
    return known


def write(cache: Path | None, driver: Driver, binary: Binary, control: Probe, probe: Probe, result: Result) -> None:
    """Keep what is certain, at once: whoever is killed has lost no more than what was under way. A cache that cannot be
    written costs time, not answers."""
    if cache is None or not binary.integrity or result.outcome == "unverified" or (probe.control and result.outcome != "holds"):
        return
    data: dict[str, Json] = {
        "outcome": result.outcome,
        "facts": dict(result.facts),
        "reason": result.reason,
        "evidence": list(result.evidence),
        "seconds": result.seconds,
        "version": result.version,
        "again": result.again,
        "runs": result.runs,
        "unstable": list(result.unstable),
    }
    with contextlib.suppress(StoreError):
        Cache(cache).write("probes", key(driver, binary, control, probe), data)
