"""A real registry of one's own: verdaccio, installed and run by the JavaScript runtime driftwatch fetches anyway."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests

from driftwatch.observe.hosts.isolation import free_port
from driftwatch.observe.sources.npm import Registry, configure
from driftwatch.observe.typescript import tools
from tests.support.fault_registry import sri, tgz

# verdaccio 6.8.0 asks for a node-fetch that was withdrawn
PACKAGE = {"private": True, "dependencies": {"verdaccio": "6.8.0"}, "overrides": {"node-fetch": "2.7.0"}}
CONFIG = """\
storage: ./storage
auth: {htpasswd: {file: ./htpasswd, max_users: 10}}
uplinks: {}
packages: {'**': {access: $all, publish: $authenticated, unpublish: $authenticated}}
log: {type: stdout, format: json, level: warn}
web: {enable: false}
"""


@dataclass
class Verdaccio:
    """``url`` ends with a slash. Every verb is what npm sends for the command of that name."""

    url: str
    token: str = ""

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        answer = requests.request(method, self.url + path, json=body, headers=headers, timeout=20)
        answer.raise_for_status()
        return answer.json()

    def publish(self, name: str, version: str, tag: str = "latest", **manifest: Any) -> None:
        whole = {"name": name, "version": version, **manifest}
        data = tgz({"package.json": json.dumps(whole).encode(), "index.d.ts": b"export declare const a: number;\n"})
        file = f"{name}-{version}.tgz"
        dist = {"integrity": sri(data), "shasum": hashlib.sha1(data).hexdigest(), "tarball": f"{self.url}{name}/-/{file}"}
        attachment = {"content_type": "application/octet-stream", "data": base64.b64encode(data).decode(), "length": len(data)}
        document = {
            "_id": name,
            "name": name,
            "dist-tags": {tag: version},
            "versions": {version: {**whole, "dist": dist}},
            "_attachments": {file: attachment},
        }
        self.ask("PUT", name, document)

    def tag(self, name: str, tag: str, version: str) -> None:
        self.ask("PUT", f"-/package/{name}/dist-tags/{tag}", version)

    def untag(self, name: str, tag: str) -> None:
        self.ask("DELETE", f"-/package/{name}/dist-tags/{tag}")

    def deprecate(self, name: str, version: str, text: str) -> None:
        document = self.ask("GET", f"{name}?write=true")
        document["versions"][version]["deprecated"] = text
        document["_attachments"] = {}
        self.ask("PUT", f"{name}/-rev/{document['_rev']}", document)

    def unpublish(self, name: str, version: str) -> None:
        document = self.ask("GET", f"{name}?write=true")
        del document["versions"][version]
        document["dist-tags"] = {tag: one for tag, one in document["dist-tags"].items() if one != version}
        document["_attachments"] = {}
        self.ask("PUT", f"{name}/-rev/{document['_rev']}", document)
        document = self.ask("GET", f"{name}?write=true")
        self.ask("DELETE", f"{name}/-/{name}-{version}.tgz/-rev/{document['_rev']}")


@contextmanager
def verdaccio(folder: Path, cache: Path) -> Iterator[Verdaccio]:
    """A running registry without packages, its user signed in. ``cache`` keeps the runtime and what the registry is made of."""
    with Registry(configure(Path(), cache), cache) as registry:
        runtime = tools.engine(registry, cache).runtime
        source = registry.config.registry_for("verdaccio")
    (folder / "package.json").write_text(json.dumps(PACKAGE), "utf-8")
    (folder / "config.yaml").write_text(CONFIG, "utf-8")
    known = {**os.environ, "npm_config_registry": source, "BUN_INSTALL_CACHE_DIR": str(cache / "bun")}
    _run([str(runtime), "install", "--ignore-scripts", "--no-save"], folder, known)
    port = free_port()
    argv = [str(runtime), "node_modules/verdaccio/bin/verdaccio", "--config", "config.yaml", "--listen", f"127.0.0.1:{port}"]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(argv, cwd=folder, stdout=log, stderr=log)
    try:
        one = Verdaccio(f"http://127.0.0.1:{port}/")
        _answers(one, process, folder / "log")
        one.token = one.ask("PUT", "-/user/org.couchdb.user:me", {"name": "me", "password": "long enough"})["token"]
        yield one
    finally:
        process.kill()
        process.wait()


def _run(argv: list[str], folder: Path, env: dict[str, str]) -> None:
    done = subprocess.run(argv, cwd=folder, env=env, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr


def _answers(one: Verdaccio, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + 60
    while True:
        try:
            one.ask("GET", "-/ping")
        except requests.RequestException as error:
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < until, f"{error}\n{log.read_text()}"
            time.sleep(0.1)
        else:
            return
