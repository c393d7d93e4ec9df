"""Declared types as facts: every entry of a package, every exported symbol and every member reachable from it."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from driftwatch.errors import DriftwatchError, Unobservable
from driftwatch.model import Change, Fact, Gap, Json, Observed
from driftwatch.observe.sources.cache import Cache
from driftwatch.observe.typescript import rows, tools, witness
from driftwatch.observe.typescript.tree import Package, Tree
from driftwatch.observe.uncollected import uncollected
from driftwatch.progress import SILENT, Progress

if TYPE_CHECKING:
    from driftwatch.observe.typescript.reading import Reading
    from driftwatch.observe.typescript.resolve import Registry

    Reader = Callable[[], Reading]

RESOLVED = 2  # trees at the same time: the one unpacks while the other waits for the registry
FRESH = 3600.0  # seconds a resolved tree of open ranges is believed; npm itself would look again after minutes


@dataclass(frozen=True, slots=True)
class Wanted:
    """One published version. ``integrity`` may be "" when only the registry knows it."""

    name: str
    version: str
    integrity: str = ""


class Declarations:
    """Reads the declarations of published packages; one object serves many versions and starts one engine for them.

    ``registry`` gives packuments and verified tarballs, ``cache`` is a folder. Facts are kept by the contents of the package
    and of every dependency that takes part in its types, and by the engine's version. ``offline`` trusts resolved trees of
    any age.
    """

    def __init__(self, registry: Registry, cache: Path, progress: Progress = SILENT, *, offline: bool = False) -> None:
        self._registry, self._cache, self._progress, self._offline = registry, cache, progress, offline
        self._documents = Cache(cache)

    def observe(self, wanted: Sequence[Wanted]) -> list[Observed]:
        """Facts and gaps for each version, in order. What cannot be looked at is a gap; nothing is raised for it."""
        with uncollected(), self._reader() as reader:
            return self._observe(wanted, reader)

    @contextmanager
    def _reader(self) -> Iterator[Reader]:
        """What reads trees that are not kept, made when it is first asked for: a warm run needs nothing of it."""
        made: list[Reading] = []

        def reading() -> Reading:
            if not made:
                from driftwatch.observe.typescript.reading import Reading

                made.append(Reading(self._registry, self._cache, self._progress))
            return made[0]

        try:
            yield reading
        finally:
            for one in made:
                one.close()

    def _observe(self, wanted: Sequence[Wanted], reader: Reader) -> list[Observed]:
        trees = self._trees(wanted, reader)
        also = _moved([tree for tree in trees if isinstance(tree, Tree)])
        follows = [tuple(sorted({*tree.follow(), *also})) if isinstance(tree, Tree) else () for tree in trees]
        results = [self._kept(tree, follow) for tree, follow in zip(trees, follows, strict=True)]
        missing = [
            n for n, (tree, result) in enumerate(zip(trees, results, strict=True)) if isinstance(tree, Tree) and result is None
        ]
        for n, result in zip(missing, self._read([(trees[n], follows[n]) for n in missing], reader), strict=True):
            results[n] = result
        return [_observed(one, tree, result) for one, tree, result in zip(wanted, trees, results, strict=True)]

    def folder(self, root: Path) -> Observed:
        """Facts and gaps of a package in a folder, with the dependencies installed in it. Nothing is kept: it may change.

        A folder that declares no types has none and no gap either.
        """
        if not declares(root):
            return Observed()
        from driftwatch.observe.typescript.engine import Job, read
        from driftwatch.observe.typescript.scan import read_manifest

        manifest = read_manifest(root, str(root))
        name = str(manifest.get("name") or root.resolve().name)
        scope = name.partition("/")[0] if name.startswith("@") else ""
        beside = root / "node_modules" / scope
        follow = {name, *(f"{scope}/{one.name}" for one in beside.iterdir())} if scope and beside.is_dir() else {name}
        ambient = root / "node_modules" / "@types" / "node" / "index.d.ts"
        job = Job(root.resolve(), name, tuple(sorted(follow)), (ambient.resolve(),) if ambient.is_file() else ())
        try:
            (result,) = read([job], tools.engine(self._registry, self._cache, self._progress))
        except DriftwatchError as error:
            return Observed(gaps=_everything(name, error.message, error.remedy))
        key = f"{name}@{manifest.get('version', '')}"
        return _observed(Wanted(name, ""), Tree(key, {}), result)

    def prove(self, pair: tuple[Wanted, Wanted], observed: tuple[Observed, Observed], changes: Sequence[Change]) -> list[Change]:
        """The changes of declared types between two observed versions of one package, each ``proven`` where a witness
        compiles against one and not the other; ``args["witness"]`` holds the lines. Other changes are handed back as they
        are, in the same order. Where the compiler cannot be had nothing is proven, and a note says so.
        """
        mine = [n for n, change in enumerate(changes) if change.address.kind == "ts"]
        trees = self.trees(pair)
        old, new = trees
        if not mine or not isinstance(old, Tree) or not isinstance(new, Tree):
            return list(changes)
        sides = [_naming(name, tree, one) for name, tree, one in zip(("old", "new"), (old, new), observed, strict=True)]
        wanted = [changes[n] for n in mine]
        text, found = witness.program(wanted, *sides)
        refusals = self._refusals(text, old, new) if found else None
        if refusals is None:
            return list(changes)
        proven = [_with_needs(one, old, new) for one in witness.settle(wanted, found, refusals)]
        settled = dict(zip(mine, proven, strict=True))
        return [settled.get(n, change) for n, change in enumerate(changes)]

    def _refusals(self, text: str, old: Tree, new: Tree) -> Mapping[int, witness.Refusal] | None:
        """None when the compiler cannot be asked."""
        key = f"{witness.FORMAT}|{tools.pin('prover', tools.platform_key())}|{old.digest()}|{new.digest()}|{text}"
        kept = self._documents.read("witnesses", key)
        if isinstance(kept, dict):
            rows: dict[str, Any] = kept
            return {int(line): witness.Refusal(*row) for line, row in rows.items()}
        from driftwatch.observe.typescript.install import ambient

        try:
            compiler = tools.prover(self._registry, self._cache, self._progress)
            with self._progress.task("proving type changes"):
                modules = self._modules(old, new)
                refusals = witness.check(text, modules, ambient(new, self._cache), compiler, witness.FIRST)
        except DriftwatchError as error:
            self._progress.note(f"type changes stay likely, none is proven: {error.message}")
            return None
        self._documents.write("witnesses", key, {str(line): [one.code, one.text[:2000]] for line, one in refusals.items()})
        return refusals

    def _modules(self, old: Tree, new: Tree) -> dict[str, Path]:
        """What the witness imports: both roots, and the packages of each tree under names of their side."""
        from driftwatch.observe.typescript.install import folder

        found: dict[str, Path] = {}
        with self._reader() as reader:
            for side, tree in (("old", old), ("new", new)):
                reader().lay_out(tree)
                for name, called in _called(side, tree).items():
                    key = next(key for key, one in tree.packages.items() if one.name == name)
                    found[called] = folder(tree, tree.root if name == tree.packages[tree.root].name else key, self._cache)
        return found

    # --- trees

    def trees(self, wanted: Sequence[Wanted]) -> list[Tree | DriftwatchError]:
        """What would be installed for each. Either all come from the cache or all are resolved now: two versions of one
        pair must not see a dependency at two moments."""
        with self._reader() as reader:
            return self._trees(wanted, reader)

    def _trees(self, wanted: Sequence[Wanted], reader: Reader) -> list[Tree | DriftwatchError]:
        kept = [self._kept_tree(one) for one in wanted]
        if all(kept):
            return list(kept)  # type: ignore[arg-type]
        from driftwatch.observe.sources.threads import each

        found: dict[int, Tree | DriftwatchError] = {}
        with self._progress.task("resolving types", len(wanted)) as task:
            reading = reader()

            def resolve(number: int) -> None:
                found[number] = self._resolve(wanted[number], reading)
                task.advance()

            each(resolve, range(len(wanted)), RESOLVED)
        return [found[number] for number in range(len(wanted))]

    def _resolve(self, one: Wanted, reading: Reading) -> Tree | DriftwatchError:
        try:
            tree = reading.tree(one.name, one.version, one.integrity)
        except DriftwatchError as error:
            return error
        self._documents.write("trees", _tree_key(one), {"at": time.time(), **_packed(tree)})
        return tree

    def _kept_tree(self, one: Wanted) -> Tree | None:
        kept = self._documents.read("trees", _tree_key(one))
        if not isinstance(kept, dict):
            return None
        row: dict[str, Any] = kept
        if not self._offline and not 0 <= time.time() - row["at"] < FRESH:
            return None
        return _unpacked(row)

    # --- facts

    def _kept(self, tree: Tree | DriftwatchError, follow: Sequence[str]) -> Mapping[str, Any] | None:
        if not isinstance(tree, Tree):
            return None
        kept = self._documents.read("declarations", _key(tree, follow))
        return kept if isinstance(kept, dict) else None

    def _read(self, todo: Sequence[tuple[Any, tuple[str, ...]]], reader: Reader) -> list[Mapping[str, Any]]:
        if not todo:
            return []
        results: list[Mapping[str, Any]] = []
        try:
            for (tree, follow), result in zip(todo, reader().results(todo), strict=True):
                results.append(result)
                if "failed" not in result:
                    self._documents.write("declarations", _key(tree, follow), dict(result))
        except DriftwatchError as error:
            return [{"failed": error.message, "remedy": error.remedy}] * len(todo)
        return results


def _moved(trees: Sequence[Tree]) -> set[str]:
    """Dependencies that differ between the two trees of a pair: their own changes matter then, so their types are followed
    as well. In longer rows of versions only what moves with the package is followed."""
    if len(trees) != 2:
        return set()
    old, new = (
        {name: sorted(one.integrity for one in tree.packages.values() if one.name == name) for name in tree.names()}
        for tree in trees
    )
    return {name for name in old.keys() & new.keys() if old[name] != new[name] and name != "@types/node"}


def declares(root: Path) -> bool:
    """Whether a folder is a package that says it has types."""
    from driftwatch.observe.typescript.scan import read_manifest

    try:
        manifest = read_manifest(root, str(root))
    except Unobservable:
        return False
    told = manifest.get("types") or manifest.get("typings")
    return bool(told) or '"types"' in json.dumps(manifest.get("exports", "")) or (root / "index.d.ts").is_file()


def _called(side: str, tree: Tree) -> dict[str, str]:
    """What a witness imports each package by: ``old``, ``new``, and ``@old/scope__name`` for what they depend on."""
    root = tree.packages[tree.root].name
    return {
        one.name: side if one.name == root else f"@{side}/{one.name.removeprefix('@').replace('/', '__')}"
        for one in tree.packages.values()
    }


def _with_needs(change: Change, old: Tree, new: Tree) -> Change:
    """A proven change with what to install, and under which names, to try its witness."""
    text = str(change.args.get("witness", ""))
    if not text:
        return change
    needs: list[Json] = [
        f"{called}@npm:{name}@{next(one.version for one in tree.packages.values() if one.name == name)}"
        for side, tree in (("old", old), ("new", new))
        for name, called in _called(side, tree).items()
        if re.search(rf"""["/]{re.escape(called)}["/]""", text)
    ]
    return replace(change, args={**change.args, "witness_needs": needs})


def _naming(side: str, tree: Tree, observed: Observed) -> witness.Naming:
    return witness.naming(
        side, tree.packages[tree.root].name, {fact.address: fact for fact in observed.facts}, _called(side, tree)
    )


def _tree_key(one: Wanted) -> str:
    return f"3|{one.name}@{one.version}|{one.integrity}"


def _key(tree: Tree, follow: Sequence[str]) -> str:
    return f"{tools.version()}|{tree.digest()}|{','.join(follow)}"


def _packed(tree: Tree) -> dict[str, Any]:
    packages = [[one.name, one.version, one.integrity, dict(one.dependencies)] for one in tree.packages.values()]
    return {"root": tree.root, "packages": packages, "problems": dict(tree.problems), "node": tree.node}


def _unpacked(row: Mapping[str, Any]) -> Tree:
    packages = {f"{name}@{version}": Package(name, version, sri, deps) for name, version, sri, deps in row["packages"]}
    return Tree(row["root"], packages, row["problems"], row["node"])


# --- facts and gaps


def _observed(one: Wanted, tree: Tree | DriftwatchError, result: Mapping[str, Any] | None) -> Observed:
    if isinstance(tree, DriftwatchError):
        return Observed(gaps=_everything(one.name, tree.message, tree.remedy))
    if result is None or "failed" in result:
        failed = result or {"failed": "its declarations were not read"}
        return Observed(gaps=_everything(one.name, str(failed["failed"]), str(failed.get("remedy", ""))))
    gaps = tuple(_gap(one.name, tree, row) for row in result["gaps"])
    found: tuple[Fact, ...] = rows.facts(result, one.name)
    return Observed(found, tuple(dict.fromkeys(gaps)))


def _everything(name: str, reason: str, remedy: str) -> tuple[Gap, ...]:
    return (Gap(f"ts:{name}", reason, remedy), Gap(f"ts:{name}/**", reason, remedy))


def _gap(name: str, tree: Tree, row: Mapping[str, Any]) -> Gap:
    subject = row["id"] if "id" in row else f"{name}{row['entry']}"
    why = [f"{module}: {tree.problems[module]}" for module in row.get("modules", ()) if module in tree.problems]
    return Gap(f"ts:{subject}", "; ".join([row["reason"], *why]))


__all__ = ["Declarations", "Wanted", "declares"]
