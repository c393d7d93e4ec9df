"""Running probes against a scripted host: each outcome is told from the others, and nothing is left."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from driftwatch.model import ProbeRow
from driftwatch.observe.hosts import Binary, Host, HostError, Setting
from driftwatch.observe.hosts.opencode import OpenCode
from driftwatch.observe.hosts.opencode_host import parse
from driftwatch.observe.probes import Probe, control, load_library, run, session
from driftwatch.observe.probes.definition import read
from driftwatch.observe.probes.evidence import logged
from driftwatch.observe.probes.outcome import Result, combined, lacking
from driftwatch.observe.probes.runner import AT_MOST, groups
from tests.support import fake_host

DISPOSE = """\
title: dispose fires
about: as the real one
steps:
  - post: /instance/dispose
    save: disposed
    seconds: 1
  - wait: dispose
    seconds: 0.3
observe:
  fired: count(marks.dispose) > `0`
  loads: count(marks.init)
present:
  route POST /instance/dispose: json.disposed
expect:
  fired: true
"""
TOOLS = """\
title: ids
about: as the real one
steps:
  - get: /experimental/tool/ids
    save: ids
observe:
  ids: unique(answers.ids)
  twice: twice(answers.ids)
present:
  route GET /experimental/tool/ids: json.ids
expect:
  ids: {contains: driftwatch_probe}
"""


class Counting(OpenCode):
    """Counts its boots."""

    def __init__(self) -> None:
        super().__init__(20)
        self.boots = 0

    @contextmanager
    def boot(self, binary: Binary, *, scratch: Path, setting: Setting | None = None, deadline: float = 300.0) -> Iterator[Host]:  # type: ignore[override]
        self.boots += 1
        with super().boot(binary, scratch=scratch, setting=setting, deadline=deadline) as host:
            yield host


def probe(tmp_path: Path, name: str, text: str, plugin: str = "// fake: POST /instance/dispose mark dispose\n") -> Probe:
    folder = tmp_path / "probes" / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "probe.yaml").write_text(text)
    (folder / "plugin.js").write_text(plugin)
    return read(folder)


CONTROL = control(load_library(), "opencode")


def go(
    tmp_path: Path, fault: str, *probes: Probe, driver: OpenCode | None = None, cache: Path | None = None, **more: Any
) -> dict[str, ProbeRow]:
    path = fake_host.make(tmp_path / "bin", fault)
    binary = Binary(path, fake_host.VERSION, "fake", f"sha512-{fault or 'none'}")
    work = tmp_path / "work"
    rows = run(driver or OpenCode(20), binary, probes, control=CONTROL, cache=cache, scratch=work, **more)
    assert not work.exists() or list(work.iterdir()) == [], "a work folder is left"
    return {row.id: row for row in rows}


def test_it_holds(tmp_path: Path) -> None:
    rows = go(tmp_path, "", probe(tmp_path, "dispose", DISPOSE), probe(tmp_path, "tools", TOOLS))
    assert {row.id: row.outcome for row in rows.values()} == {
        "opencode/dispose": "holds",
        "opencode/load": "holds",
        "opencode/tools": "holds",
    }
    assert rows["opencode/dispose"].facts == {"fired": True, "loads": 1}
    assert rows["opencode/tools"].facts == {"ids": ["bash", "driftwatch_probe", "read"], "twice": ["read"]}
    assert rows["opencode/dispose"].evidence[0] == "marks: init, dispose"
    assert rows["opencode/dispose"].version == fake_host.VERSION
    assert rows["opencode/dispose"].seconds > 0


def test_loaded_but_not_fired_is_broken(tmp_path: Path) -> None:
    driver = Counting()
    row = go(tmp_path, "forgets", probe(tmp_path, "dispose", DISPOSE), driver=driver)["opencode/dispose"]
    assert (row.outcome, row.reason) == ("broken", "fired was expected to be true, and is false")
    assert row.facts == {"fired": False, "loads": 1}
    assert driver.boots == 2, "a failure is tried once more, on a host of its own"


@pytest.mark.slow
def test_a_surface_the_host_does_not_have_is_absent(tmp_path: Path) -> None:
    driver = Counting()
    row = go(tmp_path, "no-tool-ids", probe(tmp_path, "tools", TOOLS), driver=driver)["opencode/tools"]
    assert (row.outcome, row.reason, row.facts) == ("absent", "this host has no route GET /experimental/tool/ids", {})
    assert driver.boots == 1


@pytest.mark.slow
def test_what_is_observed_of_an_absent_surface_need_not_fit(tmp_path: Path) -> None:
    text = TOOLS.replace("twice: twice(answers.ids)", "twice: sort_by(answers.ids, &id)")
    row = go(tmp_path, "no-tool-ids", probe(tmp_path, "tools", text))["opencode/tools"]
    assert (row.outcome, row.reason) == ("absent", "this host has no route GET /experimental/tool/ids")


@pytest.mark.slow
def test_not_loaded_is_not_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "LOADED_IN", 0.3)
    rows = go(tmp_path, "no-plugins", probe(tmp_path, "dispose", DISPOSE))
    assert rows["opencode/load"].outcome == "broken"
    assert "failed to load plugin" in rows["opencode/load"].reason
    assert rows["opencode/dispose"].outcome == "unverified"
    assert rows["opencode/dispose"].reason.startswith("the control plugin did not load, so nothing else can be told")


UNVERIFIED = {
    "exits": "the host exited with code 3 before it listened",
    "says-why": "the configuration is no good",
    "never-listens": "did not listen within",
    "mute": "gives no answer to GET /global/health",
    "html": "web pages where its API should be",
    "other-version": "says it is version 9.9.9",
    "port-taken": "Is port",
    "hang-on-dispose": "timed out at step 1 (POST /instance/dispose)",
    "crash-on-dispose": "the host crashed at step 1 (POST /instance/dispose): the host exited with code 7",
    "dies-soon": "exited with code 9",
}


@pytest.mark.parametrize("fault", UNVERIFIED)
@pytest.mark.slow
def test_what_could_not_be_seen_is_unverified_with_its_reason(tmp_path: Path, fault: str) -> None:
    slow = DISPOSE.replace("    seconds: 0.3", "    seconds: 0.6").replace("  - wait", "  - get: /config\n  - wait")
    text = slow if fault != "dies-soon" else slow.replace("  - post", "  - wait: never\n    seconds: 1\n  - post")
    driver = OpenCode(1 if fault in {"never-listens", "mute"} else 20)
    row = go(tmp_path, fault, probe(tmp_path, "dispose", text), driver=driver)["opencode/dispose"]
    assert row.outcome == "unverified"
    assert UNVERIFIED[fault] in row.reason
    assert row.facts == {}


def test_no_program_is_unverified(tmp_path: Path) -> None:
    binary = Binary(tmp_path / "nothing", "1.2.3", "p", "sha512-x")
    rows = run(OpenCode(1), binary, [], control=CONTROL, cache=None, scratch=tmp_path / "work")
    assert [(row.id, row.outcome) for row in rows] == [("opencode/load", "unverified")]
    assert "No such file" in rows[0].reason


@pytest.mark.parametrize(
    "plugin, reason",
    [
        ("", "timed out at step 1 (wait done): the plugin did not mark 'done' in 0.2 s"),
        ("// fake: GET /config mark failed\n", "step 1 (wait done): the plugin failed: None"),
    ],
)
@pytest.mark.slow
def test_a_mark_that_must_come(tmp_path: Path, plugin: str, reason: str) -> None:
    text = TOOLS.replace("steps:\n", "steps:\n  - wait: done\n    must: true\n    seconds: 0.2\n")
    row = go(tmp_path, "", probe(tmp_path, "must", text, plugin))["opencode/must"]
    assert (row.outcome, row.reason, row.facts) == ("unverified", reason, {})


@pytest.mark.slow
def test_a_project_that_is_refused_is_an_answer_where_loading_is_probed(tmp_path: Path) -> None:
    text = "title: t\nabout: a\nsteps: []\nobserve: {loaded: count(marks.init)}\nexpect: {loaded: 1}\n"
    row = go(tmp_path, "refuses", probe(tmp_path, "refused", text))["opencode/refused"]
    assert (row.outcome, row.facts) == ("unverified", {})
    assert "opened the project with text/html instead of its configuration" in row.reason
    row = go(tmp_path, "refuses", probe(tmp_path, "refused", text + 'loads: ""\n'))["opencode/refused"]
    assert (row.outcome, row.facts) == ("broken", {"loaded": 0})


def test_nobody_waits_for_what_an_absent_surface_cannot_bring(tmp_path: Path) -> None:
    asked = """\
title: a route
about: what it opens
steps:
  - get: /nowhere
    save: nowhere
  - present: route GET /nowhere
  - wait: init
    seconds: 30
    count: 2
observe:
  path: answers.nowhere.path
present:
  route GET /nowhere: json.nowhere
expect:
  path: x
"""
    started = time.monotonic()
    row = go(tmp_path, "", probe(tmp_path, "gone", asked))["opencode/gone"]
    assert (row.outcome, row.reason) == ("absent", "this host has no route GET /nowhere")
    assert time.monotonic() - started < 20
    there = asked.replace("/nowhere", "/experimental/tool/ids").replace("30", "0.1").replace("  path: x", "  path: null")
    assert go(tmp_path, "", probe(tmp_path, "here", there))["opencode/here"].outcome == "holds"


def test_what_was_looked_for_in_vain_stays_absent_when_it_comes_later(tmp_path: Path) -> None:
    text = DISPOSE.replace("observe:", "  - wait: init\nobserve:").replace("json.disposed", "marks.init")
    late = probe(tmp_path, "late", text)
    assert lacking(late, {"marks": {"init": [{}]}}) == ""
    assert (
        lacking(late, {"marks": {"init": [{}]}}, "route POST /instance/dispose")
        == "this host has no route POST /instance/dispose"
    )


def test_a_page_is_not_waited_on(tmp_path: Path) -> None:
    text = DISPOSE.replace("steps:\n", "steps:\n  - poll: /nothing/here\n    save: nothing\n    seconds: 40\n", 1)
    row = go(tmp_path, "", probe(tmp_path, "page", text))["opencode/page"]
    assert row.outcome == "holds"
    assert "POLL /nothing/here -> 200 text/html" in row.evidence
    assert row.seconds < 30


def test_the_configuration_may_name_the_model_and_a_python(tmp_path: Path) -> None:
    text = TOOLS + 'config: {mcp: {x: {command: ["${python}", a.py]}}, url: "${model}"}\nfiles: {}\nloads: ""\n'
    seen: list[dict[str, object]] = []

    class Watching(OpenCode):
        @contextmanager
        def boot(self, binary: Binary, **options: object) -> Iterator[Host]:  # type: ignore[override]
            with super().boot(binary, **options) as host:  # type: ignore[arg-type]
                lay_out = host.project
                host.project = lambda name, files, config, model: (  # type: ignore[method-assign]
                    seen.append({"name": name, "config": config, "model": model}),
                    lay_out(name, files, config, model),
                )[1]
                yield host

    go(tmp_path, "", probe(tmp_path, "config", text), driver=Watching(20))
    (one,) = [each for each in seen if each["name"] == "opencode-config"]
    assert one["config"] == {"mcp": {"x": {"command": [sys.executable, "a.py"]}}, "url": one["model"]}


@pytest.mark.slow
def test_what_fails_only_once_is_flaky(tmp_path: Path) -> None:
    flaky = probe(tmp_path, "dispose", DISPOSE, plugin="")
    steady = probe(tmp_path, "dispose", DISPOSE)

    class Sometimes(Counting):
        @contextmanager
        def boot(self, binary: Binary, **options: object) -> Iterator[Host]:  # type: ignore[override]
            with super().boot(binary, **options) as host:  # type: ignore[arg-type]
                if self.boots == 2:
                    lay_out = host.project
                    host.project = lambda name, files, config, model: lay_out(  # type: ignore[method-assign]
                        name,
                        {**files, **{k: steady.files["PLUGINS/plugin.js"] for k in files if k.endswith("plugin.js")}},
                        config,
                        model,
                    )
                yield host

    row = go(tmp_path, "", flaky, driver=Sometimes())["opencode/dispose"]
    assert row.outcome == "unverified"
    assert row.reason.startswith("flaky: it failed once (fired was expected to be true")


@pytest.mark.slow
def test_what_is_known_costs_no_boot(tmp_path: Path, cache: Path) -> None:
    driver = Counting()
    wanted = (probe(tmp_path, "dispose", DISPOSE), probe(tmp_path, "tools", TOOLS))
    first = go(tmp_path, "", *wanted, driver=driver, cache=cache)
    second = go(tmp_path, "", *wanted, driver=driver, cache=cache)
    assert first == second
    assert driver.boots == 1
    changed = probe(tmp_path, "tools", TOOLS + "# changed\n")
    go(tmp_path, "", wanted[0], changed, driver=driver, cache=cache)
    assert driver.boots == 2
    go(tmp_path, "forgets", wanted[0], driver=driver, cache=cache)
    assert driver.boots > 2, "another binary is another answer"


@pytest.mark.slow
def test_what_is_unverified_is_not_kept(tmp_path: Path, cache: Path) -> None:
    driver = Counting()
    for _ in range(2):
        before = driver.boots
        go(tmp_path, "hang-on-dispose", probe(tmp_path, "dispose", DISPOSE), driver=driver, cache=cache)
        assert driver.boots > before


@pytest.mark.slow
def test_a_broken_cache_is_no_answer(tmp_path: Path, cache: Path) -> None:
    wanted = probe(tmp_path, "tools", TOOLS)
    go(tmp_path, "", wanted, cache=cache)
    for file in (cache / "probes").rglob("*.json"):
        file.write_text('{"outcome": "holds"')
    assert go(tmp_path, "", wanted, cache=cache)["opencode/tools"].facts["twice"] == ["read"]


def test_probes_share_boots_by_their_needs(tmp_path: Path) -> None:
    def one(name: str, more: str = "") -> Probe:
        return probe(tmp_path, name, DISPOSE + more)

    a, b = one("a"), one("b")
    last, last_too, own, pure = (
        one("l", "process: last\n"),
        one("m", "process: last\n"),
        one("o", "process: own\n"),
        one("p", "env: {X: '1'}\n"),
    )
    made = groups([a, last, own, pure, CONTROL, b, last_too], CONTROL)
    assert [[member.id[9:] for member in group.probes] for group in made] == [["a", "b", "l"], ["p"], ["o"], ["m"]]
    assert [group.alone for group in made] == [False, False, True, True]
    assert [group.probes for group in groups([CONTROL], CONTROL)] == [()]


def test_those_that_may_take_long_begin_first(tmp_path: Path) -> None:
    short, long = probe(tmp_path, "a", DISPOSE), probe(tmp_path, "b", DISPOSE + "seconds: 90\n")
    last = probe(tmp_path, "c", DISPOSE + "process: last\nseconds: 120\n")
    assert [[member.id[9:] for member in group.probes] for group in groups([short, last, long], CONTROL)] == [["b", "a", "c"]]


@pytest.mark.slow
def test_one_that_ends_the_host_comes_last_there(tmp_path: Path) -> None:
    ending = DISPOSE.replace("  - post", "  - signal: TERM\n  - exit: 5\n  - wait", 1).replace("    save: disposed\n", "")
    ending = ending.replace("wait: /instance/dispose", "wait: nothing").replace(
        "present:\n  route POST /instance/dispose: json.disposed\n", ""
    )
    ending = (
        ending.replace("loads: count(marks.init)", "how: exit.how").replace("fired: true", "how: signalled") + "process: last\n"
    )
    driver = Counting()
    rows = go(tmp_path, "", probe(tmp_path, "a-ends", ending), probe(tmp_path, "tools", TOOLS), driver=driver)
    assert {row.outcome for row in rows.values()} == {"holds"}
    assert rows["opencode/a-ends"].facts["how"] == "signalled"
    assert driver.boots == 1


QUIET = """\
title: the configuration
about: brings no plugin
loads: ""
files: {}
steps:
  - get: /config
    save: config
observe:
  there: json.config
expect:
  there: true
"""


@pytest.mark.slow
def test_a_host_that_mixes_projects_up_gets_one_each(tmp_path: Path) -> None:
    driver = Counting()
    probes = [probe(tmp_path, name, TOOLS) for name in ("one", "two", "three")]
    quiet = [probe(tmp_path, name, QUIET) for name in ("four", "five")]
    rows = go(tmp_path, "old", *probes, *quiet, driver=driver)
    assert {row.outcome for row in rows.values()} == {"holds"}
    assert driver.boots == 3, "those without a plugin come along"


MOODY = """\
title: the process
about: differs from run to run
observe:
  process: marks.init[0].instance
  keys: marks.init[0].keys
expect:
  keys: {contains: client}
"""


@pytest.mark.slow
def test_those_that_fail_share_their_second_try(tmp_path: Path) -> None:
    driver = Counting()
    probes = [probe(tmp_path, name, DISPOSE, plugin="") for name in ("one", "two", "three")]
    rows = go(tmp_path, "", *probes, driver=driver, jobs=1)
    assert [rows[each.id].outcome for each in probes] == ["broken"] * 3
    assert {rows[each.id].runs for each in probes} == {2}
    assert driver.boots == 2


@pytest.mark.slow
@pytest.mark.parametrize(("versions", "boots"), [("*", 1), (">=1.0.0", 1), (">=99", 2)])
def test_a_failure_that_the_probe_expects_is_not_tried_again(tmp_path: Path, cache: Path, versions: str, boots: int) -> None:
    driver = Counting()
    known = f"expected:\n  - versions: '{versions}'\n    reason: nothing calls it\n    expires: 2099-01-01\n"
    wanted = probe(tmp_path, "dispose", DISPOSE + known, plugin="")
    for _ in range(2):
        row = go(tmp_path, "", wanted, driver=driver, cache=cache)["opencode/dispose"]
        assert (row.outcome, row.runs, driver.boots) == ("broken", boots, boots)


@pytest.mark.slow
def test_probes_that_were_dealt_out_already_share_their_boot(tmp_path: Path) -> None:
    probes = [probe(tmp_path, f"p{number:02}", TOOLS) for number in range(13)]
    for seats, boots in ((None, 2), (threading.BoundedSemaphore(2), 1)):
        driver = Counting()
        go(tmp_path, "", *probes, driver=driver, jobs=2, seats=seats)
        assert driver.boots == boots


@pytest.mark.slow
def test_a_search_tries_again_on_the_same_host_and_who_wants_to_be_sure_on_a_fresh_one(tmp_path: Path, cache: Path) -> None:
    driver = Counting()
    wanted = probe(tmp_path, "dispose", DISPOSE)
    row = go(tmp_path, "forgets", wanted, driver=driver, cache=cache, thrifty=True)["opencode/dispose"]
    assert (row.outcome, driver.boots) == ("broken", 1)
    assert go(tmp_path, "forgets", wanted, driver=driver, cache=cache, thrifty=True)["opencode/dispose"].outcome == "broken"
    assert driver.boots == 1, "it was kept"
    row = go(tmp_path, "forgets", wanted, driver=driver, cache=cache)["opencode/dispose"]
    assert (row.outcome, row.runs, driver.boots) == ("broken", 2, 2)
    go(tmp_path, "forgets", wanted, driver=driver, cache=cache)
    assert driver.boots == 2


@pytest.mark.slow
def test_what_differs_between_two_runs_of_one_binary_is_unstable(tmp_path: Path, cache: Path) -> None:
    driver = Counting()
    wanted = probe(tmp_path, "moody", MOODY, plugin="")
    row = go(tmp_path, "moody", wanted, driver=driver, cache=cache, repeat=3)["opencode/moody"]
    assert (row.outcome, row.runs, row.unstable, row.flaky) == ("holds", 3, ("process",), False)
    assert any(line.startswith("unstable process: ") for line in row.evidence)
    assert driver.boots == 3, "each time a fresh process"
    again = go(tmp_path, "moody", wanted, driver=driver, cache=cache)["opencode/moody"]
    assert (again.unstable, driver.boots) == (("process",), 3), "it stays known"
    steady = go(tmp_path, "", wanted, driver=driver, cache=cache, repeat=2)["opencode/moody"]
    assert (steady.unstable, steady.runs) == ((), 2)


@pytest.mark.slow
def test_a_killed_run_goes_on_where_it_was(tmp_path: Path, cache: Path) -> None:
    """The second boot never comes: what the first one told is kept."""

    class Dies(Counting):
        @contextmanager
        def boot(self, binary: Binary, **options: Any) -> Iterator[Host]:  # type: ignore[override]
            if self.boots == 1:
                raise KeyboardInterrupt
            with super().boot(binary, **options) as host:
                yield host

    wanted = (probe(tmp_path, "tools", TOOLS), probe(tmp_path, "own", TOOLS + "process: own\n"))
    with pytest.raises(KeyboardInterrupt):
        go(tmp_path, "", *wanted, driver=Dies(), cache=cache, jobs=1)
    driver = Counting()
    rows = go(tmp_path, "", *wanted, driver=driver, cache=cache)
    assert {row.outcome for row in rows.values()} == {"holds"}
    assert driver.boots == 1, "only what was missing"


def test_many_probes_are_spread_over_hosts(tmp_path: Path) -> None:
    probes = [probe(tmp_path, f"p{number:02}", DISPOSE) for number in range(13)]
    last = [probe(tmp_path, name, DISPOSE + "process: last\n") for name in ("y", "z")]
    assert [len(group.probes) for group in groups([*probes, *last], CONTROL, 2)] == [8, 7]
    assert [len(group.probes) for group in groups(probes, CONTROL, 8)] == [7, 6], "each is worth a boot"
    assert [len(group.probes) for group in groups(probes[:5], CONTROL, 8)] == [5]
    many = [probe(tmp_path, f"q{number:02}", DISPOSE) for number in range(AT_MOST + 1)]
    assert [len(group.probes) for group in groups(many, CONTROL)] == [16, 15], "a host is not asked to bear any number"


def test_the_long_ones_are_dealt_out_evenly(tmp_path: Path) -> None:
    long = [probe(tmp_path, name, DISPOSE + "seconds: 90\n") for name in ("a", "b", "c")]
    short = [probe(tmp_path, f"s{number}", DISPOSE) for number in range(9)]
    first, second = (sum(each.seconds for each in group.probes) for group in groups([*short, *long], CONTROL, 2))
    assert abs(first - second) <= 30


H, B, U = (Result(word, facts) for word, facts in (("holds", {"a": 1, "b": [1]}), ("broken", {"a": 2}), ("unverified", {})))  # type: ignore[arg-type]
COMBINED = [
    (H, H, "holds", (), False),
    (H, replace(H, facts={"a": 2, "b": [1]}), "holds", ("a",), False),
    (H, replace(H, facts={"a": True, "b": [1]}), "holds", ("a",), False),
    (B, replace(B, facts={}), "broken", ("a",), False),
    (H, B, "unverified", (), True),
    (B, H, "unverified", (), True),
    (replace(B, outcome="absent", facts={}), H, "unverified", (), True),
    (U, H, "holds", (), False),
    (H, U, "holds", (), False),
    (replace(B, again=True), U, "unverified", (), False),
]


@pytest.mark.parametrize(("first", "second", "outcome", "unstable", "flaky"), COMBINED)
def test_two_runs_make_one_answer(first: Result, second: Result, outcome: str, unstable: tuple[str, ...], flaky: bool) -> None:
    first, second = (replace(each, evidence=(f"seen when it {each.outcome}",)) for each in (first, second))
    told = combined(first, second)
    assert (told.outcome, told.unstable, told.flaky) == (outcome, unstable, flaky)
    if flaky:
        assert told.reason.startswith("flaky: it ")
        assert told.facts == {}
        assert told.evidence[0].startswith("unstable a: "), "what differed is where to look"
        assert told.evidence[told.evidence.index("then:") + 1] == f"seen when it {second.outcome}"


def test_a_reason_names_no_folder_that_only_this_run_has(tmp_path: Path) -> None:
    class Complains(Counting):
        @contextmanager
        def boot(self, binary: Binary, **options: Any) -> Iterator[Host]:  # type: ignore[override]
            raise HostError(f"it said: loading {options['scratch'].resolve()}/driftwatch-7-x/home/config.json | bye")
            yield

    row = go(tmp_path, "", driver=Complains())["opencode/load"]
    assert row.reason == "it said: loading <host>/home/config.json | bye"


# --- what is quoted of the log


def test_a_line_is_quoted_from_its_beginning() -> None:
    def quoted(line: str) -> str:
        (told,) = session.complaints(logged([parse(line)]))
        return told

    old = "ERROR 2026-01-01T00:00:00 +28ms service=llm"
    assert quoted(f"{old} failed to load plugin") == "log error: failed to load plugin"
    assert quoted(f'{old} fields={{"a":[1]}} stream error') == "log error: stream error"
    assert (
        quoted(f'{old} error={{"asked":"You are a tool","at":1}} stream error')
        == 'log error: service=llm error={"asked":"You ...'
    )
    assert quoted("level=WARN run=1") == "log warn: level=WARN run=1"
