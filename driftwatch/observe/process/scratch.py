"""Work folders of children: private, named so that the supervisor will remove them, and swept when an owner died."""

from __future__ import annotations

import contextlib
import os
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from driftwatch import atomic
from driftwatch.errors import Unobservable
from driftwatch.observe.process import supervisor


def scratch_folder(root: Path) -> Path:
    """A new private folder under ``root``, with links resolved (a child that asks for its own path gets the same).

    Raises Unobservable when it cannot be made. Hand it to ``start(scratch=...)``, which removes it.
    """
    try:
        root.mkdir(parents=True, exist_ok=True)
        sweep(root)
        prefix = f"{supervisor.SCRATCH_PREFIX}{os.getpid()}-{atomic.here()}-"
        return Path(tempfile.mkdtemp(prefix=prefix, dir=root.resolve()))
    except OSError as error:
        raise Unobservable(
            f"cannot make a work folder in {root}: {error.strerror}", "free space or set TMPDIR to a writable folder"
        ) from error


@contextmanager
def work_folder() -> Iterator[Path]:
    """A private folder in the system's place for temporary ones, links resolved, removed at the end. What a killed run left
    of its own goes when the next one is made. Raises Unobservable when there is no place for it."""
    try:
        place = Path(tempfile.gettempdir())
    except OSError as error:
        raise Unobservable(f"there is no temporary folder: {error.strerror}", "set TMPDIR to a writable folder") from error
    folder = scratch_folder(place)
    try:
        yield folder
    finally:
        supervisor.clean(str(folder))


def remove(folder: Path) -> None:
    """A folder of ``scratch_folder`` that no child was started in."""
    supervisor.clean(str(folder))


def sweep(root: Path) -> None:
    """Remove the work folders of driftwatch processes that are no more (both it and its supervisor were killed), and end
    what still runs with such a folder in its environment. Of another machine or container nobody here can tell whether its
    processes run: its folders go when they are old."""
    for folder in root.glob(f"{supervisor.SCRATCH_PREFIX}*-*"):
        owner, *rest = folder.name.removeprefix(supervisor.SCRATCH_PREFIX).split("-")
        where = rest[0] if len(rest) > 1 else atomic.here()
        if owner.isdigit() and atomic.orphaned(int(owner), where, folder):
            kill_marked(str(folder))
            with contextlib.suppress(OSError):
                supervisor.clean(str(folder))


def kill_marked(word: str) -> None:
    """SIGKILL to every process whose environment holds ``word``, until none is left."""
    until = time.monotonic() + 5
    while (left := supervisor.marked(word)) and time.monotonic() < until:
        for pid in left:
            supervisor.kill(pid, signal.SIGKILL)
        time.sleep(0.02)
