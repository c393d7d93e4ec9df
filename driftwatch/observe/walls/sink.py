"""Where everything ends that wants out: a proxy that refuses and a name server that knows nobody, both noting who was wanted.

They can only listen where the process may: in a network namespace of its own. Elsewhere nothing is noted.
"""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from pathlib import Path

from driftwatch.observe.walls import linux

RESOLVER = Path("/etc/resolv.conf")
REFUSED = b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
MOST = 200  # names that are remembered


class Sink:
    """``wanted()`` gives the host names that anything asked for so far, sorted."""

    def __init__(self) -> None:
        self._wanted: set[str] = set()
        self._lock = threading.Lock()

    def wanted(self) -> tuple[str, ...]:
        with self._lock:
            return tuple(sorted(self._wanted))

    def forget(self) -> None:
        with self._lock:
            self._wanted.clear()

    def _note(self, name: str) -> None:
        with self._lock:
            if name and len(self._wanted) < MOST:
                self._wanted.add(name[:200])

    def open(self, proxy: int, scratch: Path) -> None:
        """Listen at the dead proxy's port and as the only name server. Raises OSError where that is not permitted."""
        listener = socket.create_server(("127.0.0.1", proxy))
        threading.Thread(target=self._proxy, args=(listener,), daemon=True, name="sink-proxy").start()
        names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        names.bind(("127.0.0.1", 53))
        threading.Thread(target=self._names, args=(names,), daemon=True, name="sink-names").start()
        written = scratch / "resolv.conf"
        written.write_text("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n", "ascii")
        with suppress(OSError):  # no such file, or a link to one that is hidden now: names are not asked for then
            linux.cover_file(RESOLVER, written)

    def _proxy(self, listener: socket.socket) -> None:
        while True:
            door, _ = listener.accept()
            threading.Thread(target=self._refuse, args=(door,), daemon=True).start()

    def _refuse(self, door: socket.socket) -> None:
        with door, suppress(OSError):
            door.settimeout(5)
            self._note(target(door.recv(4096)))
            door.sendall(REFUSED)

    def _names(self, door: socket.socket) -> None:
        while True:
            with suppress(OSError):
                asked, sender = door.recvfrom(1024)
                self._note(question(asked))
                door.sendto(nobody(asked), sender)


def target(head: bytes) -> str:
    """The host a proxy is asked for: ``CONNECT name:443 ...`` or ``GET http://name/...``; "" for anything else."""
    words = head.split(b"\r\n", 1)[0].decode("latin-1").split(" ")
    if len(words) < 2:
        return ""
    place = words[1].partition("://")[2].partition("/")[0] if "://" in words[1] else words[1] if words[0] == "CONNECT" else ""
    place = place.rpartition("@")[2]
    return place.rpartition(":")[0] or place


def question(asked: bytes) -> str:
    """The name in a DNS query, "" when it is none."""
    return _question(asked)[0]


def _question(asked: bytes) -> tuple[str, int]:
    """The name, and where the question section ends."""
    labels, at = [], 12
    while at < len(asked) and 0 < asked[at] < 64:
        labels.append(asked[at + 1 : at + 1 + asked[at]].decode("latin-1"))
        at += 1 + asked[at]
    return (".".join(labels).lower(), at + 5) if at < len(asked) and not asked[at] else ("", len(asked))


def nobody(asked: bytes) -> bytes:
    """The answer that there is no such name (NXDOMAIN)."""
    return asked[:2] + b"\x81\x83" + asked[4:6] + b"\0\0\0\0\0\0" + asked[12 : _question(asked)[1]]
