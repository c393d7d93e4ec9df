"""``driftwatch check-plugin``: a real plugin on real hosts, beside the same hosts without it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from driftwatch import __version__
from driftwatch.addresses import package_problem
from driftwatch.config.model import Host, Watchlist
from driftwatch.errors import Unobservable, UsageError
from driftwatch.judge import plugin as judged
from driftwatch.model.plugins import PluginFault, PluginReport, PluginRow
from driftwatch.pipeline.hosts import acquire, home, owned
from driftwatch.pipeline.probing import resolve
from driftwatch.pipeline.reporting import stamp
from driftwatch.pipeline.together import together
from driftwatch.pipeline.versions import pick
from driftwatch.pipeline.world import World

if TYPE_CHECKING:
    from driftwatch.config.model import OwnHost
    from driftwatch.observe.hosts import Binary
    from driftwatch.observe.plugins.install import Installer
    from driftwatch.observe.plugins.job import Job, Plugin

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class Request:
    """``what``: ``npm:NAME[@VERSION]``, a folder, a file or a tarball. ``versions`` of the host, the pinned one first, then
    ``owns``, hosts of the user's own. ``scenes``
    empty: all. ``options`` go to the plugin. ``network``: it may reach the network; ``scripts``: lifecycle scripts run."""

    what: str
    versions: Sequence[str]
    host: str = "opencode"
    scenes: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    network: bool = False
    scripts: bool = False
    fail_on: str = "breaking"
    patience: float = 20.0
    owns: tuple[OwnHost, ...] = ()


def check(request: Request, world: World) -> PluginReport:
    """Raises UsageError for what is no plugin, Unobservable when it, or a host of the user's own, cannot be had at all."""
    _known(request, world)
    if request.what.startswith("npm:"):
        _named(request.what)  # before anything is fetched
    hosts = dict.fromkeys(resolve(Host(driver=request.host), version, world) for version in request.versions)
    with _had(request, world) as (plugin, installer):
        checking = _Checking(request, plugin, installer, world)
        every: list[str | OwnHost] = [*hosts, *request.owns]
        rows = tuple(together([partial(checking.row, host) for host in every], max(1, world.settings.jobs)))
    steps = judged.steps(rows)
    outcome = judged.outcome(rows, steps)
    return PluginReport(
        schema_version=SCHEMA_VERSION,
        tool_version=__version__,
        generated_at=stamp(world.settings.now),
        plugin=plugin.name,
        version=plugin.version,
        source="npm" if request.what.startswith("npm:") else "tarball" if _is_tarball(request.what) else "folder",
        host=request.host,
        outcome=outcome,
        exit_code=judged.exit_code(outcome, request.fail_on),
        rows=rows,
        steps=steps,
    )


def accepted(watchlist: Watchlist, host: str) -> str:
    """The version of the upstream with this kind of host that the project has accepted, "" when there is none."""
    from driftwatch.pipeline.run import lock_path
    from driftwatch.store import lock as locks

    for upstream in watchlist.upstreams:
        if upstream.host is not None and upstream.host.driver == host:
            lock = locks.read(lock_path(watchlist))
            known = lock.upstreams.get(upstream.id) if lock else None
            return known.version if known else upstream.accepted or ""
    return ""


def _known(request: Request, world: World) -> None:
    from driftwatch.observe.hosts import driver
    from driftwatch.observe.plugins.exercise import name_of, scenes
    from driftwatch.observe.plugins.ways import way

    way(request.host)
    names = [name_of(scene) for scene in scenes(request.host)]
    for scene in request.scenes:
        if scene not in names:
            raise UsageError(f"there is no scene {scene!r}", f"scenes are: {', '.join(names)}")
    for own in request.owns:
        owned(driver(request.host), own, world.root)


def _is_tarball(what: str) -> bool:
    return what.endswith((".tgz", ".tar.gz"))


@contextmanager
def _had(request: Request, world: World) -> Iterator[tuple[Plugin, Installer]]:
    """The plugin installed in a folder that is gone afterwards."""
    from driftwatch.observe.plugins.install import Installer
    from driftwatch.observe.process import held_folder
    from driftwatch.observe.typescript.tools import engine

    settings = world.settings
    runtime = engine(world.registry, settings.cache, settings.progress)
    if runtime.note:
        raise Unobservable(f"there is nothing to install it with: {runtime.note}")
    with held_folder(settings.cache / "scratch") as place:
        installer = Installer(
            runtime.runtime, world.registry.config, settings.cache / "installs", place, settings.offline, request.scripts
        )
        with settings.progress.task(f"installing {request.what}"):
            plugin = _installed(request, installer, world)
        yield plugin, installer


def _named(what: str) -> tuple[str, str]:
    """Name, and version or dist-tag, of ``npm:NAME[@VERSION]``. Raises UsageError."""
    name, at, version = what[4:].rpartition("@")
    name, version = (name, version) if name and at else (what[4:], "latest")
    if wrong := package_problem(name):
        raise UsageError(wrong, "write npm:NAME, or npm:NAME@VERSION")
    return name, version


def _installed(request: Request, installer: Installer, world: World) -> Plugin:
    what = request.what
    if what.startswith("npm:"):
        name, version = _named(what)
        packument = world.registry.packument(name)
        exact = packument.dist_tags.get(version, version)
        if exact not in packument.versions:
            raise UsageError(f"{name} {version} is not published", "name a version or a dist-tag of it, such as latest")
        return installer.package(name, exact)
    path = home(what)
    if _is_tarball(what) and path.is_file():
        return installer.tarball(path)
    if (path / "package.json").is_file():
        return installer.folder(path.resolve())
    from driftwatch.observe.plugins.install import entry_of

    file = path if path.is_file() else entry_of(path) if path.is_dir() else None
    if file is None or file.suffix not in (".ts", ".tsx", ".js", ".mjs", ".cjs"):
        raise UsageError(
            f"{what!r} is no plugin",
            "give npm:NAME[@VERSION], a folder with a package.json or an index file, a script, or a .tgz",
        )
    return installer.files(file.resolve(), {})


class _Checking:
    """One installed plugin, looked at on one host after another."""

    def __init__(self, request: Request, plugin: Plugin, installer: Installer, world: World) -> None:
        from driftwatch.observe.plugins.install import manifest_of, scripted
        from driftwatch.observe.plugins.ways import way

        self._request, self._plugin, self._installer, self._world = request, plugin, installer, world
        self._way = way(request.host)
        self._manifest = manifest_of(plugin)
        names = () if request.scripts else scripted(plugin.tree)
        self._notes = [f"lifecycle scripts of {', '.join(names)}: they were not run"] if names else []

    def row(self, host: str | OwnHost) -> PluginRow:
        """Never raises for what the plugin or the host does."""
        from driftwatch.observe.hosts import driver
        from driftwatch.observe.plugins.row import steady, worth_another_try

        started = time.monotonic()
        label = host if isinstance(host, str) else f"own {Path(host.executable or host.command[0]).name}"
        try:
            kind = driver(self._request.host)
            binary = acquire(kind, host, self._world) if isinstance(host, str) else owned(kind, host, self._world.root)
            if not binary.command:  # a link may lead through what is hidden behind the walls
                binary = replace(binary, path=binary.path.resolve())
            with self._world.settings.progress.task(f"{self._plugin.spec} on {self._request.host} {label}"):
                found = self._once(binary, label)
                if worth_another_try(found):
                    found = steady(found, self._once(binary, label))
        except Unobservable as error:
            found = PluginRow(label, "unverified", reason="; ".join(filter(None, (error.message, error.remedy))))
        return replace(found, seconds=round(time.monotonic() - started, 1))

    def _once(self, binary: Binary, label: str) -> PluginRow:
        from driftwatch.observe.plugins.behind import behind
        from driftwatch.observe.plugins.control import control
        from driftwatch.observe.plugins.row import row

        with self._job(binary) as job:
            without = control(job, self._world.settings.cache)
        version = binary.version or str(without["control"].get("version") or "")
        api = self._api(version)
        known = tuple(without.get("tools", ()))
        with self._job(binary) as job:
            told = behind(replace(job, plugin=self._plugin, api=api[1], known=known, options=self._request.options))
        return row(
            binary.version or (f"{version} ({label})" if version else label),
            without["control"],
            told,
            self._way.refusals,
            before=self._before(version, api[0]),
            notes=self._notes,
            manifest=self._manifest,
        )

    @contextmanager
    def _job(self, binary: Binary) -> Iterator[Job]:
        from driftwatch.observe.plugins.job import Job
        from driftwatch.observe.process import remove, scratch_folder

        request, settings = self._request, self._world.settings
        scratch = scratch_folder(settings.cache / "scratch")
        try:
            yield Job(
                request.host,
                binary,
                scratch,
                scenes=request.scenes,
                hidden=(self._world.root.resolve(), settings.cache.resolve()),
                network=request.network,
                patience=request.patience,
            )
        finally:
            remove(scratch)

    def _api(self, version: str) -> tuple[str, Path | None]:
        """The plugin package that belongs to a host, as published, and for plugins of single files a folder with it installed."""
        try:
            chosen = pick(version, self._world.registry.packument(self._way.api).versions).version if version else ""
        except Unobservable:
            return "", None
        if not self._plugin.entry or not chosen:
            return chosen, None
        return chosen, self._installer.dependencies(f"api-{chosen}", {self._way.api: chosen})

    def _before(self, version: str, api: str) -> list[PluginFault]:
        """What its manifest says that does not fit this host."""
        from driftwatch.observe.plugins.manifest import unfitting

        there = {self._way.api: api, self._request.host: version}
        return list(unfitting(self._manifest, {name: told for name, told in there.items() if told}))
