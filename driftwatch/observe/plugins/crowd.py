"""Who starts too many processes is ended, before the machine is."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable

from driftwatch.observe.process.supervisor import descendants, kill

MOST = 300
EVERY = 0.25  # seconds


class Crowd:
    """``watch`` starts looking; ``said`` tells once that there were too many, "" when there were not."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._over = threading.Event()

    def said(self) -> str:
        if not self._over.is_set():
            return ""
        self._over.clear()
        return f"was ended, as more than {self._most} processes were started"

    def watch(self, stop: Callable[[], bool] = lambda: False) -> None:
        threading.Thread(target=self._watch, args=(stop,), daemon=True, name="crowd").start()

    def _watch(self, stop: Callable[[], bool]) -> None:
        pause = threading.Event()
        while not stop():
            if len(there := descendants(os.getpid(), 0)) > self._most:
                self._over.set()
                end(there)
            pause.wait(EVERY)


def end(there: set[int]) -> None:
    """All of them at once where everything that runs is below us, so that nobody has the time to start another one."""
    if os.getpid() == 1:
        kill(-1, signal.SIGKILL)
        return
    for pid in there:
        kill(pid, signal.SIGKILL)
