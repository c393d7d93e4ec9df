"""Reading probes: every mistake is named with its line; what is right is read whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from driftwatch.errors import ConfigError
from driftwatch.model import Expectation
from driftwatch.observe.probes import control, library_ids, load_library
from driftwatch.observe.probes.definition import read

GOOD = """\
title: it works
about: why it matters
steps:
  - post: /session
    body: {}
    save: session
  - wait: done
    seconds: 2
observe:
  fired: count(marks.done)
expect:
  fired: 1
"""


def folder(tmp_path: Path, text: str, **files: str) -> Path:
    made = tmp_path / "mine"
    made.mkdir(exist_ok=True)
    (made / "probe.yaml").write_text(text)
    for name, content in {"plugin.js": "export const X = 1", **files}.items():
        (made / name).write_text(content)
    return made


def test_a_good_one(tmp_path: Path) -> None:
    probe = read(folder(tmp_path, GOOD))
    assert (probe.id, probe.host, probe.process, probe.loads) == ("opencode/mine", "opencode", "shared", "init")
    assert [(step.verb, step.target, step.save) for step in probe.steps] == [
        ("post", "/session", "session"),
        ("wait", "done", ""),
    ]
    assert probe.files == {"PLUGINS/plugin.js": "export const X = 1"}
    assert str(probe.steps[0]) == "step 1 (POST /session)"


def test_the_digest_follows_everything_in_the_folder(tmp_path: Path) -> None:
    first = read(folder(tmp_path, GOOD)).digest
    assert read(folder(tmp_path, GOOD)).digest == first
    changed = {
        read(folder(tmp_path, GOOD + "# a comment\n")).digest,
        read(folder(tmp_path, GOOD, **{"plugin.js": "export const X = 2"})).digest,
        read(folder(tmp_path, GOOD, **{"plugin.js": "export const X = 1", "other.txt": ""})).digest,
    }
    assert len(changed | {first}) == 4


MISTAKES = {
    "expected keys and values here, found text": "just text",
    "the key 'title' is missing": GOOD.replace("title: it works\n", ""),
    ":3:1: unknown key 'step' (did you mean 'steps'?)": GOOD.replace("steps:", "step:"),
    ":5:5: unknown key 'bdy' (did you mean 'body'?)": GOOD.replace("body:", "bdy:"),
    ":4:5: a step does one thing: found post and get": GOOD.replace("  - post: /session", "  - post: /session\n    get: /x"),
    ":6:5: 'a-b' is no name": GOOD.replace("save: session", "save: a-b"),
    ":8:5: 'seconds' must be a number, found text": GOOD.replace("seconds: 2", "seconds: two"),
    ":10:3: not a JMESPath expression": GOOD.replace("count(marks.done)", "count(marks."),
    ":12:3: 'fierd' is expected but not observed (observed: fired)": GOOD.replace("  fired: 1", "  fierd: 1"),
    ":9:5: nothing is called 'a route' (below `present:`: nothing)": GOOD.replace("observe:", "  - present: a route\nobserve:"),
    ":1:1: 'title' must be text, found a list": GOOD.replace("title: it works", "title: [it]"),
    ":13:1: 'process' must be one of shared, last, own, found 'mine'": GOOD + "process: mine\n",
    ":14:3: 'x.js' is no file of this folder (files: plugin.js": GOOD + "files:\n  a/b.js: x.js\n",
    ":13:1: the key 'title' is there twice": GOOD + "title: again\n",
    "not readable as YAML": GOOD + "a: [1\n",
    "aliases (*name) are not allowed": GOOD + "config: &a {x: 1}\nenv: *a\n",
    ":13:1: the tag tag:yaml.org,2002:python/object:os.system is not allowed": GOOD
    + "documentation: !!python/object:os.system x\n",
}


@pytest.mark.parametrize("message", MISTAKES)
def test_mistakes_are_named_with_their_line(tmp_path: Path, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read(folder(tmp_path, MISTAKES[message]))
    assert message in str(caught.value)
    assert all(problem.file.endswith("probe.yaml") for problem in caught.value.problems)


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        read(folder(tmp_path, "titel: x\nsteps: 3\nobserve: {a: '['}\n"))
    assert len(caught.value.problems) == 5  # title, about, steps, observe.a, titel


def test_the_built_in_library() -> None:
    library = load_library()
    assert {"opencode/load", "opencode/dispose", "opencode/tool-ids", "opencode/config-once"} <= set(library)
    assert tuple(library) == library_ids() == tuple(sorted(library))
    assert control(library, "opencode").id == "opencode/load"
    assert sum(probe.control for probe in library.values()) == 1
    for probe in library.values():
        assert probe.about.strip()
        assert probe.expect, f"{probe.id} expects nothing, so it could never be broken"


def test_a_users_folder_works_the_same(tmp_path: Path) -> None:
    made = folder(tmp_path, GOOD)
    assert load_library([made])["opencode/mine"] == load_library([tmp_path])["opencode/mine"]
    assert "opencode/load" in load_library([made])


def test_a_users_folder_that_is_wrong(tmp_path: Path) -> None:
    made = folder(tmp_path, GOOD + "id: opencode/load\n")
    with pytest.raises(ConfigError, match="there is already a probe 'opencode/load'"):
        load_library([made])
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigError, match=r"no probe\.yaml here"):
        load_library([tmp_path / "empty"])


def test_known_failures_by_range_of_versions(tmp_path: Path) -> None:
    known = "expected:\n  - {versions: <1.15.13, reason: not called yet, expires: 2027-01-31}\n"
    [expected] = read(folder(tmp_path, GOOD + known)).expected
    assert expected == Expectation("opencode/mine", "<1.15.13", "not called yet", "2027-01-31", "probe")


@pytest.mark.parametrize(
    ("was", "becomes", "message"),
    [
        ("<1.15.13", "some day", "'some day' is not a range of versions"),
        ("2027-01-31", "soon", "'soon' is not a day"),
        ("reason: not called yet, ", "", "the key 'reason' is missing"),
    ],
)
def test_known_failures_that_say_too_little(tmp_path: Path, was: str, becomes: str, message: str) -> None:
    known = "expected:\n  - {versions: <1.15.13, reason: not called yet, expires: 2027-01-31}\n"
    with pytest.raises(ConfigError, match=message):
        read(folder(tmp_path, GOOD + known.replace(was, becomes)))
