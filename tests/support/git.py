"""Real git repositories, and servers of the kinds a user may meet, on loopback."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

CLEAN = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.invalid",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.invalid",
    "GIT_AUTHOR_DATE": "2024-01-01T00:00:00Z",
    "GIT_COMMITTER_DATE": "2024-01-01T00:00:00Z",
    "LC_ALL": "C",
}


@dataclass
class Repository:
    """A working repository. ``commit`` writes files (None removes one), commits, and may tag."""

    path: Path

    def git(self, *arguments: str | bytes, stdin: bytes = b"") -> str:
        done = subprocess.run(["git", *arguments], cwd=self.path, env=CLEAN, input=stdin, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode("utf-8", "replace").strip()

    def commit(self, files: dict[str, bytes | str | None], tag: str = "", annotated: bool = False) -> str:
        for name, content in files.items():
            path = Path(os.fsdecode(os.fsencode(self.path / name)))
            if content is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        self.git("add", "-A", "--force")
        return self.seal(tag, annotated)

    def seal(self, tag: str = "", annotated: bool = False) -> str:
        self.git("commit", "-q", "--allow-empty", "-m", "x")
        if tag:
            self.git("tag", *(["-a", "-m", tag] if annotated else []), tag)
        return self.git("rev-parse", "HEAD")

    def bare(self) -> Path:
        """A bare copy beside it, as a server would hold it."""
        target = self.path.with_name(f"{self.path.name}.git")
        subprocess.run(
            ["git", "clone", "-q", "--bare", "--no-local", str(self.path), str(target)],
            env=CLEAN,
            check=True,
            capture_output=True,
        )
        return target


def repository(path: Path) -> Repository:
    path.mkdir(parents=True)
    made = Repository(path)
    made.git("init", "-q", "-b", "main", "--template=")
    return made


@dataclass
class Faults:
    """How the server misbehaves: a status for all, seconds it hangs, whether it forgets protocol 2, or serves plain files."""

    status: int = 0
    hang: float = 0
    old_protocol: bool = False
    dumb: bool = False
    body: bytes = b""
    seen: list[str] = field(default_factory=list)
    gone: threading.Event = field(default_factory=threading.Event)


@contextmanager
def http_server(folder: Path, faults: Faults | None = None) -> Iterator[str]:
    """Smart HTTP over ``git http-backend``; gives the base address of the repositories in ``folder``."""
    how = faults or Faults()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            self._answer(b"")

        def do_POST(self) -> None:
            if self.headers.get("Transfer-Encoding") == "chunked":
                self._answer(b"".join(self._chunks()))
            else:
                self._answer(self.rfile.read(int(self.headers.get("Content-Length", "0"))))

        def _chunks(self) -> Iterator[bytes]:
            while size := int(self.rfile.readline(), 16):
                yield self.rfile.read(size)
                self.rfile.readline()

        def _answer(self, body: bytes) -> None:
            how.seen.append(self.path)
            if how.hang:
                self._hang()
            elif how.status:
                extra = {"WWW-Authenticate": "Basic realm=x"} if how.status == 401 else {}
                self._send(how.status, extra, how.body)
            elif how.body:
                self._send(200, {"Content-Type": "text/html"}, how.body)
            elif how.dumb:
                self._file()
            else:
                self._backend(body)

        def _hang(self) -> None:
            end = time.monotonic() + how.hang
            self.connection.settimeout(0.05)
            while time.monotonic() < end:
                try:
                    if not self.connection.recv(1):
                        break
                except TimeoutError:
                    continue
                except OSError:
                    break
            how.gone.set()

        def _file(self) -> None:
            path = folder / urlsplit(self.path).path.lstrip("/")
            if path.is_file():
                self._send(200, {"Content-Type": "application/octet-stream"}, path.read_bytes())
            else:
                self._send(404, {}, b"")

        def _backend(self, body: bytes) -> None:
            parts = urlsplit(self.path)
            variables = {
                **CLEAN,
                "GIT_PROJECT_ROOT": str(folder),
                "GIT_HTTP_EXPORT_ALL": "1",
                "PATH_INFO": parts.path,
                "QUERY_STRING": parts.query,
                "REQUEST_METHOD": self.command,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "CONTENT_LENGTH": str(len(body)),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            }
            if not how.old_protocol:
                variables["GIT_PROTOCOL"] = self.headers.get("Git-Protocol", "")
            done = subprocess.run(["git", "http-backend"], env=variables, input=body, capture_output=True, check=False)
            head, _, content = done.stdout.partition(b"\r\n\r\n")
            headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line)
            self._send(int(headers.pop("Status", "200").split()[0]), headers, content)

        def _send(self, status: int, headers: dict[str, str], content: bytes) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
