"""How right the comparison of declared types is, measured against the compiler.

    python bench/accuracy.py [--cache FOLDER] [--last N] [--table FILE] [PACKAGE[@FIRST[:LAST]]...]

For each pair of consecutive published versions the compiler is asked by ``oracle.mjs``, which shares nothing with the
observer, which exported members of the one version can stand for those of the other. Then

- precision: of the changes called proven, how many stand (or show) at a member the compiler also calls different, in the
  direction the rule calls breaking;
- recall: of the members the compiler calls broken for readers (or writers), how many a change speaks of that the rules call
  breaking or risky for consumers (or implementers).

Every disagreement is printed. What the compiler said is kept in the cache, so that a run that ended early goes on where it
was and a second one takes seconds. docs/accuracy.md holds the figures and what the oracle cannot see.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from oracle import Oracle  # type: ignore[import-not-found,unused-ignore]
from scoring import HEAD, Score, score  # type: ignore[import-not-found,unused-ignore]
from semver import Version

from driftwatch.judge.compare import types
from driftwatch.model import Change, Observed
from driftwatch.observe.facts.declarations import Declarations, Wanted
from driftwatch.observe.sources.npm import Registry, configure
from driftwatch.observe.typescript import tools
from driftwatch.observe.typescript.install import install
from driftwatch.observe.typescript.scan import Files
from driftwatch.observe.typescript.tree import Tree

PACKAGES = (
    "@opencode-ai/plugin@1.14.34",
    "@opencode-ai/sdk@1.14.34",
    "@ai-sdk/provider",
    "commander",
    "ky",
    "marked",
    "undici-types",
    "yaml",
    "zod",
    "type-fest",
)


def versions(registry: Registry, spec: str, last: int) -> tuple[str, list[str]]:
    """The name, and its stable versions in order: from the first asked for, or the last ones."""
    name, _, first = spec.rpartition("@") if spec.rfind("@") > 0 else (spec, "", "")
    first, _, newest = first.partition(":")
    published = [Version.parse(one) for one in registry.packument(name).versions if Version.is_valid(one)]
    stable = sorted(one for one in published if not one.prerelease and (not first or one >= Version.parse(first)))
    if newest:
        stable = [one for one in stable if one <= Version.parse(newest)]
    return name, [str(one) for one in stable][0 if first else -last - 1 :]


def changes_of(reader: Declarations, pair: tuple[Wanted, Wanted]) -> Sequence[Change]:
    """Read as a pair: then a dependency that moved between the two is followed."""
    old, new = reader.observe(pair)
    return reader.prove(pair, (old, new), list(types.compare(_facts(old), _facts(new))))


def _facts(observed: Observed) -> dict[Any, Any]:
    return {fact.address: fact for fact in observed.facts}


def measure(spec: str, registry: Registry, cache: Path, last: int) -> Iterator[tuple[str, Score]]:
    """The score of each pair, oldest first. A version whose types cannot be had is left out."""
    name, found = versions(registry, spec, last)
    wanted = [Wanted(name, version) for version in found]
    reader = Declarations(registry, cache, offline=True)
    usable = [(one, tree) for one, tree in zip(wanted, reader.trees(wanted), strict=True) if isinstance(tree, Tree)]
    oracle = Oracle(cache, tools.engine(registry, cache))
    for (old, before), (new, after) in pairwise(usable):
        for tree in (before, after):
            install(tree, Files(registry, cache), cache)
        said = oracle.says(name, before, after)
        title = f"{name} {old.version} -> {new.version}"
        result = score(title, changes_of(reader, (old, new)), said.verdicts)
        result.blind, result.same = len(said.blind), int(said.same)
        yield title, result


def told(spec: str, pairs: Iterator[tuple[str, Score]]) -> Score:
    """The sum, every pair printed as it comes."""
    total, start = Score(), time.monotonic()
    for title, one in pairs:
        print(f"{title}: {one.row('')} {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
        for line in one.wrong:
            print(f"  proven, and the compiler sees no difference: {line}", flush=True)
        for line in one.missed:
            print(f"  missed: {line}", flush=True)
        total.add(one)
    return total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, default=Path(".cache/bench"))
    parser.add_argument("--last", type=int, default=12, help="pairs of a package without a first version")
    parser.add_argument("--table", type=Path, help="write the table of docs/accuracy.md here")
    parser.add_argument("packages", nargs="*", default=PACKAGES)
    asked = parser.parse_args()
    total, lines = Score(), [HEAD]
    with Registry(configure(Path(), asked.cache, ""), asked.cache) as registry:
        for spec in asked.packages:
            found = told(spec, measure(spec, registry, asked.cache, asked.last))
            lines.append(found.row(f"`{spec}`"))
            print(lines[-1], flush=True)
            total.add(found)
    lines.append(total.row("all"))
    print(lines[-1])
    if asked.table:
        asked.table.write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()
