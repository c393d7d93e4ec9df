"""A whole little upstream on loopback: a registry, a git repository, hosts and a watchlist, for tests of the whole job."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from driftwatch.cli import main
from driftwatch.observe.hosts import driver
from tests.support import fake_host
from tests.support.fault_registry import FaultRegistry, tgz
from tests.support.git import Repository

PLUGIN, HOST = "@acme/plugin", driver("opencode").package()

WATCHLIST = """\
version: 1
project: {name: ours, role: implementer}
registry: REGISTRY
upstreams:
  - id: acme
    packages: ["@acme/plugin"]
    accepted: 1.0.0
    git: {url: REPOSITORY}
    host: {driver: opencode}
    watch:
      - path: src/index.ts
        breaks: the hooks
    probes: [opencode/load, ./probes/bye]
    relies_on:
      - address: probe:bye#fired
        why: our timers leak
      - manifest:@acme/plugin#engines.node
"""

PROBE = """\
id: bye
title: dispose is called
about: a plugin says goodbye
host: opencode
steps:
  - post: /instance/dispose
    body: {}
  - wait: dispose
    seconds: 1
observe:
  fired: count(marks.dispose) > `0`
expect:
  fired: true
"""


@dataclass
class Answer:
    code: int
    out: str
    err: str

    @property
    def report(self) -> Any:
        return json.loads(self.out)


@dataclass
class Scene:
    """``run("poll")`` calls the command line as a user would; ``report`` is the last JSON report on disk."""

    root: Path
    registry: FaultRegistry
    repository: Repository
    tarballs: dict[str, dict[str, bytes]] = field(default_factory=dict)

    def publish(self, version: str, *, node: str = ">=20", fault: str = "", tags: dict[str, str] | None = None) -> None:
        """A version of the plugin package, its host (with a fault of tests/support/fake_host.py) and its git tag."""
        manifest = {"name": PLUGIN, "version": version, "engines": {"node": node}}
        self.package(PLUGIN, version, {"package.json": json.dumps(manifest).encode()}, tags, engines=manifest["engines"])
        binary = fake_host.make(self.root / "hosts", fault, version).read_bytes()
        self.package(HOST, version, {"bin/opencode": binary})

    def package(
        self, name: str, version: str, files: dict[str, bytes], tags: dict[str, str] | None = None, **manifest: Any
    ) -> None:
        known = self.tarballs.setdefault(name, {})
        known[version] = tgz(files, mode=0o755)
        kept = self.registry.packages.get(name, {}).get("versions", {})
        document = self.registry.publish(name, known, tags)
        document["versions"].update({old: row for old, row in kept.items() if old != version})
        document["versions"][version].update(manifest)

    def watchlist(self, text: str = WATCHLIST) -> Path:
        path = self.root / "watchlist.yaml"
        path.write_text(text.replace("REGISTRY", self.registry.url).replace("REPOSITORY", str(self.repository.path)))
        return path

    def run(self, *argv: str) -> Answer:
        out, err = io.StringIO(), io.StringIO()
        options = ["--cache", str(self.root / "cache"), "--watchlist", str(self.root / "watchlist.yaml")]
        return Answer(main([*argv, *options], out, err), out.getvalue(), err.getvalue())

    @property
    def reports(self) -> Path:
        return self.root / "reports"


@contextmanager
def scene(root: Path) -> Iterator[Scene]:
    """1.0.0 and 1.1.0 of @acme/plugin, alike but for a watched file; both hosts do what is expected."""
    (root / "repository").mkdir()
    repository = Repository(root / "repository")
    repository.git("init", "-q", "-b", "main")
    repository.commit({"src/index.ts": "export interface Hooks { dispose?(): void }\n"}, "v1.0.0")
    repository.commit({"src/index.ts": "export interface Hooks { dispose?(): void; event?(): void }\n"}, "v1.1.0")
    probe = root / "probes" / "bye"
    probe.mkdir(parents=True)
    (probe / "probe.yaml").write_text(PROBE)
    (probe / "plugin.js").write_text("// fake: POST /instance/dispose mark dispose\n")
    with FaultRegistry() as registry:
        made = Scene(root, registry, repository)
        made.publish("1.0.0")
        made.publish("1.1.0")
        made.watchlist()
        yield made
