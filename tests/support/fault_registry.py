"""A registry on a loopback port that serves packages rightly, or goes wrong in the way a test asks for.

with FaultRegistry() as registry:
    registry.publish("left-pad", {"1.0.0": tgz({"package.json": b"{}"})})
    registry.at("/left-pad", Reply(503), Reply(503))     # two answers, then what is published
    registry.requests                                     # everything it was asked, with headers
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import socket
import socketserver
import ssl
import struct
import tarfile
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote


@dataclass
class Reply:
    """One answer. ``announce`` lies about the length; ``drip`` sends a byte every so many seconds; ``cut`` closes after so
    many bytes; ``hang`` waits before the first byte; ``reset`` breaks the connection at once; ``raw`` replaces everything."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    announce: int | None = None
    chunked: bool = False
    drip: float = 0.0
    cut: int | None = None
    hang: float = 0.0
    reset: bool = False
    raw: bytes | None = None


@dataclass(frozen=True)
class Request:
    path: str
    headers: Mapping[str, str]

    @property
    def authorization(self) -> str:
        return self.headers.get("authorization", "")


def tgz(files: Mapping[str, bytes], root: str = "package", mode: int = 0o644) -> bytes:
    """A package tarball; the same files give the same bytes."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(f"{root}/{name}")
            entry.size, entry.mode = len(data), mode
            archive.addfile(entry, io.BytesIO(data))
    return gzip.compress(buffer.getvalue(), 1, mtime=0)


def sri(data: bytes, algorithm: str = "sha512") -> str:
    return f"{algorithm}-" + base64.b64encode(hashlib.new(algorithm, data).digest()).decode()


class FaultRegistry:
    """``url`` is what to configure. Answers given with ``at`` come first, in order; then what was published; then 404."""

    def __init__(self, certificate: Path | None = None, etags: bool = True) -> None:
        self.requests: list[Request] = []
        self.packages: dict[str, dict[str, Any]] = {}
        self.etags = etags
        self._tarballs: dict[str, bytes] = {}
        self._queued: dict[str, list[Reply]] = {}
        self._always: dict[str, Reply] = {}
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.scheme = "https" if certificate else "http"
        self.host = f"127.0.0.1:{self._server.server_address[1]}"
        self.url = f"{self.scheme}://{self.host}/"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def __enter__(self) -> FaultRegistry:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def publish(
        self, name: str, versions: Mapping[str, bytes], tags: Mapping[str, str] | None = None, **more: Any
    ) -> dict[str, Any]:
        """A package with these tarballs; ``latest`` is the last one unless ``tags`` says otherwise. Gives its packument,
        which may be changed in place."""
        document: dict[str, Any] = {
            "_id": name,
            "name": name,
            "dist-tags": dict(tags or {"latest": list(versions)[-1]}),
            "versions": {version: self._manifest(name, version, data) for version, data in versions.items()},
            "time": dict.fromkeys(versions, "2026-01-01T00:00:00.000Z"),
            **more,
        }
        self.packages[name] = document
        return document

    def at(self, path: str, *replies: Reply) -> None:
        """The next answers at a path (decoded, such as ``/@scope/name``)."""
        with self._lock:
            self._queued.setdefault(path, []).extend(replies)

    def always(self, path: str, reply: Reply) -> None:
        """Every answer at a path."""
        self._always[path] = reply

    def asked(self, path: str) -> list[Request]:
        return [request for request in self.requests if request.path == path]

    def _manifest(self, name: str, version: str, data: bytes) -> dict[str, Any]:
        path = f"/{name}/-/{name.rpartition('/')[2]}-{version}.tgz"
        self._tarballs[path] = data
        dist = {"integrity": sri(data), "shasum": hashlib.sha1(data).hexdigest(), "tarball": self.url.rstrip("/") + path}
        return {"name": name, "version": version, "dist": dist}

    def answer(self, path: str, headers: Mapping[str, str]) -> Reply:
        with self._lock:
            self.requests.append(Request(path, headers))
            if queue := self._queued.get(path):
                return queue.pop(0)
        if path in self._always:
            return self._always[path]
        if path in self._tarballs:
            return Reply(body=self._tarballs[path], headers={"Content-Type": "application/octet-stream"})
        if (document := self.packages.get(path[1:])) is None:
            return Reply(404, b'{"error":"not_found"}')
        body = json.dumps(document).encode()
        etag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
        if self.etags and headers.get("if-none-match") == etag:
            return Reply(304, headers={"ETag": etag})
        return Reply(body=body, headers={"Content-Type": "application/json", **({"ETag": etag} if self.etags else {})})


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, *args: Any) -> None:
        self.stopping = threading.Event()
        super().__init__(*args)

    def server_bind(self) -> None:
        socketserver.TCPServer.server_bind(self)  # without the look-up of the host's name, which takes as long as it takes

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is what half of the tests are about."""


def _handler(registry: FaultRegistry) -> Callable[..., BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        server: _Server

        def do_GET(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            _send(self, registry.answer(unquote(self.path), headers))

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

    return Handler


def _send(handler: Any, reply: Reply) -> None:
    stopping: threading.Event = handler.server.stopping
    if reply.hang:
        stopping.wait(reply.hang)
    if reply.reset:
        handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        handler.close_connection = True
        handler.connection.close()
        return
    out = reply.raw if reply.raw is not None else _head(reply) + _framed(reply)
    whole = reply.cut is None and reply.raw is None and reply.announce is None
    handler.close_connection = not whole
    out = out if reply.cut is None else out[: len(_head(reply)) + reply.cut]
    if not reply.drip:
        handler.wfile.write(out)
        return
    for byte in out:
        handler.wfile.write(bytes([byte]))
        handler.wfile.flush()
        if stopping.wait(reply.drip):
            return


def _head(reply: Reply) -> bytes:
    headers = dict(reply.headers)
    if reply.chunked:
        headers["Transfer-Encoding"] = "chunked"
    elif reply.status != 304:
        headers.setdefault("Content-Length", str(len(reply.body) if reply.announce is None else reply.announce))
    lines = [f"HTTP/1.1 {reply.status} Whatever", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n"


def _framed(reply: Reply) -> bytes:
    if not reply.chunked:
        return reply.body
    return b"%x\r\n%s\r\n0\r\n\r\n" % (len(reply.body), reply.body)


def http_date(seconds_from_now: float) -> str:
    return time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + seconds_from_now))
