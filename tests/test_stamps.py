"""Stamps: the one place that says the version changes, and not a byte elsewhere."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftwatch import stamps
from driftwatch.config import load
from driftwatch.errors import ConfigError, StoreError, UsageError
from driftwatch.pipeline.stamping import plan
from driftwatch.stamps import Values, by_key, by_pattern
from driftwatch.store import lock as locks
from driftwatch.store.lock import Lock, LockedPackage, LockedUpstream

NEW = Values("1.19.0", "0123456789abcdef0123456789abcdef01234567", "2026-12-01")
HEADER = "Validated against acme/host @ {commit} ({date}, @acme/plugin@{version}"
LINE = "Validated against acme/host @ 8cbea4f (2026-07-29, @acme/plugin@1.18.9 = npm latest)."


@pytest.mark.parametrize(
    ("before", "after"), [("", ""), ("\ufeff# T\r\n\r\n", "\r\ntail\t \r\n"), ("a\rb\n\n", "no end of line")]
)
def test_a_header_line_changes_and_nothing_around_it(before: str, after: str) -> None:
    told = by_pattern(before + LINE + after, HEADER, NEW, "x.md")
    assert told == before + "Validated against acme/host @ 0123456 (2026-12-01, @acme/plugin@1.19.0 = npm latest)." + after


def test_a_place_that_says_so_already_keeps_its_day() -> None:
    once = by_pattern(LINE, HEADER, NEW, "x.md")
    assert by_pattern(once, HEADER, Values(NEW.version, NEW.commit, "2030-01-01"), "x.md") == once


@pytest.mark.parametrize("old", ["1.18.9", "1.18.9-beta.1", "1.18.9+build", "0.0.0-dev-1"])
def test_the_whole_of_an_old_version_is_replaced(old: str) -> None:
    assert by_pattern(f"at v{old}. Next", "at v{version}", NEW, "x") == "at v1.19.0. Next"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nothing here", "has no place"),
        (f"{LINE}\n{LINE}", "has 2 places for the stamp .* \\(lines 1, 2\\)"),
        ("Validated against acme/host @ 8cbea4 (2026-07-29, @acme/plugin@1.18.9", "has no place"),
    ],
)
def test_a_place_that_is_not_there_or_there_twice_is_refused(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        by_pattern(text, HEADER, NEW, "x.md")


def test_an_unknown_commit_is_not_invented() -> None:
    with pytest.raises(UsageError, match="is not known"):
        by_pattern(LINE, HEADER, Values("1.19.0", "", "2026-12-01"), "x.md")
    assert by_pattern("v1.0.0", "v{version}", Values("1.19.0", "", "2026-12-01"), "x") == "v1.19.0"


MANIFEST = (
    '\ufeff{\r\n\t"name" : "x",  "engines":{ "opencode" :  ">=1.0.0" , "node": "20"},\r\n'
    ' "d": {"@acme/plugin": "1.0.0"}, "l": [{"engines": "1"}]\r\n}'
)


def test_a_key_changes_and_nothing_around_it() -> None:
    told = by_key(MANIFEST, "engines.opencode", ">={version}", NEW, "package.json")
    assert told == MANIFEST.replace(">=1.0.0", ">=1.19.0")
    assert by_key(told, 'd["@acme/plugin"]', "{version}", NEW, "p") == told.replace('"1.0.0"', '"1.19.0"')
    assert by_key(told, "engines.opencode", ">={version}", NEW, "p") == told


@pytest.mark.parametrize(
    ("text", "key", "words"),
    [
        ("{}", "engines.opencode", "has no place"),
        ('{"engines": {"opencode": 1}}', "engines.opencode", "has no place"),
        ('{"engines": {"opencode": "1"}, "engines": {"opencode": "2"}}', "engines.opencode", "has 2 places"),
        ('{"engines": [{"opencode": "1"}]}', "engines.opencode", "has no place"),
        ('{"engines": {"opencode": "1"}', "engines.opencode", "no whole JSON"),
        ("", "a", "no whole JSON"),
        ('{"a": "1"]', "a", "not closed"),
        ("{'a': 1}", "a", "is no JSON|has no place|colon without a key"),
    ],
)
def test_json_without_that_one_key_is_refused(text: str, key: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        by_key(text, key, "{version}", NEW, "p")


def test_comments_and_strings_that_look_like_keys_are_passed_over() -> None:
    text = '{ // "a": "0"\n "x": "\\"a\\": \\"0\\"", /* "a": "0" */ "b": {"a": "0"}, "a": "1.0.0", }'
    assert by_key(text, "a", "{version}", NEW, "p") == text.replace('"1.0.0"', '"1.19.0"')


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda deeper: st.lists(deeper) | st.dictionaries(st.text(), deeper),
    )
)
def test_any_json_keeps_everything_but_the_value(rest: object) -> None:
    text = json.dumps({"rest": rest, "pin": "1.0.0", "after": rest})
    told = by_key(text, "pin", "{version}", NEW, "p")
    assert json.loads(told) == {"rest": rest, "pin": "1.19.0", "after": rest}
    assert len(told) == len(text) + 1


def test_paths_of_keys() -> None:
    assert stamps.segments('dependencies["@a/b.c"]') == ("dependencies", "@a/b.c")
    assert stamps.segments("engines.opencode") == ("engines", "opencode")
    assert [stamps.segments(bad) for bad in ("", ".a", "a..b", "a[", 'a["x"')] == [()] * 5


# --- planned from a watchlist, written with the lock

WATCHLIST = """\
version: 1
project: {name: ours}
upstreams:
  - id: acme
    packages: ["@acme/plugin", "@acme/sdk"]
    stamps:
      - {file: doc.md, pattern: "at {version} ({commit})"}
      - {file: package.json, key: engines.host, value: ">={version}"}
      - {file: package.json, key: 'pins["@acme/sdk"]'}
"""
LOCK = Lock({"acme": LockedUpstream("1.19.0", NEW.commit, {"@acme/sdk": LockedPackage("1.18.0")})})
NOW = datetime(2026, 12, 1, tzinfo=UTC)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "watchlist.yaml").write_text(WATCHLIST)
    (tmp_path / "doc.md").write_bytes(b"at 1.0.0 (aaaaaaa) \xff\xfe\r\n")
    (tmp_path / "package.json").write_text('{"engines": {"host": ">=1.0.0"}, "pins": {"@acme/sdk": "1.0.0"}}')
    return tmp_path


def test_every_stamp_of_the_watchlist_is_planned(project: Path) -> None:
    planned = plan(load(project / "watchlist.yaml"), LOCK, NOW)
    assert planned == {
        project / "doc.md": b"at 1.19.0 (0123456) \xff\xfe\r\n",
        project / "package.json": b'{"engines": {"host": ">=1.19.0"}, "pins": {"@acme/sdk": "1.18.0"}}',
    }
    for path, data in planned.items():
        path.write_bytes(data)
    assert plan(load(project / "watchlist.yaml"), LOCK, NOW) == {}


def test_one_bad_place_plans_nothing(project: Path) -> None:
    (project / "package.json").unlink()
    with pytest.raises(UsageError, match=r"package\.json is to be stamped, and is not a file"):
        plan(load(project / "watchlist.yaml"), LOCK, NOW)


def test_a_lock_that_cannot_be_written_takes_the_stamps_back(project: Path) -> None:
    before = (project / "doc.md").read_bytes()
    (project / "watchlist.lock").mkdir()
    planned = {project / "doc.md": b"new", project / "fresh.md": b"new"}
    with pytest.raises(StoreError):
        locks.write(project / "watchlist.lock", LOCK, planned)
    (project / "watchlist.lock").rmdir()
    blocked = project / "file"
    blocked.write_text("")
    with pytest.raises(StoreError):
        locks.write(project / "watchlist.lock", LOCK, {**planned, blocked / "below.md": b"x"})
    assert (project / "doc.md").read_bytes() == before
    assert not (project / "fresh.md").exists() and not (project / "watchlist.lock").exists()
    locks.write(project / "watchlist.lock", LOCK, planned)
    assert (project / "doc.md").read_bytes() == b"new" and (project / "watchlist.lock").is_file()


@pytest.mark.parametrize(
    ("stamp", "words"),
    [
        ("{file: a}", "either a pattern or a key"),
        ("{file: a, pattern: '{version}', key: b}", "either a pattern or a key"),
        ("{file: a, pattern: fixed}", "no place that changes"),
        ("{file: a, key: a, value: fixed}", "no place that changes"),
        ("{file: a, key: 'a['}", "not a path of keys"),
        ("{file: a, key: '[\"\\q\"]'}", "not a path of keys"),
        ("{file: /etc/passwd, key: a}", "relative"),
    ],
)
def test_a_stamp_that_cannot_be_is_named_with_its_line(stamp: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "watchlist.yaml"
    path.write_text(f"version: 1\nproject: {{name: x}}\nupstreams:\n  - id: a\n    packages: [a]\n    stamps:\n      - {stamp}\n")
    with pytest.raises(ConfigError) as error:
        load(path)
    assert error.value.problems[0].line == 7 and words in str(error.value)


@pytest.mark.parametrize("pattern", ["{version}x", "{version}{version}!", "{commit}{commit}x"])
@pytest.mark.parametrize("text", ["1" * 300_000, "1.1.1-" + "a." * 100_000, "abcdef0" * 50_000])
def test_a_line_without_end_is_looked_through_once(pattern: str, text: str) -> None:
    begun = time.monotonic()
    with pytest.raises(UsageError, match="has no place"):
        by_pattern(text, pattern, NEW, "f")
    assert time.monotonic() - begun < 5


def test_no_stamp_leads_out_of_the_project(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "doc.md"
    outside.write_text("at 1.0.0 (aaaaaaa)")
    (project / "doc.md").unlink()
    (project / "doc.md").symlink_to(outside)
    with pytest.raises(UsageError, match=r"doc\.md is to be stamped, and leads out of the project"):
        plan(load(project / "watchlist.yaml"), LOCK, NOW)
    inside = project / "inside"
    inside.mkdir()
    (inside / "watchlist.yaml").write_text(WATCHLIST.replace("doc.md", "../doc.md").replace("package.json", "../package.json"))
    (project / "doc.md").unlink()
    (project / "doc.md").write_text("at 1.0.0 (aaaaaaa)")
    with pytest.raises(UsageError, match="leads out of the project"):
        plan(load(inside / "watchlist.yaml"), LOCK, NOW)
    (project / ".git").mkdir()
    assert len(plan(load(inside / "watchlist.yaml"), LOCK, NOW)) == 2, "a folder of the repository is the project's, too"


@pytest.mark.parametrize("name", [".git/config", "watchlist.lock"])
def test_what_git_and_driftwatch_keep_is_not_stamped(project: Path, name: str) -> None:
    (project / ".git").mkdir()
    (project / name).write_text("at 1.0.0 (aaaaaaa)")
    (project / "watchlist.yaml").write_text(WATCHLIST.replace("doc.md", name))
    with pytest.raises(UsageError, match="not a text of the project's own"):
        plan(load(project / "watchlist.yaml"), LOCK, NOW)
