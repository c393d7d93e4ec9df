"""Running probes on one host binary: as few boots as their needs allow, the control in each, failures tried twice."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path

from driftwatch.errors import DriftwatchError
from driftwatch.model import ProbeRow
from driftwatch.observe.hosts.driver import Binary, Driver, Host, Setting
from driftwatch.observe.hosts.model import MockModel
from driftwatch.observe.probes import cache as kept
from driftwatch.observe.probes import language, outcome
from driftwatch.observe.probes.definition import Probe
from driftwatch.observe.probes.evidence import Evidence, Normal, asked, logged
from driftwatch.observe.probes.outcome import Result
from driftwatch.observe.probes.steps import StepError, Walk
from driftwatch.observe.process import ProcessError, end_all
from driftwatch.progress import SILENT, Progress, Task

PROJECTS = 4  # at once on one host
OPEN_IN = 30.0
LOADED_IN = 3.0
HOST_FOR = 300.0


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
        with progress.task(f"probing {driver.name} {binary.version or binary.path}", len(missing)) as task:
            fresh = _Run(driver, binary, control, scratch, task).all(missing, jobs)
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
    def __init__(self, driver: Driver, binary: Binary, control: Probe, scratch: Path, task: Task) -> None:
        self.driver = driver
        self.binary = binary
        self.control = control
        self.scratch = scratch
        self.task = task
        self.stopped = False

    def all(self, probes: Sequence[Probe], jobs: int) -> dict[str, Result]:
        first = self._groups(groups(probes, self.control), jobs)
        for result in first.values():
            if not result.again:
                self.task.advance()
        failed = [probe for probe in probes if first[probe.id].again]
        second = self._groups(retries(failed, first, self.control), jobs)
        self.task.advance(len(failed))
        return {**first, **{name: outcome.again(first[name], result) for name, result in second.items() if name in first}}

    def _groups(self, wanted: Sequence[Group], jobs: int) -> dict[str, Result]:
        """Every group's results. The control's come from the first group that has one."""
        found: dict[str, Result] = {}
        pool = ThreadPoolExecutor(max(1, jobs))
        try:
            for results in pool.map(self.group, wanted):
                found = {**results, **found}
        except BaseException:  # an interrupt: nobody waits for hosts any more
            self.stopped = True
            end_all()
            pool.shutdown(cancel_futures=True)
            raise
        pool.shutdown()
        return found

    def group(self, group: Group) -> dict[str, Result]:
        started = time.monotonic()
        if self.stopped:
            return {}
        everybody = {self.control.id: self.control, **{probe.id: probe for probe in group.probes}}
        try:
            with (
                MockModel() as model,
                self.driver.boot(self.binary, scratch=self.scratch, setting=group.setting, deadline=HOST_FOR) as host,
            ):
                booted = time.monotonic() - started
                results = self._on(host, model, group)
        except ProcessError as error:
            return dict.fromkeys(everybody, Result("unverified", reason=error.message))
        except DriftwatchError as error:
            failed = Result("unverified", reason=error.message, seconds=time.monotonic() - started, again=True)
            return dict.fromkeys(everybody, failed)
        return {name: replace(result, seconds=result.seconds + booted) for name, result in results.items()}

    def _on(self, host: Host, model: MockModel, group: Group) -> dict[str, Result]:
        control = self._one(self.control, host, model, place(self.control), False)
        results = {self.control.id: control}
        rest = [probe for probe in group.probes if probe.id != self.control.id]
        if control.outcome != "holds":
            reason = f"the control plugin did not load, so nothing else can be told: {control.reason}"
            return results | {probe.id: Result("unverified", reason=reason, again=True) for probe in rest}
        together = [probe for probe in rest if probe.process == "shared"]
        with ThreadPoolExecutor(PROJECTS) as pool:
            told = list(pool.map(lambda probe: self._one(probe, host, model, place(probe), group.alone), together))
        results |= {probe.id: result for probe, result in zip(together, told, strict=True)}
        for probe in rest:
            if probe.process != "shared":
                results[probe.id] = self._one(probe, host, model, place(probe), group.alone)
        return results

    def _one(self, probe: Probe, host: Host, model: MockModel, name: str, alone: bool) -> Result:
        started = time.monotonic()
        project = host.project(name, self._files(probe), probe.config, model.url(name))
        evidence = Evidence(project)
        walk = Walk(probe, host, model, name, evidence)
        normal = Normal({"project": project, "scratch": host.scratch}, host.version())
        result = judged(probe, walk, normal, lambda: collect(evidence, host, model, name, alone))
        return replace(result, seconds=time.monotonic() - started, version=host.version())

    def _files(self, probe: Probe) -> dict[str, str]:
        folder = self.driver.plugin_folder
        own = {name.replace("PLUGINS/", f"{folder}/", 1): text for name, text in probe.files.items()}
        return {".driftwatch/mark.mjs": helper(), **own}


def collect(evidence: Evidence, host: Host, model: MockModel, name: str, everything: bool) -> None:
    evidence.requests = [asked(request) for request in model.requests(name)]
    evidence.log = logged(host.log_lines(), evidence.project, everything)
    ended = None if host.alive() else host.wait(0)
    evidence.exit = {"how": ended.how, "code": ended.code} if ended else None


def judged(probe: Probe, walk: Walk, normal: Normal, collecting: Callable[[], None]) -> Result:
    """Load the plugin, walk the steps, look at what is there."""
    failure = ""
    try:
        if (reason := loaded(probe, walk)) is None:
            walk.run()
        else:
            failure = reason
    except (StepError, DriftwatchError, TimeoutError) as error:
        failure = str(error)
    collecting()
    document = walk.evidence.document()
    shown = tuple(str(normal.of(line)) for line in (*summary(document), *walk.trace, *complaints(document)))[:40]
    not_loaded = probe.loads and probe.loads not in document["marks"]
    if failure and not (probe.control and not_loaded):
        return Result("unverified", {}, str(normal.of(failure)), shown, again=True)
    if not_loaded:
        why = f"its plugin was not loaded{why_not(document)}"
        return Result("broken" if probe.control else "unverified", {}, str(normal.of(why)), shown, again=True)
    try:
        facts = normal.of(outcome.observe(probe, document))
        word, reason = outcome.decide(probe, document, facts)
    except language.ExpressionError as error:
        return Result("unverified", {}, f"an observation does not fit what is there: {error}", shown)
    return Result(word, {} if word == "absent" else facts, reason, shown, again=word == "broken")


def loaded(probe: Probe, walk: Walk) -> str | None:
    """Open the project and wait for the plugin's first mark. None when the steps can begin, else why not."""
    try:
        answer = walk.host.open(walk.evidence.project, OPEN_IN)
    except TimeoutError as error:
        return f"timed out while the host opened the project: {error}"
    walk.trace.append(f"opened the project: {answer.status} {answer.content_type}")
    if not answer.is_json:
        return f"the host opened the project with {answer.content_type or 'nothing'} instead of its configuration"
    if probe.loads:
        until = time.monotonic() + LOADED_IN
        while not any(payload["mark"] == probe.loads for payload in walk.evidence.marks()):
            if time.monotonic() > until:
                return "its plugin was not loaded"
            time.sleep(0.02)
    return None


def summary(document: Mapping[str, object]) -> list[str]:
    order = document["order"]
    assert isinstance(order, list)
    return ["marks: " + (", ".join(order[:60]) or "none")]


def complaints(document: Mapping[str, object]) -> list[str]:
    log = document["log"]
    assert isinstance(log, list)
    return [f"log {line['level']}: {line['text'] or line['fields']}"[:400] for line in log if line["level"] in {"error", "warn"}][
        :10
    ]


def why_not(document: Mapping[str, object]) -> str:
    found = complaints(document)
    return f" ({found[0]})" if found else " (the host's log says nothing about it)"


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


def place(probe: Probe) -> str:
    """The name of its project folder and of its model: what a path can hold."""
    return re.sub(r"[^A-Za-z0-9.-]", "-", probe.id)


def helper() -> str:
    return files(__package__).joinpath("mark.mjs").read_text("utf-8")
