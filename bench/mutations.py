"""Edits of real declarations whose effect is known by construction, judged.

    python bench/mutations.py [--cache FOLDER] [--count 1000] [--seed N]

Each edit is made to one line of a real package's declarations. The edited copies are entries of one package, the untouched
copies entries of its earlier version, so that two runs of the engine serve them all. An edit that means something must give
exactly one change, of the kind it is, at the member it was made to; one that means nothing must give none.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from driftwatch.judge.compare import types
from driftwatch.judge.compare.types.echoes import NEUTRAL
from driftwatch.model import Change
from driftwatch.observe.facts.declarations import Declarations, Wanted
from driftwatch.observe.sources.npm import Registry, configure
from driftwatch.observe.typescript import rows, tools
from driftwatch.observe.typescript.engine import Job, read
from driftwatch.observe.typescript.install import install
from driftwatch.observe.typescript.scan import Files
from driftwatch.observe.typescript.tree import Tree

SOURCE = (
    "@opencode-ai/plugin",
    "1.18.33",
    ("dist/index.d.ts", "dist/tui.d.ts", "dist/tool.d.ts", "dist/v2/promise/integration.d.ts"),
)
NAME = "case"
PART = 200  # edits that one program holds
_MEMBER = re.compile(r"""^(\s{4,})(readonly )?("[^"]+"|[A-Za-z_$][\w$]*)(\?)?: ([^{}]+);$""")
_PLAIN = re.compile(r"^(string|number|boolean)$")


@dataclass(frozen=True)
class Edit:
    """``lines`` replace line ``at`` of ``file``. ``kinds``: what the one change may be called; empty: nothing may change."""

    name: str
    file: str
    at: int
    lines: tuple[str, ...]
    kinds: tuple[str, ...]
    member: str = ""


Make = Callable[[re.Match[str], str, str, int], "Edit | None"]


def _rewritten(name: str, kinds: tuple[str, ...], write: Callable[[re.Match[str]], tuple[str, ...] | None]) -> Make:
    def make(match: re.Match[str], line: str, file: str, at: int) -> Edit | None:
        lines = write(match)
        key = match[3].strip('"')
        return Edit(name, file, at, lines, kinds, key if name not in _ADDS else "driftwatchAdded") if lines is not None else None

    return make


def _line(match: re.Match[str], *, readonly: str | None = None, mark: str | None = None, kind: str | None = None) -> str:
    fixed = match[2] or "" if readonly is None else readonly
    optional = match[4] or "" if mark is None else mark
    return f"{match[1]}{fixed}{match[3]}{optional}: {match[5] if kind is None else kind};"


def _nullable(match: re.Match[str]) -> tuple[str, ...] | None:
    """None where null is in the type already (JSX.Element of the package's own renderer holds it)."""
    return (
        None
        if re.search(r"\b(null|any|unknown|never|void|JSX\.Element)\b|=>|\bextends\b", match[5])
        else (_line(match, kind=f"{match[5]} | null"),)
    )


def _other(match: re.Match[str]) -> tuple[str, ...] | None:
    swap = {"string": "number", "number": "boolean", "boolean": "string"}
    return (_line(match, kind=swap[match[5]]),) if _PLAIN.match(match[5]) else None


def _literal(match: re.Match[str]) -> tuple[str, ...] | None:
    return (_line(match, kind='"one" | "two"'),) if match[5] == "string" else None


def _reordered(match: re.Match[str]) -> tuple[str, ...] | None:
    parts = match[5].split(" | ")
    simple = len(parts) > 1 and all(re.fullmatch(r"""[\w.]+|"[^"]*\"""", part) for part in parts)
    return (_line(match, kind=" | ".join(reversed(parts))),) if simple else None


def _renamed(match: re.Match[str]) -> tuple[str, ...] | None:
    found = re.match(r"^\((\w+)(\??): ", match[5])
    return (
        (_line(match, kind=f"(renamed{found[2]}: {match[5][found.end() :]}"),)
        if found and found[1] not in match[5][found.end() :]
        else None
    )


def _as_array(match: re.Match[str]) -> tuple[str, ...] | None:
    found = re.fullmatch(r"Array<(\w+)>|(\w+)\[\]", match[5])
    if found is None:
        return None
    return (_line(match, kind=f"{found[1]}[]" if found[1] else f"Array<{found[2]}>"),)


_ADDS = ("required added", "optional added")
MAKERS: tuple[Make, ...] = (
    _rewritten("removed", ("removed",), lambda m: ()),
    _rewritten("required added", ("added-required",), lambda m: (m[0], f"{m[1]}driftwatchAdded: string;")),
    _rewritten("optional added", ("added-optional",), lambda m: (m[0], f"{m[1]}driftwatchAdded?: string;")),
    _rewritten("made optional", ("became-optional",), lambda m: None if m[4] else (_line(m, mark="?"),)),
    _rewritten("made required", ("became-required",), lambda m: (_line(m, mark=""),) if m[4] else None),
    _rewritten("made readonly", ("readonly-added",), lambda m: None if m[2] else (_line(m, readonly="readonly "),)),
    _rewritten("made writable", ("readonly-removed",), lambda m: (_line(m, readonly=""),) if m[2] else None),
    _rewritten("made nullable", ("widened",), _nullable),
    _rewritten("type replaced", ("type-changed",), _other),
    _rewritten("made literal", ("narrowed",), _literal),
    _rewritten("deprecated", ("deprecated",), lambda m: (f"{m[1]}/** @deprecated use another */", m[0])),
    _rewritten("silent: comment", (), lambda m: (f"{m[1]}/** Words. */", f"{m[0]} // more words")),
    _rewritten("silent: union order", (), _reordered),
    _rewritten("silent: parameter renamed", (), _renamed),
    _rewritten("silent: array spelling", (), _as_array),
    _rewritten("silent: parentheses", (), lambda m: (_line(m, kind=f"({m[5]})"),)),
    _rewritten("silent: undefined", (), lambda m: (_line(m, kind=f"({m[5]}) | undefined"),) if m[4] else None),
    _rewritten("silent: quoted key", (), lambda m: None if m[3].startswith('"') else (m[0].replace(m[3], f'"{m[3]}"', 1),)),
)


def edits(root: Path, files: Sequence[str], count: int, seed: int) -> list[Edit]:
    """As many of each sort as there are places, drawn by ``seed``."""
    found: dict[int, list[Edit]] = {}
    for file in files:
        lines = (root / file).read_text("utf-8").splitlines()
        exported = False
        for at, line in enumerate(lines):
            if line[:1].isalpha():  # what is not exported may be used in a way that takes the effect away (a deep readonly)
                exported = line.startswith("export ")
            match = _MEMBER.match(line) if exported else None
            before = lines[at - 1] if at else ""
            if match and "@deprecated" not in before and "export declare" not in line:
                for number, make in enumerate(MAKERS):
                    if (edit := make(match, line, file, at)) is not None:
                        found.setdefault(number, []).append(edit)
    chance = random.Random(seed)
    for rows_ in found.values():
        chance.shuffle(rows_)
    drawn: list[Edit] = []
    while len(drawn) < count and any(found.values()):
        drawn += [rows_.pop() for rows_ in found.values() if rows_]
    return drawn[:count]


def lay_out(root: Path, home: Path, made: Sequence[Edit], *, edited: bool) -> Path:
    """A package with one entry for each edit: a copy of the file, edited or not, beside the files it imports."""
    modules = home / "node_modules"
    target = modules / NAME
    shutil.copytree(root, target)
    for beside in root.parents[1 if "/" in _name(root) else 0].iterdir():
        _link(beside, modules / beside.name, root)
    entries = {}
    for number, edit in enumerate(made):
        source = root / edit.file
        lines = source.read_text("utf-8").splitlines()
        if edited:
            lines[edit.at : edit.at + 1] = list(edit.lines)
        file = f"{Path(edit.file).parent}/m{number}.d.ts"
        (target / file).write_text("\n".join(lines) + "\n", "utf-8")
        entries[f"./m{number}"] = {"types": f"./{file}"}
    manifest = {"name": NAME, "version": "2.0.0" if edited else "1.0.0", "exports": entries}
    (target / "package.json").write_text(json.dumps(manifest), "utf-8")
    return target.resolve()


def _name(root: Path) -> str:
    return f"{root.parent.name}/{root.name}" if root.parent.name.startswith("@") else root.name


def _link(beside: Path, place: Path, root: Path) -> None:
    """A sibling of the package, inside a scope too; not the package itself."""
    if beside.name.startswith("@"):
        place.mkdir(exist_ok=True)
        for one in beside.iterdir():
            if one != root:
                (place / one.name).symlink_to(one.resolve())
    elif beside != root:
        place.symlink_to(beside.resolve())


def judged(edit: Edit, changes: Sequence[Change]) -> str:
    """ "" when right, else what is wrong."""
    kinds = [NEUTRAL.get(change.kind, change.kind) for change in changes]
    if not edit.kinds:
        return "" if not changes else f"should be silent: {[(c.kind, str(c.address)) for c in changes]}"
    if len(changes) != 1:
        return f"should be one change: {[(c.kind, str(c.address)) for c in changes]}"
    wrong = [kind for kind in kinds if kind not in edit.kinds]
    if wrong:
        return (
            f"should be {'/'.join(edit.kinds)}: {changes[0].kind} {changes[0].address} {changes[0].before} -> {changes[0].after}"
        )
    return "" if edit.member in str(changes[0].address).rpartition("#")[2] else f"elsewhere: {changes[0].address}"


def run(count: int, seed: int, cache: Path) -> list[tuple[Edit, str]]:
    """Every edit with "" or what went wrong."""
    name, version, files = SOURCE
    with Registry(configure(Path(), cache, ""), cache) as registry, tempfile.TemporaryDirectory() as temporary:
        reader = Declarations(registry, cache)
        (tree,) = reader.trees([Wanted(name, version)])
        assert isinstance(tree, Tree), tree
        root = install(tree, Files(registry, cache), cache)
        made = edits(root, [file for file in files if (root / file).exists()], count, seed)
        engine = tools.engine(registry, cache)
        parts = [made[start : start + PART] for start in range(0, len(made), PART)]
        return [row for n, part in enumerate(parts) for row in tried(part, root, Path(temporary) / str(n), engine)]


def tried(made: Sequence[Edit], root: Path, home: Path, engine: tools.Engine) -> list[tuple[Edit, str]]:
    folders = [lay_out(root, home / side, made, edited=side == "new") for side in ("old", "new")]
    answers = list(read([Job(folder, NAME, (NAME,)) for folder in folders], engine))
    assert not [gap for answer in answers for gap in answer["gaps"] if "more than" in gap["reason"]]
    facts = [{fact.address: fact for fact in rows.facts(answer, NAME)} for answer in answers]
    by_entry: dict[str, list[Change]] = {}
    for change in types.compare(*facts):
        entry = re.search(r"/m(\d+)(?:#|$)", str(change.address))
        by_entry.setdefault(entry[1] if entry else "", []).append(change)
    results = [(edit, judged(edit, by_entry.get(str(number), []))) for number, edit in enumerate(made)]
    stray = by_entry.get("", [])
    return results + [(Edit("stray", "", 0, (), ()), f"{change.kind} {change.address}") for change in stray]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, default=Path(".cache/bench"))
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    results = run(asked.count, asked.seed, asked.cache)
    for edit, wrong in results:
        if wrong:
            print(f"{edit.name} at {edit.file}:{edit.at + 1} ({edit.member}): {wrong}")
    sorts = Counter(edit.name for edit, _ in results)
    right = Counter(edit.name for edit, wrong in results if not wrong)
    for name in sorted(sorts):
        print(f"{name}: {right[name]} of {sorts[name]}")
    print(f"all: {sum(right.values())} of {len(results)} right")


if __name__ == "__main__":
    main()
