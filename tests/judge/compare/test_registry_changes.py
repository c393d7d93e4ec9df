"""Changes of dist-tags, versions and package.json: every kind once, silence for the same, the mirror for the reverse."""

from __future__ import annotations

import re
import tomllib
from datetime import date
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftwatch.judge.compare import compare
from driftwatch.judge.compare import ranges as npm_ranges
from driftwatch.judge.compare.ranges import difference, parse
from driftwatch.judge.terms import Terms
from driftwatch.judge.verdict import judge
from driftwatch.model import Address, Change, Fact, Finding, Observed, Ref, Snapshot
from driftwatch.observe.facts import manifest
from driftwatch.render.messages import message
from driftwatch.rules import by_change

FACTS = dict[str, Any]


def snapshot(facts: FACTS) -> Snapshot:
    return Snapshot.of(Ref("u", "1"), Observed(tuple(Fact(Address(address), value) for address, value in facts.items())))


def changes(old: FACTS, new: FACTS) -> tuple[Change, ...]:
    return compare(snapshot(old), snapshot(new))


def kinds(old: FACTS, new: FACTS) -> list[str]:
    return [change.kind for change in changes(old, new)]


def tag(version: str, published: bool = True, deprecated: str | None = None) -> FACTS:
    return {"tag:x#latest": {"version": version, "published": published, "deprecated": deprecated}}


def version(integrity: str, deprecated: str | None = None) -> FACTS:
    return {"version:x#1.0.0": {"integrity": integrity, "deprecated": deprecated}}


def package(**fields: Any) -> FACTS:
    files = fields.pop("files", None)
    observed = manifest.observe("x", fields, files)
    assert not observed.gaps, observed.gaps
    return {str(fact.address): fact.value for fact in observed.facts}


def exports(value: Any, **fields: Any) -> FACTS:
    return package(exports=value, **{"type": "module", **fields})


# name: (old, new, the kinds forwards, the kinds in reverse)
CASES: dict[str, tuple[FACTS, FACTS, list[str], list[str]]] = {
    "tag forward": (tag("1.2.0"), tag("1.10.0"), ["moved-forward"], ["moved-backward"]),
    "tag prerelease": (tag("2.0.0-beta.2"), tag("2.0.0-beta.10"), ["moved-forward"], ["moved-backward"]),
    "tag release after prerelease": (tag("2.0.0-rc.1"), tag("2.0.0"), ["moved-forward"], ["moved-backward"]),
    "tag build only": (tag("1.0.0+a"), tag("1.0.0+b"), ["moved"], ["moved"]),
    "tag no version": (tag("1.0.0"), tag("nightly"), ["moved"], ["moved"]),
    "tag added": ({}, tag("1.0.0"), ["added"], ["removed"]),
    "tag added, dangling": ({}, tag("1.0.0", published=False), ["added", "dangling"], ["removed"]),
    "tag dangling": (tag("1.0.0"), tag("1.0.0", published=False), ["dangling"], ["restored"]),
    "tag deprecated": (tag("1.0.0"), tag("1.0.0", deprecated="no"), ["deprecated"], ["undeprecated"]),
    "tag moved to a deprecated one": (
        tag("1.0.0"),
        tag("2.0.0", deprecated="no"),
        ["deprecated", "moved-forward"],
        ["moved-backward", "undeprecated"],
    ),
    "tag with another note": (tag("1.0.0", deprecated="a"), tag("1.0.0", deprecated="b"), [], []),
    "version published": ({}, version("sha512-A"), ["added"], ["removed"]),
    "version deprecated": (version("sha512-A"), version("sha512-A", "no"), ["deprecated"], ["undeprecated"]),
    "version with another note": (
        version("sha512-A", "a"),
        version("sha512-A", "b"),
        ["deprecation-changed"],
        ["deprecation-changed"],
    ),
    "integrity": (version("sha512-A"), version("sha512-B"), ["integrity-changed"], ["integrity-changed"]),
    "integrity, both changed": (
        version("sha512-A sha1-A"),
        version("sha512-A sha1-B"),
        ["integrity-changed"],
        ["integrity-changed"],
    ),
    "integrity gains an algorithm": (version("sha1-A"), version("sha512-B sha1-A"), [], []),
    "integrity by another algorithm": (version("sha1-A"), version("sha512-B"), ["integrity-restated"], ["integrity-restated"]),
    "integrity gone": (version("sha512-A"), version(""), ["integrity-removed"], ["integrity-added"]),
    "engine raised": (
        package(engines={"node": ">=18"}),
        package(engines={"node": ">=20"}),
        ["engines-raised"],
        ["engines-lowered"],
    ),
    "engine narrowed": (
        package(engines={"node": ">=18"}),
        package(engines={"node": "18 || 20"}),
        ["engines-narrowed"],
        ["engines-widened"],
    ),
    "engine changed": (
        package(engines={"node": "18 || 22"}),
        package(engines={"node": "18 || 20"}),
        ["engines-changed"],
        ["engines-changed"],
    ),
    "engine added": (package(), package(engines={"node": ">=18"}), ["engines-added"], ["engines-removed"]),
    "engine written another way": (package(engines={"node": "^1.2.3"}), package(engines={"node": ">=1.2.3 <2"}), [], []),
    "peer raised": (
        package(peerDependencies={"p": ">=0.4.3"}),
        package(peerDependencies={"p": ">=0.4.5"}),
        ["peer-raised"],
        ["peer-lowered"],
    ),
    "peer to the next major": (
        package(peerDependencies={"p": "^1"}),
        package(peerDependencies={"p": "^2"}),
        ["peer-raised"],
        ["peer-changed"],
    ),
    "peer narrowed": (
        package(peerDependencies={"p": "*"}),
        package(peerDependencies={"p": "<2"}),
        ["peer-narrowed"],
        ["peer-widened"],
    ),
    "peer by a tag": (
        package(peerDependencies={"p": "latest"}),
        package(peerDependencies={"p": "next"}),
        ["peer-changed"],
        ["peer-changed"],
    ),
    "peer added": (package(), package(peerDependencies={"p": "*"}), ["peer-added"], ["peer-removed"]),
    "peer that may be left out": (
        package(),
        package(peerDependencies={"p": "*"}, peerDependenciesMeta={"p": {"optional": True}}),
        ["optional-peer-added"],
        ["optional-peer-removed"],
    ),
    "peer made optional": (
        package(peerDependencies={"p": "*"}),
        package(peerDependencies={"p": "*"}, peerDependenciesMeta={"p": {"optional": True}}),
        ["peer-made-optional"],
        ["peer-made-required"],
    ),
    "dependency": (
        package(dependencies={"d": "1.0.0"}),
        package(dependencies={"d": "1.0.1"}),
        ["dependency-changed"],
        ["dependency-changed"],
    ),
    "dependency added": (package(), package(dependencies={"d": "1"}), ["dependency-added"], ["dependency-removed"]),
    "optional dependency": (
        package(optionalDependencies={"d": "1.0.0"}),
        package(optionalDependencies={"d": "1.0.1"}),
        ["optional-dependency-changed"],
        ["optional-dependency-changed"],
    ),
    "optional dependency added": (
        package(),
        package(optionalDependencies={"d": "1"}),
        ["optional-dependency-added"],
        ["optional-dependency-removed"],
    ),
    "export removed": (
        exports({".": "./a.js", "./tui": "./t.js"}),
        exports({".": "./a.js"}),
        ["export-removed"],
        ["export-added"],
    ),
    "export blocked": (exports({"./a": "./a.js"}), exports({"./a": None}), ["export-removed"], ["export-added"]),
    "export by a pattern": (
        exports({"./tui": "./t.js", "./*": "./x/*.js"}),
        exports({"./*": "./x/*.js"}),
        ["export-served-by-pattern"],
        ["export-served-by-pattern"],
    ),
    "export moved behind the same name": (exports({".": "./a.js"}), exports({".": "./dist/a.js"}), [], []),
    "export spelled with conditions": (
        exports({".": "./a.js"}),
        exports({".": {"import": "./a.js", "require": "./a.js"}}),
        [],
        [],
    ),
    "require given up": (
        exports({".": {"import": "./a.js", "require": "./a.cjs"}}),
        exports({".": {"import": "./a.js"}}),
        ["export-condition-removed"],
        ["export-condition-added"],
    ),
    "require falls back to default": (
        exports({".": {"import": "./a.mjs", "require": "./a.cjs"}}),
        exports({".": {"import": "./a.mjs", "default": "./b.cjs"}}),
        [],
        [],
    ),
    "a condition of some tools": (
        exports({".": {"browser": "./b.js", "default": "./a.js"}}),
        exports({".": "./a.js"}),
        ["export-condition-removed"],
        ["export-condition-added"],
    ),
    "types condition gone": (
        exports({".": {"types": "./a.d.ts", "import": "./a.js"}}),
        exports({".": {"import": "./a.js"}}),
        ["types-condition-removed"],
        ["types-condition-added"],
    ),
    "types behind the rest": (
        exports({".": {"types": "./a.d.ts", "default": "./a.js"}}),
        exports({".": {"default": "./a.js", "types": "./a.d.ts"}}),
        ["types-condition-demoted"],
        ["types-condition-promoted"],
    ),
    "types for one compiler": (
        exports({".": {"types@>=5": "./a.d.ts", "default": "./a.js"}}),
        exports({".": {"types": "./b.d.ts", "default": "./a.js"}}),
        [],
        [],
    ),
    "conditions reordered": (
        exports({".": {"node": "./n.js", "import": "./i.js"}}),
        exports({".": {"import": "./i.js", "node": "./n.js"}}),
        ["export-conditions-reordered"],
        ["export-conditions-reordered"],
    ),
    "conditions reordered, nobody can tell": (
        exports({".": {"import": "./i.js", "require": "./r.cjs"}}),
        exports({".": {"require": "./r.cjs", "import": "./i.js"}}),
        [],
        [],
    ),
    "raw source": (exports({".": "./a.js"}), exports({".": "./a.tsx"}), ["export-format-changed"], ["export-format-changed"]),
    "from module to commonjs by ending": (
        exports({".": "./a.mjs"}),
        exports({".": "./a.cjs"}),
        ["export-format-changed"],
        ["export-format-changed"],
    ),
    "another ending, the same format": (exports({".": "./a.js"}), exports({".": "./a.mjs"}), [], []),
    "module kind": (
        package(type="commonjs", main="a"),
        package(type="module", main="a"),
        ["module-kind-changed"],
        ["module-kind-changed"],
    ),
    "module kind by default": (package(), package(type="commonjs"), [], []),
    "exports closed": (package(main="./a.js"), package(main="./a.js", exports="./a.js"), ["exports-closed"], ["exports-opened"]),
    "main": (package(main="a.js"), package(main="b.js"), ["main-changed"], ["main-changed"]),
    "main spelled with a dot": (package(main="a.js"), package(main="./a.js"), [], []),
    "types gone": (package(types="a.d.ts"), package(), ["types-removed"], ["types-added"]),
    "types gone beside exports": (
        exports({".": "./a.js"}, types="a.d.ts"),
        exports({".": "./a.js"}),
        ["types-removed"],
        ["types-added"],
    ),
    "types gone from exports and beside": (
        exports({".": {"types": "./a.d.ts", "default": "./a.js"}}, types="a.d.ts"),
        exports({".": "./a.js"}),
        ["types-condition-removed"],
        ["types-condition-added"],
    ),
    "types into exports": (
        exports({".": "./a.js"}, types="a.d.ts"),
        exports({".": {"types": "./a.d.ts", "default": "./a.js"}}),
        ["types-condition-added"],
        ["types-condition-removed"],
    ),
    "types moved": (package(types="a.d.ts"), package(types="b.d.ts"), ["types-changed"], ["types-changed"]),
    "command removed": (package(bin={"a": "x", "b": "y"}), package(bin={"a": "x"}), ["bin-removed"], ["bin-added"]),
    "command moved": (package(bin={"a": "x"}), package(bin={"a": "y"}), ["bin-changed"], ["bin-changed"]),
    "platform given up": (package(os=["linux", "darwin"]), package(os=["linux"]), ["platform-narrowed"], ["platform-widened"]),
    "platform shut out": (package(), package(os=["!win32"]), ["platform-narrowed"], ["platform-widened"]),
    "platform swapped": (package(cpu=["x64"]), package(cpu=["arm64"]), ["platform-changed"], ["platform-changed"]),
    "platform list turned round": (package(os=["linux", "darwin"]), package(os=["darwin", "linux"]), [], []),
    "install script": (package(), package(scripts={"postinstall": "x"}), ["install-script-added"], ["install-script-removed"]),
    "another install script": (
        package(scripts={"install": "x"}),
        package(scripts={"install": "y"}),
        ["install-script-changed"],
        ["install-script-changed"],
    ),
    "a script nobody runs": (package(), package(scripts={"test": "x"}), [], []),
    "published incomplete": (
        exports("./a.js", files=["a.js"]),
        exports("./a.js", files=["b.js"]),
        ["target-missing"],
        ["target-restored"],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_change_and_its_mirror(case: str) -> None:
    old, new, forwards, backwards = CASES[case]
    assert kinds(old, new) == forwards
    assert kinds(new, old) == backwards
    assert not kinds(old, old)
    assert not kinds(new, new)


@pytest.mark.parametrize("case", CASES)
def test_every_change_has_a_rule_and_a_whole_message(case: str) -> None:
    old, new, *_ = CASES[case]
    for before, after in ((old, new), (new, old)):
        for change in changes(before, after):
            assert (change.address.kind, change.kind) in by_change(), change
            finding = _finding(change)
            assert "?" not in message(finding), message(finding)
            assert "{" not in message(finding)


def _finding(change: Change) -> Finding:
    empty = Snapshot(Ref("u", "1"))
    verdict = judge([change], empty, empty, Terms("consumer", date(2026, 1, 1), everything=True))
    return verdict.findings[0]


def _own_rows() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for name in ("tags", "versions", "manifest"):
        rows += tomllib.loads(files("driftwatch.rules").joinpath(f"catalogue/{name}.toml").read_text("utf-8"))["rule"]
    return rows


def test_every_rule_row_is_produced() -> None:
    produced = {
        (change.address.kind, change.kind)
        for old, new, *_ in CASES.values()
        for pair in ((old, new), (new, old))
        for change in changes(*pair)
    }
    assert produced == {(row["address"], row["change"]) for row in _own_rows()}


def test_mirrors_name_each_other() -> None:
    rows = {row["id"]: row for row in _own_rows()}
    for row in rows.values():
        assert rows[row["mirror"]]["mirror"] == row["id"]
        assert row["old"] != row["new"]


def test_the_tag_is_compared_by_precedence_not_by_text() -> None:
    (change,) = changes(tag("1.9.0"), tag("1.10.0"))
    assert (change.before, change.after) == ("1.9.0", "1.10.0")


def test_floors_are_handed_on() -> None:
    (change,) = changes(package(peerDependencies={"p": ">=0.4.3"}), package(peerDependencies={"p": "^0.4.5 || ^0.5"}))
    assert change.kind == "peer-raised"
    assert (change.args["floor_before"], change.args["floor_after"], change.args["name"]) == ("0.4.3", "0.4.5", "p")


def test_a_module_kind_reaches_the_entries_it_reloads() -> None:
    table = {".": "./a.js", "./b": "./b.cjs"}
    (change,) = changes(exports(table, type="commonjs"), exports(table, type="module"))
    assert change.kind == "module-kind-changed"
    assert change.args["reaches"] == ['manifest:x#exports["."]']


def test_types_of_declarations_are_only_likely() -> None:
    (change,) = changes(exports({".": {"types": "./a.d.ts", "import": "./a.js"}}), exports({".": {"import": "./a.js"}}))
    assert change.confidence == "likely"


def test_install_scripts_and_alarms_concern_everybody() -> None:
    for kind in (("manifest", "install-script-added"), ("version", "integrity-changed"), ("version", "removed")):
        assert by_change()[kind].always


@pytest.mark.parametrize(
    ("text", "floor"),
    [
        ("^1.2.3", "1.2.3"),
        ("~0.2", "0.2.0"),
        ("*", "0.0.0"),
        ("", "0.0.0"),
        (">1.2.3", ">1.2.3"),
        ("> 1.2.3", ">1.2.3"),
        ("1.x || >=2.5.0", "1.0.0"),
        (">=2 || 1.5.0", "1.5.0"),
        ("<2", "0.0.0"),
        ("1.2.3 - 2", "1.2.3"),
        (">=1.0.0-beta.2", "1.0.0-beta.2"),
        ("v1.2.3", "1.2.3"),
        (">2 <1", ""),
    ],
)
def test_floors(text: str, floor: str) -> None:
    found = parse(text)
    assert found is not None
    assert found.floor == floor


@pytest.mark.parametrize(
    "text", ["latest", "workspace:*", "npm:other@^1", "git+https://h/x.git", "file:../x", "1" * 600, "^^1", "1.2.3.4"]
)
def test_what_is_no_range(text: str) -> None:
    assert parse(text) is None
    assert difference(text, text) == "same"
    assert difference(text, "^1") == difference("^1", text) == "changed"


versions = st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)).map(lambda parts: ".".join(map(str, parts)))
ranges = st.lists(
    st.one_of(
        st.builds("{}{}".format, st.sampled_from(["^", "~", ">=", ">", "<", "<=", ""]), versions),
        st.builds(">={} <{}".format, versions, versions),
    ),
    min_size=1,
    max_size=3,
).map(" || ".join)
EVERY = [f"{a}.{b}.{c}" for a in range(5) for b in range(4) for c in range(4)]


@settings(max_examples=40, deadline=None)
@given(ranges, ranges)
@pytest.mark.slow
def test_the_words_are_true_of_every_version(before: str, after: str) -> None:
    """Held against npm's own satisfies over all small versions."""
    from nodesemver import satisfies

    old = {version for version in EVERY if satisfies(version, before)}
    new = {version for version in EVERY if satisfies(version, after)}
    word = difference(before, after)
    if word == "same":
        assert old == new
    elif word in ("lowered", "widened"):
        assert old <= new
    elif word == "narrowed":
        assert new <= old
    elif word == "raised" and old and new:
        assert EVERY.index(min(old, key=EVERY.index)) <= EVERY.index(min(new, key=EVERY.index))
    assert difference(before, before) == "same"
    mirror = {"same": "same", "lowered": "raised", "narrowed": "widened", "widened": "narrowed"}
    assert difference(after, before) == mirror.get(word, difference(after, before))


@pytest.mark.parametrize(
    "text", ["1.2.3", "0.0.0", "10.20.30", "1.2", "1.2.3.4", "01.2.3", "v1.2.3", "=1.2.3", "1.2.3-a", "1.2.x"]
)
def test_one_version_is_the_range_npm_takes_it_for(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def told() -> list[tuple[str, bool, str, bool]] | None:
        found = parse(text)
        return (
            None if found is None else [(str(a.version), a.just_after, str(b.version), b.just_after) for a, b in found.intervals]
        )

    quick = told()
    monkeypatch.setattr(npm_ranges, "_EXACT", re.compile("(?!)"))
    assert told() == quick
