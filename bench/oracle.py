"""The compiler's own word on pairs of installed versions: ``oracle.mjs``, kept by the contents of what it reads.

Consecutive versions often declare the very same types: two trees with the same declarations are not asked about, and two
pairs with the same contents are asked about once. One child process for each question bounds memory.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from driftwatch.observe.sources.cache import Cache
from driftwatch.observe.typescript import tools
from driftwatch.observe.typescript.install import folder
from driftwatch.observe.typescript.tree import Tree

SCRIPT = Path(__file__).parent / "oracle.mjs"
DEADLINE = 900  # seconds for one question
_TOLD = ("name", "type", "main", "types", "typings", "typesVersions", "exports")  # what of package.json takes part in types

_SOURCE = (".ts", ".tsx", ".mts", ".cts")


@dataclass(frozen=True)
class Said:
    """Verdicts by item, and the items left out because the older version differs there from a copy of itself."""

    verdicts: Mapping[str, Mapping[str, bool]]
    blind: frozenset[str]
    same: bool = False


class Oracle:
    """Of one package. ``cache`` holds the answers and the installed trees. What it cannot see is asked for of the older version
    of each pair."""

    def __init__(self, cache: Path, engine: tools.Engine) -> None:
        self._cache, self._engine = cache, engine
        self._documents = Cache(cache)
        self._script = hashlib.sha256(SCRIPT.read_bytes()).hexdigest()[:16]
        self._contents: dict[Path, str] = {}

    def says(self, name: str, old: Tree, new: Tree) -> Said:
        """Both trees must be installed."""
        keys = [self._contents_of(tree) for tree in (old, new)]
        if keys[0] == keys[1]:
            return Said({}, frozenset(), same=True)
        blind = frozenset(self._kept(name, keys[0], keys[0], old, old))
        verdicts = self._kept(name, keys[0], keys[1], old, new)
        return Said({one: verdict for one, verdict in verdicts.items() if one not in blind}, blind)

    def _kept(self, name: str, before: str, after: str, old: Tree, new: Tree) -> dict[str, Any]:
        question = f"2|{self._script}|{name}|{before}|{after}"
        kept = self._documents.read("oracle", question)
        if not isinstance(kept, dict):
            kept = self._asked(name, old, new)
            self._documents.write("oracle", question, kept)
        return kept

    def _asked(self, name: str, old: Tree, new: Tree) -> dict[str, Any]:
        places = [folder(tree, tree.root, self._cache).resolve() for tree in (old, new)]
        ambient = [str((folder(new, new.node, self._cache) / "index.d.ts").resolve())] if new.node else []
        with tempfile.TemporaryDirectory() as temporary:
            home = Path(temporary)
            job = {"name": name, "old": str(places[0]), "new": str(places[1]), "ambient": ambient, "out": str(home / "said.json")}
            if old is new:
                job = itself(job, home / "copy")
            (home / "jobs.json").write_text(json.dumps([job]), "utf-8")
            argv = [str(self._engine.runtime), str(SCRIPT), str(self._engine.compiler), str(home / "jobs.json")]
            subprocess.run(argv, check=True, timeout=DEADLINE)
            said: dict[str, Any] = json.loads((home / "said.json").read_text("utf-8"))
            return said

    def _contents_of(self, tree: Tree) -> str:
        """Names what the compiler reads of a tree: every declaration, and the part of each package.json that leads to them."""
        own = {key: self._package(folder(tree, key, self._cache)) for key in tree.packages}
        rows = sorted(
            [own[key], sorted((dep, own[to]) for dep, to in one.dependencies.items())] for key, one in tree.packages.items()
        )
        return hashlib.sha256(json.dumps([own[tree.root], rows]).encode()).hexdigest()

    def _package(self, root: Path) -> str:
        if root not in self._contents:
            digest = hashlib.sha256()
            manifest = json.loads((root / "package.json").read_text("utf-8"))
            digest.update(json.dumps({name: manifest.get(name) for name in _TOLD}).encode())
            for file in sorted(
                path for path in root.rglob("*") if path.suffix in (".ts", ".tsx", ".mts", ".cts") and path.is_file()
            ):
                digest.update(f"\0{file.relative_to(root)}\0".encode() + file.read_bytes())
            self._contents[root] = digest.hexdigest()
        return self._contents[root]


def itself(job: Mapping[str, Any], home: Path) -> dict[str, Any]:
    """The older version against a copy of itself: what differs there is what the oracle cannot see."""
    root = Path(job["old"])
    modules = home / "node_modules"
    target = modules / job["name"]
    shutil.copytree(root, target)
    manifest = json.loads((target / "package.json").read_text("utf-8"))
    (target / "package.json").unlink()  # it may share its bytes with the cache
    (target / "package.json").write_text(json.dumps({**manifest, "version": f"{manifest['version']}-copy"}), "utf-8")
    for beside in root.parents[1 if "/" in job["name"] else 0].iterdir():
        _link(beside, modules / beside.name, root)
    return {**job, "new": str(target)}


def _link(beside: Path, place: Path, root: Path) -> None:
    if beside.name.startswith("@"):
        place.mkdir(exist_ok=True)
        for one in beside.iterdir():
            if one != root:
                (place / one.name).symlink_to(one.resolve())
    elif beside != root:
        place.symlink_to(beside.resolve())
