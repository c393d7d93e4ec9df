"""``driftwatch doctor``: what is installed, reachable and writable; what a run will have to skip, and why."""

from __future__ import annotations

import platform
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from driftwatch.errors import DriftwatchError
from driftwatch.pipeline.run import lock_path, reports_folder
from driftwatch.pipeline.settings import Settings
from driftwatch.pipeline.world import World
from driftwatch.progress import counted
from driftwatch.store import lock as locks

if TYPE_CHECKING:
    from driftwatch.config.model import GitRepository, Upstream, Watchlist

Status = Literal["ok", "missing"]


@dataclass(frozen=True, slots=True)
class Check:
    """``skips`` says what a run cannot do when this is missing; ``remedy`` what to do about it."""

    name: str
    status: Status
    detail: str
    skips: str = ""
    remedy: str = ""


def examine(watchlist: Watchlist | None, settings: Settings) -> Iterator[Check]:
    """One check after the other, cheap ones first. ``watchlist`` is None when there is none to check."""
    yield _python()
    yield _platform()
    yield _git()
    yield _loopback()
    yield _writable("cache", settings.cache, "nothing can be fetched or kept")
    if watchlist is None:
        return
    yield _writable("reports", reports_folder(watchlist), "no report can be written")
    yield _lock(watchlist)
    with World.of(watchlist, settings) as world:
        for upstream in watchlist.upstreams:
            yield from _upstream(upstream, world)


def _python() -> Check:
    return Check("python", "ok", platform.python_version())


def _platform() -> Check:
    system, machine = platform.system(), platform.machine().lower()
    detail = f"{system} {machine}"
    if system in ("Linux", "Darwin") and machine in ("x86_64", "amd64", "aarch64", "arm64"):
        return Check("platform", "ok", detail)
    return Check("platform", "missing", detail, "booting hosts", "Linux and macOS on x64 and arm64 are supported")


def _git() -> Check:
    path = shutil.which("git")
    if path is None:
        return Check("git", "missing", "not found", "watched files in the repository", "install git 2.30 or newer")
    done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=20, check=False)
    return Check("git", "ok", done.stdout.strip())


def _loopback() -> Check:
    try:
        with socket.create_server(("127.0.0.1", 0)) as server:
            return Check("loopback", "ok", f"a port can be opened (tried {server.getsockname()[1]})")
    except OSError as error:
        return Check("loopback", "missing", str(error), "booting hosts", "allow listening on 127.0.0.1")


def _writable(name: str, folder: Path, skips: str) -> Check:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            free = shutil.disk_usage(folder).free
    except OSError as error:
        return Check(name, "missing", f"{folder}: {error.strerror or error}", skips, "make the folder writable, or name another")
    if free < 1024**3:
        return Check(
            name, "missing", f"{folder}: only {free // 2**20} MiB free", "host binaries (about 200 MB each)", "free space"
        )
    return Check(name, "ok", f"{folder}, {free / 2**30:.0f} GiB free")


def _lock(watchlist: Watchlist) -> Check:
    path = lock_path(watchlist)
    lock = locks.read(path)
    if lock is None:
        return Check("lock", "ok", f"no {path.name} yet: `accepted:` of the watchlist counts; `driftwatch accept` makes one")
    return Check("lock", "ok", f"{path.name}: " + ", ".join(f"{name} {u.version}" for name, u in sorted(lock.upstreams.items())))


def _upstream(upstream: Upstream, world: World) -> Iterator[Check]:
    if upstream.packages:
        yield _registry(upstream, world)
    if upstream.git:
        git = upstream.git
        yield _tried(
            f"{upstream.id}: git", lambda: _repository(git, world), "watched files (those the packages carry are compared there)"
        )
    if upstream.host:
        yield _tried(f"{upstream.id}: host", lambda: _host(upstream, world), "every probe")


def _registry(upstream: Upstream, world: World) -> Check:
    """The one place that names the registry's address: reports read the same whichever mirror served them."""
    place = world.registry.config.shown(upstream.primary)
    check = _tried(f"{upstream.id}: registry", lambda: _packages(upstream, world), "tags, versions, manifests and hosts")
    return replace(check, detail=f"{check.detail} ({place})") if place else check


def _packages(upstream: Upstream, world: World) -> str:
    packument = world.registry.packument(upstream.primary)
    number = counted(len(packument.versions), "version")
    return f"{upstream.primary}, {number}, {upstream.tag} is {packument.dist_tags.get(upstream.tag)}"


def _repository(git: GitRepository, world: World) -> str:
    mirror = world.mirror(git)
    return f"{git.branch} is at {mirror.branch(git.branch)[:12]}" if git.branch else f"{len(mirror.tags())} tags"


def _host(upstream: Upstream, world: World) -> str:
    from driftwatch.pipeline.behaviour import package_for

    assert upstream.host is not None
    return package_for(upstream, world)


def _tried(name: str, look: Callable[[], str], skips: str) -> Check:
    try:
        return Check(name, "ok", look())
    except DriftwatchError as error:
        return Check(name, "missing", error.message, skips, error.remedy)
