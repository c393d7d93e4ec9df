"""Running probes on one host binary: as few boots as their needs allow, the control in each, failures tried twice."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from driftwatch.errors import DriftwatchError
from driftwatch.model import ProbeRow
from driftwatch.observe.ending import ending
from driftwatch.observe.hosts.driver import Binary, Driver, Setting
from driftwatch.observe.hosts.model import MockModel
from driftwatch.observe.probes import cache as kept
from driftwatch.observe.probes import outcome
from driftwatch.observe.probes.definition import Probe
from driftwatch.observe.probes.outcome import Result
from driftwatch.observe.probes.session import Up
from driftwatch.observe.process import ProcessError
from driftwatch.progress import SILENT, Progress, Task

PROJECTS = 4  # at once on one host
HOST_FOR = 600.0
USUAL_BOOT = 4.0  # seconds a host needs on a machine that is not busy; every patience grows with what it took


@dataclass(frozen=True, slots=True)
class Group:
    """Probes that may share one boot."""

    setting: Setting
    probes: tuple[Probe, ...]
    alone: bool


def run(
    driver: Driver,
    binary: Binary,
    probes: Iterable[Probe],
    *,
    control: Probe,
    cache: Path | None,
    scratch: Path,
    progress: Progress = SILENT,
    jobs: int = 2,
) -> tuple[ProbeRow, ...]:
    """What each probe says on ``binary``, sorted by id; the control's row is always among them.

    Answers known from ``cache`` cost no boot (``unverified`` is never kept; None: neither read nor write). ``jobs`` hosts run
    at once. Never raises for what a host does: that is an outcome with its reason.
    """
    wanted = {probe.id: probe for probe in (control, *probes)}
    known = kept.read(cache, driver, binary, control, wanted.values())
    missing = [probe for probe in wanted.values() if probe.id not in known]
    if missing:
        with progress.task(f"probing {driver.name} {binary.label}", len(missing)) as task:
            fresh = _Run(driver, binary, control, scratch, task, jobs=max(1, jobs)).all(missing)
        kept.write(cache, driver, binary, control, [(wanted[name], result) for name, result in fresh.items()])
        known = {**known, **fresh}
    return tuple(_row(wanted[name], known[name], binary) for name in sorted(wanted))


def _row(probe: Probe, result: Result, binary: Binary) -> ProbeRow:
    return ProbeRow(
        id=probe.id,
        version=binary.version or result.version,
        outcome=result.outcome,
        facts=dict(sorted(result.facts.items())),
        reason=result.reason,
        seconds=round(result.seconds, 2),
        evidence=result.evidence,
        title=probe.title,
    )


class _Run:
    def __init__(self, driver: Driver, binary: Binary, control: Probe, scratch: Path, task: Task, *, jobs: int) -> None:
        self.jobs = jobs
        self.driver = driver
        self.binary = binary
        self.control = control
        self.scratch = scratch
        self.task = task
        self.stopped = threading.Event()

    def all(self, probes: Sequence[Probe]) -> dict[str, Result]:
        first = self._groups(groups(probes, self.control))
        for result in first.values():
            if not result.again:
                self.task.advance()
        failed = [probe for probe in probes if first[probe.id].again]
        second = self._groups(retries(failed, first, self.control))
        self.task.advance(len(failed))
        return {**first, **{name: outcome.again(first[name], result) for name, result in second.items() if name in first}}

    def _groups(self, wanted: Sequence[Group]) -> dict[str, Result]:
        """Every group's results. The control's come from the first group that has one."""
        found: dict[str, Result] = {}
        pool = ThreadPoolExecutor(self.jobs)
        try:
            for results in pool.map(self.group, wanted):
                found = {**results, **found}
        except BaseException:  # an interrupt: nobody waits for hosts any more
            self.stopped.set()
            with ending():
                pool.shutdown(cancel_futures=True)
            raise
        pool.shutdown()
        return found

    def group(self, group: Group) -> dict[str, Result]:
        started = time.monotonic()
        if self.stopped.is_set():
            return {}
        everybody = {self.control.id: self.control, **{probe.id: probe for probe in group.probes}}
        try:
            with (
                MockModel() as model,
                self.driver.boot(self.binary, scratch=self.scratch, setting=group.setting, deadline=HOST_FOR) as host,
            ):
                booted = time.monotonic() - started
                if self.stopped.is_set():  # the interrupt came while it started
                    return {}
                results = self._on(Up(self.driver, host, model, pace(booted)), group)
        except ProcessError as error:
            return dict.fromkeys(everybody, Result("unverified", reason=error.message))
        except DriftwatchError as error:
            failed = Result("unverified", reason=error.message, seconds=time.monotonic() - started, again=True)
            return dict.fromkeys(everybody, failed)
        told = {name: replace(result, seconds=result.seconds + booted) for name, result in results.items()}
        return told | self._each([probe for probe in group.probes if probe.id not in told])

    def _each(self, probes: Sequence[Probe]) -> dict[str, Result]:
        """Each on a host of its own: this host mixes projects up."""
        told: dict[str, Result] = {}
        with ThreadPoolExecutor(self.jobs) as pool:
            for results in pool.map(lambda probe: self.group(Group(setting(probe), (probe,), True)), probes):
                told |= results
        return told

    def _on(self, up: Up, group: Group) -> dict[str, Result]:
        control = up.probe(self.control, alone=False)
        rest = [probe for probe in group.probes if probe.id != self.control.id]
        if control.outcome != "holds":
            reason = f"the control plugin did not load, so nothing else can be told: {control.reason}"
            return {self.control.id: control} | {probe.id: Result("unverified", reason=reason, again=True) for probe in rest}
        results = {self.control.id: control}
        if not up.host.shares:
            return results | {probe.id: up.probe(probe, alone=group.alone) for probe in rest[:1]}
        together = [probe for probe in rest if probe.process == "shared"]
        with ThreadPoolExecutor(PROJECTS) as pool:
            told = pool.map(lambda probe: up.probe(probe, alone=group.alone), together)
            results |= {probe.id: result for probe, result in zip(together, told, strict=True)}
        return results | {probe.id: up.probe(probe, alone=group.alone) for probe in rest if probe.process != "shared"}


def pace(booted: float) -> float:
    """How much slower than usual this machine is today, seen by what the boot took."""
    return min(10.0, max(1.0, booted / USUAL_BOOT))


def groups(probes: Sequence[Probe], control: Probe) -> list[Group]:
    """Probes of equal settings share a boot; one of those that end their host goes last on it, the others, and those that
    want a host to themselves, get their own. The control goes along everywhere."""
    shared: dict[Setting, list[Probe]] = {}
    rest = [probe for probe in probes if probe.id != control.id]
    for probe in rest:
        if probe.process == "shared":
            shared.setdefault(setting(probe), []).append(probe)
    own = []
    for probe in rest:
        members = shared.get(setting(probe), [])
        if probe.process == "last" and members and members[-1].process == "shared":
            members.append(probe)
        elif probe.process != "shared":
            own.append(Group(setting(probe), (probe,), True))
    together = [Group(key, tuple(members), False) for key, members in shared.items()]
    return [*together, *own] or [Group(Setting(), (), False)]


def retries(failed: Sequence[Probe], first: Mapping[str, Result], control: Probe) -> list[Group]:
    """A probe that failed gets a host of its own; those whose host never came up share the second try, too."""
    never = [probe for probe in failed if not first[probe.id].version]
    alone = [Group(setting(probe), (probe,), True) for probe in failed if first[probe.id].version]
    return [*(groups(never, control) if never else ()), *alone]


def setting(probe: Probe) -> Setting:
    return Setting(tuple(sorted(probe.env.items())), tuple(sorted(probe.home.items())))
