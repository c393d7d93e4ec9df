"""A tree of packages laid out so that a compiler finds every import: real folders by content, links between them.

    store/<digest of the package and all it needs>/node_modules/<name>/...      the declarations
    store/<digest>/node_modules/<dependency> -> ../../<its digest>/node_modules/<dependency>

Two versions that need the same dependency share one folder, so its types are the same types on both sides.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from driftwatch import atomic
from driftwatch.errors import StoreError
from driftwatch.observe.typescript.scan import Files
from driftwatch.observe.typescript.tree import Package, Tree


def install(tree: Tree, files: Files, cache: Path) -> Path:
    """The root package's folder. Raises Unobservable (a tarball cannot be had), StoreError."""
    for key in tree.packages:
        _place(tree, tree.packages[key], files, cache)
    return folder(tree, tree.root, cache)


def folder(tree: Tree, key: str, cache: Path) -> Path:
    return _store(cache) / tree.digest(key) / "node_modules" / tree.packages[key].name


def ambient(tree: Tree, cache: Path) -> tuple[Path, ...]:
    """The file that declares Node's own modules and globals, where they are used."""
    return (folder(tree, tree.node, cache) / "index.d.ts",) if tree.node else ()


def _store(cache: Path) -> Path:
    return cache / "typescript" / "store"


def _place(tree: Tree, one: Package, files: Files, cache: Path) -> None:
    target = _store(cache) / tree.digest(one.key)
    if target.is_dir():
        return
    source = files.folder(one.name, one.version, one.integrity)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=atomic.prefix(target.name), suffix=atomic.SUFFIX, dir=target.parent))
        try:
            modules = temporary / "node_modules"
            place = modules / one.name
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copytree(source, place, copy_function=_link)
            for name, key in one.dependencies.items():
                if name != one.name:
                    _point(modules / name, tree.digest(key), name)
            temporary.chmod(0o755)
            temporary.rename(target)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise
    except OSError as error:
        if not target.is_dir():  # else another process was faster, with the same bytes
            raise StoreError(
                f"cannot lay out {one.key}: {error.strerror or error}", "free space, or another cache folder"
            ) from error


def _link(source: str, target: str) -> None:
    """Share the bytes where the disk can."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def _point(place: Path, digest: str, name: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    up = "../" * (2 + name.count("/"))
    place.symlink_to(f"{up}{digest}/node_modules/{name}")
