"""Runs the engine: one child process reads the declarations of many installed packages."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from driftwatch.errors import DriftwatchError, Unobservable
from driftwatch.observe.typescript.tools import Engine, engine_folder

if TYPE_CHECKING:
    from driftwatch.observe.process import Child

DEADLINE = 120.0  # seconds for one package; a batch has the sum
PATIENCE = 1800.0  # seconds an engine may wait and work that was started before there were jobs
JOBS, EXPECTED, OUTPUT = "jobs.json", "expected.txt", "output.txt"  # in its folder
LOOK = 0.02  # seconds between two looks for an answer
BATCH = 8  # packages one process reads: start-up is paid once, and memory is given back in between
# The runtime's last stage of optimising pays for itself after minutes only; until then it takes a third of all CPU time.
RUNTIME = {"BUN_JSC_useFTLJIT": "0"}
MAX_RESULT = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Job:
    """One installed package: its folder, its name, the packages whose types are followed into, files of globals.

    ``barrels`` are folders of packages that only ``importers`` (folders of followed packages) import.
    """

    root: Path
    name: str
    follow: tuple[str, ...]
    ambient: tuple[Path, ...] = ()
    barrels: tuple[Path, ...] = ()
    importers: tuple[Path, ...] = ()


def environment(home: Path) -> dict[str, str]:
    """The whole environment of a child: nothing of ours is inherited."""
    return {"PATH": os.defpath, "HOME": str(home), "TMPDIR": str(home), "LANG": "C.UTF-8", "TZ": "UTC"}


class Ahead:
    """An engine that may be started before there are jobs: it reads the language's own files until they come. A context
    manager; leaving it ends what was started."""

    def __init__(self) -> None:
        self._kept = ExitStack()
        self._lock = threading.Lock()
        self._asked = False
        self._begun: _Process | None = None
        self._expected: dict[Path, None] = {}

    def __enter__(self) -> Ahead:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._kept.close()

    def start(self, engine: Callable[[], Engine]) -> None:
        """Once; the next time nothing happens. An engine that cannot be had or started says so when there are jobs for it."""
        with self._lock:
            if self._asked:
                return
            self._asked = True
            with suppress(DriftwatchError):
                self._begun = self._kept.enter_context(_started(engine(), PATIENCE))

    def expect(self, folder: Path) -> None:
        """A package whose declarations will be read, wherever it is laid out: they are parsed in what time there is. The folder
        may appear later."""
        with self._lock:
            if self._begun and len(self._expected) < BATCH and "\n" not in str(folder):
                self._expected[folder] = None
                _write("".join(f"{one}\n" for one in self._expected), self._begun.home / EXPECTED)

    def take(self) -> _Process | None:
        """The one that waits, if one does: it takes one batch of jobs."""
        begun, self._begun = self._begun, None
        return begun if begun and begun.child.alive() else None


@dataclass(frozen=True, slots=True)
class _Process:
    """A running engine and its folder; it waits for its jobs to be listed there."""

    child: Child
    home: Path

    def answers(self, jobs: Sequence[Job]) -> Iterator[Mapping[str, Any]]:
        """What becomes of the jobs that were listed, in order, each as soon as it is there. Raises Unobservable when the engine
        comes to no good end."""
        until = time.monotonic() + DEADLINE * len(jobs) + 20
        for number in range(len(jobs)):
            out = _out(self.home, number)
            while not out.exists() and self.child.alive() and time.monotonic() < until:
                self.child.wait(LOOK)
            if not out.exists() and (self.child.exit is None or self.child.exit.how != "exited" or self.child.exit.code != 0):
                said = self._said().strip()[-500:]
                raise Unobservable(f"the TypeScript engine {self.child.reason or 'did not end'}: {said}")
            yield _answer(out, self._said())

    def _said(self) -> str:
        output = self.home / OUTPUT
        return output.read_text("utf-8", "replace")[-2000:] if output.exists() else ""


@contextmanager
def _started(engine: Engine, deadline: float, jobs: Sequence[Job] = ()) -> Iterator[_Process]:
    from driftwatch.observe.process import start, work_folder

    with work_folder() as home:
        if jobs:
            _list(jobs, home)
        script = engine_folder() / "engine.mjs"
        argv = [str(part) for part in (engine.runtime, script, engine.compiler, home / JOBS, home / EXPECTED)]
        env = {**environment(home), **RUNTIME}
        with start(argv, cwd=home, env=env, output=home / OUTPUT, deadline=deadline) as child:
            yield _Process(child, home)


def _list(jobs: Sequence[Job], home: Path) -> None:
    """Tell an engine its jobs."""
    _write(json.dumps([_row(job, _out(home, number)) for number, job in enumerate(jobs)]), home / JOBS)


def _write(text: str, path: Path) -> None:
    """The file appears whole."""
    part = path.with_suffix(".part")
    part.write_text(text, "utf-8")
    part.replace(path)


def _out(home: Path, number: int) -> Path:
    return home / f"{number}.json"


def read(jobs: Sequence[Job], engine: Engine, ahead: Ahead | None = None) -> Iterator[Mapping[str, Any]]:
    """The engine's answer for each job, in order, as they come. A job that failed is ``{"failed": reason}``. The first of them
    go to the engine that was started ``ahead``, if one waits.

    Raises Unobservable when the engine cannot be started or does not come to an end.
    """
    for first in range(0, len(jobs), BATCH):
        batch = jobs[first : first + BATCH]
        if ahead and (waiting := ahead.take()):
            _list(batch, waiting.home)
            yield from waiting.answers(batch)
            continue
        with _started(engine, DEADLINE * len(batch), batch) as process:
            yield from process.answers(batch)


def _row(job: Job, out: Path) -> dict[str, Any]:
    folders = {name: [str(path) for path in getattr(job, name)] for name in ("ambient", "barrels", "importers")}
    return {"root": str(job.root), "name": job.name, "follow": list(job.follow), "out": str(out), **folders}


def _answer(path: Path, said: str) -> Mapping[str, Any]:
    try:
        if path.stat().st_size > MAX_RESULT:
            return {"failed": "its declarations give more facts than can be held"}
        answer: Mapping[str, Any] = json.loads(path.read_bytes())
        return answer
    except (OSError, ValueError) as error:
        return {"failed": f"the TypeScript engine gave no answer ({error}); {said[-300:]}"}
