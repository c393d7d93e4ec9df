"""Declared types of real packages: the pairs whose differences are known, and every case read and proven for real."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from driftwatch.judge.compare import types
from driftwatch.model import Change
from driftwatch.observe.facts.declarations import Declarations, Wanted
from driftwatch.observe.sources.npm import Registry, configure
from driftwatch.observe.typescript import tools
from driftwatch.observe.typescript.witness import Naming, check, program, settle
from tests.support import declared

pytestmark = pytest.mark.live
PLUGIN, SDK = "@opencode-ai/plugin", "@opencode-ai/sdk"


@pytest.fixture(scope="module")
def kept(request: pytest.FixtureRequest) -> Path:
    """A cache that outlives the run: the runtime is 50 MB to fetch."""
    cache = request.config.cache
    assert cache is not None
    return Path(cache.mkdir("driftwatch-types"))


@pytest.fixture(scope="module")
def registry(kept: Path) -> Iterator[Registry]:
    with Registry(configure(kept, kept), kept) as opened:
        yield opened


def compared(registry: Registry, kept: Path, package: str, old: str, new: str) -> list[Change]:
    reader = Declarations(registry, kept)
    pair = (Wanted(package, old), Wanted(package, new))
    before, after = reader.observe(pair)
    assert before.facts
    assert after.facts
    sides = [{fact.address: fact for fact in one.facts} for one in (before, after)]
    return reader.prove(pair, (before, after), list(types.compare(*sides)))


def told(changes: list[Change]) -> set[tuple[str, str, str]]:
    return {(change.kind, str(change.address)[3:], change.confidence) for change in changes}


def test_declarations_that_are_the_same_give_nothing(registry: Registry, kept: Path) -> None:
    assert compared(registry, kept, PLUGIN, "1.18.3", "1.18.4") == []


def test_only_the_sdk_moved(registry: Registry, kept: Path) -> None:
    assert told(compared(registry, kept, PLUGIN, "1.18.10", "1.18.33")) == {
        ("widened", f"{SDK}/v2#Model.capabilities.interleaved(object).field", "proven"),
        ("widened", f"{SDK}/v2#ProviderConfig.models[string].interleaved", "proven"),
        ("widened", f"{SDK}/v2#ProviderConfig.options.chunkTimeout", "proven"),
    }
    changes = compared(registry, kept, SDK, "1.18.10", "1.18.33")
    assert ("became-required", f"{SDK}/v2#GlobalUpgradeData.body.target", "proven") in told(changes)
    assert len(changes) == 4


def test_declarations_a_package_names_and_does_not_hold_are_a_gap(registry: Registry, kept: Path, tmp_path: Path) -> None:
    told = {
        "name": "p",
        "version": "1.0.0",
        "exports": {".": "./index.js", "./gone": {"types": "./gone.d.ts"}, "./x.json": "./x.json"},
    }
    (tmp_path / "package.json").write_text(json.dumps(told), "utf-8")
    (tmp_path / "index.js").write_text("", "utf-8")
    (tmp_path / "index.d.ts").write_text("export declare const a: string;", "utf-8")
    observed = Declarations(registry, kept).folder(tmp_path)
    assert [(gap.address, gap.reason) for gap in observed.gaps] == [("ts:p/gone", "./gone.d.ts is not in the package")]


def test_an_additive_pair(registry: Registry, kept: Path) -> None:
    changes = compared(registry, kept, PLUGIN, "1.14.48", "1.14.50")
    own = [change for change in changes if str(change.address).startswith(f"ts:{PLUGIN}")]
    assert {change.kind for change in own} <= {"added-optional", "param-field-added-optional", "added-required", "export-added"}
    assert {("export-added", f"{PLUGIN}#ToolAttachment"), ("export-added", f"{PLUGIN}/tui#TuiAttention")} <= {
        (change.kind, str(change.address)[3:]) for change in own
    }
    attention = next(change for change in own if str(change.address) == f"ts:{PLUGIN}/tui#TuiAttention")
    assert f"ts:{PLUGIN}/tui#TuiPluginApi.attention" in list(attention.args["reaches"])  # type: ignore[arg-type]
    assert sum(change.confidence == "proven" for change in changes) >= len(changes) * 0.9


def test_a_member_behind_a_name_is_a_fact(registry: Registry, kept: Path) -> None:
    old, new = Declarations(registry, kept).observe([Wanted(PLUGIN, "1.14.48"), Wanted(PLUGIN, "1.14.50")])
    address = f"ts:{PLUGIN}/tui#TuiPluginApi.attention.notify"
    assert address not in {fact.address for fact in old.facts}
    assert address in {fact.address for fact in new.facts}


# --- cases


@pytest.fixture(scope="module")
def answers(registry: Registry, kept: Path, tmp_path_factory: pytest.TempPathFactory) -> Mapping[tuple[str, str], Any]:
    """What the engine says today about every side of every case, and where it was laid out."""
    home = tmp_path_factory.mktemp("cases")
    names = [(case, side) for case in declared.cases() for side in ("old", "new")]
    folders = [declared.lay_out(declared.CASES / case / side, home / case / side) for case, side in names]
    said = declared.engine_says(folders, tools.engine(registry, kept))
    return {name: (answer, folder) for name, answer, folder in zip(names, said, folders, strict=True)}


@pytest.mark.timeout(1200)
def test_the_kept_facts_are_what_the_engine_says(answers: Mapping[tuple[str, str], Any]) -> None:
    stale = [
        case for case in declared.cases() if {side: answers[case, side][0] for side in ("old", "new")} != declared.kept(case)
    ]
    assert stale == [], "python -m tests.support.declared CACHE writes them anew"


# What no lines can show: comments, declaration merging, and what assignability cannot see.
UNPROVABLE = {
    "ts-deprecated",
    "ts-deprecated-in-union",
    "ts-undeprecated",
    "ts-interface-became-alias",
    "ts-alias-became-interface",
    "ts-became-any",
    "ts-type-respelled",
    "ts-overload-reordered",
    "ts-style-builders",  # null beside a type parameter: the witness knows the parameter as any only
    "ts-style-overloads",  # a type predicate: a call gives a boolean on both sides
}


@pytest.mark.timeout(1200)
def test_every_case_is_proven_by_its_witness(registry: Registry, kept: Path, answers: Mapping[tuple[str, str], Any]) -> None:
    compiler = tools.prover(registry, kept)
    unproven = {}
    for case in declared.cases():
        changes = list(declared.changes(answers[case, "old"][0], answers[case, "new"][0]))
        if not changes or case in UNPROVABLE:
            continue
        sides = [_naming(side, answers[case, side][0]) for side in ("old", "new")]
        text, found = program(changes, *sides)
        modules = {side: answers[case, side][1] for side in ("old", "new")}
        settled = settle(changes, found, check(text, modules, (), compiler))
        if any(change.confidence != "proven" or change.kind != old.kind for change, old in zip(settled, changes, strict=True)):
            unproven[case] = [
                (change.kind, str(change.address)) for change in settled if change.confidence != "proven"
            ] or settled
    assert unproven == {}


def _naming(side: str, answer: Mapping[str, Any]) -> Naming:
    rows = {row["id"]: row for row in answer["definitions"]}
    return Naming(side, "case", rows, {"case": side}, frozenset(f"case{entry}" for entry in answer["entries"]))
