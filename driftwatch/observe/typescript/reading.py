"""Reading trees of packages that were never read: what they need is fetched and laid out, and the engine started."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from driftwatch.observe.typescript import tools
from driftwatch.observe.typescript.engine import Ahead, Job, read
from driftwatch.observe.typescript.install import ambient, folder, install
from driftwatch.observe.typescript.resolve import Registry, Resolver
from driftwatch.observe.typescript.scan import Files
from driftwatch.observe.typescript.tree import Tree
from driftwatch.progress import Progress, counted

AMBIENT = "@types/node"  # most of it is read when any of it is


class Reading:
    """Reads what one caller needs; ``close`` it at the end."""

    def __init__(self, registry: Registry, cache: Path, progress: Progress) -> None:
        self._registry, self._cache, self._progress = registry, cache, progress
        self._files = Files(registry, cache, progress, self._start_ahead)
        self._resolver = Resolver(registry, self._files)
        self._ahead = Ahead()
        self._scopes: set[str] = set()  # of the packages whose trees are resolved: what stands in them is followed

    def close(self) -> None:
        """End what was started and not needed."""
        self._ahead.close()

    def _start_ahead(self, name: str, folder: Path) -> None:
        """A package that was never read is read by the engine later: what starts now need not start then."""
        self._ahead.start(lambda: tools.engine(self._registry, self._cache, self._progress))
        if name == AMBIENT or _scope(name) in self._scopes:
            self._ahead.expect(folder)

    def tree(self, name: str, version: str, integrity: str) -> Tree:
        """What would be installed for a version. Raises Unobservable when it cannot be had."""
        self._scopes.add(_scope(name))
        return self._resolver.tree(name, version, integrity)

    def results(self, todo: Sequence[tuple[Tree, tuple[str, ...]]]) -> Iterator[Mapping[str, Any]]:
        """The engine's answer for each tree and the packages whose types are followed, in order, as they come. Raises
        Unobservable."""
        engine = tools.engine(self._registry, self._cache, self._progress)
        if engine.note:
            self._progress.note(engine.note)
        with self._progress.task(f"reading declarations of {counted(len(todo), 'version')}"):
            yield from read([self._job(tree, follow) for tree, follow in todo], engine, self._ahead)

    def lay_out(self, tree: Tree) -> None:
        """Lay a tree out in the cache, where ``install.folder`` finds its packages. Raises Unobservable, StoreError."""
        install(tree, self._files, self._cache)

    def _job(self, tree: Tree, follow: tuple[str, ...]) -> Job:
        root = install(tree, self._files, self._cache)
        followed = [key for key, one in tree.packages.items() if one.name in follow]
        barrels, importers = (
            tuple(folder(tree, key, self._cache).resolve() for key in keys) for keys in (tree.only_for(followed), followed)
        )
        globals_ = tuple(path.resolve() for path in ambient(tree, self._cache))
        return Job(root.resolve(), tree.packages[tree.root].name, follow, globals_, barrels, importers)


def _scope(name: str) -> str:
    return name.partition("/")[0]  # the name itself where there is none
