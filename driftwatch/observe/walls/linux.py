"""The calls of Linux that raise walls: namespaces(7), mount(2), mount_setattr(2), prctl(2). Needs no rights of its own."""

from __future__ import annotations

import ctypes
import fcntl
import os
import signal
import socket
import struct
from collections.abc import Sequence
from pathlib import Path

CLONE_NEWNS = 0x00020000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x40000
MS_NOSUID, MS_NODEV, MS_NOEXEC = 2, 4, 8
MOUNT_SETATTR, AT_FDCWD, AT_RECURSIVE, MOUNT_ATTR_RDONLY = 442, -100, 0x8000, 1  # the same number on every architecture
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 1, 4, 24, 38
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1
HIGHEST_CAPABILITY = 63
SPACE = b"size=512m,mode=0700"

_LIBC = ctypes.CDLL(None, use_errno=True)


def _call(name: str, *arguments: object) -> None:
    if getattr(_LIBC, name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def apart(*, network: bool, processes: bool) -> None:
    """A user namespace of its own, with mounts and IPC, and with a network and processes of its own where asked. Raises OSError.

    In a user namespace nobody can look into processes outside (environment, memory), whoever runs them; in a process
    namespace nobody can see or signal them either. Who asks for that one goes on as its first process, and the process that
    called waits for it and ends as it did.
    """
    user, group = os.getuid(), os.getgid()
    _call("unshare", CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWIPC | (CLONE_NEWNET if network else 0))
    _LIBC.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)
    _LIBC.prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)  # new rights have cleared what the supervisor had set
    Path("/proc/self/setgroups").write_text("deny", "ascii")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1", "ascii")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1", "ascii")
    if processes:
        _call("unshare", CLONE_NEWPID)
        _as_first()
        _mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)


def _as_first() -> None:
    """Go on in a child, the first process of the namespace: when it ends, all that is in there ends with it."""
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        code = os.waitstatus_to_exitcode(status)
        os._exit(code if code >= 0 else 128 - code)
    _LIBC.prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)


def can_part_processes() -> bool:
    """Whether a process namespace can be had, tried in a process that ends: there is no way back out of one. Where parts of
    /proc are covered, as in some containers, no other /proc may be mounted."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1] == 0
    try:
        apart(network=False, processes=True)
    except BaseException:
        os._exit(1)
    os._exit(0)


def loopback_up() -> None:
    """Raises OSError."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as door:
        asked = struct.pack("16sH14x", b"lo", 0)
        flags = struct.unpack("16sH14x", fcntl.ioctl(door, SIOCGIFFLAGS, asked))[1]
        fcntl.ioctl(door, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", flags | IFF_UP))


def hide(hidden: Sequence[Path], kept: Sequence[Path], writable: Sequence[Path]) -> None:
    """Cover ``hidden`` by empty folders, except for ``kept``; make everything read-only but the covers and ``writable``.
    Raises OSError."""
    _mount("none", "/", "", MS_REC | MS_PRIVATE)
    held = {path: os.open(path, os.O_PATH | os.O_CLOEXEC) for path in kept}
    for path in writable:
        _bind(held.get(path) or os.open(path, os.O_PATH | os.O_CLOEXEC), path)
    covered = []
    for cover in hidden:
        if cover in kept:
            continue
        _mount("tmpfs", str(cover), "tmpfs", MS_NOSUID | MS_NODEV, SPACE)
        covered.append(cover)
        for path in kept:
            if path.is_relative_to(cover):
                _again(path, held[path])
    _read_only("/", on=True, recursive=True)
    for path in (*covered, *writable):
        _read_only(str(path), on=False, recursive=False)
    for number in held.values():
        os.close(number)


def _again(path: Path, number: int) -> None:
    """What was at ``path`` before something was laid over it."""
    if os.path.isdir(f"/proc/self/fd/{number}"):  # noqa: PTH112 - a link that is no path
        path.mkdir(parents=True, exist_ok=True)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    _bind(number, path)


def _bind(number: int, path: Path) -> None:
    _mount(f"/proc/self/fd/{number}", str(path), "", MS_BIND | MS_REC)


def cover_file(path: Path, by: Path) -> None:
    """Show ``by`` at ``path`` (links followed). Raises OSError."""
    _mount(str(by), str(path), "", MS_BIND)


def _mount(source: str, target: str, kind: str, flags: int, data: bytes = b"") -> None:
    _call("mount", source.encode(), target.encode(), kind.encode() or None, ctypes.c_ulong(flags), data or None)


def _read_only(path: str, *, on: bool, recursive: bool) -> None:
    attributes = struct.pack("QQQQ", MOUNT_ATTR_RDONLY if on else 0, 0 if on else MOUNT_ATTR_RDONLY, 0, 0)
    flags = AT_RECURSIVE if recursive else 0
    _call("syscall", MOUNT_SETATTR, AT_FDCWD, path.encode(), flags, attributes, ctypes.c_size_t(len(attributes)))


def drop_rights() -> None:
    """For everything this process will start: no capability, whoever it runs as, and none to be had from a file."""
    for capability in range(HIGHEST_CAPABILITY + 1):
        _LIBC.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    _LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
