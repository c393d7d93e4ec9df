"""What is known of each probe on one binary: from earlier runs, and from this one as it goes. Kept on disk at once."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from pathlib import Path

from driftwatch.observe.hosts.driver import Binary, Driver
from driftwatch.observe.probes import cache as kept
from driftwatch.observe.probes.definition import Probe
from driftwatch.observe.probes.outcome import TOLD, Result, combined


class Book:
    """Answers by probe id. ``fresh``: what earlier runs knew counts for nothing."""

    def __init__(
        self, driver: Driver, binary: Binary, control: Probe, cache: Path | None, probes: Iterable[Probe], *, fresh: bool = False
    ) -> None:
        self._driver, self._binary, self._control, self._cache = driver, binary, control, cache
        self._probes = {probe.id: probe for probe in probes}
        self._known = {} if fresh else kept.read(cache, driver, binary, control, self._probes.values())
        self._lock = threading.Lock()

    def due(self, probes: Iterable[Probe], repeat: int, *, thrifty: bool) -> list[Probe]:
        """Those that have not been asked ``repeat`` times yet, or whose failure still wants its second try."""
        return [
            probe
            for probe in probes
            if not self.knows(probe.id)
            or (self._known[probe.id].again and not thrifty)
            or (self._known[probe.id].runs < repeat and not self._known[probe.id].flaky)
        ]

    def knows(self, name: str) -> bool:
        """Whether an answer is there, certain or not."""
        return name in self._known and (self._known[name].outcome in TOLD or self._known[name].flaky)

    def half(self, probe: Probe) -> bool:
        """Whether it failed in an earlier run that did not try it in a fresh process."""
        return self.knows(probe.id) and self._known[probe.id].again

    def tell(self, name: str, result: Result) -> None:
        """One more answer. Kept at once when it is certain."""
        with self._lock:
            self._known[name] = combined(self._known[name], result) if name in self._known else result
            kept.write(self._cache, self._driver, self._binary, self._control, self._probes[name], self._known[name])

    def answer(self, name: str) -> Result:
        return self._known.get(name) or Result("unverified", reason="the run was ended before it was asked")
