"""An upstream that is a branch, and what is named in its files: the whole job on a repository on this machine."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.scene import Scene

BRANCH = """\
version: 1
project: {name: ours, role: implementer}
upstreams:
  - id: next
    git: {url: REPOSITORY, branch: v2}
    accepted: COMMIT
    openapi: openapi.json
    watch:
      - {path: src/plugin.ts, breaks: the setup function}
    relies_on:
      - {address: "source:src/plugin.ts#Context.tool", surface: tools, expect: present}
      - {address: "source:src/plugin.ts#Context.storage", surface: storage, expect: absent}
      - {address: "source:src/plugin.ts#Context", surface: the context, expect: present}
      - {address: "text:src/**#FLAG", surface: the flag}
      - {address: "http:GET /session", surface: sessions, expect: present}
      - {address: "http:PUT /session/{id}/environment", surface: environment, expect: absent}
"""
PLUGIN = "export interface Context {{ readonly tool: {} }}\nconst flag = process.env.FLAG\n"
API = '{"openapi": "3.1.0", "info": {"title": "x", "version": "1"}, "paths": {"/session": {"get": {"responses": {"200": {}}}}}}'


@pytest.fixture
def branch(scene: Scene) -> Scene:
    scene.repository.git("switch", "-qc", "v2")
    scene.repository.commit({"src/plugin.ts": PLUGIN.format("ToolDomain"), "openapi.json": API}, "")
    scene.watchlist(BRANCH.replace("COMMIT", tip(scene)))
    return scene


def tip(scene: Scene) -> str:
    return scene.repository.git("rev-parse", "v2").strip()


def rows(report: Any) -> dict[str, tuple[str, str]]:
    return {row["address"]: (row["status"], row["reason"]) for row in report["upstreams"][0]["reliances"]}


def test_a_branch_that_did_not_move_is_compatible(branch: Scene) -> None:
    answer = branch.run("run", "--format", "json")
    upstream = answer.report["upstreams"][0]
    assert (answer.code, upstream["outcome"]) == (0, "compatible")
    assert not any(gap["asked"] for gap in upstream["gaps"])
    assert {status for status, _ in rows(answer.report).values()} == {"holds"}
    facts = {row["address"]: row["facts"] for row in upstream["reliances"]}
    assert facts["source:src/plugin.ts#Context.tool"] == 1 and facts["source:src/plugin.ts#Context"] == 2
    assert upstream["from"]["commit"] == upstream["to"]["commit"] == tip(branch)
    assert upstream["to"]["version"] == tip(branch)[:12]


def test_what_moves_on_it_is_told(branch: Scene) -> None:
    branch.repository.commit({"src/plugin.ts": "export interface Context { readonly storage: Storage }\n"}, "")
    answer = branch.run("run", "--format", "json")
    found = {(finding["rule"], finding["address"]) for finding in answer.report["upstreams"][0]["findings"]}
    assert answer.code == 10
    assert ("source-removed", "source:src/plugin.ts#Context.tool") in found
    assert ("unexpected-present", "source:src/plugin.ts#Context.storage") in found
    assert ("text-vanished", "text:src/plugin.ts#FLAG") in found
    assert [row["change"] for row in answer.report["upstreams"][0]["files"]] == ["changed"]


@pytest.mark.slow
def test_accepting_it_keeps_its_commit(branch: Scene) -> None:
    branch.repository.commit({"src/plugin.ts": PLUGIN.format("Tools")}, "")
    assert branch.run("accept").code == 0
    assert tip(branch) in (branch.root / "watchlist.lock").read_text()
    assert branch.run("run", "--format", "json").report["outcome"] == "compatible"


@pytest.mark.slow
def test_polling_asks_where_it_points(branch: Scene) -> None:
    branch.repository.commit({"src/plugin.ts": PLUGIN.format("Tools")}, "")
    upstream = branch.run("poll", "--format", "json").report["upstreams"][0]
    assert upstream["to"]["commit"] == tip(branch) != upstream["from"]["commit"]


@pytest.mark.slow
def test_offline_it_is_where_it_was_last_seen(branch: Scene) -> None:
    assert branch.run("run").code == 0
    seen = tip(branch)
    branch.repository.commit({"src/plugin.ts": PLUGIN.format("Tools")}, "")
    assert branch.run("run", "--offline", "--format", "json").report["upstreams"][0]["to"]["commit"] == seen


@pytest.mark.slow
def test_a_branch_that_is_not_there_hides_everything(branch: Scene) -> None:
    path = branch.root / "watchlist.yaml"
    path.write_text(path.read_text().replace("branch: v2", "branch: v3"))
    answer = branch.run("run", "--format", "json")
    assert answer.code == 11
    assert {status for status, _ in rows(answer.report).values()} == {"unverified"}
    assert "has no branch v3" in rows(answer.report)["source:src/plugin.ts#Context.tool"][1]


@pytest.mark.slow
def test_the_host_of_a_branch_is_one_of_your_own(branch: Scene) -> None:
    path = branch.root / "watchlist.yaml"
    host = "    host: {driver: opencode}\n    probes: [opencode/load]\n    relies_on:\n"
    path.write_text(path.read_text().replace("    relies_on:\n", host))
    answer = branch.run("run", "--format", "json")
    assert answer.code == 11
    assert "none of your own is named" in rows(answer.report)["probe:opencode/load"][1]
    assert "probe --version" not in answer.out  # there is nothing to ask again


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("    accepted: COMMIT", "    accepted: 1.0.0", "the accepted state of a branch is a commit"),
        ("    git: {url: REPOSITORY, branch: v2}\n", "", "packages is missing"),
        ("    git:", '    packages: ["@acme/plugin"]\n    git:', "not both"),
        ("branch: v2", "branch: '-x'", "is not the name of a branch"),
        ("    accepted: COMMIT", "    accepted: 27e1692", "not one full version"),
    ],
)
def test_mistakes_are_named(branch: Scene, old: str, new: str, words: str) -> None:
    branch.watchlist(BRANCH.replace(old, new).replace("COMMIT", tip(branch)))
    answer = branch.run("run")
    assert answer.code == 2 and words in answer.err


@pytest.mark.slow
def test_files_named_of_a_release_are_read_at_its_tag(scene: Scene) -> None:
    text = (scene.root / "watchlist.yaml").read_text()
    added = '      - {address: "source:src/index.ts#Hooks.event", expect: absent}\n      - "pin:@acme/plugin"\n'
    (scene.root / "watchlist.yaml").write_text(text.rstrip("\n") + "\n" + added)
    answer = scene.run("run", "--no-probes", "--format", "json")
    assert rows(answer.report)["source:src/index.ts#Hooks.event"][0] == "changed"
    pins = {row["address"]: row for row in answer.report["upstreams"][0]["reliances"]}["pin:@acme/plugin"]
    assert (pins["status"], pins["facts"]) == ("holds", 2)
