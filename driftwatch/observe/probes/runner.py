"""Running probes on one host binary: as few boots as their needs allow, the control in each, failures tried twice."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from driftwatch.errors import DriftwatchError
from driftwatch.model import ProbeRow
from driftwatch.observe.ending import ending
from driftwatch.observe.hosts.driver import Binary, Driver, Setting
from driftwatch.observe.hosts.model import MockModel
from driftwatch.observe.probes.book import Book
from driftwatch.observe.probes.definition import Probe
from driftwatch.observe.probes.outcome import Result, combined
from driftwatch.observe.probes.session import Up
from driftwatch.observe.process import ProcessError
from driftwatch.progress import SILENT, Progress, Task

PROJECTS = 4  # at once on one host
WORTH_A_HOST = 6  # probes that share a boot are spread over several hosts when each gets as many
AT_MOST = 30  # on one host: what they leave behind in it stays there
HOST_FOR = 600.0
USUAL_BOOT = 2.0  # seconds a host needs on a machine that is not busy; every patience grows with what it took
Seats: TypeAlias = threading.BoundedSemaphore  # one for each host that may run, whoever boots it


@dataclass(frozen=True, slots=True)
class Group:
    """Probes that may share one boot. ``alone``: the only one there; ``in_turn``: one after the other, so that what failed among
    others is seen without them."""

    setting: Setting
    probes: tuple[Probe, ...]
    alone: bool
    in_turn: bool = False


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
    repeat: int = 1,
    fresh: bool = False,
    thrifty: bool = False,
    seats: Seats | None = None,
) -> tuple[ProbeRow, ...]:
    """What each probe says on ``binary``, sorted by id; the control's row is always among them.

    Answers known from ``cache`` cost no boot (``unverified`` is never kept; None: neither read nor write; ``fresh``: written
    only), and each is kept as soon as it is certain, so that a killed run goes on where it was. ``jobs`` hosts run at once,
    or as many as there are ``seats``, where several runs share them; then the probes are those of one host.
    ``repeat``: each probe is asked so often, each time in fresh processes; what differs is unstable or flaky. ``thrifty``: what
    fails is tried again on the same host instead of a fresh one, for searches that ask many versions.

    Never raises for what a host does: that is an outcome with its reason.
    """
    wanted = {probe.id: probe for probe in (control, *probes)}
    book = Book(driver, binary, control, cache, wanted.values(), fresh=fresh)
    if due := book.due(wanted.values(), repeat, thrifty=thrifty):
        with progress.task(f"probing {driver.name} {binary.label}", len(due)) as task:
            running = _Run(driver, binary, control, book, scratch, task, jobs=max(1, jobs), thrifty=thrifty, seats=seats)
            for number in range(1, repeat + 1):
                if due := book.due(wanted.values(), number, thrifty=thrifty):
                    running.round(due)
    return tuple(_row(wanted[name], book.answer(name), binary) for name in sorted(wanted))


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
        runs=result.runs,
        unstable=result.unstable,
        flaky=result.flaky,
    )


class _Run:
    def __init__(
        self,
        driver: Driver,
        binary: Binary,
        control: Probe,
        book: Book,
        scratch: Path,
        task: Task,
        *,
        jobs: int,
        thrifty: bool,
        seats: Seats | None,
    ) -> None:
        self.jobs, self.thrifty = jobs, thrifty
        self.driver = driver
        self.binary = binary
        self.control = control
        self.book = book
        self.scratch = scratch
        self.task = task
        self.stopped = threading.Event()
        self.seats = seats or threading.BoundedSemaphore(jobs)
        self.spread = 1 if seats else jobs  # who shares seats has dealt its probes out already

    def round(self, probes: Sequence[Probe]) -> None:
        """One more answer for each, told to the book. What fails for the first time is tried once more, on a fresh host."""
        half = {probe.id for probe in probes if self.book.half(probe)}
        new = [probe for probe in probes if probe.id not in half]
        failed = self._first(new) if new else {}
        self._second([probe for probe in probes if probe.id in half or probe.id in failed], failed)

    def _first(self, probes: Sequence[Probe]) -> dict[str, Result]:
        """One answer for each: told, or given back when it is a failure to be tried again."""
        failed: dict[str, Result] = {}
        told: set[str] = set()
        known = {probe.id: probe for probe in (self.control, *probes)}
        for name, result in self._groups(groups(probes, self.control, self.spread)):
            if name in told or name in failed:
                continue  # the control, on another host
            if result.again and not self.thrifty and not self.book.knows(name) and not foreseen(known[name], result):
                failed[name] = result
            else:
                told.add(name)
                self._tell(name, replace(result, again=result.again and not foreseen(known[name], result)))
        return failed

    def _second(self, probes: Sequence[Probe], failed: Mapping[str, Result]) -> None:
        left = {probe.id for probe in probes}
        for name, result in self._groups(retries(probes, failed, self.control)):
            if name in left:
                left.discard(name)
                self._tell(name, combined(failed[name], result) if name in failed else result)

    def _tell(self, name: str, result: Result) -> None:
        self.book.tell(name, result)
        self.task.advance()

    def _groups(self, wanted: Sequence[Group]) -> Iterator[tuple[str, Result]]:
        """Every group's results, as they come."""
        pool = ThreadPoolExecutor(self.jobs)
        futures = [pool.submit(self.group, each) for each in wanted]
        try:
            for future in as_completed(futures):
                yield from future.result().items()
        except BaseException:  # an interrupt: nobody waits for hosts any more
            self.stopped.set()
            with ending():
                pool.shutdown(cancel_futures=True)
            raise
        pool.shutdown()

    def group(self, group: Group) -> dict[str, Result]:
        with self.seats:
            told = {} if self.stopped.is_set() else self._booted(group)
        if self.stopped.is_set():
            return {}
        return told | self._each([probe for probe in group.probes if probe.id not in told])

    def _booted(self, group: Group) -> dict[str, Result]:
        """What can be told on one host."""
        started = time.monotonic()
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
            return dict.fromkeys(everybody, Result("unverified", reason=self._said(error)))
        except DriftwatchError as error:
            failed = Result("unverified", reason=self._said(error), seconds=time.monotonic() - started, again=True)
            return dict.fromkeys(everybody, failed)
        return {name: replace(result, seconds=result.seconds + booted) for name, result in results.items()}

    def _said(self, error: DriftwatchError) -> str:
        """What went wrong, without the name of a folder that nobody else has."""
        return re.sub(rf"{re.escape(str(self.scratch.resolve()))}/[^/\s|:\"']+", "<host>", error.message)

    def _each(self, probes: Sequence[Probe]) -> dict[str, Result]:
        """Each on a host of its own: this host mixes projects up, or is no more."""
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
        if not up.host.shares:  # nobody is disturbed by those that bring no plugin, and then one may come that does
            quiet = [probe for probe in rest if not probe.files and probe.process == "shared"]
            loud = [probe for probe in rest if probe not in quiet][:1]
            return results | {probe.id: up.probe(probe, alone=group.alone) for probe in (*quiet, *loud)}
        together = [] if group.in_turn else [probe for probe in rest if probe.process == "shared"]
        with ThreadPoolExecutor(PROJECTS) as pool:
            told = pool.map(lambda probe: up.probe(probe, alone=group.alone), together)
            results |= {probe.id: result for probe, result in zip(together, told, strict=True)}
        if self.thrifty:
            results |= self._once_more(up, [probe for probe in together if results[probe.id].again], results)
        for probe in rest:
            if probe.id not in results and (up.host.alive() or not group.in_turn):
                results[probe.id] = up.probe(probe, alone=group.alone)
        return results

    def _once_more(self, up: Up, probes: Sequence[Probe], first: Mapping[str, Result]) -> dict[str, Result]:
        """On the same host, one after the other. What fails again stays marked as not tried in a fresh process."""
        second = {probe.id: up.probe(probe, alone=False, number=2) for probe in probes}
        return {name: replace(combined(first[name], result), again=result.again, runs=1) for name, result in second.items()}


def foreseen(probe: Probe, result: Result) -> bool:
    """Whether it failed as the probe itself says it does on this version. That counts for nothing, so once is enough."""
    if result.outcome != "broken" or not result.version or not probe.expected:
        return False
    import nodesemver

    try:
        return any(nodesemver.satisfies(result.version, each.versions, False) for each in probe.expected)
    except ValueError:  # what a host of the user's own says need not be a version
        return False


def pace(booted: float) -> float:
    """How much slower than usual this machine is today, seen by what the boot took."""
    return min(10.0, max(1.0, booted / USUAL_BOOT))


def groups(probes: Sequence[Probe], control: Probe, hosts: int = 1) -> list[Group]:
    """Probes of equal settings share a boot, or a few when ``hosts`` may run at once and there are enough of them; one of those
    that end their host goes last on each, the others, and those that want a host to themselves, get their own. Those that may
    take long begin first, so that nobody waits for the last one. The control goes along everywhere."""
    shared: dict[Setting, list[Probe]] = {}
    rest = sorted((probe for probe in probes if probe.id != control.id), key=lambda probe: -probe.seconds)
    for probe in rest:
        if probe.process == "shared":
            shared.setdefault(setting(probe), []).append(probe)
    made = [(key, part) for key, members in shared.items() for part in spread(members, hosts)]
    own = []
    for probe in rest:
        room = [part for key, part in made if key == setting(probe) and part[-1].process == "shared"]
        if probe.process == "last" and room:
            room[0].append(probe)
        elif probe.process != "shared":
            own.append(Group(setting(probe), (probe,), True))
    together = [Group(key, tuple(members), False) for key, members in made]
    return [*together, *own] or [Group(setting(control), (), False)]


def spread(probes: Sequence[Probe], hosts: int) -> list[list[Probe]]:
    """Dealt out over at most ``hosts`` as long as each is worth its boot, or as many as they need; the next one always to where
    the least time was dealt."""
    needed = -(-len(probes) // AT_MOST)
    parts: list[list[Probe]] = [[] for _ in range(max(needed, min(hosts, len(probes) // WORTH_A_HOST)))]
    for probe in probes:
        min(parts, key=lambda part: sum(each.seconds for each in part)).append(probe)
    return parts


def retries(failed: Sequence[Probe], first: Mapping[str, Result], control: Probe) -> list[Group]:
    """Those that failed share their second try as they may: in turn, on a fresh host. One whose host never came up is tried
    like new."""
    if not failed:
        return []
    never = [probe for probe in failed if probe.id in first and not first[probe.id].version]
    again = [probe for probe in failed if probe not in never]
    shared = groups(never, control) if never else []
    return [*shared, *(replace(group, in_turn=True) for group in (groups(again, control) if again else []))]


def setting(probe: Probe) -> Setting:
    return Setting(tuple(sorted(probe.env.items())), tuple(sorted(probe.home.items())), quick=True)
