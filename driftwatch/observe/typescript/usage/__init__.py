"""Runs the scan of a project's own source: one child process, the compiler's API, no line of the project executed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from driftwatch.errors import Unobservable
from driftwatch.observe.typescript import tools
from driftwatch.observe.typescript.engine import MAX_RESULT, environment
from driftwatch.observe.typescript.tools import Engine

DEADLINE = 180.0  # seconds


@dataclass(frozen=True, slots=True)
class Scan:
    """``project`` is the folder, ``sources`` its files (relative, ``/``). ``packages``: upstream package -> its installed folder;
    ``follow``: the packages whose members are told; ``code``: package -> folder of its JavaScript; ``root``: the one folder
    outside of the project that may be read."""

    project: Path
    sources: tuple[str, ...]
    packages: Mapping[str, Path]
    follow: tuple[str, ...]
    code: Mapping[str, Path]
    root: Path


def folder() -> Path:
    return Path(str(files(__package__).joinpath("")))


@cache
def version() -> str:
    """Changes when anything changes that could find other uses: this engine's text, or the one it stands on."""
    digest = hashlib.sha256(tools.version().encode())
    for file in sorted(folder().glob("*.mjs")):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def run(scan: Scan, engine: Engine) -> Mapping[str, Any]:
    """``{uses: [...], gaps: [...], files: [...]}``. Raises Unobservable when the engine fails or does not come to an end."""
    from driftwatch.observe.process import work_folder

    with work_folder() as home:
        out, job = home / "out.json", home / "job.json"
        job.write_text(json.dumps(_job(scan, out)), "utf-8")
        said = _child([str(engine.runtime), str(folder() / "usage.mjs"), str(engine.compiler), str(job)], home)
        return _answer(out, said)


def _job(scan: Scan, out: Path) -> dict[str, Any]:
    def plain(folders: Mapping[str, Path]) -> dict[str, str]:
        return {name: str(place) for name, place in folders.items()}

    job: dict[str, Any] = {
        "project": str(scan.project),
        "files": list(scan.sources),
        "follow": list(scan.follow),
    }
    return {**job, "packages": plain(scan.packages), "code": plain(scan.code), "roots": [str(scan.root)], "out": str(out)}


def _child(argv: Sequence[str], home: Path) -> str:
    from driftwatch.observe.process.child import start

    output = home / "output.txt"
    with start(list(argv), cwd=home, env=environment(home), output=output, deadline=DEADLINE) as child:
        child.wait(DEADLINE + 20)
        said = output.read_text("utf-8", "replace")[-2000:] if output.exists() else ""
        if child.exit is None or child.exit.how != "exited" or child.exit.code != 0:
            raise Unobservable(f"the scan of the source {child.reason or 'did not end'}: {said.strip()[-500:]}")
    return said


def _answer(path: Path, said: str) -> Mapping[str, Any]:
    try:
        if path.stat().st_size > MAX_RESULT:
            raise Unobservable("the source uses more than can be held", "name fewer files under `project.source`")
        answer: Mapping[str, Any] = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise Unobservable(f"the scan of the source gave no answer ({error}); {said[-300:]}") from error
    if "failed" in answer:
        raise Unobservable(f"the scan of the source failed: {str(answer['failed'])[:500]}")
    return answer
