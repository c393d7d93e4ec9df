"""The program behind the walls: ``python inside.py JOB ANSWER``. Raises the walls, does the job, writes the answer, ends."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from pathlib import Path


def main(job_file: Path, answer_file: Path) -> None:
    from driftwatch.observe import walls
    from driftwatch.observe.plugins.exercise import Inside, exercise
    from driftwatch.observe.plugins.job import read
    from driftwatch.observe.walls.sink import Sink

    job = read(job_file.read_text("utf-8"))
    needed = [job.binary.path.parent, *([job.plugin.tree] if job.plugin else []), *([job.api] if job.api else [])]
    plan = walls.plan(job.scratch, needed, job.hidden, network=job.network)
    stood = walls.raise_walls(plan)
    sink = Sink()
    own_network = stood.network == walls.NETWORK
    if own_network:
        sink.open(9, job.scratch)
    walls.lock()
    covered = (plan.hidden, plan.kept) if stood.files == walls.HIDDEN else ((), ())
    told = exercise(job, Inside(sink, own_network, *covered))
    answer_file.write_text(json.dumps({"walls": asdict(stood), **told}), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
    sys.stdout.flush()
    os._exit(0)  # threads that wait for a host that hangs wait no longer
