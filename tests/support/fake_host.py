"""A stand-in for a host binary, with faults on request. ``make`` writes an executable; run as a script it is the host.

It speaks the few routes the driver and the first probes use. Instead of running plugins it marks what their source says in
comments: a plugin file marks ``init`` when its project is opened, and each line ``// fake: METHOD /path mark NAME`` marks NAME
when that request comes. Probes that end it see the marks of ``// fake: TERM mark NAME``.
"""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar
from urllib.parse import parse_qs, urlsplit

VERSION = "1.2.3"
SAYS = re.compile(r"^\s*//\s*fake:\s*(\S+)(?:\s+(/\S*))?\s+mark\s+(\S+)", re.MULTILINE)


def make(folder: Path, fault: str = "", version: str = VERSION) -> Path:
    """An executable fake host with one fault (see the code for their names)."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"fake-{fault or 'host'}"
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "{__file__}" "{fault}" "{version}" "$@"\n')
    path.chmod(0o755)
    return path


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    fault = ""
    version = VERSION
    opened: ClassVar[set[str]] = set()

    def do_GET(self) -> None:
        self.handle_any()

    do_POST = do_PUT = do_DELETE = do_PATCH = do_GET

    def handle_any(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = urlsplit(self.path)
        directory = parse_qs(parts.query).get("directory", [""])[0]
        if self.fault == "html":
            return self.html()
        if self.fault == "mute":
            time.sleep(60)
        if self.fault == "refuses" and directory.endswith("refused"):
            return self.html()
        if self.fault in {"drips", "huge", "cuts"} and parts.path == "/config":
            return self.spoil()
        if parts.path == "/global/health" and self.fault != "old":
            return self.json({"healthy": True, "version": "9.9.9" if self.fault == "other-version" else self.version})
        if directory:
            self.open(directory)
        if self.fault == "hang-on-dispose" and parts.path == "/instance/dispose":
            time.sleep(60)
        if self.fault == "crash-on-dispose" and parts.path == "/instance/dispose":
            print("fatal: out of luck", flush=True)
            os._exit(7)
        if directory:
            self.play(directory, self.command, parts.path)
        return self.route(parts.path)

    def route(self, path: str) -> None:
        answers: dict[str, object] = {
            "/config": {"model": "mock/m1"},
            "/instance/dispose": True,
            "/experimental/tool/ids": ["bash", "read", "driftwatch_probe", "read"],
        }
        if path in answers and not (self.fault == "no-tool-ids" and path.endswith("ids")):
            return self.json(answers[path])
        return self.html()

    def open(self, directory: str) -> None:
        if self.fault == "dies-on-open":
            print("fatal: what is this project", flush=True)
            os._exit(9)
        if self.fault == "floods-on-open":
            flood()
        if directory not in self.opened and self.fault != "no-plugins":
            self.opened.add(directory)
            for plugin in plugins(directory):
                instance = os.getpid() if self.fault == "moody" else 1  # differs from process to process
                mark(directory, "init", keys=["client", "directory"], instance=instance, plugin=plugin.name)
        elif self.fault == "no-plugins":
            print(f'level=ERROR message="failed to load plugin" path={directory}', flush=True)

    def play(self, directory: str, method: str, path: str) -> None:
        for plugin in plugins(directory):
            for said, where, name in SAYS.findall(plugin.read_text()):
                if said == method and where == path and not (self.fault == "forgets" and name == "dispose"):
                    mark(directory, name, instance=1)

    def spoil(self) -> None:
        """A body that comes a byte at a time, that never ends, or that ends too soon."""
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(10**9))
        self.end_headers()
        self.close_connection = True
        for _ in range({"drips": 600, "huge": 1000, "cuts": 1}[self.fault]):
            self.wfile.write(b" " * (1 if self.fault == "drips" else 65536))
            self.wfile.flush()
            time.sleep(0.1 if self.fault == "drips" else 0)

    def html(self) -> None:
        self.send(b"<!doctype html><title>app</title>", "text/html")

    def json(self, body: object) -> None:
        self.send(json.dumps(body).encode(), "application/json")

    def send(self, raw: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_: object) -> None:
        pass


def plugins(directory: str) -> list[Path]:
    return sorted(Path(directory, ".opencode", "plugin").glob("*.js"))


def mark(directory: str, name: str, **data: object) -> None:
    with Path(directory, ".driftwatch", "marks.jsonl").open("a") as file:
        file.write(json.dumps({"mark": name, **data}) + "\n")


def flood() -> None:
    while True:
        os.write(1, b"x" * 65536)


def misbehave(fault: str, port: int) -> None:
    """Faults that come before it listens."""
    match fault:
        case "exits":
            sys.exit(3)
        case "says-why":
            print("error: the configuration is no good", flush=True)
            sys.exit(1)
        case "hostile-words":
            print("\x1b]0;owned\x07\x1b[2J<script>alert(1)</script>\u202egnp.exe ::error::x ![](http://evil.example)", flush=True)
            sys.exit(1)
        case "tells-all":
            print(" ".join(f"{name}={value}" for name, value in os.environ.items()), flush=True)
            sys.exit(1)
        case "locks-its-room":
            room = Path(os.environ["HOME"], "room")
            (room / "inner").mkdir(parents=True)
            (room / "inner" / "file").touch()
            (room / "inner").chmod(0)
            room.chmod(0)
        case "strict-runtime":
            if unknown := [name for name in os.environ if name.startswith("BUN_JSC_")]:
                print(f"error: invalid JSC environment variable\n\n    {unknown[0]}=0", flush=True)
                sys.exit(1)
        case "never-listens":
            print("still thinking", flush=True)
            time.sleep(60)
        case "floods":
            flood()
        case "port-taken-once":
            flag = Path(os.environ["HOME"]).parent.parent / "taken-once"
            if not flag.exists():
                flag.touch()
                print(f"error: Failed to start server. Is port {port} in use?", flush=True)
                sys.exit(1)
        case "port-taken":
            print(f"error: Failed to start server. Is port {port} in use?", flush=True)
            sys.exit(1)
        case "deaf":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        case "daemonises":
            subprocess.Popen(
                ["/bin/sh", "-c", "setsid sh -c 'setsid sleep 600 & setsid sleep 600 &' & sleep 600"], start_new_session=True
            )


def main() -> None:
    fault, version, arguments = sys.argv[1], sys.argv[2], sys.argv[3:]
    port = int(arguments[arguments.index("--port") + 1])
    misbehave(fault, port)
    handler = type("Faulty", (Handler,), {"fault": fault, "version": version})
    if fault == "listens-without-server":
        with socket.create_server(("127.0.0.1", port)):
            print(f"opencode server listening on http://127.0.0.1:{port}", flush=True)
            time.sleep(60)
    server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    server.daemon_threads = True
    if fault == "old":
        print(f"INFO  2026-01-01T00:00:00 +5ms service=default version={version} opencode", flush=True)
    print(f"opencode server listening on http://127.0.0.1:{port}", flush=True)
    if fault == "dies-soon":
        threading.Timer(0.3, lambda: os._exit(9)).start()
    server.serve_forever()


if __name__ == "__main__":
    main()
