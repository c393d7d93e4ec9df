"""poll: every dist-tag as what it is, every oddity of a registry as a finding or a gap, never silence."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.fault_registry import Reply
from tests.support.scene import PLUGIN, Scene


def changes(scene: Scene) -> dict[str, str]:
    report = scene.run("poll", "--format", "json").report
    return {tag["name"]: tag["change"] for tag in report["upstreams"][0]["tags"]}


def document(scene: Scene) -> dict[str, Any]:
    return scene.registry.packages[PLUGIN]


def test_tags_added_moved_back_and_removed(scene: Scene) -> None:
    document(scene)["dist-tags"].update({"next": "1.1.0", "gone": "1.0.0"})
    scene.run("accept")
    document(scene)["dist-tags"] = {"latest": "1.0.0", "next": "1.1.0", "beta": "1.1.0"}
    assert changes(scene) == {"latest": "moved-backward", "next": "same", "gone": "removed", "beta": "added"}
    scene.publish("1.2.0", tags={"latest": "1.2.0", "next": "1.1.0"})
    assert changes(scene)["latest"] == "moved-forward"


def test_a_first_look_has_no_baseline_and_no_findings(scene: Scene) -> None:
    assert set(changes(scene).values()) == {"same"}


@pytest.mark.slow
def test_a_withdrawn_version_is_seen_once_and_a_dangling_tag_for_as_long_as_it_dangles(scene: Scene) -> None:
    scene.run("accept")
    del document(scene)["versions"]["1.1.0"]
    report = scene.run("poll", "--format", "json").report
    assert {f["rule"] for f in report["upstreams"][0]["findings"]} >= {"tag-dangling"}


@pytest.mark.slow
def test_the_same_version_with_new_integrity_is_an_alarm(scene: Scene) -> None:
    scene.run("accept")
    document(scene)["versions"]["1.1.0"]["dist"]["integrity"] = "sha512-" + "A" * 86 + "=="
    answer = scene.run("poll", "--format", "json")
    [alarm] = [f for f in answer.report["upstreams"][0]["findings"] if "integrity" in f["rule"]]
    assert alarm["severity"] == "breaking" and alarm["counts"] and answer.code == 10


def test_a_package_that_cannot_be_read_is_unverified_and_keeps_what_was_seen(scene: Scene) -> None:
    scene.run("poll")
    seen = (scene.reports / "observed.json").read_text()
    scene.registry.always(f"/{PLUGIN}", Reply(200, b"<html>login</html>", {"Content-Type": "text/html"}))
    answer = scene.run("poll", "--format", "json")
    assert (answer.code, answer.report["outcome"]) == (11, "unverified")
    assert answer.report["upstreams"][0]["tags"] == []
    assert (scene.reports / "observed.json").read_text().count("1.1.0") == seen.count("1.1.0")


@pytest.mark.slow
def test_a_packument_without_versions_is_never_no_change(scene: Scene) -> None:
    scene.run("accept")
    for part in ("versions", "dist-tags"):
        kept = document(scene).pop(part)
        assert scene.run("poll").code in (10, 11), part
        document(scene)[part] = kept
    assert scene.run("poll").code == 0


@pytest.mark.slow
def test_text_output_says_what_moved_and_counts_the_rest(scene: Scene) -> None:
    scene.run("accept")
    scene.publish("1.2.0")
    answer = scene.run("poll")
    assert f"{PLUGIN}#latest 1.1.0 -> 1.2.0 moved-forward" in answer.out
    assert "acme: accepted 1.1.0, now 1.2.0; 1 dist-tag moved since last recorded" in answer.out


def test_a_version_that_nobody_looked_into_is_never_said_to_hold_nor_to_be_accepted(scene: Scene) -> None:
    scene.run("accept")
    scene.publish("1.2.0")
    answer = scene.run("poll", "--format", "json")
    report = answer.report
    assert (answer.code, report["outcome"], report["scope"]) == (0, "drifted", "tags")
    assert "holds was not looked at" in report["headline"]
    assert [step["command"] for step in report["what_to_do"]] == ["driftwatch run"]


def test_tags_that_stand_hide_no_accepted_version_below_them(scene: Scene) -> None:
    scene.run("accept", "1.0.0")
    out = scene.run("poll").out
    assert "accepted 1.0.0, now 1.1.0; 0 dist-tags moved since last recorded, 1 did not" in out
