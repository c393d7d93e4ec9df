"""The project's own documents through the command line: anchors are followed and locked, stamps written by accept."""

from __future__ import annotations

import json

import pytest

from tests.support.scene import WATCHLIST, Scene

EXTRA = """\
    anchors: [docs/*.md]
    stamps:
      - {file: docs/surface.md, pattern: "Validated against {version} @ {commit}"}
"""
DOCUMENT = "Validated against 1.0.0 @ aaaaaaa\n\nThe route is at src/index.ts:2, its twin at src/index.ts:3.\n"


@pytest.fixture
def documented(scene: Scene) -> Scene:
    """The second version has a line more before the one that the document points at, and without the other."""
    text = "export interface Hooks {}\nexport const route = '/session/prompt'\nexport const twin = '/session/other'\n"
    scene.repository.commit({"src/index.ts": text}, "v1.2.0")
    scene.repository.commit({"src/index.ts": "// new\n" + text.replace("twin", "renamed")}, "v1.3.0")
    for version in ("1.2.0", "1.3.0"):
        scene.publish(version)
    scene.watchlist(
        WATCHLIST.replace("1.0.0", "1.2.0")
        .replace("    probes: [opencode/load, ./probes/bye]\n", EXTRA)
        .replace("      - address: probe:bye#fired\n        why: our timers leak\n", "")
    )
    (scene.root / "docs").mkdir()
    (scene.root / "docs/surface.md").write_text(DOCUMENT)
    return scene


def test_anchors_are_findings_that_count_and_facts_of_the_lock(documented: Scene) -> None:
    answer = documented.run("run", "--format", "json")
    findings = {f["address"]: f for f in answer.report["upstreams"][0]["findings"] if f["address"].startswith("anchor:")}
    moved, gone = findings["anchor:docs/surface.md#src/index.ts:2"], findings["anchor:docs/surface.md#src/index.ts:3"]
    assert (moved["rule"], moved["severity"], moved["where"]) == ("anchor-moved", "info", "docs/surface.md:3")
    assert "`src/index.ts:3`" in moved["message"]
    assert (gone["rule"], gone["severity"]) == ("anchor-gone", "risky")
    assert moved["relied_on"] == gone["relied_on"] == ["anchor:docs/*.md#**"]
    assert answer.report["outcome"] == "drifted"

    answer = documented.run("accept")
    assert answer.code == 0, answer.err
    assert f"stamped {documented.root / 'docs/surface.md'}" in answer.out
    lock = json.loads((documented.root / "watchlist.lock").read_text())["upstreams"]["acme"]
    assert lock["facts"]["anchor:docs/surface.md#src/index.ts:2"]["lines"] == "3"
    stamped = DOCUMENT.replace("1.0.0 @ aaaaaaa", f"1.3.0 @ {lock['commit'][:7]}")
    assert (documented.root / "docs/surface.md").read_text() == stamped

    again = documented.run("run", "--format", "json").report["upstreams"][0]["findings"]
    assert [f["rule"] for f in again if f["address"] == moved["address"]] == ["anchor-moved"], "the document still says line 2"


@pytest.mark.slow
def test_a_place_that_is_not_there_moves_no_lock(documented: Scene) -> None:
    (documented.root / "docs/surface.md").write_text("nothing to stamp\n")
    answer = documented.run("accept")
    assert answer.code == 2 and "docs/surface.md has no place for the stamp" in answer.err
    assert not (documented.root / "watchlist.lock").exists()


@pytest.mark.slow
def test_without_the_repository_an_anchor_is_unverified(documented: Scene) -> None:
    documented.repository.path.rename(documented.root / "elsewhere")
    answer = documented.run("run", "--format", "json")
    assert (answer.code, answer.report["outcome"]) == (11, "unverified")
    gaps = [gap for gap in answer.report["upstreams"][0]["gaps"] if gap["address"].startswith("anchor:")]
    assert [gap["address"] for gap in gaps] == ["anchor:docs/*.md"]
