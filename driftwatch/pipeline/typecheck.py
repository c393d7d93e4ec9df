"""``driftwatch typecheck``: our own source against versions of the packages it is written for, and the first it compiles with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from driftwatch import __version__
from driftwatch.errors import DriftwatchError, Unobservable, UsageError, did_you_mean
from driftwatch.judge import typecheck as judged
from driftwatch.judge.floor import Search
from driftwatch.model import Address
from driftwatch.model.floors import Floor
from driftwatch.model.typecheck import TypecheckReport, TypecheckRow, TypeProblem
from driftwatch.observe.typescript.typecheck import Compiled, Project, compiled, relied
from driftwatch.pipeline.reporting import stamp
from driftwatch.pipeline.versions import pick
from driftwatch.pipeline.world import World
from driftwatch.versions import ordered, parse

SCHEMA_VERSION = 1
ADDRESS = Address.of("use", "source", "compiles")


@dataclass(frozen=True, slots=True)
class Request:
    """``packages``: the upstream's, the primary one first; ``base`` the version the project is at ("" to take what its lock file
    or package.json says). ``floor``: search for the first version; ``since``: no version below."""

    root: Path
    packages: tuple[str, ...]
    source: tuple[str, ...] = ()
    base: str = ""
    versions: tuple[str, ...] = ()
    floor: bool = False
    since: str = ""


def typecheck(request: Request, world: World) -> TypecheckReport:
    """Raises UsageError when the project does not depend on any of the packages, Unobservable when its base cannot be told."""
    source = Source(request, world)
    versions = [source.version(each) for each in request.versions or ("latest",)]
    rows = tuple(source.row(version) for version in dict.fromkeys(versions))
    outcome = judged.outcome(rows)
    return TypecheckReport(
        schema_version=SCHEMA_VERSION,
        tool_version=__version__,
        generated_at=stamp(world.settings.now),
        base=source.base,
        standing=source.standing,
        outcome=outcome,
        exit_code=judged.exit_code(outcome),
        rows=rows,
        floor=source.floor(request.since) if request.floor else None,
    )


class Source:
    """A project's source, compiled against one version after another; each version once."""

    def __init__(self, request: Request, world: World) -> None:
        self._request, self._world = request, world
        self._seen: dict[str, Compiled | Unobservable] = {}

    @cached_property
    def packages(self) -> tuple[str, ...]:
        """Those of the upstream the project depends on, the leading one first."""
        found = relied(self._project, self._request.packages)
        if not found:
            names = ", ".join(self._request.packages)
            raise UsageError(f"{self._request.root}/package.json depends on none of {names}", "give --package NAME")
        return found

    @cached_property
    def _project(self) -> Project:
        from driftwatch.observe.typescript.tools import Pin, pin

        node = pin("ambient")
        told = (node.name, node.version) if isinstance(node, Pin) else ("", "")
        return Project(self._request.root, self._request.source, locked(self._request.root), told)

    def version(self, wanted: str) -> str:
        """A version, or what a dist-tag of the leading package points at."""
        if parse(wanted):
            return wanted
        tags: Mapping[str, str] = self._world.registry.packument(self.packages[0]).dist_tags
        if wanted not in tags:
            raise UsageError(f"{wanted!r} is neither a version nor a dist-tag of {self.packages[0]}", did_you_mean(wanted, tags))
        return tags[wanted]

    @cached_property
    def base(self) -> str:
        """The version the project is at."""
        from driftwatch.observe.typescript.typecheck import declared, manifest

        name = self.packages[0]
        known = self._request.base or self._project.pinned.get(name, "")
        if known:
            return self.version(known)
        wish = declared(manifest(self._request.root))[name]
        import nodesemver

        found = nodesemver.max_satisfying(ordered(self._world.registry.packument(name).versions), wish, False)
        if not found:
            raise UsageError(f"no published {name} satisfies {wish!r}, which package.json wants", "give --from VERSION")
        return str(found)

    @cached_property
    def standing(self) -> tuple[TypeProblem, ...]:
        """The errors there are already. Raises Unobservable when the base cannot be compiled."""
        return self._compiled(self.base).said.own

    def row(self, version: str) -> TypecheckRow:
        """Never raises for what cannot be looked at."""
        try:
            packages = self._versions(version)
            standing, found = self.standing, self._compiled(version)
        except Unobservable as error:
            return TypecheckRow(version, "unverified", reason="; ".join(filter(None, (error.message, error.remedy))))
        notes = [*found.notes, *(f"{name} {version} is not published: {at}" for name, at in packages.items() if at != version)]
        return judged.row(version, packages, standing, found.said.own, elsewhere=found.said.elsewhere, notes=notes)

    def _versions(self, version: str) -> dict[str, str]:
        """Which version of each package stands for one of the upstream's: itself, else the nearest published below."""
        chosen = {}
        for name in self.packages:
            picked = pick(version, self._world.registry.packument(name).versions)
            if not picked.version or (name == self.packages[0] and picked.version != version):
                raise Unobservable(picked.note or f"{name} {version} is not published")
            chosen[name] = picked.version
        return chosen

    def _compiled(self, version: str) -> Compiled:
        if version not in self._seen:
            try:
                self._seen[version] = self._compile(version)
            except Unobservable as error:
                self._seen[version] = error
        found = self._seen[version]
        if isinstance(found, Unobservable):
            raise found
        return found

    def _compile(self, version: str) -> Compiled:
        from driftwatch.observe.plugins.install import Installer
        from driftwatch.observe.process import held_folder
        from driftwatch.observe.typescript.tools import engine, prover

        settings, registry = self._world.settings, self._world.registry
        runtime = engine(registry, settings.cache, settings.progress).runtime
        compiler = prover(registry, settings.cache, settings.progress)
        with held_folder(settings.cache / "scratch") as place:
            installer = Installer(runtime, registry.config, settings.cache / "installs", place, settings.offline, shared=True)
            with settings.progress.task(f"compiling against {self.packages[0]} {version}"):
                return compiled(self._project, self._versions(version), installer, compiler)

    # --- the first version it compiles with

    def floor(self, since: str = "") -> Floor:
        """By halving over the published versions, as everywhere."""
        name = self.packages[0]
        known = [each for each in ordered(self._world.registry.packument(name).versions) if "-" not in each]
        low = parse(since) if since else None
        versions = [each for each in known if low is None or (number := parse(each)) is None or number >= low]
        search = Search(versions, [ADDRESS], limit=24)
        while wanted := search.wanted():
            for version in wanted:
                found = self.row(version)
                answer = None if found.outcome == "unverified" else found.outcome == "compiles"
                search.tell(version, {ADDRESS: (answer, found.reason)})
        return search.floor(ADDRESS, name)


def locked(root: Path) -> dict[str, str]:
    """The versions a lock file beside package.json pins, of what package.json names; {} where there is none to read."""
    from driftwatch.observe.typescript.typecheck import declared, manifest
    from driftwatch.pipeline.lockfiles import READERS, Unreadable, Want

    name = next((each for each in READERS if (root / each).is_file()), "")
    if not name:
        return {}
    found = {}
    try:
        text = (root / name).read_text("utf-8", "replace")
        for package, wish in declared(manifest(root)).items():
            if not wish.startswith(("npm:", "file:", "link:", "workspace:", "catalog:")):
                version = READERS[name](text, Want(package, package, wish))
                if version and parse(version):
                    found[package] = version
    except (OSError, Unreadable, DriftwatchError):
        return {}
    return found
