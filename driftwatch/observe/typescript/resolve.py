"""Which versions of which packages the declarations of one package need, as npm would choose them.

Only what its declarations import is followed: a dependency that no declaration names has no part in the types.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from driftwatch.errors import DriftwatchError, Unobservable
from driftwatch.observe.sources.threads import each
from driftwatch.observe.typescript import scan
from driftwatch.observe.typescript.tree import Package, Tree

AT_ONCE = 8  # packages asked for or read at the same time


class Packument(Protocol):
    @property
    def dist_tags(self) -> Mapping[str, str]: ...
    @property
    def versions(self) -> Mapping[str, Any]: ...


class Registry(Protocol):
    """What resolving needs of a registry (``sources.npm.Registry`` has it)."""

    def packument(self, name: str) -> Any: ...
    def tarball(self, name: str, version: str, integrity: str = "") -> Path: ...


class Resolver:
    """Resolves trees; one object remembers the manifests and imports it has read."""

    def __init__(self, registry: Registry, files: scan.Files) -> None:
        self._registry, self._files = registry, files

    def tree(self, name: str, version: str, integrity: str = "") -> Tree:
        """Raises Unobservable when the package itself cannot be had; a dependency that cannot be is a problem of the tree."""
        building = _Building(self._registry, self._files)
        building.add_root(name, version, integrity)
        return building.finish()


class _Building:
    def __init__(self, registry: Registry, files: scan.Files) -> None:
        self._registry, self._files = registry, files
        self._packages: dict[str, Package] = {}
        self._chosen: dict[str, str] = {}  # name -> version, the first one wins as npm hoists it
        self._problems: dict[str, str] = {}
        self._root = self._node = ""

    def finish(self) -> Tree:
        return Tree(self._root, dict(sorted(self._packages.items())), dict(sorted(self._problems.items())), self._node)

    def add_root(self, name: str, version: str, integrity: str) -> None:
        self._root = f"{name}@{version}"
        self._chosen[name] = version
        level = [self._read(name, version, integrity)]
        while level:
            self._look_up(level)
            chosen = [self._choices(one) for one in level]
            level = self._place(level, chosen)

    def _read(self, name: str, version: str, integrity: str = "") -> scan.Scanned:
        integrity = integrity or self._integrity(name, version)
        return self._files.scanned(name, version, integrity)

    def _integrity(self, name: str, version: str) -> str:
        from driftwatch.observe.typescript.tools import Pin, pin

        ambient = pin("ambient")
        if isinstance(ambient, Pin) and (ambient.name, ambient.version) == (name, version):
            return ambient.integrity
        packument = self._registry.packument(name)
        if version not in packument.versions:
            raise Unobservable(f"{name} {version} is not published")
        return str(packument.versions[version].integrity)

    def _look_up(self, level: Sequence[scan.Scanned]) -> None:
        """Ask for what will be chosen from, all at once: the registry remembers, and what fails is told where it is chosen."""

        def ask(name: str) -> None:
            with suppress(DriftwatchError):
                self._registry.packument(name)

        wished = {name for one in level for wanted in one.imports for name in (wanted, scan.types_name(wanted))}
        asked = {name for name in wished - self._chosen.keys() for one in level if name in one.dependencies}
        each(ask, sorted(asked), AT_ONCE)

    def _choices(self, one: scan.Scanned) -> dict[str, tuple[str, str]]:
        """What stands behind the imports of a package: name -> version, and the import that led to it."""
        chosen: dict[str, tuple[str, str]] = {}
        self._choose_families(one)
        for wanted in one.imports:
            for name, wish in self._wishes(one, wanted):
                try:
                    chosen[name] = self._choose(name, wish), wanted
                except DriftwatchError as error:
                    self._problems.setdefault(wanted, error.message)
                    chosen.pop(name, None)
        if one.node:
            name, version = self._ambient()
            chosen[name] = version, ""
            self._node = f"{name}@{version}"
        return chosen

    def _place(self, level: Sequence[scan.Scanned], chosen: Sequence[Mapping[str, tuple[str, str]]]) -> list[scan.Scanned]:
        """The packages of a level into the tree; gives those they lead to that were not read before."""
        for one in level:
            self._packages[f"{one.name}@{one.version}"] = Package(one.name, one.version, one.integrity)
        fresh = [(name, version) for picks in chosen for name, (version, _) in picks.items()]
        read = self._read_all([one for one in dict.fromkeys(fresh) if "@".join(one) not in self._packages])
        for one, picks in zip(level, chosen, strict=True):
            kept = {}
            for name, (version, wanted) in picks.items():
                told = read.get((name, version))
                if not isinstance(told, DriftwatchError):
                    kept[name] = f"{name}@{version}"
                elif wanted:
                    self._problems.setdefault(wanted, told.message)
                else:
                    raise told
            key = f"{one.name}@{one.version}"
            self._packages[key] = replace(self._packages[key], dependencies=dict(sorted(kept.items())))
        return [told for told in read.values() if isinstance(told, scan.Scanned)]

    def _read_all(self, wanted: Sequence[tuple[str, str]]) -> dict[tuple[str, str], scan.Scanned | DriftwatchError]:
        found: dict[tuple[str, str], scan.Scanned | DriftwatchError] = {}

        def read(one: tuple[str, str]) -> None:
            try:
                found[one] = self._read(*one)
            except DriftwatchError as error:
                found[one] = error

        each(read, wanted, AT_ONCE)
        return {one: found[one] for one in wanted}

    def _choose_families(self, one: scan.Scanned) -> None:
        """Peers of one scope under one range are a family that is installed at one version: the highest all of them have.
        (npm leaves optional peers to the project, which would not mix them either.)"""
        families: dict[tuple[str, str], list[str]] = {}
        for name in one.imports:
            if name in one.peers and name.startswith("@") and name not in self._chosen:
                families.setdefault((name.partition("/")[0], one.dependencies[name]), []).append(name)
        for (_, wish), names in families.items():
            if len(names) > 1 and (version := self._common(names, wish)):
                self._chosen.update(dict.fromkeys(names, version))

    def _common(self, names: Sequence[str], wish: str) -> str:
        try:
            published = [set(self._registry.packument(name).versions) for name in names]
        except DriftwatchError:
            return ""  # told where the package is chosen by itself
        return highest(set.intersection(*published), wish)

    def _ambient(self) -> tuple[str, str]:
        from driftwatch.observe.typescript.tools import pin

        known = self._chosen.get("@types/node")
        if known is None:
            ambient = pin("ambient")
            assert ambient is not None
            known = self._chosen.setdefault(ambient.name, ambient.version)
        return "@types/node", known

    def _wishes(self, one: scan.Scanned, wanted: str) -> Iterable[tuple[str, str]]:
        """What package.json asks for behind an imported name: the package, and the types published beside it."""
        beside = scan.types_name(wanted)
        found = [(name, one.dependencies[name]) for name in (wanted, beside) if name in one.dependencies]
        if not found and wanted != one.name:
            known = next(((name, self._chosen[name]) for name in (wanted, beside) if name in self._chosen), None)
            if known:
                return [known]
            self._problems.setdefault(wanted, f"{one.name} {one.version} imports it but does not depend on it")
        return found

    def _choose(self, name: str, wish: str) -> str:
        """npm: what is there already if it fits, else the ``latest`` if it fits, else the highest that fits."""
        known = self._chosen.get(name)
        if known and satisfies(known, wish):
            return known
        packument = self._registry.packument(name)
        versions = list(packument.versions)
        wish = packument.dist_tags.get(wish, wish)
        latest = packument.dist_tags.get("latest")
        if wish in packument.versions:
            version = wish
        elif latest in packument.versions and satisfies(str(latest), wish):
            version = str(latest)
        else:
            version = highest(versions, wish)
        if not version:
            raise Unobservable(f"no published version of {name} fits {wish!r}")
        self._chosen.setdefault(name, version)
        return version


_EXACT = re.compile(r"\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?")


def satisfies(version: str, wish: str) -> bool:
    """npm's own semantics; a range that cannot be read fits nothing."""
    if wish in ("", "*", "latest", "x") and "-" not in version:
        return True
    if _EXACT.fullmatch(wish):
        return version == wish
    from nodesemver import satisfies as fits

    try:
        return bool(fits(version, wish, loose=True))
    except ValueError:
        return False


def highest(versions: Iterable[str], wish: str) -> str:
    from nodesemver import max_satisfying

    try:
        return str(max_satisfying(list(versions), wish, loose=True) or "")
    except ValueError:
        return ""
