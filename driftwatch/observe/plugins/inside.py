"""The program behind the walls: ``python inside.py JOB ANSWER``. Raises the walls, does the job, writes the answer, ends."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from driftwatch.observe.hosts import Binary


def main(job_file: Path, answer_file: Path) -> None:
    from driftwatch.observe import walls
    from driftwatch.observe.plugins.crowd import Crowd
    from driftwatch.observe.plugins.exercise import Inside, exercise
    from driftwatch.observe.plugins.job import read
    from driftwatch.observe.walls.sink import Sink

    job = read(job_file.read_text("utf-8"))
    needed = [*places(job.binary), *([job.plugin.tree] if job.plugin else []), *([job.api] if job.api else [])]
    plan = walls.plan(job.scratch, needed, job.hidden, network=job.network)
    stood = walls.raise_walls(plan)
    sink = Sink()
    own_network = stood.network == walls.NETWORK
    if own_network:
        sink.open(9, job.scratch)
    walls.lock()
    crowd = Crowd()
    crowd.watch()
    covered = (plan.hidden, plan.kept) if stood.files == walls.HIDDEN else ((), ())
    told = exercise(job, Inside(sink, own_network, *covered, crowd))
    answer_file.write_text(json.dumps({"walls": asdict(stood), **told}), "utf-8")


def places(binary: Binary) -> tuple[Path, ...]:
    """What has to be there for a host to start: its program, under the names it goes by, and the folder it runs in."""
    folder = (binary.directory,) if binary.directory else ()
    return (binary.path.parent, binary.path.resolve().parent, *folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
    sys.stdout.flush()
    os._exit(0)  # threads that wait for a host that hangs wait no longer
