"""The observer of declared types, with an engine that says what the test wants."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from driftwatch.errors import Unobservable
from driftwatch.model import Address, Change
from driftwatch.observe.facts.declarations import Declarations, Wanted
from driftwatch.observe.typescript import engine, reading, tools
from driftwatch.observe.typescript.engine import Job
from tests.support.packages import Shelf


def answer(name: str = "root", kind: str = "string", gaps: Sequence[Mapping[str, Any]] = ()) -> dict[str, Any]:
    row = {
        "id": f"{name}#Hooks",
        "kind": ["interface"],
        "at": {"": f"{name}/index.d.ts:1:1", ".a": "2:3"},
        "type": {"obj": {"props": [{"n": "a", "t": kind}]}},
    }
    return {
        "definitions": [row],
        "exports": [{"address": f"{name}#Hooks", "of": f"{name}#Hooks"}],
        "gaps": list(gaps),
        "entries": [""],
    }


class Engine:
    """Stands in for the child process: the answers in order of asking."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *answers: dict[str, Any] | Exception) -> None:
        self.answers, self.jobs = list(answers), list[Job]()
        monkeypatch.setattr(tools, "engine", lambda *_: tools.Engine(Path("/bin/false"), Path("/")))
        for room in (engine, reading):
            monkeypatch.setattr(room, "read", self.read)
        monkeypatch.setattr(reading.Ahead, "start", lambda *_: None)

    def read(self, jobs: Sequence[Job], *_: object) -> list[dict[str, Any]]:
        self.jobs += jobs
        found = [self.answers.pop(0) for _ in jobs]
        for one in found:
            if isinstance(one, Exception):
                raise one
        return [one for one in found if isinstance(one, dict)]


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    shelf = Shelf(tmp_path / "shelf")
    shelf.put("root", "1.0.0")
    shelf.put("root", "1.0.1")
    return shelf


def test_facts_have_addresses_values_and_places(shelf: Shelf, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Engine(monkeypatch, answer())
    (observed,) = Declarations(shelf, cache).observe([Wanted("root", "1.0.0")])
    facts = {fact.address: fact for fact in observed.facts}
    assert facts[Address("ts:root")].value == {"entry": "."}
    assert facts[Address("ts:root#Hooks.a")].value == {"n": "a", "t": "string"}
    assert facts[Address("ts:root#Hooks.a")].where == "root/index.d.ts:2:3"
    assert observed.gaps == ()


def test_what_was_read_once_is_kept(shelf: Shelf, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine(monkeypatch, answer())
    first = Declarations(shelf, cache).observe([Wanted("root", "1.0.0")])
    again = Declarations(shelf, cache).observe([Wanted("root", "1.0.0")])
    assert first == again
    assert len(engine.jobs) == 1


def test_another_engine_reads_again(shelf: Shelf, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine(monkeypatch, answer(), answer())
    Declarations(shelf, cache).observe([Wanted("root", "1.0.0")])
    monkeypatch.setattr(tools, "version", lambda: "another")
    Declarations(shelf, cache).observe([Wanted("root", "1.0.0")])
    assert len(engine.jobs) == 2


@pytest.mark.parametrize("failure", [{"failed": "it broke"}, Unobservable("it broke")])
def test_an_engine_that_fails_is_a_gap_over_everything(
    shelf: Shelf, cache: Path, monkeypatch: pytest.MonkeyPatch, failure: dict[str, Any] | Exception
) -> None:
    engine = Engine(monkeypatch, failure, answer())
    (observed,) = Declarations(shelf, cache).observe([Wanted("root", "1.0.0")])
    assert observed.facts == ()
    assert {gap.address for gap in observed.gaps} == {"ts:root", "ts:root/**"}
    assert all("it broke" in gap.reason for gap in observed.gaps)
    assert Declarations(shelf, cache).observe([Wanted("root", "1.0.0")])[0].facts  # a failure is not kept
    assert len(engine.jobs) == 2


def test_a_version_that_cannot_be_had_is_a_gap_and_the_other_is_read(
    shelf: Shelf, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Engine(monkeypatch, answer())
    gone, there = Declarations(shelf, cache).observe([Wanted("root", "9.9.9"), Wanted("root", "1.0.0")])
    assert "not published" in gone.gaps[0].reason
    assert there.facts


def test_an_import_that_leads_nowhere_is_a_gap_with_the_reason(
    shelf: Shelf, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.put("root", "2.0.0", {"index.d.ts": 'export { A } from "gone";\n'}, dependencies={"gone": "^1.0.0"})
    missing = {"id": "root#Hooks", "reason": "an import leads nowhere: gone", "modules": ["gone"]}
    Engine(monkeypatch, answer(gaps=[missing]))
    (observed,) = Declarations(shelf, cache).observe([Wanted("root", "2.0.0")])
    (gap,) = observed.gaps
    assert gap.address == "ts:root#Hooks"
    assert "gone" in gap.reason
    assert "404" in gap.reason


def test_a_dependency_that_moved_between_two_versions_is_followed(
    shelf: Shelf, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uses = {"index.d.ts": 'export { A } from "dep";\n'}
    shelf.put("dep", "3.0.0")
    shelf.put("dep", "3.0.1")
    shelf.put("root", "2.0.0", uses, dependencies={"dep": "3.0.0"})
    shelf.put("root", "2.0.1", uses, dependencies={"dep": "3.0.1"})
    engine = Engine(monkeypatch, answer(), answer(), answer())
    reader = Declarations(shelf, cache)
    reader.observe([Wanted("root", "2.0.0"), Wanted("root", "2.0.1")])
    assert [job.follow for job in engine.jobs] == [("dep", "root"), ("dep", "root")]
    reader.observe([Wanted("root", "2.0.0")])
    assert engine.jobs[-1].follow == ("root",)


def test_a_pair_sees_dependencies_at_one_moment(shelf: Shelf, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    uses = {"index.d.ts": 'export { A } from "dep";\n'}
    shelf.put("dep", "3.0.0")
    for version in ("2.0.0", "2.0.1"):
        shelf.put("root", version, uses, peerDependencies={"dep": ">=3"})
    Engine(monkeypatch, answer(), answer(), answer(), answer())
    reader = Declarations(shelf, cache)
    reader.observe([Wanted("root", "2.0.0")])
    shelf.put("dep", "3.1.0")
    old, new = reader.trees([Wanted("root", "2.0.0"), Wanted("root", "2.0.1")])
    assert not isinstance(old, Exception)
    assert not isinstance(new, Exception)
    assert "dep@3.1.0" in old.packages
    assert "dep@3.1.0" in new.packages


def test_without_a_native_compiler_changes_stay_likely(shelf: Shelf, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Engine(monkeypatch, answer(), answer(kind="number"))

    def nothing(*_: object) -> Path:
        raise Unobservable("there is no native compiler here")

    monkeypatch.setattr(tools, "prover", nothing)
    reader = Declarations(shelf, cache)
    pair = (Wanted("root", "1.0.0"), Wanted("root", "1.0.1"))
    old, new = reader.observe(pair)
    change = Change(Address("ts:root#Hooks.a"), "type-changed", "string", "number", confidence="likely")
    other = Change(Address("tag:root#latest"), "moved-forward")
    proven = reader.prove(pair, (old, new), [other, change])
    assert proven == [other, change]


def test_a_folder_is_read_with_what_is_installed_in_it(
    shelf: Shelf, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "project"
    (root / "node_modules" / "@s" / "sdk").mkdir(parents=True)
    (root / "package.json").write_text('{"name": "@s/plugin", "types": "./index.d.ts"}')
    engine = Engine(monkeypatch, answer("@s/plugin"))
    observed = Declarations(shelf, cache).folder(root)
    assert engine.jobs[0].follow == ("@s/plugin", "@s/sdk")
    assert Address("ts:@s/plugin#Hooks.a") in {fact.address for fact in observed.facts}


def test_a_folder_without_declarations_is_no_gap(
    shelf: Shelf, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = Engine(monkeypatch)
    assert not Declarations(shelf, cache).folder(tmp_path).gaps
    (tmp_path / "package.json").write_text('{"name": "p", "main": "./index.js"}')
    assert not Declarations(shelf, cache).folder(tmp_path).gaps
    assert engine.jobs == []


def test_what_is_kept_is_read_without_the_rooms_that_fetch_and_resolve(
    shelf: Shelf, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Engine(monkeypatch, answer())
    Declarations(shelf, cache).observe([Wanted("root", "1.0.0")])
    code = """
import sys
from pathlib import Path
from driftwatch.observe.facts.declarations import Declarations, Wanted
(seen,) = Declarations(None, Path(sys.argv[1])).observe([Wanted("root", "1.0.0")])
rooms = ("reading", "resolve", "scan", "install", "engine")
print(len(seen.facts), [one for one in rooms if f"driftwatch.observe.typescript.{one}" in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code, str(cache)], capture_output=True, text=True, check=True)
    assert done.stdout == "3 []\n"
