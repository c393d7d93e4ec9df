"""What is there beside the host: processes below us, ports that listen, files. What came between two looks is a leftover."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from driftwatch.observe.process.supervisor import descendants

MOST_FILES = 20_000


@dataclass(frozen=True, slots=True)
class Look:
    """``processes`` by pid: what runs; ``ports`` that listen (None where other programs' could not be told apart); ``files`` by
    shown name: size and time of change."""

    processes: Mapping[int, str]
    ports: frozenset[int] | None
    files: Mapping[str, tuple[int, int]]


def look(places: Mapping[str, Path], skipped: Sequence[Path], *, own_network: bool) -> Look:
    """``places``: word -> folder, such as ``home`` -> its path; files are shown as ``<word>/relative``."""
    running = {pid: _command(pid) for pid in descendants(os.getpid(), 0)}
    return Look(
        {pid: command for pid, command in running.items() if command},
        _ports() if own_network else None,
        _files(places, skipped),
    )


def _command(pid: int) -> str:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return ""
    return " ".join(word.decode("utf-8", "replace") for word in words if word)[:300]


def _ports() -> frozenset[int]:
    """Ports of this network namespace with somebody listening (state 0A of /proc/net/tcp)."""
    found = set()
    for name in ("tcp", "tcp6"):
        with suppress(OSError):
            for line in Path(f"/proc/self/net/{name}").read_text("ascii").splitlines()[1:]:
                fields = line.split()
                if fields[3] == "0A":
                    found.add(int(fields[1].rpartition(":")[2], 16))
    return frozenset(found)


def _files(places: Mapping[str, Path], skipped: Sequence[Path]) -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for word, place in places.items():
        left = {str(path) for path in (*skipped, *places.values()) if path != place}
        for folder, folders, names in os.walk(place):
            folders[:] = [name for name in sorted(folders) if os.path.join(folder, name) not in left and name != "node_modules"]  # noqa: PTH118
            for name in names:
                path = Path(folder, name)
                with suppress(OSError):
                    told = path.lstat()
                    found[f"<{word}>/{path.relative_to(place).as_posix()}"] = (told.st_size, told.st_mtime_ns)
            if len(found) > MOST_FILES:
                return found
    return found


def since(before: Look, after: Look) -> dict[str, list[str]]:
    """What is there after and was not before: ``processes``, ``ports`` (only where they could be told), ``files``; ``gone``
    are files that were there before; ``there`` is every file."""
    told = {
        "processes": sorted(command for pid, command in after.processes.items() if pid not in before.processes),
        "files": sorted(name for name, state in after.files.items() if before.files.get(name) != state),
        "gone": sorted(before.files.keys() - after.files.keys()),
        "there": sorted(after.files),
    }
    if before.ports is not None and after.ports is not None:
        told["ports"] = [str(port) for port in sorted(after.ports - before.ports)]
    return told
