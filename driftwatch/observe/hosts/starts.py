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
        self._plain: set[Key] = set()
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

    def is_plain(self, binary: Binary) -> bool:
        """Whether it is known to refuse the options that only make it tell more."""
        return key(binary) in self._plain

    def plain(self, binary: Binary) -> None:
        self._plain.add(key(binary))


def key(binary: Binary) -> Key:
    return (*binary.words, str(binary.directory), binary.integrity)


STARTS = Starts()
