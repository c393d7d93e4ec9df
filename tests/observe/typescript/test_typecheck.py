"""Our own source against other versions: what the compiler says is read rightly, and only what is new is blamed on a version."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from driftwatch.errors import Unobservable
from driftwatch.judge.typecheck import exit_code, outcome, row
from driftwatch.model.typecheck import TypecheckRow, TypeProblem
from driftwatch.observe.plugins.install import Installer
from driftwatch.observe.sources.npm.npmrc import NpmConfig
from driftwatch.observe.typescript.diagnostics import parse
from driftwatch.observe.typescript.typecheck import Project, compiled, declared, relied

SAID = """src/a.ts(3,14): error TS2322: Type 'x' is not assignable to type 'y'.
  Type 'import("/w/project/node_modules/api/dist/index").X' is missing 'z'.
src/a.ts(3,14): error TS2322: Type 'x' is not assignable to type 'y'.
  Type 'import("/w/project/node_modules/api/dist/index").X' is missing 'z'.
node_modules/api/index.d.ts(1,1): error TS1005: ';' expected.
../outside.ts(1,1): error TS1005: ';' expected.
some other line
"""


def problem(line: int = 1, code: str = "TS2322", message: str = "x") -> TypeProblem:
    return TypeProblem("src/a.ts", line, 1, code, message)


def test_errors_are_placed_once_with_their_whole_text_and_without_folders() -> None:
    said = parse(SAID)
    (one,) = said.own
    assert (one.file, one.line, one.column, one.code) == ("src/a.ts", 3, 14, "TS2322")
    assert one.message.endswith("""Type 'import("api/dist/index").X' is missing 'z'.""")
    assert said.elsewhere == 2
    assert said.stopped == ()


def test_a_configuration_that_is_not_taken_is_no_clean_source() -> None:
    said = parse(
        "tsconfig.json(4,5): error TS5102: Option 'baseUrl' has been removed. Please remove it.\n"
        "tsconfig.json(5,5): error TS5108: Option 'moduleResolution=node10' has been removed.\n"
        "error TS18003: No inputs were found in config file.\n"
    )
    assert said.own == ()
    assert said.options == (("baseUrl", ""), ("moduleResolution", "node10"))
    assert len(said.stopped) == 3


def test_only_what_the_base_does_not_have_is_new() -> None:
    found = row("2", {}, [problem(1), problem(2)], [problem(1, message="spelled anew"), problem(3)])
    assert found.outcome == "fails"
    assert found.new == (problem(3),)
    assert found.gone == (problem(2),)
    assert row("2", {}, [problem(1)], [problem(1)]).outcome == "compiles"


def test_outcomes() -> None:
    good, bad, dark = (TypecheckRow("1", word) for word in ("compiles", "fails", "unverified"))  # type: ignore[arg-type]
    assert [outcome(rows) for rows in ([good], [good, bad, dark], [good, dark], [])] == [
        "compatible", "broken", "unverified", "unverified",
    ]  # fmt: skip
    assert outcome([TypecheckRow("1", "compiles", gone=(problem(),))]) == "drifted"
    assert [exit_code(word) for word in ("compatible", "drifted", "broken", "unverified")] == [0, 0, 10, 11]


RUNTIME = '#!/bin/sh\ncp package.json "$HOME/asked.json"\nmkdir -p node_modules\n'


@pytest.fixture
def installer(tmp_path: Path) -> Installer:
    runtime, place = tmp_path / "runtime", tmp_path / "place"
    runtime.write_text(RUNTIME, "utf-8")
    runtime.chmod(0o755)
    place.mkdir()
    return Installer(runtime, NpmConfig("https://registry.example/"), tmp_path / "cache", place)


def compiler(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "tsc"
    path.write_text(f"#!/bin/sh\n{text}\n", "utf-8")
    path.chmod(0o755)
    return path


def project(tmp_path: Path, **told: object) -> Project:
    root = tmp_path / "own"
    (root / "src").mkdir(parents=True)
    (root / "src" / "index.ts").write_text("export {}", "utf-8")
    (root / "package.json").write_text(json.dumps({"name": "own", "scripts": {"postinstall": "x"}, **told}), "utf-8")
    (root / "bun.lock").write_text("{}", "utf-8")
    return Project(root, pinned={"pinned": "1.1.1"}, node=("@types/node", "24.0.0"))


def test_what_is_installed_is_what_is_declared_with_the_versions_under_test(tmp_path: Path, installer: Installer) -> None:
    own = project(
        tmp_path,
        dependencies={"api": "^1", "pinned": "^1", "beside": "workspace:*"},
        devDependencies={"tool": "2"},
        peerDependencies={"api": "*"},
    )
    found = compiled(own, {"api": "1.2.3"}, installer, compiler(tmp_path, "exit 0"))
    asked = json.loads((installer.place / "home" / "asked.json").read_text("utf-8"))
    assert asked["dependencies"] == {"@types/node": "24.0.0", "api": "1.2.3", "pinned": "1.1.1", "tool": "2"}
    assert asked["overrides"] == {"api": "1.2.3"}
    assert "scripts" not in asked
    assert not (installer.place / "project" / "bun.lock").exists()
    assert found.notes == ("beside: not installed, they come from beside the project",)
    assert not (own.root / "node_modules").exists(), "the project itself was touched"
    assert json.loads((own.root / "package.json").read_text("utf-8"))["scripts"]


def test_removed_options_are_left_out_and_the_source_is_looked_at_all_the_same(tmp_path: Path, installer: Installer) -> None:
    own = project(tmp_path, dependencies={"api": "1"})
    (own.root / "tsconfig.json").write_text("{}", "utf-8")
    script = """case "$2" in over.*) cat "$2" > "$HOME/over.json"; echo "src/index.ts(1,1): error TS2304: x"; exit 2;; esac
echo "tsconfig.json(1,1): error TS5102: Option 'baseUrl' has been removed."; exit 1"""
    found = compiled(own, {"api": "1.2.3"}, installer, compiler(tmp_path, script))
    assert [one.code for one in found.said.own] == ["TS2304"]
    told = json.loads((installer.place / "over.json").read_text("utf-8"))
    assert told == {"extends": "./tsconfig.json", "compilerOptions": {"baseUrl": None}}


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("echo 'error TS18003: No inputs were found'; exit 1", "does not take"),
        ("echo segfault; exit 2", "without naming an error"),
        ("exit 127", "exited with code 127"),
    ],
)
def test_a_compiler_that_did_not_look_is_no_clean_source(script: str, words: str, tmp_path: Path, installer: Installer) -> None:
    own = project(tmp_path, dependencies={"api": "1"})
    with pytest.raises(Unobservable, match=words):
        compiled(own, {"api": "1.2.3"}, installer, compiler(tmp_path, script))


@pytest.mark.parametrize(
    ("extends", "beside", "words"),
    [
        ('"../outside.json"', {}, 'extends "../outside.json", which is outside'),
        ('"/etc/passwd"', {}, "outside of the project"),
        ('["./inner.json"]', {"inner.json": '{"extends": "../outside"}'}, "inner.json extends"),
        ('"kit/../../../outside.json"', {}, "outside of the project"),
        ('"./inner"', {"inner.json": "{x}"}, "inner.json cannot be read"),
    ],
)
@pytest.mark.parametrize("source", [(), ("src/*.ts",)])
def test_a_configuration_that_leads_out_of_the_project_is_refused(
    extends: str, beside: dict[str, str], words: str, source: tuple[str, ...], tmp_path: Path, installer: Installer
) -> None:
    own = replace(project(tmp_path, dependencies={"api": "1"}), source=source)
    (own.root / "tsconfig.json").write_text(f'{{ // own\n  /* "extends": "./x" */ "\\u0065xtends": {extends},\n}}', "utf-8")
    for name, text in beside.items():
        (own.root / name).write_text(text, "utf-8")
    with pytest.raises(Unobservable, match=words):
        compiled(own, {"api": "1.2.3"}, installer, compiler(tmp_path, "exit 0"))


def test_a_link_out_of_the_project_is_no_configuration_of_it(tmp_path: Path, installer: Installer) -> None:
    own = project(tmp_path, dependencies={"api": "1"})
    (tmp_path / "outside.json").write_text("{}", "utf-8")
    (own.root / "linked.json").symlink_to(tmp_path / "outside.json")
    (own.root / "tsconfig.json").write_text('{"extends": "./linked.json"}', "utf-8")
    with pytest.raises(Unobservable, match="outside of the project"):
        compiled(own, {"api": "1.2.3"}, installer, compiler(tmp_path, "exit 0"))


def test_configurations_of_the_project_and_of_what_it_installs_are_taken(tmp_path: Path, installer: Installer) -> None:
    own = project(tmp_path, dependencies={"api": "1"})
    (own.root / "base.json").write_text('{"extends": ["@tsconfig/strictest", "./tsconfig.json"], "x": "a // b, ]"}', "utf-8")
    (own.root / "tsconfig.json").write_text('{"extends": "./base", /* , */ "files": ["a.ts",],}', "utf-8")
    assert compiled(own, {"api": "1.2.3"}, installer, compiler(tmp_path, "exit 0")).said.stopped == ()


def test_a_project_without_typescript_says_so(tmp_path: Path, installer: Installer) -> None:
    own = project(tmp_path, dependencies={"api": "1"})
    (own.root / "src" / "index.ts").unlink()
    with pytest.raises(Unobservable, match="no TypeScript source"):
        compiled(own, {"api": "1.2.3"}, installer, compiler(tmp_path, "exit 0"))


def test_which_packages_a_project_depends_on(tmp_path: Path) -> None:
    own = project(tmp_path, dependencies={"a": "1"}, peerDependencies={"a": "*", "b": "2"}, devDependencies="nonsense")
    assert relied(own, ["b", "c", "a"]) == ("b", "a")
    assert declared({"dependencies": {"a": "1"}, "peerDependencies": {"a": "*"}}) == {"a": "1"}
