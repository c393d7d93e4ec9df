"""Early warning and a watch that stopped, through the command line."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from driftwatch.cli import main
from tests.support.fault_registry import Reply
from tests.support.scene import PLUGIN, WATCHLIST, Answer, Scene


def early(answer: Answer) -> dict[str, Any]:
    return {row["tag"]: row for row in answer.report["upstreams"][0]["early"]}


def tags(scene: Scene, **more: str) -> None:
    scene.registry.packages[PLUGIN]["dist-tags"].update(more)


@pytest.mark.slow
def test_early_tags_are_news_that_never_fails(scene: Scene) -> None:
    tags(scene, beta="1.1.0")
    scene.run("accept")
    scene.publish("1.2.0-bye.1", fault="forgets", tags={"latest": "1.1.0", "beta": "1.1.0", "bye-v2": "1.2.0-bye.1"})
    for command in ("poll", "run"):
        answer = scene.run(command, "--format", "json")
        assert (answer.code, answer.report["outcome"]) == (0, "compatible"), answer.err
        [row] = early(answer).values()
        assert (row["tag"], row["change"], row["outcome"]) == ("bye-v2", "added", "")
        assert row["touches"] == ["probe:bye#fired"] or command == "run"
    assert f"ahead: {PLUGIN}#bye-v2 touches probe:bye#fired" in scene.run("poll").out
    for form in ("md", "html", "text", "comment"):
        out = io.StringIO()
        assert main(["render", str(scene.reports / "latest.json"), "--format", form], out, io.StringIO()) == 0
        assert "bye-v2" in out.getvalue()


@pytest.mark.slow
def test_with_early_what_would_break_is_told_and_not_counted(scene: Scene) -> None:
    scene.run("accept")
    scene.publish("1.2.0-bye.1", fault="forgets", tags={"latest": "1.1.0", "bye-v2": "1.2.0-bye.1"})
    answer = scene.run("run", "--early", "--format", "json")
    assert (answer.code, answer.report["outcome"]) == (0, "compatible")
    row = early(answer)["bye-v2"]
    assert row["outcome"] == "broken"
    assert {finding["rule"] for finding in row["findings"]} >= {"probe-broke"}
    assert not any(finding["counts"] for finding in row["findings"])
    assert all("message" in finding for finding in row["findings"])
    assert "--early" in answer.report["rerun"]
    text = scene.run("run", "--early").out
    assert "if it became the watched version: broken" in text


def at(scene: Scene, when: str) -> None:
    path = scene.reports / "observed.json"
    data = json.loads(path.read_text())
    data["upstreams"]["acme"]["looked_at"] = when
    path.write_text(json.dumps(data))


def stale(answer: Answer) -> list[Any]:
    return [f for f in answer.report["upstreams"][0]["findings"] if f["rule"] == "watch-stale"]


@pytest.mark.parametrize("command", ["poll", "run"])
@pytest.mark.slow
def test_a_watch_that_stopped_is_a_finding_once(scene: Scene, command: str) -> None:
    scene.watchlist(WATCHLIST.replace("registry:", "schedule: daily\nregistry:"))
    scene.run("accept")
    assert stale(scene.run(command, "--format", "json")) == []
    at(scene, "2020-01-01T00:00:00Z")
    answer = scene.run(command, "--format", "json", "--fail-on", "risky")
    [finding] = stale(answer)
    assert finding["counts"] and answer.code == 10 and "2020-01-01T00:00:00Z" in finding["message"]
    assert stale(scene.run(command, "--format", "json")) == []


@pytest.mark.slow
def test_a_look_that_saw_nothing_is_no_good_look(scene: Scene) -> None:
    scene.watchlist(WATCHLIST.replace("registry:", "schedule: 12\nregistry:"))
    scene.run("accept")
    at(scene, "2020-01-01T00:00:00Z")
    scene.registry.always(f"/{PLUGIN}", Reply(503, b"down", {"Retry-After": "0"}))
    for _ in range(2):
        answer = scene.run("poll", "--format", "json")
        assert len(stale(answer)) == 1 and answer.code == 11


@pytest.mark.parametrize("word", ["dayly", "0", "-3", "[daily]", "1.5", "true", "99999"])
def test_a_schedule_is_a_word_or_hours(scene: Scene, word: str) -> None:
    scene.watchlist(WATCHLIST.replace("registry:", f"schedule: {word}\nregistry:"))
    answer = scene.run("poll")
    assert answer.code == 2 and "watchlist.yaml:3" in answer.err and "schedule is" in answer.err
    assert ("did you mean 'daily'" in answer.err) is (word == "dayly")
