"""The whole job through the command line: a registry, git and hosts on loopback."""

from __future__ import annotations

import json

import pytest

from tests.support.fault_registry import Reply
from tests.support.scene import HOST, PLUGIN, WATCHLIST, Scene


def rules(report: dict, counting: bool = True) -> set[str]:  # type: ignore[type-arg]
    return {f["rule"] for u in report["upstreams"] for f in u["findings"] if f["counts"] or not counting}


def test_a_clean_bump_is_drifted_by_its_watched_file_alone(scene: Scene) -> None:
    answer = scene.run("run", "--format", "json")
    report = answer.report
    assert (answer.code, report["outcome"]) == (0, "drifted"), answer.err
    upstream = report["upstreams"][0]
    assert (upstream["from"]["version"], upstream["to"]["version"]) == ("1.0.0", "1.1.0")
    assert len(upstream["from"]["commit"]) == 40 and upstream["from"]["commit"] != upstream["to"]["commit"]
    assert rules(report) == {"file-changed"}
    assert {(p["id"], p["version"], p["outcome"]) for p in upstream["probes"]} == {
        (probe, version, "holds") for probe in ("bye", "opencode/load") for version in ("1.0.0", "1.1.0")
    }
    assert upstream["gaps"] == []
    for form in ("json", "md", "html"):
        assert (scene.reports / f"latest.{form}").is_file()


@pytest.mark.slow
def test_a_host_that_forgets_dispose_is_broken(scene: Scene) -> None:
    scene.publish("1.1.0", fault="forgets")
    answer = scene.run("run", "--format", "json")
    assert (answer.code, answer.report["outcome"]) == (10, "broken")
    broke = [f for f in answer.report["upstreams"][0]["findings"] if f["rule"] == "probe-broke"]
    assert [f["severity"] for f in broke] == ["breaking"]
    assert "probe:bye#fired" in broke[0]["relied_on"]
    rows = {row["address"]: row["status"] for row in answer.report["upstreams"][0]["reliances"]}
    assert rows["probe:bye#fired"] == "breaks"


@pytest.mark.slow
def test_the_other_way_round_is_news_and_not_a_break(scene: Scene) -> None:
    scene.publish("1.0.0", fault="forgets")
    answer = scene.run("run", "--format", "json")
    assert answer.code == 0
    assert "probe-revived" in rules(answer.report)


@pytest.mark.slow
def test_the_same_observations_give_the_same_bytes_whatever_jobs_is(scene: Scene) -> None:
    assert scene.run("run", "--jobs", "1").code == 0
    first = {path.name: path.read_bytes() for path in scene.reports.glob("latest.*")}
    for jobs in ("8", "2"):
        assert scene.run("run", "--jobs", jobs).code == 0
        assert {path.name: path.read_bytes() for path in scene.reports.glob("latest.*")} == first
    assert len((scene.reports / "history.jsonl").read_text().splitlines()) == 3


@pytest.mark.slow
def test_a_second_run_asks_each_package_once_and_boots_nothing(scene: Scene) -> None:
    scene.run("run")
    scene.registry.requests.clear()
    again = scene.run("run")
    assert again.code == 0
    asked = sorted(request.path for request in scene.registry.requests)
    assert asked == sorted([f"/{PLUGIN}", f"/{HOST}"])
    assert all(request.headers.get("if-none-match") for request in scene.registry.requests)
    assert "probing" not in again.err


@pytest.mark.slow
def test_offline_replays_from_the_cache(scene: Scene) -> None:
    before = scene.run("run", "--format", "json").report
    scene.registry.requests.clear()
    after = scene.run("run", "--offline", "--format", "json")
    assert scene.registry.requests == []
    assert after.report["upstreams"] == before["upstreams"]


def test_offline_with_an_empty_cache_names_what_it_lacks(scene: Scene) -> None:
    answer = scene.run("run", "--offline", "--format", "json")
    assert (answer.code, answer.report["outcome"]) == (11, "unverified")
    reasons = " ".join(gap["reason"] for gap in answer.report["upstreams"][0]["gaps"])
    assert PLUGIN in reasons and "cache" in reasons


@pytest.mark.slow
def test_an_ad_hoc_pair_is_named_after_its_versions_and_leaves_latest_alone(scene: Scene) -> None:
    answer = scene.run("run", "--from", "1.1.0", "--to", "1.0.0", "--format", "json")
    assert answer.report["upstreams"][0]["to"]["version"] == "1.0.0"
    assert (scene.reports / "1.1.0..1.0.0.md").is_file() and not (scene.reports / "latest.md").exists()


def test_accept_moves_the_lock_and_then_nothing_is_left_to_say(scene: Scene) -> None:
    assert scene.run("accept").code == 0
    lock = json.loads((scene.root / "watchlist.lock").read_text())["upstreams"]["acme"]
    assert lock["version"] == "1.1.0" and lock["packages"][PLUGIN]["integrity"].startswith("sha512-")
    assert lock["facts"]["probe:bye#fired"] is True
    assert lock["tag_targets"]["v1.1.0"] == lock["commit"]
    assert "http" not in (scene.root / "watchlist.lock").read_text()
    answer = scene.run("run", "--format", "json")
    assert (answer.code, answer.report["outcome"]) == (0, "compatible")
    assert rules(answer.report, counting=False) == set()


@pytest.mark.slow
def test_accept_refuses_what_is_broken_unless_told_why(scene: Scene) -> None:
    scene.publish("1.1.0", fault="forgets")
    refused = scene.run("accept")
    assert refused.code == 10 and "--because" in refused.err
    assert not (scene.root / "watchlist.lock").exists()
    assert scene.run("accept", "--because", "we no longer need dispose").code == 0
    history = (scene.reports / "history.jsonl").read_text().splitlines()
    assert json.loads(history[-1])["because"] == "we no longer need dispose"


@pytest.mark.slow
def test_a_retargeted_tag_is_an_alarm_with_both_commits(scene: Scene) -> None:
    scene.run("accept")
    old = json.loads((scene.root / "watchlist.lock").read_text())["upstreams"]["acme"]["commit"]
    new = scene.repository.commit({"src/index.ts": "something else\n"})
    scene.repository.git("tag", "-f", "v1.1.0")
    answer = scene.run("run", "--format", "json")
    [alarm] = [f for f in answer.report["upstreams"][0]["findings"] if f["rule"] == "tag-retargeted"]
    assert alarm["counts"] and {old, new} <= set(json.dumps(alarm).replace('"', " ").split())


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("exits", "exit"),
        ("says-why", "configuration is no good"),
        ("html", "host"),
        ("floods", "output"),
    ],
)
@pytest.mark.slow
def test_a_host_that_cannot_be_asked_is_unverified_never_broken(scene: Scene, fault: str, reason: str) -> None:
    scene.publish("1.1.0", fault=fault)
    answer = scene.run("run", "--format", "json")
    upstream = answer.report["upstreams"][0]
    assert (answer.code, upstream["outcome"]) == (11, "unverified")
    new = {p["id"]: p for p in upstream["probes"] if p["version"] == "1.1.0"}
    assert new["bye"]["outcome"] == "unverified" and reason in new["bye"]["reason"]
    assert not any(f["address"].startswith("probe:") for f in upstream["findings"])


@pytest.mark.slow
def test_a_host_that_stops_loading_plugins_is_broken_by_its_control_alone(scene: Scene) -> None:
    scene.publish("1.1.0", fault="no-plugins")
    answer = scene.run("run", "--format", "json")
    upstream = answer.report["upstreams"][0]
    assert answer.code == 10
    outcomes = {p["id"]: p["outcome"] for p in upstream["probes"] if p["version"] == "1.1.0"}
    assert outcomes == {"opencode/load": "broken", "bye": "unverified"}
    assert [f["address"] for f in upstream["findings"] if f["rule"] == "probe-broke"] == ["probe:opencode/load#outcome"]


@pytest.mark.slow
def test_a_registry_that_is_down_is_unverified(scene: Scene) -> None:
    scene.registry.always(f"/{PLUGIN}", Reply(503, b"down", {"Retry-After": "0"}))
    answer = scene.run("run", "--format", "json")
    assert (answer.code, answer.report["outcome"]) == (11, "unverified")
    assert any("503" in gap["reason"] for gap in answer.report["upstreams"][0]["gaps"])


@pytest.mark.slow
def test_git_out_of_reach_is_a_gap_with_gits_reason(scene: Scene) -> None:
    scene.watchlist(WATCHLIST.replace("REPOSITORY", str(scene.root / "nowhere")))
    answer = scene.run("run", "--format", "json")
    upstream = answer.report["upstreams"][0]
    assert answer.code == 11
    assert any(gap["address"] == "file:src/index.ts" and gap["reason"] for gap in upstream["gaps"])
    assert {p["outcome"] for p in upstream["probes"]} == {"holds"}, "the rest stands"


@pytest.mark.slow
def test_a_raised_engines_floor_is_judged(scene: Scene) -> None:
    scene.publish("1.1.0", node=">=24")
    report = scene.run("run", "--format", "json").report
    assert "engines-raised" in rules(report)


@pytest.mark.slow
def test_fail_on_decides_the_exit_code(scene: Scene) -> None:
    assert scene.run("run", "--fail-on", "risky").code == 10
    assert scene.run("run", "--fail-on", "breaking").code == 0
    scene.publish("1.1.0", fault="forgets")
    assert scene.run("run", "--fail-on", "never").code == 0


def test_no_probes_leaves_what_only_a_host_can_tell_unverified(scene: Scene) -> None:
    answer = scene.run("run", "--no-probes", "--format", "json")
    assert (answer.code, answer.report["outcome"]) == (11, "unverified")


@pytest.mark.slow
def test_without_an_accepted_version_the_error_says_what_to_do(scene: Scene) -> None:
    scene.watchlist(WATCHLIST.replace("    accepted: 1.0.0\n", ""))
    answer = scene.run("run")
    assert answer.code == 2 and "driftwatch accept" in answer.err
    assert scene.run("accept", "1.0.0").code == 0
    assert json.loads((scene.root / "watchlist.lock").read_text())["upstreams"]["acme"]["version"] == "1.0.0"
    assert scene.run("run").code == 0


@pytest.mark.slow
def test_a_first_accept_without_a_version_takes_what_the_tag_says(scene: Scene) -> None:
    scene.watchlist(WATCHLIST.replace("    accepted: 1.0.0\n", ""))
    assert scene.run("accept").code == 0
    assert json.loads((scene.root / "watchlist.lock").read_text())["upstreams"]["acme"]["version"] == "1.1.0"


@pytest.mark.slow
def test_an_explicit_version_is_refused_as_well_when_it_breaks(scene: Scene) -> None:
    scene.publish("1.1.0", fault="forgets")
    assert scene.run("accept", "1.1.0").code == 10


@pytest.mark.parametrize("typo", ["abc", "LATEST", "v1.1.0", "^1.0.0", "../../x", "<script>", " 1.1.0 ", "1.1.0\n"])
@pytest.mark.slow
def test_what_is_neither_version_nor_tag_is_refused_everywhere(scene: Scene, typo: str) -> None:
    for argv in (["run", "--to", typo], ["run", "--from", typo], ["accept", typo]):
        answer = scene.run(*argv)
        assert answer.code == 2 and "neither a version nor a dist-tag" in answer.err
    assert not (scene.root / "watchlist.lock").exists() and not list(scene.reports.glob("*.md"))


@pytest.mark.slow
def test_a_version_that_is_not_published_is_not_accepted(scene: Scene) -> None:
    scene.run("accept", "1.0.0")
    lock = (scene.root / "watchlist.lock").read_bytes()
    answer = scene.run("accept", "9.9.9")
    assert answer.code == 2 and "1.1.0" in answer.err
    assert (scene.root / "watchlist.lock").read_bytes() == lock


@pytest.mark.slow
def test_a_lock_without_a_last_look_does_not_call_every_old_version_news(scene: Scene) -> None:
    scene.run("accept", "1.0.0")
    (scene.reports / "observed.json").unlink()
    assert "version-published" not in rules(scene.run("run", "--format", "json").report, counting=False)


@pytest.mark.slow
def test_no_other_version_is_compared_under_the_name_of_one_that_is_not_published(scene: Scene) -> None:
    for side in ("--from", "--to"):
        answer = scene.run("run", side, "1.0.5", "--no-probes")
        assert answer.code == 2, answer.out
        assert f"1.0.5 of {PLUGIN} is not published" in answer.err and "1.0.0 and 1.1.0" in answer.err
    assert not list(scene.reports.glob("*.md"))


def test_a_sibling_may_skip_a_version_and_that_is_said(scene: Scene) -> None:
    scene.package("@acme/sibling", "1.0.0", {"package.json": b'{"name": "@acme/sibling", "version": "1.0.0"}'})
    text = (scene.root / "watchlist.yaml").read_text()
    (scene.root / "watchlist.yaml").write_text(text.replace('["@acme/plugin"]', '["@acme/plugin", "@acme/sibling"]'))
    answer = scene.run("run", "--from", "1.1.0", "--to", "1.0.0", "--no-probes", "--format", "json")
    row = next(row for row in answer.report["upstreams"][0]["packages"] if row["name"] == "@acme/sibling")
    assert row["before"] == "1.0.0" and "1.1.0 is not published" in row["note"]


def test_a_broken_lock_is_refused_and_left_alone(scene: Scene) -> None:
    lock = scene.root / "watchlist.lock"
    lock.write_text('{"version": 1, "upstreams": {\n<<<<<<< ours\n')
    for command in ("run", "poll", "accept"):
        answer = scene.run(command)
        assert answer.code == 2 and "watchlist.lock:2" in answer.err
    assert "<<<<<<<" in lock.read_text()


def test_a_version_above_everything_published_is_not_told_by_the_newest(scene: Scene) -> None:
    for side in ("--from", "--to"):
        answer = scene.run("run", side, "9.9.9", "--no-probes")
        assert answer.code == 2, answer.out
        assert "9.9.9 of" in answer.err and "is not published" in answer.err
