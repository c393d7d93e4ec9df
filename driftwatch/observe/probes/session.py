"""One host that is up, and what single probes see on it."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

from driftwatch.errors import DriftwatchError
from driftwatch.observe.hosts.driver import Driver, Host
from driftwatch.observe.hosts.model import MockModel
from driftwatch.observe.probes import language, outcome
from driftwatch.observe.probes.definition import Probe
from driftwatch.observe.probes.evidence import Evidence, Normal, asked, logged, named
from driftwatch.observe.probes.outcome import Result
from driftwatch.observe.probes.steps import StepError, Walk

OPEN_IN = 30.0
LOADED_IN = 3.0
NOT_LOADED = "its plugin was not loaded"
SHOWN = 50  # lines of evidence a row carries


@dataclass(frozen=True, slots=True)
class Up:
    """A booted host with its model. ``pace`` stretches every patience (1.0 on a machine that is not busy)."""

    driver: Driver
    host: Host
    model: MockModel
    pace: float = 1.0

    def probe(self, probe: Probe, *, alone: bool, number: int = 1) -> Result:
        """Everything about one probe: a project, its plugin loaded, its steps, what is seen. ``alone``: the host serves
        nobody else, so whatever it complains of is shown; ``number``: the how-manieth time on this host.

        Never raises for what the host does.
        """
        started = time.monotonic()
        if reason := self._other_line(probe):
            return Result("absent", reason=reason, version=self.host.version())
        name = re.sub(r"[^A-Za-z0-9.-]", "-", probe.id) + (f"-{number}" if number > 1 else "")
        try:
            url = self.model.url(name)
            config = language.insert(dict(probe.config), {"python": sys.executable, "model": url})
            project = self.host.project(name, self._files(probe), config, url)
        except (DriftwatchError, OSError, language.ExpressionError) as error:
            return Result("unverified", reason=f"its project could not be laid out: {error}", version=self.host.version())
        walk = Walk(probe, self.host, self.model, name, Evidence(project), pace=self.pace)
        failure = attempt(walk)
        self._collect(walk)
        heard = walk.evidence.host_log if alone else walk.evidence.log
        normal = Normal({"project": project, "scratch": self.host.scratch}, self.host.version())
        return replace(judged(walk, failure, normal, heard), seconds=time.monotonic() - started, version=self.host.version())

    def _other_line(self, probe: Probe) -> str:
        """Why this host is none the probe is for, "" when it is. The control is for all: without it nothing can be told."""
        wanted = probe.lines or (self.driver.usual_line,)
        if probe.control or self.host.line in wanted:
            return ""
        return f"this host is of line {self.host.line}, and the surface of line {' and '.join(wanted)} is not there"

    def _files(self, probe: Probe) -> dict[str, str]:
        folder = self.driver.plugin_folder
        files = probe.by_line.get(self.host.line, probe.files)
        own = {name.replace("PLUGINS/", f"{folder}/", 1): text for name, text in files.items()}
        return {".driftwatch/mark.mjs": helper(), **own}

    def _collect(self, walk: Walk) -> None:
        evidence = walk.evidence
        evidence.requests = [asked(request) for request in self.model.requests(walk.name)]
        lines = self.host.log_lines()
        evidence.log = logged(lines, evidence.project)
        evidence.host_log = logged(lines)
        ended = None if self.host.alive() else self.host.wait(0)
        evidence.exit = {"how": ended.how, "code": ended.code} if ended else None


@cache
def helper() -> str:
    return files(__package__).joinpath("mark.mjs").read_text("utf-8")


def attempt(walk: Walk) -> str:
    """Have the plugin loaded, then walk the steps. "" or what went wrong."""
    try:
        reason = opened(walk)
        if not reason:
            walk.run()
        return reason
    except TimeoutError as error:
        return f"timed out while the host opened the project: {error}"
    except (StepError, DriftwatchError) as error:
        return str(error)


def opened(walk: Walk) -> str:
    """Open the project and wait for the plugin's first mark. "" when the steps can begin, else why not."""
    answer = walk.host.open(walk.evidence.project, OPEN_IN * walk.pace)
    walk.trace.append(f"opened the project: {answer.status} {answer.content_type}")
    if not answer.is_json and walk.probe.loads:  # where loading is what is probed, a project that is refused is an answer
        return f"the host opened the project with {answer.content_type or 'nothing'} instead of its configuration"
    until = time.monotonic() + LOADED_IN * walk.pace
    while walk.probe.loads and not any(payload["mark"] == walk.probe.loads for payload in walk.evidence.marks()):
        if time.monotonic() > until:
            return NOT_LOADED
        time.sleep(0.02)
    return ""


def judged(walk: Walk, failure: str, normal: Normal, heard: Sequence[Mapping[str, Any]]) -> Result:
    """From what is there to an outcome: first whether anything can be told at all, then what. ``heard``: the log lines whose
    complaints are shown."""
    probe, document = walk.probe, walk.evidence.document()
    document["log"] = normal.of(document["log"])  # so that lines that differ only in what varies count as one
    marks = f"marks: {named(document['order']) or 'none'}"
    lines = (marks, *walk.trace, *asking(document), *complaints(heard))
    shown = tuple(normal.of(line) for line in lines[:SHOWN])
    unseen = bool(probe.loads) and probe.loads not in document["marks"]
    if unseen and failure in {"", NOT_LOADED}:
        why = normal.of(NOT_LOADED + why_not(heard))
        return Result("broken" if probe.control else "unverified", {}, why, shown, again=True)
    if failure:
        return Result("unverified", {}, normal.of(failure), shown, again=True)
    try:
        if absent := outcome.lacking(probe, document, walk.lacks):
            return Result("absent", reason=absent, evidence=shown)
        facts = normal.of(outcome.observe(probe, document))
        word, reason = outcome.decide(probe, facts)
    except language.ExpressionError as error:
        return Result("unverified", {}, f"an observation does not fit what is there: {error}", shown)
    return Result(word, facts, reason, shown, again=word == "broken")


def asking(document: Mapping[str, Any]) -> list[str]:
    """The requests that reached the model, a line each."""
    return [
        f"asked the model ({request['kind']}): {request['model']}, {len(request['system'])} system texts, "
        f"{len(request['messages'])} messages, {len(request['tools'])} tools"
        for request in document["requests"][:12]
    ]


def complaints(heard: Sequence[Mapping[str, Any]]) -> list[str]:
    """Warnings and errors of the host's log, short."""
    loud = [line for line in heard if line["level"] in language.LOUD]
    return [f"log {line['level']}: {_quoted(line)}"[:400] for line in loud[:10]]


def _quoted(line: Mapping[str, Any]) -> str:
    """What a line says; its fields where it says nothing, or nothing but how a field goes on: hosts write an object there
    without quotes, which ends for who reads it at its first space."""
    fields = line["fields"]
    broken = any(value.startswith(("{", "[")) and not _is_json(value) for value in map(str, fields.values()))
    if line["text"] and not broken:
        return str(line["text"])
    return " ".join(f"{name}={value}" for name, value in fields.items()) + (" ..." if broken else "")


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def why_not(heard: Sequence[Mapping[str, Any]]) -> str:
    found = complaints(heard)
    return f" ({found[0]})" if found else " (the host's log says nothing about it)"
