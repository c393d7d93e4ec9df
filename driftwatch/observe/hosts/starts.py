"""What is known of how binaries start, for as long as driftwatch runs.

A host that never listens costs its whole patience. It is given it once, and once more in case the machine was busy; then every
further start of the same binary is refused with the same words at once, until one succeeds.
"""

from __future__ import annotations

import threading

from driftwatch.observe.hosts.driver import Binary, HostError

CHANCES = 2

Key = tuple[str, ...]


class Starts:
    def __init__(self) -> None:
        self._silent: dict[Key, list[str]] = {}
        self._refused: set[tuple[Key, str]] = set()
        self._lock = threading.Lock()

    def check(self, binary: Binary) -> None:
        """Raises HostError when this binary has had its chances."""
        with self._lock:
            said = self._silent.get(key(binary), [])
            if len(said) >= CHANCES:
                raise HostError(f"{said[-1]} (tried {len(said)} times; not again)")

    def silent(self, binary: Binary, message: str) -> None:
        """It was waited for in vain."""
        with self._lock:
            self._silent.setdefault(key(binary), []).append(message)

    def came_up(self, binary: Binary) -> None:
        with self._lock:
            self._silent.pop(key(binary), None)

    def refuses(self, binary: Binary, what: str) -> bool:
        """Whether it is known not to start with ``what``, an option or a variable it can do without."""
        return (key(binary), what) in self._refused

    def refused(self, binary: Binary, what: str) -> None:
        self._refused.add((key(binary), what))


def key(binary: Binary) -> Key:
    return (*binary.words, str(binary.directory), binary.integrity)


STARTS = Starts()
