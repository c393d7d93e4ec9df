"""Walls around a process that runs untrusted code: no network but its own loopback, no files but those it needs, no processes
but its own.

``raise_walls`` changes the calling process for good, so it is called by a child that was started for it. Linux only; where the
system does not permit a wall, what stands is said in words, never assumed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

NETWORK = "network namespace"
PROXIES = "dead proxies only"
OPEN = "open: the network was allowed"
HIDDEN = "home, project and temporary folders hidden, the rest read-only"
SHOWN = "none: every file of the user who runs driftwatch can be read"
APART = "process namespace"
TOGETHER = "none: other processes of the user can be seen and ended"

LIBRARIES = ("site-packages", "dist-packages", "lib-dynload")


@dataclass(frozen=True, slots=True)
class Walls:
    """Which walls stood. ``network`` is one of NETWORK, PROXIES, OPEN; ``files`` HIDDEN or SHOWN; ``processes`` APART or
    TOGETHER; ``why`` says what the system refused, "" when nothing was."""

    network: str
    files: str
    why: str = ""
    processes: str = TOGETHER


@dataclass(frozen=True, slots=True)
class Plan:
    """``hidden`` folders are covered by empty ones; ``kept`` folders below them stay as they are, to read; ``writable`` ones may
    be written as well. ``network``: the network stays open."""

    hidden: tuple[Path, ...]
    kept: tuple[Path, ...]
    writable: tuple[Path, ...]
    network: bool = False


def raise_walls(plan: Plan) -> Walls:
    """Raise what the system permits around this process (it must have one thread) and all it will start. Where processes can be
    told apart, what returns is a child of the caller, and the caller ends as it does.

    Never raises: a wall that could not be raised is missing in the answer, with the system's reason.
    """
    network = OPEN if plan.network else PROXIES
    if not sys.platform.startswith("linux"):
        return Walls(network, SHOWN, f"{sys.platform} has no namespaces")
    from driftwatch.observe.walls import linux

    own = linux.can_part_processes()
    processes, why = (APART, "") if own else (TOGETHER, "a process namespace is refused")
    try:
        linux.apart(network=not plan.network, processes=own)
    except OSError as error:
        return Walls(network, SHOWN, f"namespaces are refused: {error.strerror}")
    if not plan.network:
        try:
            linux.loopback_up()
        except OSError as error:  # without a loopback there is no host to talk to
            return Walls("", SHOWN, f"the loopback of the namespace cannot be brought up: {error.strerror}", processes)
        network = NETWORK
    try:
        linux.hide(plan.hidden, plan.kept, plan.writable)
    except OSError as error:
        return Walls(network, SHOWN, f"folders cannot be hidden: {error.strerror}", processes)
    return Walls(network, HIDDEN, why, processes)


def lock() -> None:
    """Give up, for this process's children, the rights with which walls are raised: nobody inside can take them down."""
    if sys.platform.startswith("linux"):
        from driftwatch.observe.walls import linux

        linux.drop_rights()


def plan(scratch: Path, needed: Sequence[Path], hidden: Sequence[Path], *, network: bool = False) -> Plan:
    """What to hide on this machine: the user's home, everybody's temporary folders and run-time sockets, and ``hidden``.
    Python and ``needed`` stay readable, ``scratch`` writable."""
    usual = [Path.home(), Path("/home"), Path("/root"), Path("/tmp"), Path("/var/tmp"), Path("/dev/shm"), Path("/run")]  # noqa: S108
    kept = [path.resolve() for path in (*python(), *needed) if path.exists()]
    return Plan(_outermost([*usual, *hidden]), _outermost([*kept, scratch]), (scratch.resolve(),), network)


def python() -> tuple[Path, ...]:
    """What this Python needs to run this program: never the folder it was called from, which is the user's project."""
    libraries = [Path(entry) for entry in sys.path if Path(entry).name in LIBRARIES]
    own = Path(__file__).resolve().parents[2]
    return (Path(sys.prefix), Path(sys.base_prefix), Path(sys.executable).resolve().parent, *libraries, own)


def _outermost(paths: Sequence[Path]) -> tuple[Path, ...]:
    """Each folder once, without those inside another one; never the root, and only what is there."""
    found: list[Path] = []
    for path in sorted({_real(path) for path in paths} - {Path("/")}, key=lambda path: (len(path.parts), str(path))):
        if path.exists() and not any(path.is_relative_to(above) for above in found):
            found.append(path)
    return tuple(found)


def _real(path: Path) -> Path:
    with suppress(OSError):
        return Path(os.path.realpath(path))
    return path


__all__ = ["APART", "HIDDEN", "NETWORK", "OPEN", "PROXIES", "SHOWN", "TOGETHER", "Plan", "Walls", "lock", "plan", "raise_walls"]
