"""One host, one project on it at a time: opened, walked through the scenes, let go, and looked at afterwards.

Runs behind the walls. What it sees is plain data; what that means is for ``effects`` and ``faults``, outside.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from driftwatch.errors import DriftwatchError
from driftwatch.observe.hosts import driver as driver_named
from driftwatch.observe.hosts.driver import Driver, Host, Setting
from driftwatch.observe.hosts.model import MockModel
from driftwatch.observe.plugins import leftovers
from driftwatch.observe.plugins.crowd import Crowd
from driftwatch.observe.plugins.job import Job
from driftwatch.observe.plugins.own_tools import scene as own_tools
from driftwatch.observe.plugins.project import Layout, lay_out
from driftwatch.observe.plugins.ways import way
from driftwatch.observe.probes import outcome
from driftwatch.observe.probes.definition import Probe, read
from driftwatch.observe.probes.evidence import Evidence, Normal, asked, logged, read_marks
from driftwatch.observe.probes.language import ExpressionError
from driftwatch.observe.probes.runner import pace
from driftwatch.observe.probes.steps import StepError, Walk
from driftwatch.observe.walls.sink import Sink

SETTLE = 1.2  # seconds after dispose in which a plugin may still finish, and after which what goes on is left over
SLOWEST = 4.0  # how many times that is waited on a slow machine
HOST_FOR = 1800.0
MOST_REQUESTS = 60  # to the model, kept of one scene
LAST = "dispose"
OPEN_NETWORK = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"), "")


@cache
def scenes(host: str) -> tuple[Probe, ...]:
    """The common scenes of a kind of host, in order: probes without expectations."""
    place = Path(str(files(__package__).joinpath("scenes", host)))
    return tuple(read(file.parent) for file in sorted(place.glob("*/probe.yaml")))


def name_of(scene: Probe) -> str:
    """``opencode/20-chat`` -> ``chat``"""
    return scene.id.rpartition("/")[2].lstrip("0123456789-")


def wanted(job: Job) -> tuple[Probe, ...]:
    every = scenes(job.driver)
    return tuple(one for one in every if not job.scenes or name_of(one) in (*job.scenes, "config", LAST))


@dataclass(frozen=True, slots=True)
class Inside:
    """What is known of the place: ``own_network``, whether its ports are all ours; ``hidden``, folders that are empty here and
    can be written; ``kept``, what shows through them; ``crowd`` ends what starts too many processes."""

    sink: Sink
    own_network: bool = False
    hidden: tuple[Path, ...] = ()
    kept: tuple[Path, ...] = ()
    crowd: Crowd = field(default_factory=Crowd)


def exercise(job: Job, inside: Inside) -> dict[str, Any]:
    """Raw observations: ``control``, or ``plain`` and ``traced``. A host that does not start is {"failed": reason}."""
    runs = ("control",) if job.plugin is None else ("plain", "traced")
    told: dict[str, Any] = {}
    todo = list(runs)
    while todo:
        try:
            with _booted(job, inside) as up:
                while todo:
                    kind = todo.pop(0)
                    told[kind] = up.run(kind)
                    if not up.fresh():
                        break  # this host mixes projects up, or is not what it was
        except DriftwatchError as error:
            kind = next(kind for kind in (*runs, runs[-1]) if kind not in told or kind == runs[-1])
            told.setdefault(kind, {"failed": error.message.replace(str(job.scratch), "<scratch>")})
            todo = [kind for kind in todo if kind not in told]
    return told


@contextmanager
def _booted(job: Job, inside: Inside) -> Iterator[_Up]:
    driver = driver_named(job.driver)
    started = time.monotonic()
    setting = Setting(env=tuple(sorted(OPEN_NETWORK.items()))) if job.network else Setting()
    with MockModel() as model, driver.boot(job.binary, scratch=job.scratch, setting=setting, deadline=HOST_FOR) as host:
        booted = time.monotonic() - started
        yield _Up(job, inside, driver, host, model, pace=pace(booted))


@dataclass
class _Up:
    job: Job
    inside: Inside
    driver: Driver
    host: Host
    model: MockModel
    pace: float
    spoiled: bool = False

    def fresh(self) -> bool:
        """Whether another project can be opened here and be told apart from the last one."""
        return self.host.shares and self.host.alive() and not self.spoiled

    def run(self, kind: str) -> dict[str, Any]:
        """One project from its opening to what it leaves."""
        layout = lay_out(self.job, self.host, self.driver, self.model.url(kind), kind)
        normal = self._normal(layout, kind)
        self.inside.sink.forget()
        before = self._look(layout)
        opened = self._open(layout.project)
        told: dict[str, Any] = {"opened": opened, "scenes": {}}
        if not opened["reason"]:
            told["scenes"] = dict(self._scenes(kind, layout))
        asked_before = len(self.model.requests(kind))
        time.sleep(SETTLE * min(self.pace, SLOWEST))
        lines = logged(self.host.log_lines())
        told |= {
            "log": [line for line in lines if line["level"] in ("error", "warn") and (kind != "traced" or kind in str(line))],
            "loads": self._loads(lines, layout),
            "marks": read_marks(layout.project / ".driftwatch" / "marks.jsonl"),
            "left": leftovers.since(before, self._look(layout)),
            "late": len(self.model.requests(kind)) - asked_before,
            "wanted": list(self.inside.sink.wanted()),
            "ended": self._ended(),
        }
        self.spoiled = bool(opened["reason"]) or bool(told["left"]["processes"])
        return {"version": self.host.version(), **normal.of(told)}

    def _loads(self, lines: Sequence[Mapping[str, Any]], layout: Layout) -> int:
        """How often the host says that it loads the plugin under test."""
        if self.job.plugin is None:
            return 0
        name = str(layout.tree) if self.job.plugin.entry else self.job.plugin.spec
        says = way(self.job.driver).loading
        return sum(bool(says.search(f"{line['text']} {line['fields'].get('message')}")) and name in str(line) for line in lines)

    def _ended(self) -> str:
        """How the host ended, "" while it runs."""
        if said := self.inside.crowd.said():
            return said
        return "" if self.host.alive() else str(self.host.wait(0) or "ended")

    def _normal(self, layout: Layout, kind: str) -> Normal:
        """Words for whatever is called otherwise in another run; a host may also tell its folders without the first slash."""
        scratch = self.host.scratch
        names = {"project": layout.project, "scratch": scratch, "model": Path(f"/{kind}/v1"), "name": Path(f"projects/{kind}")}
        own = {"plugin": layout.tree} if layout.tree else {}
        return Normal({**names, **own, "below": scratch.relative_to("/")}, self.host.version())

    def _look(self, layout: Layout) -> leftovers.Look:
        scratch = self.host.scratch
        places = {"home": scratch / "home", "tmp": scratch / "tmp", "project": layout.project, "beside": layout.project.parent}
        outside = {str(path): path for path in self.inside.hidden}
        skipped = (*self.inside.kept, *layout.ours)
        return leftovers.look(places | outside, skipped, own_network=self.inside.own_network)

    def _open(self, project: Path) -> dict[str, Any]:
        started = time.monotonic()
        reason, hung = "", False
        try:
            answer = self.host.open(project, self.job.patience * self.pace)
            reason = "" if answer.is_json else f"the host answered {answer.status} {answer.content_type}"
        except TimeoutError:
            reason, hung = f"no answer in {self.job.patience:g} s, and this machine was given {self.pace:.1f} times that", True
        except DriftwatchError as error:
            reason = error.message
        return {"reason": reason, "hung": hung, "seconds": round(time.monotonic() - started, 2)}

    def _scenes(self, kind: str, layout: Layout) -> Iterator[tuple[str, dict[str, Any]]]:
        for scene in wanted(self.job):
            own = own_tools(self.model.requests(kind), self.job) if name_of(scene) == LAST and kind == "plain" else None
            if own is not None:
                yield name_of(own), self._scene(own, kind, layout)
            yield name_of(scene), self._scene(scene, kind, layout)
            if not self.host.alive():
                return

    def _scene(self, scene: Probe, kind: str, layout: Layout) -> dict[str, Any]:
        started, first = time.monotonic(), len(self.model.requests(kind))
        walk = Walk(scene, self.host, self.model, kind, Evidence(layout.project), pace=self.pace)
        reason = ""
        try:
            walk.run()
        except (StepError, DriftwatchError) as error:
            reason = str(error)
        requests = self.model.requests(kind)[first:]
        walk.evidence.requests = [asked(request) for request in requests[:MOST_REQUESTS]]
        try:
            facts = outcome.observe(scene, walk.evidence.document())
        except ExpressionError as error:
            reason, facts = reason or str(error), {}
        if isinstance(config := facts.get("config"), dict):  # what the user wrote to have the plugin is none of its doing
            facts["config"] = {key: value for key, value in config.items() if key not in way(self.job.driver).keys}
        return {
            "title": scene.title,
            "reason": reason,
            "facts": facts,
            "status": walk.evidence.status,
            "requests": walk.evidence.requests,
            "more": max(0, len(requests) - MOST_REQUESTS),
            "seconds": round(time.monotonic() - started, 2),
        }
