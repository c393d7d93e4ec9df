"""Where a fault is tried: a project with an accepted version, its upstream on loopback, and the proof that a fault did no harm.

1.0.0 is accepted, 1.1.0 is the newest, and nothing that is relied on differs: undisturbed, every bench is ``compatible``.
"""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest

import driftwatch
from driftwatch.render import messages
from tests.support.fault_registry import FaultRegistry, tgz
from tests.support.git import Repository
from tests.support.scene import HOST, PLUGIN, PROBE, Answer, Scene

T = TypeVar("T")
CODE = str(Path(driftwatch.__file__).parents[1])
TOKEN = "npm_S3cretS3cretS3cretS3cretS3cretS3cret"
PATH = f"/{PLUGIN}"
OLD, NEW = "1.0.0", "1.1.0"
SOURCE = "export interface Hooks { dispose?(): void }\n"

HEAD = """\
version: 1
project: {name: ours, role: implementer}
registry: REGISTRY
upstreams:
  - id: acme
    packages: ["@acme/plugin"]
    watch:
      - path: src/index.ts
        breaks: the hooks
    relies_on:
      - manifest:@acme/plugin#engines.node
"""
GIT = "    git: {url: ./repository}\n"
PROBES = "    host: {driver: opencode}\n    probes: [./probes/bye]\n"
# What a bench watches: tags, manifest and a file in the published package; that file in git; a booted host; or all of it.
KINDS = {"package": HEAD, "git": HEAD + GIT, "host": HEAD + PROBES, "all": HEAD + GIT + PROBES}


@dataclass
class Bench(Scene):
    """A scene with an accepted version, a token, and a stack for whatever a fault has to undo."""

    stack: ExitStack = field(default_factory=ExitStack)
    patch: pytest.MonkeyPatch = field(default_factory=pytest.MonkeyPatch)
    kind: str = "package"

    # --- what there is

    @property
    def document(self) -> dict[str, Any]:
        """The packument, to be changed in place."""
        return self.registry.packages[PLUGIN]

    @property
    def newest(self) -> dict[str, Any]:
        """The newest version's manifest in the packument."""
        return self.document["versions"][NEW]

    @property
    def lock(self) -> Path:
        return self.root / "watchlist.lock"

    @property
    def cache(self) -> Path:
        return self.root / "cache"

    def publish(self, version: str, *, node: str = ">=20", fault: str = "", tags: dict[str, str] | None = None) -> None:
        manifest = {"name": PLUGIN, "version": version, "engines": {"node": node}}
        files = {"package.json": json.dumps(manifest).encode()}
        if "git:" not in KINDS[self.kind]:  # else git alone can tell of the watched file
            files["src/index.ts"] = SOURCE.encode()
        self.package(PLUGIN, version, files, tags, engines=manifest["engines"])
        self.host(version, fault)

    def host(self, version: str, fault: str = "", binary: bytes | None = None) -> None:
        """The host of a version, with one of the faults of tests/support/fake_host.py, or any binary."""
        from tests.support import fake_host

        made = binary or fake_host.make(self.root / "hosts", fault, version).read_bytes()
        self.package(HOST, version, {"bin/opencode": made})

    def tarball(self, data: bytes, *, name: str = PLUGIN, promise: bool = True) -> None:
        """Serve ``data`` as the newest version's tarball; the packument promises it, or still the right one."""
        version = self.registry.packages[name]["versions"][NEW]
        right = version["dist"]
        version["dist"] = self.registry._manifest(name, NEW, data)["dist"] if promise else right
        if not promise:
            self.registry._manifest(name, NEW, data)

    # --- how it is called

    def call(self, argv: Sequence[str]) -> Answer:
        return self.run(*argv)

    def process(self, argv: Sequence[str], *, shell: str = "", env: Mapping[str, str] | None = None, **how: Any) -> Answer:
        """driftwatch as a process of its own; ``shell`` is a script that gets its command line as ``"$@"``."""
        command = [sys.executable, "-m", "driftwatch", *argv, *self.options]
        if shell:
            command = ["sh", "-c", shell, "sh", *command]
        settings = {"cwd": self.root, "stdin": subprocess.DEVNULL, "capture_output": True, "timeout": 100, **how}
        done = subprocess.run(command, env={**os.environ, "PYTHONPATH": CODE, **(env or {})}, check=False, **settings)
        return Answer(done.returncode, (done.stdout or b"").decode("utf-8"), (done.stderr or b"").decode("utf-8"))

    @property
    def options(self) -> list[str]:
        return ["--cache", str(self.cache), "--watchlist", str(self.root / "watchlist.yaml")]

    # --- what a fault may do

    def enter(self, manager: AbstractContextManager[T]) -> T:
        return self.stack.enter_context(manager)

    def env(self, **variables: str | None) -> None:
        for name, value in variables.items():
            self.patch.delenv(name, raising=False) if value is None else self.patch.setenv(name, value)

    def npmrc(self, *lines: str) -> None:
        path = self.root / ".npmrc"
        path.write_text("\n".join([*path.read_text().splitlines(), *lines]) + "\n")

    def edit(self, old: str, new: str) -> None:
        """Change the watchlist."""
        path = self.root / "watchlist.yaml"
        text = path.read_text()
        assert old in text, old
        path.write_text(text.replace(old, new))

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def asks(self, registry: FaultRegistry) -> None:
        """Have the watchlist name another registry, with the same packages and the token."""
        registry.packages, registry._tarballs = self.registry.packages, self.registry._tarballs
        self.edit(self.registry.url, registry.url)
        self.npmrc(f"//{registry.host}/:_authToken={TOKEN}")

    def read_only(self, folder: Path) -> None:
        """Nobody can write in it any more, not even the superuser."""
        folder.mkdir(parents=True, exist_ok=True)
        if os.geteuid():
            folder.chmod(0o500)
            self.stack.callback(folder.chmod, 0o700)
            return
        self.mounted("--bind", str(folder), folder)
        self.mounted("-o", "remount,bind,ro", folder, undo=False)

    def small_disk(self, folder: Path, size: str = "64k") -> None:
        """A file system of its own that is soon full."""
        kept = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} if folder.exists() else {}
        folder.mkdir(parents=True, exist_ok=True)
        self.mounted("-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder)
        for path, data in kept.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

    def mounted(self, *arguments: str | Path, undo: bool = True) -> None:
        folder = arguments[-1]
        done = (
            subprocess.run(["mount", *map(str, arguments)], capture_output=True, check=False) if shutil.which("mount") else None
        )
        if done is None or done.returncode:
            pytest.skip("nothing can be mounted here")
        if undo:
            self.stack.callback(subprocess.run, ["umount", str(folder)], check=True)


@dataclass(frozen=True)
class Case:
    """One row of the table. ``says`` and ``do`` are patterns: what went wrong, and what to do about it, in one breath.

    ``exit`` is 2 (cannot go on), 10 (found), 11 (could not look), or 0 where the fault must have no effect at all; then the
    outcome is ``compatible`` (``outcome`` names one that differs from the exit code's usual one). ``warm``: the fault comes
    after an undisturbed run. ``then`` asserts what only this case can.
    """

    name: str
    fault: Callable[[Bench], object]
    says: str = ""
    do: str = "."
    exit: int = 11
    also: int | None = None  # as good an ending, where which part meets the fault first is a matter of luck
    on: str = "package"
    run: str = "run --format json"
    warm: bool = False
    outcome: str = ""
    then: Callable[[Bench, Answer], object] | None = None
    call: Callable[[Bench, Sequence[str]], Answer] = Bench.call
    slow: bool = False

    def __str__(self) -> str:
        return self.name + (", known before" if self.warm else "")


OUTCOME = {0: "compatible", 10: "broken", 11: "unverified"}


@contextmanager
def bench(root: Path, patch: pytest.MonkeyPatch, kind: str) -> Iterator[Bench]:
    """A fresh bench in ``root``."""
    home = root / "home"
    home.mkdir()
    patch.setenv("HOME", str(home))
    patch.delenv("XDG_CACHE_HOME", raising=False)
    project = root / "project"
    shutil.copytree(_template(kind), project)
    with ExitStack() as stack:
        registry = stack.enter_context(FaultRegistry())
        made = Bench(project, registry, Repository(project / "repository"), stack=stack, patch=patch, kind=kind)
        made.publish(OLD)
        made.publish(NEW)
        made.watchlist(KINDS[kind])
        made.write(".npmrc", f"//{registry.host}/:_authToken={TOKEN}\nfetch-retries=0\nfetch-timeout=700\n")
        yield made


@functools.cache
def _template(kind: str) -> Path:
    """The project with 1.0.0 accepted, made once: repository, probe, lock, and what a host of 1.0.0 said."""
    project = Path(tempfile.mkdtemp(prefix=f"{kind}-", dir=_temporary().name)) / "project"
    project.mkdir()
    repository = Repository(project / "repository")
    if "git:" in KINDS[kind]:
        history(repository)
    (project / "probes" / "bye").mkdir(parents=True)
    (project / "probes" / "bye" / "probe.yaml").write_text(PROBE)
    (project / "probes" / "bye" / "plugin.js").write_text("// fake: POST /instance/dispose mark dispose\n")
    with FaultRegistry() as registry:
        made = Bench(project, registry, repository, kind=kind)
        made.publish(OLD)
        made.publish(NEW)
        made.watchlist(KINDS[kind])
        accepted = made.run("accept", OLD)
        assert accepted.code == 0, accepted.err
    for left in ("documents/packuments", "git", "tmp", "scratch"):
        shutil.rmtree(project / "cache" / left, ignore_errors=True)
    shutil.rmtree(project / "reports")
    return project


def history(repository: Repository) -> None:
    """The upstream's repository: the watched file is the same in both versions."""
    repository.path.mkdir()
    repository.git("init", "-q", "-b", "main", "--template=")
    repository.commit({"src/index.ts": SOURCE}, "v1.0.0")
    repository.commit({"README.md": "more\n"}, "v1.1.0")


@functools.cache
def _temporary() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="driftwatch-tests-")


# --- the proof -----------------------------------------------------------------------------------------------------------


def prove(case: Case, made: Bench) -> None:
    """Run with the fault in place and assert everything that must be true after any fault."""
    if case.warm:
        undisturbed = made.run("run", "--format", "json")
        assert (undisturbed.code, undisturbed.report["outcome"]) == (0, "compatible"), undisturbed
    case.fault(made)
    lock = content(made.lock)
    started = time.monotonic()
    answer = case.call(made, case.run.split())
    assert time.monotonic() - started < 60
    told(case, answer)
    assert content(made.lock) == lock, "the lock was touched"
    harmless(made, answer)
    if case.then:
        case.then(made, answer)


def told(case: Case, answer: Answer) -> None:
    """The exit code, the outcome, the cause and what to do."""
    assert answer.code in (case.exit, case.also), answer
    assert "Traceback" not in answer.err and "crashed" not in answer.err
    if answer.code != 2 and "json" in case.run:
        assert answer.report["outcome"] == (case.outcome or OUTCOME[answer.code]), answer.out
    if case.says:
        said = [answer.err] if answer.code == 2 or "json" not in case.run else [*lines(answer.report), answer.err]
        named = [line for line in said if re.search(case.says, line, re.DOTALL)]
        assert named, "\n".join(said)
        assert any(re.search(case.do, _advice(line), re.DOTALL) for line in named), "\n".join(named)


def _advice(line: str) -> str:
    """What follows the cause: our convention is ``cause (what to do)`` or the next line."""
    return line.partition("\n")[2] or line


def lines(report: Any) -> Iterator[str]:
    """Everything a report says went wrong, each with what to do about it on the next line."""
    for upstream in report["upstreams"]:
        for gap in upstream["gaps"]:
            yield f"{gap['address']}: {gap['reason']}\n{gap['remedy']}"
        for probe in upstream["probes"]:
            yield f"{probe['id']} {probe['version']} {probe['outcome']}: {probe['reason']}"
        for finding in upstream["findings"]:
            yield f"{finding['rule']}: {finding['message']}\n{messages.todo(finding['rule'])}"


UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")


def harmless(made: Bench, answer: Answer) -> None:
    """Nothing is left behind, nothing secret or unseen is shown, nothing names the mirror that served it."""
    assert made.kind == "package" or not left_running(made.root), "processes are left"
    assert not leftovers(made), "files are left"
    shown = {"stdout": answer.out, "stderr": answer.err, **written(made)}
    for name, text in shown.items():
        assert TOKEN not in text, f"the token is in {name}"
        assert not UNSEEN.search(text), f"{name} shows control characters: {UNSEEN.search(text)}"
    for name in [*written(made), "stdout"]:
        assert made.registry.host not in shown[name], f"{name} names the registry's host"
    for path in made.root.rglob("*"):
        if path.is_file() and path.name != ".npmrc" and not path.is_symlink():
            assert TOKEN.encode() not in path.read_bytes(), f"the token is in {path}"


def written(made: Bench) -> dict[str, str]:
    """The files people read and commit, by name."""
    found = [*made.reports.rglob("*"), made.lock] if made.reports.is_dir() else [made.lock]
    return {path.name: path.read_text("utf-8", "replace") for path in found if path.is_file()}


def leftovers(made: Bench) -> list[str]:
    """Work folders and half-written files."""
    patterns = ("cache/scratch/driftwatch-*", "cache/tmp/*", "**/.*.tmp", "cache/git/.new-*", "cache/hosts/.*")
    return sorted(str(path) for pattern in patterns for path in made.root.glob(pattern))


def left_running(root: Path, patience: float = 3.0) -> list[str]:
    """Processes other than this one that have to do with ``root``: by their command, environment or working folder."""
    until = time.monotonic() + patience
    while (found := _running(root)) and time.monotonic() < until:
        time.sleep(0.05)
    return found


def _running(root: Path) -> list[str]:
    mark, found = os.fsencode(root), []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            said = (process / "cmdline").read_bytes() + b"\0" + (process / "environ").read_bytes()
            where = os.fsencode(os.readlink(process / "cwd"))
        except OSError:
            continue
        if (mark in said or mark in where) and int(process.name) != os.getpid():
            found.append(f"{process.name}: {said[:300]!r}")
    return found


def content(path: Path) -> bytes | None:
    return path.read_bytes() if stat.S_ISREG(path.stat().st_mode) else None


__all__ = ["HOST", "NEW", "OLD", "PATH", "PLUGIN", "SOURCE", "TOKEN", "Bench", "Case", "bench", "prove", "tgz"]
