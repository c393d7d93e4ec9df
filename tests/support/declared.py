"""Declared types for tests: a folder of declarations, what the engine says about it, the facts, the changes between two.

What the engine says is kept beside each case (``facts.json``), so that the comparison is tested without the engine; a live
test reads every case again and compares. ``python -m tests.support.declared CACHE`` writes the kept files anew.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from driftwatch.judge.compare import compare
from driftwatch.model import Change, Observed, Ref, Snapshot
from driftwatch.observe.typescript import rows, tools
from driftwatch.observe.typescript.engine import Job, read
from driftwatch.rules import by_change

CASES = Path(__file__).parents[1] / "cases"
PACKAGE = "case"


def cases() -> list[str]:
    return sorted(path.name for path in CASES.iterdir() if path.name.startswith("ts-"))


def expected(case: str) -> list[dict[str, str]]:
    rows_: list[dict[str, str]] = json.loads((CASES / case / "expected.json").read_text("utf-8"))
    return rows_


def kept(case: str) -> dict[str, Any]:
    """``{"old": ..., "new": ...}``: what the engine said about both sides."""
    found: dict[str, Any] = json.loads((CASES / case / "facts.json").read_text("utf-8"))
    return found


def lay_out(source: Path, target: Path) -> Path:
    """A case's side as a package folder. Every side has a version of its own: the compiler takes two folders of one name and
    version for one package."""
    shutil.copytree(source, target)
    manifest = target / "package.json"
    told = json.loads(manifest.read_text("utf-8")) if manifest.exists() else {"name": PACKAGE, "types": "./index.d.ts"}
    number = int.from_bytes(hashlib.sha256(f"{source}".encode()).digest()[:4])
    manifest.write_text(json.dumps({**told, "version": f"1.0.{number}"}), "utf-8")
    return target.resolve()


def engine_says(folders: Sequence[Path], engine: tools.Engine) -> list[dict[str, Any]]:
    """The engine's answers for package folders."""
    return [dict(answer) for answer in read([Job(folder, PACKAGE, (PACKAGE,)) for folder in folders], engine)]


def observed(answer: Mapping[str, Any]) -> Observed:
    return Observed(rows.facts(answer, PACKAGE))


def changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[Change, ...]:
    sides = [Snapshot.of(Ref("case", str(n)), observed(answer)) for n, answer in enumerate((old, new))]
    return compare(*sides)


def said(found: Sequence[Change]) -> list[dict[str, str]]:
    """Rule, address and both severities of every change. A change that no rule describes is a KeyError."""
    told = []
    for change in found:
        rule = by_change()[change.address.kind, change.kind]
        told.append({"rule": rule.id, "address": str(change.address), "consumer": rule.consumer, "implementer": rule.implementer})
    return sorted(told, key=lambda row: (row["address"], row["rule"]))


def main(cache: Path) -> None:
    from tempfile import TemporaryDirectory

    from driftwatch.observe.sources.npm import Registry, configure

    with TemporaryDirectory() as temporary, Registry(configure(Path(), cache, ""), cache) as registry:
        engine = tools.engine(registry, cache)
        names = [(case, side) for case in cases() for side in ("old", "new")]
        folders = [lay_out(CASES / case / side, Path(temporary) / case / side) for case, side in names]
        answers = dict(zip(names, engine_says(folders, engine), strict=True))
    for case in cases():
        both = {side: answers[case, side] for side in ("old", "new")}
        (CASES / case / "facts.json").write_text(json.dumps(both, indent=1, sort_keys=True) + "\n", "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
