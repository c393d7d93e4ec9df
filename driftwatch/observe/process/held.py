"""A work folder that outlives single children, and is removed all the same when driftwatch is killed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from driftwatch.observe.process.child import start
from driftwatch.observe.process.scratch import scratch_folder

LONGEST = 24 * 3600.0
SAID = "holder.txt"


@contextmanager
def held_folder(root: Path) -> Iterator[Path]:
    """A new private folder under ``root``, removed at the end, whoever dies: a child that only sleeps owns it, and its supervisor
    removes it. Raises Unobservable."""
    folder = scratch_folder(root)
    argv = ["sleep", str(round(LONGEST))]
    env = {"PATH": os.defpath}
    with start(argv, cwd=root, env=env, output=folder / SAID, deadline=LONGEST, scratch=folder):
        yield folder
