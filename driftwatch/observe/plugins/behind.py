"""From outside: start the program behind the walls and read what it saw."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from driftwatch.errors import Unobservable
from driftwatch.observe.hosts.own import handed_on
from driftwatch.observe.plugins import inside
from driftwatch.observe.plugins.job import Job
from driftwatch.observe.process import start
from driftwatch.observe.walls import LIBRARIES

DEADLINE = 2000.0
LARGEST = 256 * 1024 * 1024


def behind(job: Job) -> dict[str, Any]:
    """``job.scratch`` is a folder of its own (``scratch_folder``), removed at the end, whoever dies. Raises Unobservable."""
    order, answer, said = job.scratch / "job.json", job.scratch / "answer.json", job.scratch / "said.txt"
    order.write_text(job.text(), "utf-8")
    argv = [sys.executable, "-P", inside.__file__, str(order), str(answer)]
    env = {**handed_on(job.binary), **environment()}
    with start(argv, cwd=job.scratch, env=env, output=said, deadline=DEADLINE, size_limit=LARGEST, scratch=job.scratch) as child:
        child.wait(DEADLINE + 20)
        if child.exit is None or child.exit.how != "exited" or child.exit.code != 0 or not answer.is_file():
            words = said.read_text("utf-8", "replace").strip()[-400:] if said.is_file() else ""
            raise Unobservable(f"the exercise {child.reason or 'did not end'}: {words or '(it said nothing)'}")
        if answer.stat().st_size > LARGEST:
            raise Unobservable("the exercise saw more than can be held")
        told: dict[str, Any] = json.loads(answer.read_bytes())
        return told


def environment() -> dict[str, str]:
    """Where Python finds this program, and nothing else of ours."""
    own = Path(__file__).resolve().parents[3]
    paths = [str(own), *(entry for entry in sys.path if Path(entry).name in LIBRARIES)]
    return {"PATH": os.defpath, "PYTHONPATH": os.pathsep.join(paths), "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}
