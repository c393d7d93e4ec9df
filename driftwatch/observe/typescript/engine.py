"""Runs the engine: one child process reads the declarations of many installed packages."""

from __future__ import annotations

import json
import os
import threading
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
JOBS, OUTPUT = "jobs.json", "output.txt"  # in its folder
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

    def take(self) -> _Process | None:
        """The one that waits, if one does: it takes one batch of jobs."""
        begun, self._begun = self._begun, None
        return begun if begun and begun.child.alive() else None


@dataclass(frozen=True, slots=True)
class _Process:
    """A running engine and its folder; it waits for its jobs to be listed there."""

    child: Child
    home: Path

    def answers(self, jobs: Sequence[Job]) -> list[Mapping[str, Any]]:
        """What becomes of the jobs that were listed, in order. Raises Unobservable when the engine comes to no good end."""
        self.child.wait(DEADLINE * len(jobs) + 20)
        output = self.home / OUTPUT
        said = output.read_text("utf-8", "replace")[-2000:] if output.exists() else ""
        if self.child.exit is None or self.child.exit.how != "exited" or self.child.exit.code != 0:
            raise Unobservable(f"the TypeScript engine {self.child.reason or 'did not end'}: {said.strip()[-500:]}")
        return [_answer(_out(self.home, number), said) for number in range(len(jobs))]


@contextmanager
def _started(engine: Engine, deadline: float, jobs: Sequence[Job] = ()) -> Iterator[_Process]:
    from driftwatch.observe.process import start, work_folder

    with work_folder() as home:
        if jobs:
            _list(jobs, home)
        argv = [str(engine.runtime), str(engine_folder() / "engine.mjs"), str(engine.compiler), str(home / JOBS)]
        env = {**environment(home), **RUNTIME}
        with start(argv, cwd=home, env=env, output=home / OUTPUT, deadline=deadline) as child:
            yield _Process(child, home)


def _list(jobs: Sequence[Job], home: Path) -> None:
    """Tell an engine its jobs: the file appears whole."""
    listing = home / "jobs.tmp"
    listing.write_text(json.dumps([_row(job, _out(home, number)) for number, job in enumerate(jobs)]), "utf-8")
    listing.rename(home / JOBS)


def _out(home: Path, number: int) -> Path:
    return home / f"{number}.json"


def read(jobs: Sequence[Job], engine: Engine, ahead: Ahead | None = None) -> list[Mapping[str, Any]]:
    """The engine's answer for each job, in order. A job that failed is ``{"failed": reason}``. The first of them go to the
    engine that was started ``ahead``, if one waits.

    Raises Unobservable when the engine cannot be started or does not come to an end.
    """
    answers: list[Mapping[str, Any]] = []
    for first in range(0, len(jobs), BATCH):
        batch = jobs[first : first + BATCH]
        if ahead and (waiting := ahead.take()):
            _list(batch, waiting.home)
            answers += waiting.answers(batch)
            continue
        with _started(engine, DEADLINE * len(batch), batch) as process:
            answers += process.answers(batch)
    return answers


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
