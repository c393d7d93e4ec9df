"""A stand-in for a host of the 2.x line, with faults on request. ``make`` writes an executable; run as a script it is the host.

It refuses the option only 1.x knows, prints a password, wants it on every request, answers /api/* and nothing of 1.x, and marks
``init`` or ``setup`` for each plugin file with a default export when its project is asked for. ``// fake: cleanup`` in a plugin
is marked when the host is told to end.
"""

from __future__ import annotations

import base64
import json
import os
import re
import shlex
import signal
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

PASSWORD = "s3cret-of-this-start"
SPEC: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "fake", "version": "0"},
    "paths": {"/api/health": {"get": {"operationId": "v2.health.get", "responses": {"200": {"description": "ok"}}}}},
}


def make(folder: Path, fault: str = "", version: str = "local") -> Path:
    """An executable fake host with one fault (see ``main`` and ``Handler`` for their names)."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"fake2-{fault or 'host'}"
    path.write_text(f'#!/bin/sh\nexec {shlex.join(words(fault, version))} "$@"\n')
    path.chmod(0o755)
    return path


def words(fault: str = "", version: str = "local") -> tuple[str, ...]:
    """The same as a launch command."""
    return (sys.executable, "-I", "-S", __file__, fault or "none", version)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    fault = ""
    version = ""
    opened: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = urlsplit(self.path)
        if self.fault == "mute":
            time.sleep(60)
        wanted = "Basic " + base64.b64encode(f"opencode:{PASSWORD}".encode()).decode()
        if self.headers.get("Authorization") != wanted and self.fault != "open":
            return self.send(401, b"", "", {"WWW-Authenticate": 'Basic realm="Secure Area"'})
        if parts.path == "/api/health":
            return self.json({"healthy": True, "version": self.version, "pid": os.getpid()})
        if parts.path == "/openapi.json":
            return self.json(SPEC)
        if parts.path == "/api/location":
            directory = parse_qs(parts.query).get("location[directory]", [""])[0]
            self.load(directory)
            return self.json({"directory": directory, "project": {"id": "global", "directory": "/"}})
        if self.fault == "html":
            return self.send(200, b"<!doctype html><title>app</title>", "text/html")
        return self.send(404, b"", "")

    do_POST = do_PUT = do_DELETE = do_PATCH = do_GET

    def load(self, directory: str) -> None:
        if not directory or directory in self.opened:
            return
        self.opened.append(directory)
        for plugin in plugins(directory):
            if "export default" in plugin.read_text():
                for name in re.findall(r'mark\("(init|setup)"', plugin.read_text()):
                    mark(directory, name, keys=["agent", "options", "tool"])

    def json(self, body: object) -> None:
        self.send(200, json.dumps(body).encode(), "application/json")

    def send(self, status: int, raw: bytes, kind: str, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        told = {**({"Content-Type": kind} if kind else {}), **(headers or {}), "Content-Length": str(len(raw))}
        for name, value in told.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_: object) -> None:
        pass


def plugins(directory: str) -> list[Path]:
    return sorted(Path(directory, ".opencode").glob("plugin*/*.js"))


def mark(directory: str, name: str, **data: object) -> None:
    with Path(directory, ".driftwatch", "marks.jsonl").open("a") as file:
        file.write(json.dumps({"mark": name, **data}) + "\n")


def cleanup(*_: object) -> None:
    for directory in Handler.opened:
        for plugin in plugins(directory):
            if "// fake: cleanup" in plugin.read_text():
                mark(directory, "cleanup")
    os._exit(0)


def main() -> None:
    fault, version, arguments = sys.argv[1], sys.argv[2], sys.argv[3:]
    if starts := os.environ.get("FAKE_STARTS"):
        with Path(starts).open("a") as file:
            file.write("start\n")
    if "--print-logs" in arguments:
        print("ERROR\n  Unrecognized flag: --print-logs in command opencode serve", flush=True)
        sys.exit(1)
    if fault == "never-listens":
        print("still thinking", flush=True)
        time.sleep(60)
    if fault == "dies":
        print("fatal: no database", flush=True)
        sys.exit(4)
    signal.signal(signal.SIGTERM, cleanup)
    Handler.fault, Handler.version = fault, version
    server = ThreadingHTTPServer(("127.0.0.1", int(arguments[arguments.index("--port") + 1])), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"server listening on http://127.0.0.1:{server.server_address[1]}", flush=True)
    if fault == "late-password":
        time.sleep(0.4)
    if fault not in {"no-password", "open"}:
        print(f"server password {'not-the-one' if fault == 'wrong-password' else PASSWORD}", flush=True)
    if fault == "dies-soon":
        os._exit(9)
    while True:
        time.sleep(60)


if __name__ == "__main__":
    main()
