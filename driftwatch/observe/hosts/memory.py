"""Memory of this machine that a host may be given to save time with, and how much of it is promised already."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SPARED = 4 * 1024**3  # bytes that are never promised to anybody
MEMINFO, CGROUP, GROUPS = Path("/proc/meminfo"), Path("/proc/self/cgroup"), Path("/sys/fs/cgroup")


class Lending:
    """All hosts of this process borrow here, so that those which start together do not count on the same memory."""

    def __init__(self) -> None:
        self._promised = 0
        self._lock = threading.Lock()

    @contextmanager
    def borrowed(self, size: int) -> Iterator[bool]:
        """Whether ``size`` bytes may be used for as long as the ``with`` lasts."""
        with self._lock:
            granted = available() - self._promised - SPARED >= size
            self._promised += size if granted else 0
        try:
            yield granted
        finally:
            with self._lock:
                self._promised -= size if granted else 0


LENDING = Lending()


def available() -> int:
    """Bytes that programs started now may take without pushing others out: of the machine, or of the control group (a
    container, a service) we run in where that or one around it allows less. 0 where it cannot be told."""
    free = _number(MEMINFO, r"^MemAvailable:\s+(\d+) kB$")
    return max(0, min([(free or 0) * 1024, *_allowed()]))


def _allowed() -> Iterator[int]:
    """What is left in each control group around us, https://docs.kernel.org/admin-guide/cgroup-v2.html"""
    try:
        own = re.search(r"^0::/(.*)$", CGROUP.read_text("utf-8", "replace"), re.MULTILINE)
    except OSError:
        return
    here = GROUPS / (own.group(1) if own else "")
    for group in (here, *here.parents):
        limit, used = _number(group / "memory.max", r"^(\d+)$"), _number(group / "memory.current", r"^(\d+)$")
        if limit is not None and used is not None:
            yield limit - used
        if group == GROUPS:
            return


def _number(path: Path, pattern: str) -> int | None:
    try:
        found = re.search(pattern, path.read_text("ascii", "replace"), re.MULTILINE)
    except OSError:
        return None
    return int(found.group(1)) if found else None
