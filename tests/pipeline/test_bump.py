"""bump: a real repository of the project's own, two revisions, upstream on loopback."""

from __future__ import annotations

import io
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from driftwatch.cli import main
from driftwatch.pipeline.own import Own
from tests.support.fault_registry import Reply
from tests.support.git import Repository
from tests.support.scene import PLUGIN, WATCHLIST, Answer, Scene


class Project:
    """The scene's project as a git repository. ``commit`` writes package.json with this spec, and files as they are given."""

    def __init__(self, scene: Scene) -> None:
        self.scene, self.repository = scene, Repository(scene.root)
        self.repository.git("init", "-q", "-b", "main", "--template=")

    def commit(self, spec: str = "", tag: str = "", **files: str | None) -> str:
        if spec:
            manifest = {"name": "ours", "dependencies": {"left": "1"}, "devDependencies": {PLUGIN: spec}}
            files["package.json"] = json.dumps(manifest, indent=2)
        for name, text in files.items():
            path = self.scene.root / name.replace("__", ".")
            if text is None:
                path.unlink()
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            self.repository.git("add", "-A", "--force", "--", str(path))
        return self.repository.seal(tag)

    def bump(self, *argv: str, probes: bool = False) -> Answer:
        return self.scene.run("bump", *argv, "--format", "json", *([] if probes else ["--no-probes"]))


@pytest.fixture
def project(scene: Scene) -> Project:
    return Project(scene)


def lock(version: str) -> str:
    return json.dumps({"lockfileVersion": 3, "packages": {f"node_modules/{PLUGIN}": {"version": version}}}, indent=1)


def upstream(answer: Answer) -> Any:
    [told] = answer.report["upstreams"]
    return told


@pytest.mark.slow
def test_a_safe_bump_is_compared_and_exits_0(project: Project) -> None:
    project.commit("1.0.0", "base")
    project.commit("1.1.0")
    answer = project.bump("base", probes=True)
    told = upstream(answer)
    assert (answer.code, told["outcome"]) == (0, "drifted"), answer.err
    assert (told["from"]["version"], told["to"]["version"]) == ("1.0.0", "1.1.0")
    assert told["place"] == "package.json:7" and told["packages"][0]["note"] == "pinned by package.json"
    assert f"{PLUGIN} 1.0.0 -> 1.1.0, by package.json" in answer.err
    assert {path.name for path in project.scene.reports.iterdir()} == {"bump.json", "bump.md", "bump.html"}


@pytest.mark.slow
def test_a_bump_that_breaks_is_annotated_on_our_own_line(project: Project) -> None:
    project.scene.publish("1.1.0", fault="forgets")
    project.commit("1.0.0", "base")
    project.commit("1.1.0")
    answer = project.scene.run("bump", "base", "--format", "github")
    assert answer.code == 10
    assert "::error file=watchlist.yaml,line=" in answer.out or "::error file=package.json,line=7" in answer.out
    assert upstream(project.bump("base", probes=True))["outcome"] == "broken"


@pytest.mark.slow
def test_nothing_moved_says_so_and_asks_nobody(project: Project) -> None:
    project.commit("1.0.0", "base", **{"package-lock__json": lock("1.0.0")})
    project.commit(readme="words")
    project.scene.registry.requests.clear()
    answer = project.scene.run("bump", "base")
    assert answer.code == 0 and "nothing moved" in answer.out
    assert project.scene.registry.requests == []
    for form in ("comment", "github", "sarif", "junit", "gitlab", "md", "html", "jsonl", "github-summary"):
        assert project.scene.run("bump", "base", "--format", form).code == 0


@pytest.mark.slow
def test_only_the_lock_moves_under_a_range(project: Project) -> None:
    project.commit("^1.0.0", "base", **{"package-lock__json": lock("1.0.0")})
    project.commit(**{"package-lock__json": lock("1.1.0")})
    told = upstream(project.bump("base"))
    assert (told["from"]["version"], told["to"]["version"]) == ("1.0.0", "1.1.0")
    assert told["place"] == "package-lock.json:5"


@pytest.mark.slow
def test_a_range_without_a_lock_is_resolved_against_what_is_published(project: Project) -> None:
    project.scene.publish("1.2.0-beta.1", tags={"latest": "1.1.0", "next": "1.2.0-beta.1"})
    project.commit("~1.0.0", "base")
    project.commit("^1.0.0", "head")
    told = upstream(project.bump("base", "head"))
    assert (told["from"]["version"], told["to"]["version"]) == ("1.0.0", "1.1.0")
    assert "resolved now" in told["packages"][0]["note"]
    project.commit("next")
    assert upstream(project.bump("base"))["to"]["version"] == "1.2.0-beta.1"


@pytest.mark.slow
def test_a_lock_that_is_behind_package_json_does_not_count(project: Project) -> None:
    project.commit("1.0.0", "base", **{"package-lock__json": lock("1.0.0")})
    project.commit("1.1.0")
    assert upstream(project.bump("base"))["to"]["version"] == "1.1.0"


@pytest.mark.slow
def test_a_new_dependency_is_held_against_what_was_accepted(project: Project) -> None:
    project.commit(tag="base", **{"package__json": "{}"})
    project.commit("1.1.0")
    told = upstream(project.bump("base"))
    assert (told["from"]["version"], told["to"]["version"]) == ("1.0.0", "1.1.0")
    project.scene.watchlist(WATCHLIST.replace("    accepted: 1.0.0\n", ""))
    answer = project.bump("base")
    assert (answer.code, upstream(answer)["outcome"]) == (11, "unverified")
    project.commit(**{"package__json": "{}"})
    assert project.bump("HEAD^1").report["upstreams"] == [], "no longer listed: nothing is installed any more"


@pytest.mark.parametrize(
    ("spec", "files", "reason"),
    [
        ("github:acme/plugin", {}, "is not a version of the registry"),
        ("^7.0.0", {}, "no published version .* fits"),
        ("nightly", {}, "has no dist-tag 'nightly'"),
        ("^1.0.0", {"bun__lockb": "\x00\x01"}, "only bun reads"),
        ("^1.0.0", {"package-lock__json": "<<<<<<< ours"}, "has the marks of a merge that was not settled"),
    ],
)
def test_what_cannot_be_told_is_unverified_never_clean(project: Project, spec: str, files: dict[str, str], reason: str) -> None:
    project.commit("1.0.0", "base")
    project.commit(spec, **files)  # type: ignore[arg-type]
    answer = project.bump("base")
    told = upstream(answer)
    assert (answer.code, told["outcome"]) == (11, "unverified")

    assert any(re.search(reason, gap["reason"]) for gap in told["gaps"]), told["gaps"]
    assert told["place"]


@pytest.mark.slow
def test_a_registry_that_is_down_is_unverified(project: Project) -> None:
    project.commit("1.0.0", "base")
    project.commit("1.1.0")
    project.scene.registry.always(f"/{PLUGIN}", Reply(503, b"down", {"Retry-After": "0"}))
    assert project.bump("base").code == 11


@pytest.mark.slow
def test_a_manifest_in_a_workspace_uses_the_lock_above(project: Project) -> None:
    root = project.scene.root
    text = WATCHLIST.replace("role: implementer}", "role: implementer, manifest: packages/web/package.json}")
    project.scene.watchlist(text)
    locked = {"lockfileVersion": 3, "packages": {f"packages/web/node_modules/{PLUGIN}": {"version": "1.0.0"}}}
    manifest = json.dumps({"dependencies": {PLUGIN: "^1.0.0"}})
    project.commit(tag="base", **{"packages/web/package__json": manifest, "package-lock__json": json.dumps(locked)})
    locked["packages"] = {f"node_modules/{PLUGIN}": {"version": "1.1.0"}}
    project.commit(**{"package-lock__json": json.dumps(locked)})
    told = upstream(project.bump("base"))
    assert (told["from"]["version"], told["to"]["version"]) == ("1.0.0", "1.1.0"), root


@pytest.mark.parametrize(
    "revision", ["nowhere", "-x", "", "HEAD^9", "v{version}", "HEAD@{99}", "0" * 40, ":/nothing says this", "HEAD:package.json"]
)
@pytest.mark.slow
def test_a_revision_that_is_not_there_is_a_usage_error(project: Project, revision: str) -> None:
    project.commit("1.0.0")
    err = io.StringIO()
    options = ["--cache", str(project.scene.root / "cache"), "--watchlist", str(project.scene.root / "watchlist.yaml")]
    assert main(["bump", *options, "--", revision], io.StringIO(), err) == 2
    assert "has no commit" in err.getvalue() or "is no revision" in err.getvalue(), err.getvalue()


def test_outside_of_a_repository_is_a_usage_error(scene: Scene) -> None:
    answer = scene.run("bump", "main")
    assert answer.code == 2 and "git work tree" in answer.err


def test_a_manifest_that_is_no_json_or_a_link_is_a_usage_error(project: Project) -> None:
    project.commit(tag="base", **{"package__json": "{"})
    assert "is not whole JSON" in project.scene.run("bump", "base").err
    (project.scene.root / "package.json").unlink()
    (project.scene.root / "package.json").symlink_to("/etc/passwd")
    project.repository.git("add", "-A", "--force", "--", "package.json")
    project.repository.seal()
    assert "is not a plain file" in project.scene.run("bump", "HEAD").err


@pytest.mark.slow
def test_git_variables_around_us_and_hooks_change_nothing(
    project: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    project.commit("1.0.0", "base")
    project.commit("1.1.0")
    other = tmp_path / "other"
    other.mkdir()
    elsewhere = Repository(other)
    elsewhere.git("init", "-q", "--template=")
    elsewhere.commit({"package.json": "{}"})
    trap = tmp_path / "trap"
    trap.write_text("#!/bin/sh\ntouch fired\n")
    trap.chmod(0o755)
    project.repository.git("config", "core.fsmonitor", str(trap))
    ours = {"GIT_DIR": str(other / ".git"), "GIT_WORK_TREE": str(other), "GIT_OBJECT_DIRECTORY": str(other / ".git/objects"),
            "GIT_PYTHON_GIT_EXECUTABLE": str(trap), "GIT_CONFIG_PARAMETERS": "'core.pager=x'"}  # fmt: skip
    for name, value in ours.items():
        monkeypatch.setenv(name, value)
    with Own(project.scene.root) as own:
        assert own.root == project.scene.root.resolve() and "GIT_DIR" not in os.environ
        assert own.commit("base").hexsha != own.commit("HEAD").hexsha
    assert os.environ["GIT_DIR"] == ours["GIT_DIR"], "the caller's environment is given back"
    assert upstream(project.bump("base"))["to"]["version"] == "1.1.0"
    assert not list(tmp_path.rglob("fired"))


def test_the_reports_go_into_a_folder_that_is_there(project: Project, tmp_path: Path) -> None:
    project.commit("1.0.0", "base")
    project.commit("1.0.0", README="more")
    assert project.bump("base", "--output", str(tmp_path)).code == 0
    assert (tmp_path / "bump.json").is_file()
