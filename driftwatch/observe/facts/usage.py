"""What the project's own source uses of an upstream, as facts: ``use:FILE#ADDRESS``.

The value has ``kinds`` (import, import-type, hook, tool, call, read, write, event, switch, config, config-set) and ``lines``
(``line:column``, in order). ``through``: it was only stepped through on the way to a member. ``exhaustive``: a switch or a
map that must handle every name. ``unsure``: found without types, by shape and name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from driftwatch.errors import DriftwatchError
from driftwatch.model import Address, Fact, Gap, Json, Observed
from driftwatch.observe.facts.declarations import Declarations, Wanted
from driftwatch.observe.sources import archive, paths
from driftwatch.observe.sources.cache import Cache
from driftwatch.observe.typescript import tools, usage
from driftwatch.observe.typescript.install import install
from driftwatch.observe.typescript.resolve import Registry
from driftwatch.observe.typescript.scan import Files
from driftwatch.observe.typescript.tree import Tree
from driftwatch.observe.typescript.usage.sources import Selected, select
from driftwatch.progress import SILENT, Progress, counted


class Usage:
    """Scans one project against the declarations of the upstream's accepted versions. Kept by the contents of every file
    read, the declarations and the engine's version."""

    def __init__(self, registry: Registry, cache: Path, progress: Progress = SILENT, *, offline: bool = False) -> None:
        self._registry, self._cache, self._progress = registry, cache, progress
        self._declarations = Declarations(registry, cache, progress, offline=offline)
        self._documents = Cache(cache)
        self._files = Files(registry, cache, progress)

    def observe(self, project: Path, globs: Sequence[str], wanted: Sequence[Wanted]) -> Observed:
        """Facts and gaps. ``wanted`` are the upstream's packages at the versions the project is pinned to. Nothing is raised
        for what cannot be looked at; a project without source has no facts."""
        root = project.resolve()
        selected = select(root, globs)
        if not selected.files:
            return Observed(gaps=selected.gaps)
        trees = self._declarations.trees(wanted)
        gaps = [_unread(one, tree) for one, tree in zip(wanted, trees, strict=True) if not isinstance(tree, Tree)]
        usable = [tree for tree in trees if isinstance(tree, Tree)]
        if not usable:
            return Observed(gaps=(*selected.gaps, *gaps))
        try:
            result = self._result(root, selected, usable)
        except DriftwatchError as error:
            return Observed(gaps=(*selected.gaps, *gaps, Gap("use:**", error.message, error.remedy)))
        return Observed(facts(result["uses"]), (*selected.gaps, *gaps, *(_gap(row) for row in result["gaps"])))

    def _result(self, root: Path, selected: Selected, trees: Sequence[Tree]) -> Mapping[str, Any]:
        key = "|".join((usage.version(), str(root), *selected.files, *(tree.digest() for tree in trees)))
        kept = self._documents.read("usage", key)
        if isinstance(kept, dict) and _digests(root, kept["digests"]) == kept["digests"]:  # type: ignore[arg-type]
            return kept["result"]  # type: ignore[return-value]
        engine = tools.engine(self._registry, self._cache, self._progress)
        with self._progress.task(f"looking through {counted(len(selected.files), 'source file')}"):
            result = usage.run(self._scan(root, selected, trees), engine)
        digests: Json = {**_digests(root, {*result["files"], *selected.files})}
        self._documents.write("usage", key, {"digests": digests, "result": dict(result)})
        return result

    def _scan(self, root: Path, selected: Selected, trees: Sequence[Tree]) -> usage.Scan:
        packages = {tree.packages[tree.root].name: install(tree, self._files, self._cache).resolve() for tree in trees}
        follow = sorted({name for tree in trees for name in tree.follow()})
        code = {
            one.name: self._code(one.name, one.version, one.integrity)
            for tree in trees
            for one in tree.packages.values()
            if one.name in follow
        }
        return usage.Scan(root, selected.files, packages, tuple(follow), code, self._cache.resolve())

    def _code(self, name: str, version: str, integrity: str) -> Path:
        """The package's JavaScript, by content: what its client's methods ask for stands there, not in the declarations."""
        target = self._cache / "typescript" / "code" / tools.Pin(name, version, integrity).folder
        if not target.is_dir():
            archive.extract(self._registry.tarball(name, version, integrity), target, wanted=_is_code)
        return target.resolve()


def _is_code(path: str) -> bool:
    return path == "package.json" or (path.endswith((".js", ".mjs", ".cjs")) and "node_modules/" not in path)


def _digests(root: Path, files: Iterable[str]) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for file in sorted(files):
        try:
            found[file] = hashlib.sha256((root / file).read_bytes()).hexdigest()
        except OSError:
            found[file] = ""
    return found


def _unread(one: Wanted, tree: object) -> Gap:
    reason = tree.message if isinstance(tree, DriftwatchError) else "its declarations could not be read"
    return Gap("use:**", f"what is used of {one.name} {one.version} could not be told: {reason}")


def _gap(row: Mapping[str, Any]) -> Gap:
    place = f"line {row['line']}: " if row["line"] else ""
    return Gap(f"use:{paths.address(row['file']).subject}", f"{place}{row['reason']}")


# --- facts ----------------------------------------------------------------------------------------------------------


def facts(rows: Iterable[Mapping[str, Any]]) -> tuple[Fact, ...]:
    """One fact a file and address, from the engine's rows."""
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault((row["file"], row["address"]), []).append(row)
    return tuple(_fact(file, address, group) for (file, address), group in sorted(groups.items()))


def _fact(file: str, address: str, group: Sequence[Mapping[str, Any]]) -> Fact:
    places = sorted({(int(row["line"]), int(row["column"])) for row in group})
    value: dict[str, Json] = {
        "kinds": [*sorted({str(row["kind"]) for row in group})],
        "lines": [f"{line}:{column}" for line, column in places],
    }
    if all(row.get("through") for row in group):
        value["through"] = True
    if any(row.get("exhaustive") for row in group):
        value["exhaustive"] = True
    if all(row.get("unsure") for row in group):
        value["unsure"] = True
    subject = paths.address(file).subject
    return Fact(Address(f"use:{subject}#{address}"), value, f"{subject}:{places[0][0]}:{places[0][1]}")
