"""What is wrong is named by what was seen, not by what it looks like from afar."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from driftwatch.model.plugins import PluginFault
from driftwatch.observe.plugins.faults import faults
from driftwatch.observe.plugins.manifest import unfitting
from driftwatch.observe.plugins.row import row, steady
from driftwatch.observe.plugins.ways import way
from driftwatch.observe.walls import APART, HIDDEN, NETWORK
from tests.observe.plugins.test_effects import request, run, scene

REFUSALS = way("opencode").refusals
STARTED = [
    {"mark": "importing"},
    {"mark": "imported", "exports": ["Own"], "servers": 1},
    {"mark": "starting"},
    {"mark": "started", "hooks": ["event"], "tools": [], "kind": "object"},
]
THREW = {"mark": "init-threw", "error": "Error", "message": "x"}
WALLS = {"network": NETWORK, "files": HIDDEN, "processes": APART, "why": ""}


def traced(*marks: dict[str, Any], base: Sequence[dict[str, Any]] = STARTED) -> dict[str, Any]:
    return run(marks=[*base, *marks])


def kinds(plain: dict[str, Any], seen: dict[str, Any], facts: dict[str, Any] | None = None) -> list[str]:
    return [fault.kind for fault in faults(run(), plain, seen, facts or {}, REFUSALS)]


def failing(error: str, message: str) -> dict[str, Any]:
    return traced({"mark": "import-failed", "error": error, "message": message, "of": ""}, base=STARTED[:1])


def hung() -> dict[str, Any]:
    return run(opened={"reason": "no answer in 20 s", "hung": True}, scenes={})


def said(text: str, level: str = "error") -> dict[str, Any]:
    return run(log=[{"level": level, "text": text, "fields": {}}])


def test_a_plugin_that_does_its_work_has_no_fault() -> None:
    assert kinds(run(), traced()) == []


@pytest.mark.parametrize(
    ("plain", "seen", "kind"),
    [
        (said("failed to load plugin"), failing("BuildMessage", "Unexpected =>"), "syntax-error"),
        (said("failed to load plugin"), failing("ResolveMessage", "Cannot find package 'x'"), "missing-dependency"),
        (said("failed to load plugin"), failing("Error", "no key"), "throws-on-import"),
        (said("failed to load plugin"), traced(THREW, base=STARTED[:3]), "throws-in-init"),
        (said("Plugin export is not a function"), traced(base=[STARTED[0], {**STARTED[1], "servers": 0}]), "wrong-shape"),
        (hung(), traced(base=STARTED[:3]), "hangs-in-init"),
        (hung(), traced(base=STARTED[:1]), "hangs-on-import"),
        (said("plugin incompatible", "warn"), traced(), "refused-by-engines"),
        (said("failed to load plugin"), traced(), "not-loaded"),
        (run(opened={"reason": "gone", "hung": False}, ended="was killed by SIGSEGV", scenes={}), run(), "crashes-host"),
    ],
)  # fmt: skip
def test_why_it_does_not_load(plain: dict[str, Any], seen: dict[str, Any], kind: str) -> None:
    assert kinds(plain, seen) == [kind]


def test_a_hook_that_throws_and_hurts_is_broken_and_one_that_does_not_is_a_flaw() -> None:
    seen = traced({"mark": "hook-threw", "hook": "event", "error": "TypeError", "message": "x"})
    assert [fault.weight for fault in faults(run(), run(), seen, {}, REFUSALS)] == ["flaw"]
    hurt = run(scenes={"chat": scene([request()], {"error": "UnknownError"})})
    assert [(fault.kind, fault.weight) for fault in faults(run(), hurt, seen, {}, REFUSALS)] == [
        ("hook-throws", "broken"),
        ("breaks-scene", "broken"),
    ]


def test_an_error_of_the_host_is_a_scene_that_fails() -> None:
    failed = run(scenes={"chat": {**scene([request()]), "status": {"s": 500}}})
    assert kinds(failed, traced()) == ["breaks-scene"]


def test_what_fails_without_the_plugin_is_not_its_fault() -> None:
    failed = run(scenes={"chat": scene([request()], reason="timed out")})
    assert list(faults(failed, failed, traced(), {}, REFUSALS)) == []


def test_what_is_left_is_a_flaw_and_writing_at_home_is_none() -> None:
    facts = {
        "left#processes": ["sleep 9"], "left#timers": [1000], "left#ports": ["1"], "left#files in /tmp": ["x/"],
        "left#files in home": [".own/"], "left#requests after the end": 2,
    }  # fmt: skip
    found = faults(run(), run(), traced(), facts, REFUSALS)
    assert sorted(fault.kind for fault in found) == ["goes-on", "leaves-port", "leaves-process", "leaves-timer", "writes-outside"]
    assert {fault.weight for fault in found} == {"flaw"}


def test_peers_and_engines_are_held_against_the_host() -> None:
    manifest = {"peerDependencies": {"api": ">=2"}, "engines": {"host": "<1.15", "other": "1"}}
    assert [fault.kind for fault in unfitting(manifest, {"api": "1.0.0", "host": "1.15.3"})] == ["peer-unmet", "engines-unmet"]
    assert list(unfitting(manifest, {"api": "2.0.0", "host": "1.14.0"})) == []
    assert list(unfitting({"peerDependencies": {"api": "what?"}, "engines": 3}, {"api": "1.0.0"})) == []


def told(plain: dict[str, Any], seen: dict[str, Any]) -> dict[str, Any]:
    return {"walls": WALLS, "plain": plain, "traced": seen}


def test_a_row_without_a_sign_of_life_is_unverified() -> None:
    assert row("1.0.0", run(), told(run(), run()), REFUSALS).outcome == "unverified"
    assert row("1.0.0", run(), told({"failed": "no boot"}, run()), REFUSALS).reason == "no boot"
    assert row("1.0.0", {"failed": "no boot"}, told(run(), traced()), REFUSALS).outcome == "unverified"


def test_a_row_says_what_two_runs_did_not_agree_about() -> None:
    plain = run(scenes={"chat": scene([request(system=["be kind\none"])])})
    seen = run(marks=STARTED, scenes={"chat": scene([request(system=["be kind\ntwo"])])})
    found = row("1.0.0", run(), told(plain, seen), REFUSALS)
    assert found.outcome == "works"
    assert found.unstable == ("chat#turn.1.system",)


def test_loads_are_stable_when_the_host_says_as_many_of_the_other_run() -> None:
    one, two = traced(), {**run(), "loads": 2}
    assert row("1.0.0", run(), told(two, one), REFUSALS).unstable == ("plugin#loaded", "plugin#started")
    assert row("1.0.0", run(), told({**run(), "loads": 1}, one), REFUSALS).unstable == ()
    assert row("1.0.0", run(), told(run(), one), REFUSALS).unstable == (), "the host says nothing of loading"


def test_a_fault_seen_once_is_flaky() -> None:
    good = row("1.0.0", run(), told(run(), traced()), REFUSALS)
    bad = row("1.0.0", run(), told(hung(), traced(base=STARTED[:3])), REFUSALS)
    assert bad.outcome == "broken"
    assert steady(bad, bad).outcome == "broken"
    assert steady(bad, good).outcome == "unverified"
    assert steady(bad, good).faults == bad.faults


def test_the_walls_that_did_not_stand_are_told() -> None:
    stood = {"network": "dead proxies only", "files": "none", "processes": "none", "why": "refused"}
    found = row("1.0.0", run(), {"walls": stood, "plain": run(), "traced": traced()}, REFUSALS)
    assert len([what for what in found.untried if "wall was" in what]) == 3
    assert found.network == "dead proxies only"


def test_faults_known_before_go_first() -> None:
    before = PluginFault("peer-unmet", "x", "flaw")
    found = row("1.0.0", run(), told(run(), traced()), REFUSALS, before=[before])
    assert found.outcome == "flawed"
    assert found.faults == (before,)
