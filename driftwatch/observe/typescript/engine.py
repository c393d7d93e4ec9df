"""Runs the engine: one child process reads the declarations of many installed packages."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from driftwatch.errors import Unobservable
from driftwatch.observe.typescript.tools import Engine, engine_folder

DEADLINE = 120.0  # seconds for one package; a batch has the sum
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


def read(jobs: Sequence[Job], engine: Engine) -> list[Mapping[str, Any]]:
    """The engine's answer for each job, in order. A job that failed is ``{"failed": reason}``.

    Raises Unobservable when the engine cannot be started or does not come to an end.
    """
    answers: list[Mapping[str, Any]] = []
    for start in range(0, len(jobs), BATCH):
        answers += _batch(jobs[start : start + BATCH], engine)
    return answers


def _batch(jobs: Sequence[Job], engine: Engine) -> list[Mapping[str, Any]]:
    from driftwatch.observe.process import work_folder

    with work_folder() as home:
        rows = [_row(job, home / f"{number}.json") for number, job in enumerate(jobs)]
        listing = home / "jobs.json"
        listing.write_text(json.dumps(rows), "utf-8")
        said = _run(
            [str(engine.runtime), str(engine_folder() / "engine.mjs"), str(engine.compiler), str(listing)], home, len(jobs)
        )
        return [_answer(Path(str(row["out"])), said) for row in rows]


def _row(job: Job, out: Path) -> dict[str, Any]:
    folders = {name: [str(path) for path in getattr(job, name)] for name in ("ambient", "barrels", "importers")}
    return {"root": str(job.root), "name": job.name, "follow": list(job.follow), "out": str(out), **folders}


def _run(argv: list[str], home: Path, count: int) -> str:
    from driftwatch.observe.process.child import start

    output = home / "output.txt"
    with start(argv, cwd=home, env={**environment(home), **RUNTIME}, output=output, deadline=DEADLINE * count) as child:
        child.wait(DEADLINE * count + 20)
        said = output.read_text("utf-8", "replace")[-2000:] if output.exists() else ""
        if child.exit is None or child.exit.how != "exited" or child.exit.code != 0:
            raise Unobservable(f"the TypeScript engine {child.reason or 'did not end'}: {said.strip()[-500:]}")
    return said


def _answer(path: Path, said: str) -> Mapping[str, Any]:
    try:
        if path.stat().st_size > MAX_RESULT:
            return {"failed": "its declarations give more facts than can be held"}
        answer: Mapping[str, Any] = json.loads(path.read_bytes())
        return answer
    except (OSError, ValueError) as error:
        return {"failed": f"the TypeScript engine gave no answer ({error}); {said[-300:]}"}
