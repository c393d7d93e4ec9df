"""From what the scan finds to facts; what is kept and when it is looked at again; the project's own configuration."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from driftwatch.errors import Unobservable
from driftwatch.observe.facts import ownconfig
from driftwatch.observe.facts import usage as observer
from driftwatch.observe.facts.declarations import Wanted
from driftwatch.observe.facts.usage import Usage, facts
from driftwatch.observe.typescript import tools
from driftwatch.observe.typescript import usage as engine
from driftwatch.observe.typescript.tree import Package, Tree

ROW = {"file": "src/a.ts", "address": "event:x.y", "kind": "event", "line": 3, "column": 5}


def row(**more: Any) -> dict[str, Any]:
    return {**ROW, **more}


def test_one_fact_a_file_and_address() -> None:
    found = facts([row(line=12), row(), row(kind="switch", exhaustive=True), row(file="src/b.ts")])
    assert [(fact.address, fact.value, fact.where) for fact in found] == [
        (
            "use:src/a.ts#event:x.y",
            {"kinds": ["event", "switch"], "lines": ["3:5", "12:5"], "exhaustive": True},
            "src/a.ts:3:5",
        ),
        ("use:src/b.ts#event:x.y", {"kinds": ["event"], "lines": ["3:5"]}, "src/b.ts:3:5"),
    ]


@pytest.mark.parametrize("flag", ["through", "unsure"])
def test_a_doubt_is_kept_only_where_nothing_dispels_it(flag: str) -> None:
    assert facts([row(**{flag: True}), row(line=9, **{flag: True})])[0].value[flag] is True  # type: ignore[index, call-overload]
    assert flag not in facts([row(**{flag: True}), row(line=9)])[0].value  # type: ignore[operator]


def test_a_name_that_is_no_address_is_escaped() -> None:
    assert facts([row(file="src/a#b.ts")])[0].address.subject == "src/a%23b.ts"


# --- looking again --------------------------------------------------------------------------------------------------


class Scans:
    """Stands in for the engine: counts how often it is asked."""

    def __init__(self) -> None:
        self.count = 0
        self.answer: Any = {"uses": [ROW], "gaps": [], "files": ["src/a.ts", "lib/helper.ts"]}

    def run(self, scan: engine.Scan, _: object) -> Mapping[str, Any]:
        self.count += 1
        if isinstance(self.answer, Exception):
            raise self.answer
        return dict(self.answer)


TREE = Tree("p@1.0.0", {"p@1.0.0": Package("p", "1.0.0", "sha512-AAAA")})


@pytest.fixture
def scans(monkeypatch: pytest.MonkeyPatch) -> Scans:
    standing = Scans()
    monkeypatch.setattr(observer.usage, "run", standing.run)
    monkeypatch.setattr(observer.tools, "engine", lambda *_: tools.Engine(Path("run"), Path("ts")))
    monkeypatch.setattr(Usage, "_scan", lambda *_: None)
    return standing


def usage(cache: Path, tree: Any = TREE) -> Usage:
    made = Usage(SimpleNamespace(), cache)  # type: ignore[arg-type]
    made._declarations = SimpleNamespace(trees=lambda wanted: [tree] * len(wanted))  # type: ignore[assignment]
    return made


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for name in ("src/a.ts", "lib/helper.ts"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("export {}\n", "utf-8")
    return root


WANTED = [Wanted("p", "1.0.0")]


def test_unchanged_source_is_scanned_once(project: Path, cache: Path, scans: Scans) -> None:
    one, other = (usage(cache).observe(project, ["src"], WANTED) for _ in range(2))
    assert one == other and scans.count == 1
    assert [fact.address for fact in one.facts] == ["use:src/a.ts#event:x.y"]


@pytest.mark.parametrize("changed", ["src/a.ts", "lib/helper.ts"])
def test_a_change_of_any_file_that_was_read_is_seen(project: Path, cache: Path, scans: Scans, changed: str) -> None:
    usage(cache).observe(project, ["src"], WANTED)
    (project / changed).write_text("export const x = 1\n", "utf-8")
    usage(cache).observe(project, ["src"], WANTED)
    assert scans.count == 2, "an imported file counts as much as a named one"


def test_other_declarations_are_another_question(project: Path, cache: Path, scans: Scans) -> None:
    usage(cache).observe(project, ["src"], WANTED)
    moved = Tree("p@1.0.1", {"p@1.0.1": Package("p", "1.0.1", "sha512-BBBB")})
    usage(cache, moved).observe(project, ["src"], WANTED)
    assert scans.count == 2


def test_a_scan_that_fails_is_a_gap_and_is_not_kept(project: Path, cache: Path, scans: Scans) -> None:
    scans.answer = Unobservable("the scan of the source did not end", "narrow it")
    found = usage(cache).observe(project, ["src"], WANTED)
    assert found.facts == () and [(gap.address, gap.remedy) for gap in found.gaps] == [("use:**", "narrow it")]
    scans.answer = {"uses": [], "gaps": [], "files": ["src/a.ts"]}
    assert usage(cache).observe(project, ["src"], WANTED).gaps == ()


def test_what_the_scan_could_not_tell_is_a_gap_of_its_file(project: Path, cache: Path, scans: Scans) -> None:
    told = {"file": "src/a.ts", "line": 4, "column": 1, "reason": "the name of this hook is computed"}
    scans.answer = {"uses": [], "gaps": [told, {**told, "line": 0}], "files": ["src/a.ts"]}
    gaps = usage(cache).observe(project, ["src"], WANTED).gaps
    assert [(gap.address, gap.reason) for gap in gaps] == [
        ("use:src/a.ts", "line 4: the name of this hook is computed"),
        ("use:src/a.ts", "the name of this hook is computed"),
    ]


def test_declarations_that_cannot_be_had_are_a_gap(project: Path, cache: Path, scans: Scans) -> None:
    found = usage(cache, Unobservable("p 1.0.0 is not published")).observe(project, ["src"], WANTED)
    assert scans.count == 0
    assert [gap.address for gap in found.gaps] == ["use:**"] and "not published" in found.gaps[0].reason


def test_a_project_without_source_asks_nobody(tmp_path: Path, cache: Path, scans: Scans) -> None:
    found = usage(cache).observe(tmp_path, [], WANTED)
    assert (found.facts, found.gaps, scans.count) == ((), (), 0)


# --- the project's own configuration --------------------------------------------------------------------------------

CONFIG = """{
  // "mine": the url http://x
  "$schema": "https://x/y.json",
  "plugin": ["./x", { "a": 1 }], /* "b": 2 */
  "agent": { "build": { "prompt": "a \\" { b", "deep": { "er": { "still": 1 } } }, },
  "mcp": {}
}
"""


def told(text: str) -> list[str]:
    return [".".join(path) for path, _ in ownconfig.keys(text)]


def test_keys_of_json_with_comments_and_trailing_commas() -> None:
    build = ["agent.build", "agent.build.prompt", "agent.build.deep"]
    assert told(CONFIG) == ["plugin", "agent", *build, "mcp"], "what lies deeper is of little weight"


def test_facts_say_where_and_what_is_only_on_the_way(tmp_path: Path) -> None:
    (tmp_path / "opencode.jsonc").write_text(CONFIG, "utf-8")
    found = {fact.address.member: fact for fact in ownconfig.observe(tmp_path).facts}
    assert found["config:plugin"].where == "opencode.jsonc:4:3"
    assert found["config:plugin"].value == {"kinds": ["config-set"], "lines": ["4:3"]}
    assert found["config:agent"].value == {"kinds": ["config-set"], "lines": ["5:3"], "through": True}
    assert "config:$schema" not in found and "config:mine" not in found and "config:a" not in found


@pytest.mark.parametrize("text", ["{", '{"a": [}', '{"a": "', "{'a': 1}}", "{:1}", "}", "\x00/"])
def test_a_broken_file_is_a_gap(tmp_path: Path, text: str) -> None:
    (tmp_path / "opencode.json").write_text(text, "utf-8")
    found = ownconfig.observe(tmp_path)
    assert [gap.address for gap in found.gaps] == ["use:opencode.json"] and found.facts == ()


def test_no_file_no_facts(tmp_path: Path) -> None:
    assert ownconfig.observe(tmp_path) == ownconfig.Observed()
