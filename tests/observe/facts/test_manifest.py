"""package.json as facts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftwatch.observe.facts.manifest import observe


def facts(manifest: Any, files: Any = None, name: str = "@s/x") -> dict[str, Any]:
    observed = observe(name, manifest, files)
    assert observed.gaps == (), observed.gaps
    return {fact.address.removeprefix(f"manifest:{name}#"): fact.value for fact in observed.facts}


def gaps(manifest: Any) -> dict[str, str]:
    return {gap.address.removeprefix("manifest:@s/x"): gap.reason for gap in observe("@s/x", manifest).gaps}


def test_everything_somebody_may_rely_on() -> None:
    manifest = {
        "type": "module",
        "main": "index.js",
        "types": "index.d.ts",
        "engines": {"node": ">=20"},
        "dependencies": {"zod": "4.1.8"},
        "optionalDependencies": {"fsevents": "~2.3.3"},
        "devDependencies": {"typescript": "5"},
        "peerDependencies": {"@opentui/solid": ">=0.4.5"},
        "peerDependenciesMeta": {"@opentui/solid": {"optional": True}},
        "exports": {".": {"import": "./index.js", "types": "./index.d.ts"}, "./tui": "./tui.js"},
        "bin": {"tool": "./cli.js"},
        "os": ["linux", "darwin"],
        "cpu": "x64",
        "scripts": {"postinstall": "node  setup.js", "test": "x"},
    }
    assert facts(manifest) == {
        "type": "module",
        "main": "index.js",
        "types": "index.d.ts",
        "engines.node": ">=20",
        "dependencies.zod": "4.1.8",
        "optionalDependencies.fsevents": "~2.3.3",
        "peerDependencies.@opentui/solid": ">=0.4.5",
        "peerDependenciesMeta.@opentui/solid.optional": True,
        "exports": "closed",
        'exports["."]': [["import", "./index.js"], ["types", "./index.d.ts"]],
        'exports["./tui"]': [["default", "./tui.js"]],
        "bin.tool": "./cli.js",
        "os": ["darwin", "linux"],
        "cpu": ["x64"],
        "scripts.postinstall": "node setup.js",
    }


def test_a_package_that_says_nothing() -> None:
    assert facts({}) == {"type": "commonjs", "exports": "open", 'exports["."]': [["default", "index.js"]]}


@pytest.mark.parametrize(
    ("exports", "wanted"),
    [
        ("./a.js", {".": [["default", "./a.js"]]}),
        ({"import": "./a.mjs", "require": "./a.cjs"}, {".": [["import", "./a.mjs"], ["require", "./a.cjs"]]}),
        ({".": {"node": {"import": "./n.mjs"}, "default": "./d.js"}}, {".": [["node.import", "./n.mjs"], ["default", "./d.js"]]}),
        ({".": ["./a.js", "./b.js"]}, {".": [["default", "./a.js"], ["default", "./b.js"]]}),
        (
            {".": {"import": {"types": "./a.d.ts", "default": "./a.js"}}},
            {".": [["import.types", "./a.d.ts"], ["import.default", "./a.js"]]},
        ),
        ({"./x/*": "./dist/*.js", "./x/internal/*": None}, {"./x/*": [["default", "./dist/*.js"]]}),
        ({"./*": {"browser": None, "default": "./x.js"}}, {"./*": [["browser", None], ["default", "./x.js"]]}),
        ({}, {".": None}),
    ],
)
def test_exports_laid_flat_in_order(exports: Any, wanted: dict[str, Any]) -> None:
    found = facts({"exports": exports})
    assert found["exports"] == "closed"
    assert {key: found.get(f'exports["{key}"]') for key in wanted} == wanted
    assert sum(key.startswith("exports[") for key in found) == sum(value is not None for value in wanted.values())


def test_a_bin_without_a_name_takes_the_package_name() -> None:
    assert facts({"bin": "./cli.js"}, name="@s/tool")["bin.tool"] == "./cli.js"


def test_native_sources_run_on_install() -> None:
    assert facts({}, {"binding.gyp"})["scripts.install"] == "node-gyp rebuild"
    assert facts({"scripts": {"install": "x"}}, {"binding.gyp"})["scripts.install"] == "x"


def test_promised_files_that_are_not_there() -> None:
    manifest = {
        "exports": {".": {"types": "./i.d.ts", "default": "./i.js"}, "./gone": "./gone.js", "./*": "./x/*.js"},
        "types": "./t",
    }
    found = facts(manifest, ["i.js", "i.d.ts", "t.d.ts", "package.json"])
    assert [key for key in found if key.startswith("missing")] == ['missing["./gone.js"]']
    assert 'missing["lib"]' not in facts({"main": "lib"}, {"lib/index.js"})
    assert 'missing["lib"]' not in facts({"main": "lib"}, {"lib.js"})
    assert facts({"main": "lib"}, {"src.js"})['missing["lib"]'] is True
    assert not [key for key in facts({}, {"whatever.d.ts"}) if key.startswith("missing")]


HOSTILE: dict[str, tuple[Any, str]] = {
    "not an object": ([], ""),
    "null": (None, ""),
    "engines a list": ({"engines": ["node >= 10"]}, "#engines"),
    "engines a number": ({"engines": {"node": 20}}, "#engines.node"),
    "dependencies a text": ({"dependencies": "zod"}, "#dependencies"),
    "a dependency an object": ({"dependencies": {"zod": {}}}, "#dependencies.zod"),
    "a dependency with control characters": ({"dependencies": {"a\x1b": "1"}}, "#dependencies"),
    "an endless range": ({"dependencies": {"a": "1" * 5000}}, "#dependencies.a"),
    "too many dependencies": ({"dependencies": {f"p{number}": "1" for number in range(2001)}}, "#dependencies"),
    "peers meta a list": ({"peerDependenciesMeta": {"a": []}}, "#peerDependenciesMeta.a"),
    "optional a text": ({"peerDependenciesMeta": {"a": {"optional": "yes"}}}, "#peerDependenciesMeta.a"),
    "type unknown": ({"type": "esm"}, "#type"),
    "type a list": ({"type": []}, "#type"),
    "main an object": ({"main": {}}, "#main"),
    "types a number": ({"types": 5}, "#types"),
    "bin a list": ({"bin": ["x"]}, "#bin"),
    "bin of numbers": ({"bin": {"a": 5}}, "#bin.a"),
    "os of numbers": ({"os": [5]}, "#os"),
    "scripts a list": ({"scripts": []}, "#scripts"),
    "postinstall a list": ({"scripts": {"postinstall": ["x"]}}, "#scripts.postinstall"),
    "exports a number": ({"exports": 5}, "#exports"),
    "exports mixed": ({"exports": {".": "./a.js", "import": "./b.js"}}, "#exports"),
    "exports with a number": ({"exports": {".": {"import": 5}}}, "#exports"),
    "exports too deep": (
        {"exports": {".": {"a": {"b": {"c": {"d": {"e": {"f": {"g": {"h": {"i": {"j": {"k": {"l": "./x"}}}}}}}}}}}}}},
        "#exports",
    ),
    "exports too many": ({"exports": {f"./{number}": "./x.js" for number in range(2001)}}, "#exports"),
    "exports with too many targets": ({"exports": {".": ["./x.js"] * 501}}, "#exports"),
    "a subpath with a quote": ({"exports": {'./a"]': "./x.js"}}, "#exports"),
    "a target with control characters": ({"exports": {".": "./a\x07"}}, '#exports["."]'),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_what_npm_does_not_define_is_a_gap(case: str) -> None:
    manifest, pattern = HOSTILE[case]
    found = gaps(manifest)
    assert list(found) == [pattern]
    assert "package.json" in found[pattern]


def test_a_gap_leaves_the_rest_standing() -> None:
    observed = observe("@s/x", {"engines": [], "dependencies": {"zod": "4"}})
    assert "manifest:@s/x#dependencies.zod" in [fact.address for fact in observed.facts]


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=12,
)
KEYS = ["exports", "engines", "dependencies", "peerDependenciesMeta", "bin", "os", "scripts", "type", "main", "types", "typings"]


@settings(max_examples=80, deadline=None)
@given(st.dictionaries(st.sampled_from(KEYS), anything))
@pytest.mark.slow
def test_whatever_stands_there_is_a_fact_or_a_gap(manifest: dict[str, Any]) -> None:
    observed = observe("x", manifest, {"index.js"})
    addresses = [fact.address for fact in observed.facts]
    assert len(addresses) == len(set(addresses))
    assert all(address.isprintable() for address in addresses)
    assert observe("x", manifest, {"index.js"}) == observed
