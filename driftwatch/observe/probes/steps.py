"""Doing what a probe says, step by step, on a host that is up. What comes back is kept as evidence; nothing is judged."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Mapping
from typing import Any

from driftwatch.errors import DriftwatchError
from driftwatch.observe.hosts.driver import Answer, Host, HostError
from driftwatch.observe.hosts.model import MockModel
from driftwatch.observe.probes import language
from driftwatch.observe.probes.definition import Probe, Step
from driftwatch.observe.probes.evidence import Evidence

LOOK_AGAIN = 0.03
ONE_ANSWER = 5.0
PAGE = "text/html"  # the answer of a host that has no such route; asking again does not change it


class StepError(Exception):
    """A step could not be done: which, and why. ``crashed`` when the host is no more."""

    def __init__(self, message: str, crashed: bool = False) -> None:
        super().__init__(message)
        self.crashed = crashed


class Walk:
    """One probe's steps on one host. ``pace`` stretches every patience on a machine that is slow today."""

    def __init__(self, probe: Probe, host: Host, model: MockModel, name: str, evidence: Evidence, *, pace: float = 1.0) -> None:
        self.probe = probe
        self.host = host
        self.model = model
        self.name = name
        self.evidence = evidence
        self.pace = pace
        self.until = time.monotonic() + probe.seconds * pace
        self.waiting: dict[str, _Background] = {}
        self.trace: list[str] = []
        self.lacks = ""  # what the host turned out not to have, so that the steps after it were left out

    def run(self) -> None:
        """All steps, or those up to where the host lacks what the others need. Raises StepError."""
        for step in self.probe.steps:
            self.one(step)
            if self.lacks:
                return

    def one(self, step: Step) -> None:
        left = self.until - time.monotonic()
        if left <= 0:
            raise StepError(f"timed out before {step}: the probe took longer than {self.probe.seconds:g} s")
        seconds = min(step.seconds * self.pace, left)
        try:
            self._do(step, seconds)
        except TimeoutError as error:
            raise StepError(f"timed out at {step}: {error}") from error
        except language.ExpressionError as error:
            raise StepError(f"{step} could not be done: {error}") from error
        except DriftwatchError as error:
            crashed = isinstance(error, HostError) and not self.host.alive()
            raise StepError(
                f"{'the host crashed at ' if crashed else 'no answer at '}{step}: {error.message}", crashed
            ) from error

    def _do(self, step: Step, seconds: float) -> None:
        match step.verb:
            case "wait":
                self._wait_mark(step, seconds)
            case "model":
                self.model.wait(self.name, step.count, seconds, "" if step.target == "any" else step.target)
            case "signal":
                self.host.signal(_signal(step.target))
                self.trace.append(f"sent SIG{step.target}")
            case "exit":
                ended = self.host.wait(float(step.target) * self.pace)
                self.trace.append(f"the host {ended}" if ended else "the host did not end")
            case "join":
                self._join(step, seconds)
            case "poll":
                self._poll(step, seconds)
            case "present":
                self._look_for(step)
            case _:
                self._request(step, seconds)

    def _wait_mark(self, step: Step, seconds: float) -> None:
        """Until the mark is there so often, or not: that is for the observations to tell, unless it ``must`` come. What a
        plugin marks as ``failed`` ends the wait for such a one: it says why."""
        until = time.monotonic() + seconds
        wanted = language.insert(step.target, self._known())
        while time.monotonic() < until:
            if sum(payload["mark"] == wanted for payload in self.evidence.marks()) >= step.count:
                return
            if step.must and (reason := self._failed()):
                raise StepError(f"{step}: {reason}")
            if not self.host.alive():
                until = min(until, time.monotonic() + 0.2)  # what a dead host wrote is already there
            time.sleep(LOOK_AGAIN)
        if step.must:
            raise TimeoutError(f"the plugin did not mark {wanted!r} in {seconds:g} s")

    def _look_for(self, step: Step) -> None:
        """Nobody has to wait for what a host without this cannot bring."""
        if not language.ask(self.probe.present[step.target], self.evidence.document()):
            self.lacks = step.target

    def _failed(self) -> str:
        found = [payload for payload in self.evidence.marks() if payload["mark"] == "failed"]
        return f"the plugin failed: {found[0].get('error')}" if found else ""

    # --- requests ---

    def _known(self) -> dict[str, Any]:
        """What ``${...}`` sees: saved answers by name, and the marks so far."""
        marks: dict[str, list[Any]] = {}
        for payload in self.evidence.marks():
            marks.setdefault(payload["mark"], []).append(payload)
        return {**self.evidence.answers, "marks": marks, "project": str(self.evidence.project)}

    def _request(self, step: Step, seconds: float) -> None:
        known = self._known()
        path = str(language.insert(step.target, known))
        body = language.insert(step.body, known)
        query = {key: str(value) for key, value in language.insert(dict(step.query), known).items()}
        if step.background:
            self.waiting[step.background] = _Background(lambda: self._ask(step, path, body, query, seconds))
        else:
            self._keep(step, path, self._ask(step, path, body, query, seconds))

    def _ask(self, step: Step, path: str, body: Any, query: Mapping[str, str], seconds: float) -> Answer:
        directory = self.evidence.project if step.scope == "project" else None
        method = "GET" if step.verb == "poll" else step.verb.upper()
        return self.host.request(method, path, body, directory=directory, query=query, timeout=seconds)

    def _keep(self, step: Step, path: str, answer: Answer) -> None:
        kind = answer.content_type or "no content type"
        self.trace.append(f"{step.verb.upper()} {path} -> {answer.status} {kind}")
        if step.save:
            self.evidence.answers[step.save] = answer.json if answer.is_json else None
            self.evidence.status[step.save] = answer.status
            self.evidence.json[step.save] = answer.is_json

    def _join(self, step: Step, seconds: float) -> None:
        background = self.waiting.pop(step.target, None)
        if background is None:
            raise StepError(f"{step}: nothing runs in the background under that name")
        self._keep(background_step(self.probe, step.target), step.target, background.result(seconds))

    def _poll(self, step: Step, seconds: float) -> None:
        until = time.monotonic() + seconds
        path = str(language.insert(step.target, self._known()))
        while True:
            left = max(ONE_ANSWER * self.pace, until - time.monotonic())  # the last question is worth an answer, too
            answer = self._ask(step, path, None, {}, left)
            found = language.ask(step.until, answer.json) if answer.is_json and step.until else answer.is_json
            if found or answer.content_type == PAGE or time.monotonic() > until:
                self._keep(step, path, answer)
                return
            time.sleep(LOOK_AGAIN)


class _Background:
    """A request that goes on while the next steps are done."""

    def __init__(self, work: Any) -> None:
        self._done = threading.Event()
        self._answer: Answer | None = None
        self._error: BaseException | None = None
        threading.Thread(target=self._run, args=(work,), daemon=True, name="probe-background").start()

    def _run(self, work: Any) -> None:
        try:
            self._answer = work()
        except BaseException as error:
            self._error = error
        self._done.set()

    def result(self, seconds: float) -> Answer:
        if not self._done.wait(seconds):
            raise TimeoutError(f"it did not end in {seconds:g} s")
        if self._error is not None:
            raise self._error
        assert self._answer is not None
        return self._answer


def background_step(probe: Probe, name: str) -> Step:
    return next(step for step in probe.steps if step.background == name)


def _signal(name: str) -> int:
    try:
        return int(signal.Signals[f"SIG{name.upper().removeprefix('SIG')}"])
    except KeyError:
        raise StepError(f"there is no signal {name!r}") from None
