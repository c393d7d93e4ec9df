"""How right the comparison of declared types is, measured against the compiler.

    python bench/accuracy.py [--cache FOLDER] [--last N] [PACKAGE[@FIRST[:LAST]]...]

For each pair of consecutive published versions the compiler is asked by ``oracle.mjs``, which shares nothing with the
observer, which exported members of the one version can stand for those of the other. Then

- precision: of the changes called proven, how many stand (or show) at a member the compiler also calls different, in the
  direction the rule calls breaking;
- recall: of the members the compiler calls broken for readers (or writers), how many a change speaks of that the rules call
  breaking or risky for consumers (or implementers).

Every disagreement is printed. docs/accuracy.md holds the figures and what the oracle cannot see.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from semver import Version

from driftwatch.judge.compare import types
from driftwatch.model import Change, Observed
from driftwatch.observe.facts.declarations import Declarations, Wanted
from driftwatch.observe.sources.npm import Registry, configure
from driftwatch.observe.typescript import tools
from driftwatch.observe.typescript.install import folder, install
from driftwatch.observe.typescript.resolve import Tree
from driftwatch.rules import by_change

PACKAGES = (
    "@opencode-ai/plugin@1.14.34",
    "@opencode-ai/sdk@1.14.34",
    "@ai-sdk/provider",
    "commander",
    "ky",
    "marked",
    "undici-types",
    "yaml",
)
BREAKS = ("breaking", "risky")
_TOP = re.compile(r"""ts:([^#]*)(?:#([^.\[(]+)((?:\.[^.\[(]+)|(?:\["(?:[^"\\]|\\.)*"\]))?)?""")


@dataclass
class Score:
    """Counts over pairs, and the disagreements in words."""

    pairs: int = 0
    proven: int = 0
    wrong: list[str] = field(default_factory=list)
    changes: int = 0
    broken: int = 0
    missed: list[str] = field(default_factory=list)
    blind: int = 0

    @property
    def precision(self) -> float:
        return 1.0 if not self.proven else 1 - len(self.wrong) / self.proven

    @property
    def recall(self) -> float:
        return 1.0 if not self.broken else 1 - len(self.missed) / self.broken

    def add(self, other: Score) -> None:
        for name in ("pairs", "proven", "changes", "broken", "blind"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.wrong += other.wrong
        self.missed += other.missed

    def __str__(self) -> str:
        return (
            f"{self.pairs} pairs, {self.changes} changes, {self.proven} proven, precision {self.precision:.2%}; "
            f"{self.broken} broken members, recall {self.recall:.2%} ({self.blind} members the oracle cannot see)"
        )


def item(address: str) -> str:
    """The exported name or its direct member an address belongs to: what the oracle speaks of."""
    match = _TOP.match(address)
    assert match is not None
    subject, name, member = match.groups()
    return f"{subject}#{name}{member or ''}" if name else subject


def touched(change: Change) -> set[str]:
    reaches = change.args.get("reaches")
    found = {item(str(one)) for one in [change.address, *(reaches if isinstance(reaches, list) else [])]}
    if change.kind in ("entry-removed", "entry-added"):
        found.add(str(change.address)[3:])
    return found


def above(name: str) -> str:
    """The exported name of a member."""
    return re.sub(r"""(#[^.\[(]+).*""", r"\1", name)


@dataclass(frozen=True)
class Told:
    """One change as the score sees it: the members it stands at, those it only reaches, and whom it breaks."""

    change: Change
    at: set[str]
    reaches: set[str]
    read: bool
    write: bool

    def speaks_of(self, name: str, use: str) -> bool:
        """Whether it says that this member breaks for this use. Where it is only reached, a type that is taken in breaks the
        other side than one that is given out: either role counts."""
        here = self.read if use == "read" else self.write
        return (here and covers(self.at, name)) or ((self.read or self.write) and covers(self.reaches, name))


def told(change: Change) -> Told:
    rule = by_change()[change.address.kind, change.kind]
    return Told(change, {item(str(change.address))}, touched(change), rule.consumer in BREAKS, rule.implementer in BREAKS)


def covers(items: set[str], name: str) -> bool:
    return name in items or above(name) in items or any(one.startswith(name) for one in items)


def confirmed(one: Told, oracle: Mapping[str, Mapping[str, bool]]) -> bool:
    """Whether the compiler sees a difference where the change shows; one that breaks, if the change is said to break."""
    rows = [
        verdict for name, verdict in oracle.items() if covers(one.at | one.reaches, name) or above(name) in one.at | one.reaches
    ]
    if one.read or one.write:
        return any(row.get("read") or row.get("write") for row in rows)
    return any(row.get("differs") for row in rows)


def score(pair: str, changes: Sequence[Change], oracle: Mapping[str, Mapping[str, bool]]) -> Score:
    result = Score(pairs=1, changes=len(changes))
    rows = [told(change) for change in changes]
    for one in rows:
        if one.change.confidence == "proven":
            result.proven += 1
            if not confirmed(one, oracle):
                result.wrong.append(f"{pair}: {one.change.kind} {one.change.address}")
    for name, verdict in sorted(oracle.items()):
        for use in ("read", "write"):
            if verdict.get(use):
                result.broken += 1
                near = above(name) if verdict.get("self") else name
                if not any(one.speaks_of(near, use) for one in rows):
                    result.missed.append(f"{pair}: {use} {name}")
    return result


def versions(registry: Registry, spec: str, last: int) -> tuple[str, list[str]]:
    name, _, first = spec.rpartition("@") if spec.rfind("@") > 0 else (spec, "", "")
    first, _, newest = first.partition(":")
    published = [Version.parse(one) for one in registry.packument(name).versions if Version.is_valid(one)]
    stable = sorted(one for one in published if not one.prerelease and (not first or one >= Version.parse(first)))
    if newest:
        stable = [one for one in stable if one <= Version.parse(newest)]
    return name, [str(one) for one in stable][0 if first else -last - 1 :]


def oracle_says(jobs: Sequence[Mapping[str, Any]], engine: tools.Engine) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as temporary:
        home = Path(temporary)
        rows = [{**job, "out": str(home / f"{n}.json")} for n, job in enumerate(jobs)]
        (home / "jobs.json").write_text(json.dumps(rows), "utf-8")
        script = Path(__file__).parent / "oracle.mjs"
        subprocess.run(
            [str(engine.runtime), str(script), str(engine.compiler), str(home / "jobs.json")], check=True, timeout=1800
        )
        return [json.loads(Path(row["out"]).read_text("utf-8")) for row in rows]


def jobs_for(name: str, trees: Sequence[Tree], reader: Declarations, cache: Path) -> Iterator[dict[str, Any]]:
    places = [install(tree, reader.files, cache).resolve() for tree in trees]
    for n in range(len(trees) - 1):
        node = trees[n + 1].node
        ambient = [str((folder(trees[n + 1], node, cache) / "index.d.ts").resolve())] if node else []
        yield {"name": name, "old": str(places[n]), "new": str(places[n + 1]), "ambient": ambient}


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


def measure(spec: str, registry: Registry, cache: Path, last: int) -> Score:
    reader = Declarations(registry, cache)
    name, found = versions(registry, spec, last)
    total = Score()
    wanted = [Wanted(name, version) for version in found]
    usable = [(one, tree) for one, tree in zip(wanted, reader.trees(wanted), strict=True) if isinstance(tree, Tree)]
    wanted, trees = [one for one, _ in usable], [tree for _, tree in usable]
    engine = tools.engine(registry, cache)
    with tempfile.TemporaryDirectory() as temporary:
        jobs = list(jobs_for(name, trees, reader, cache))
        blind, *answers = oracle_says([itself(jobs[0], Path(temporary)), *jobs], engine)
    total.blind = len(blind)
    for n, told_ in enumerate(answers):
        answer = {item_: verdict for item_, verdict in told_.items() if item_ not in blind}
        pair = f"{name} {wanted[n].version} -> {wanted[n + 1].version}"
        both = (wanted[n], wanted[n + 1])
        old, new = reader.observe(both)  # as a pair: then a dependency that moved between them is followed
        changes = list(types.compare(_facts(old), _facts(new)))
        proven = reader.prove(both, (old, new), changes)
        total.add(score(pair, proven, answer))
    return total


def _facts(observed: Observed) -> dict[Any, Any]:
    return {fact.address: fact for fact in observed.facts}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, default=Path(".cache/bench"))
    parser.add_argument("--last", type=int, default=12, help="pairs of a package without a first version")
    parser.add_argument("packages", nargs="*", default=PACKAGES)
    asked = parser.parse_args()
    total = Score()
    with Registry(configure(Path(), asked.cache, ""), asked.cache) as registry:
        for spec in asked.packages:
            found = measure(spec, registry, asked.cache, asked.last)
            print(f"{spec}: {found}", flush=True)
            for line in found.wrong:
                print(f"  proven, and the compiler sees no difference: {line}")
            for line in found.missed:
                print(f"  missed: {line}", flush=True)
            total.add(found)
    print(f"all: {total}")


if __name__ == "__main__":
    main()
