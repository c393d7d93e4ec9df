"""Two runs compared: everything that is different is told, nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from driftwatch.observe.plugins.alike import alike
from driftwatch.observe.plugins.effects import difference, effects, rewritten, topmost
from driftwatch.observe.plugins.leftovers import look, since


def request(**changes: Any) -> dict[str, Any]:
    base = {"kind": "turn", "model": "m1", "system": ["be kind"], "messages": [], "tools": [], "options": {}, "headers": {}}
    return {**base, **changes}


def scene(requests: Any = (), facts: Any = None, reason: str = "") -> dict[str, Any]:
    return {
        "title": "a chat",
        "reason": reason,
        "facts": facts or {},
        "requests": list(requests),
        "status": {"s": 200},
        "seconds": 1.0,
    }


def run(**changes: Any) -> dict[str, Any]:
    base = {
        "opened": {"reason": "", "hung": False},
        "scenes": {"chat": scene([request()])},
        "log": [],
        "marks": [],
        "left": {"processes": [], "files": [], "there": [], "ports": []},
        "late": 0,
        "wanted": [],
        "ended": "",
    }
    return {**base, **changes}


def test_two_runs_alike_give_nothing() -> None:
    assert effects(run(), run()) == {}


def test_what_a_plugin_adds_to_the_system_text_is_told_by_size_digest_and_beginning() -> None:
    facts = effects(run(), run(scenes={"chat": scene([request(system=["be kind\nbe quick"])])}))
    told = facts["chat#turn.1.system"]
    assert isinstance(told, dict)
    assert told == {"added": 8, "removed": "none", "begins": "be quick", "digest": told["digest"]}


def test_a_text_that_is_replaced_is_told_so() -> None:
    assert rewritten("one\ntwo", "three")["removed"] == "all"
    assert rewritten("one\ntwo", "one\nthree")["removed"] == "some"


def test_more_requests_are_told_with_their_number() -> None:
    facts = effects(run(), run(scenes={"chat": scene([request(), request()])}))
    assert facts["chat#turn.requests"] == {"without": 1, "with": 2}


def test_tools_options_headers_and_model_of_a_request() -> None:
    old = request(tools=[{"name": "bash", "description": "runs"}], headers={"content-length": "1"}, options={"temperature": 0})
    new = request(
        tools=[{"name": "bash", "description": "runs fast"}, {"name": "own"}],
        headers={"content-length": "2", "x-own": "1"},
        options={"temperature": 1},
        model="m2",
    )
    facts = effects(run(scenes={"chat": scene([old])}), run(scenes={"chat": scene([new])}))
    assert facts == {
        "chat#turn.1.headers": {"added": ["x-own"]},
        "chat#turn.1.model": {"without": "m1", "with": "m2"},
        "chat#turn.1.options": {"changed": ["temperature"]},
        "chat#turn.1.tools": {"added": ["own"], "changed": ["bash.description"]},
    }


def test_a_scene_that_fails_only_with_the_plugin() -> None:
    facts = effects(run(), run(scenes={"chat": scene([request()], reason="timed out")}))
    assert facts["chat#failed"] == "timed out"


def test_what_is_left_after_the_end() -> None:
    left = {"processes": ["sleep 9"], "ports": ["4000"], "files": ["</tmp>/own/a"], "there": []}
    facts = effects(run(), run(left=left, late=2, wanted=["api.example", "registry.example"]))
    assert facts == {
        "left#files in /tmp": ["own/"],
        "left#ports": ["4000"],
        "left#processes": ["sleep 9"],
        "left#requests after the end": 2,
        "network#wanted": ["a package registry", "api.example"],
    }


def test_files_that_are_gone_with_it_only() -> None:
    control = run(left={"files": [], "there": [], "gone": ["<home>/lock"]})
    left = {"files": [], "there": [], "gone": ["<home>/lock", "<home>/x.db-wal", "<project>/opencode.json"]}
    assert effects(control, run(left=left)) == {"left#files that are gone": ["<project>/opencode.json"]}
    assert effects(control, run(left=left, ended="was killed")) == {}


def test_what_came_and_went_between_two_looks(tmp_path: Path) -> None:
    (tmp_path / "there").touch()
    before = look({"home": tmp_path}, (), own_network=False)
    (tmp_path / "there").rename(tmp_path / "new")
    told = since(before, look({"home": tmp_path}, (), own_network=False))
    assert (told["gone"], told["files"], told["there"]) == (["<home>/there"], ["<home>/new"], ["<home>/new"])


def test_where_it_is_installed_and_ports_of_the_systems_choice_do_not_matter() -> None:
    left = {"processes": ["node /a/b/node_modules/own/daemon.js"], "ports": ["40001", "40002", "4096"], "files": [], "there": []}
    facts = effects(run(), alike(run(left=left)))
    assert facts["left#processes"] == ["node node_modules/own/daemon.js"]
    assert facts["left#ports"] == ["4096", "a port the system chose"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("<scratch>/home/.cache/x/packages/own@1/node_modules/own/a.js", "node_modules/own/a.js"),
        ("<project>/.driftwatch/tree/node_modules/own/a.js", "node_modules/own/a.js"),
        ("file:///a/node_modules/own/node_modules/b/c.js", "node_modules/b/c.js"),
        ('{"one": "/a/node_modules/x", "two": "/b/c"}', '{"one": "node_modules/x", "two": "/b/c"}'),
        ("no node_modules here", "no node_modules here"),
    ],
)
def test_packages_are_named_without_where_they_lie(text: str, told: str) -> None:
    assert alike({"log": [{"text": text}]}) == {"log": [{"text": told}]}


def test_requests_that_were_too_many_to_keep_are_counted() -> None:
    many = {**scene([request()]), "more": 7}
    assert effects(run(scenes={"chat": scene([request()])}), run(scenes={"chat": many})) == {"chat#requests not kept": 7}


def test_complaints_of_the_log_count_when_they_are_new() -> None:
    known, new = ({"level": "error", "text": text, "fields": {}} for text in ("known", "new"))
    assert effects(run(log=[known]), run(log=[known, new, new]))["log#complaints"] == ["error: new"]


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ([{"name": "a", "x": 1}], [{"name": "b"}], {"added": ["b"], "removed": ["a"]}),
        ({"a": {"b": 1, "c": 1}}, {"a": {"b": 2, "c": 1}}, {"changed": ["a.b"]}),
        (["one"], ["one", "two"], {"added": ["two"]}),
        (None, "x", {"without": None, "with": "x"}),
        (1, 1, {}),
    ],
)
def test_differences_of_values(before: Any, after: Any, told: dict[str, Any]) -> None:
    assert difference(before, after) == told


def test_new_files_are_told_by_the_topmost_new_folder_and_ids_do_not_matter() -> None:
    there = ["<home>/.cache/host/a", "<home>/.cache/host/0123456789abcdef.json"]
    found = topmost(there, ["<home>/.own/deep/x", "<home>/.cache/host/fedcba9876543210.json", "<home>/.cache/own.db-wal"])
    assert found == {"home": (".cache/own.db", ".own/")}
