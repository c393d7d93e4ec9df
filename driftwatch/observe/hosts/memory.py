"""Memory of this machine that a host may be given to save time with, and how much of it is promised already."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SPARED = 4 * 1024**3  # bytes that are never promised to anybody


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
    """Bytes that programs started now may take without pushing others out: of the machine, or of the container we run in
    where that allows less. 0 where it cannot be told."""
    free = _number(Path("/proc/meminfo"), r"^MemAvailable:\s+(\d+) kB$") * 1024
    limit = _number(Path("/sys/fs/cgroup/memory.max"), r"^(\d+)$")
    used = _number(Path("/sys/fs/cgroup/memory.current"), r"^(\d+)$")
    return min(free, max(0, limit - used)) if limit else free


def _number(path: Path, pattern: str) -> int:
    try:
        found = re.search(pattern, path.read_text("ascii", "replace"), re.MULTILINE)
    except OSError:
        return 0
    return int(found.group(1)) if found else 0
