"""The lock: what goes in comes out, it reads well in a diff, and a broken one is refused and kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftwatch.errors import ConfigError, StoreError
from driftwatch.store import lock
from driftwatch.store.files import MAX_BYTES
from driftwatch.store.lock import Lock, LockedPackage, LockedUpstream

SAMPLE = Lock(
    {
        "opencode": LockedUpstream(
            version="1.18.4",
            commit="c0ffee",
            packages={"@opencode-ai/plugin": LockedPackage("1.18.4", "sha512-x=="), "opencode-ai": LockedPackage("1.18.4")},
            tags={"opencode-ai#latest": "1.18.4", "@opencode-ai/plugin#latest": "1.18.4"},
            tag_targets={"v1.18.4": "c0ffee"},
            facts={"ts:x#B": {"type": "() => void", "optional": True}, "file:a": None, 'ts:x#A["k"]': [1, 2.5, "é\u2028"]},
        )
    }
)

TEXT = """\
{
  "version": 1,
  "upstreams": {
    "opencode": {
      "version": "1.18.4",
      "commit": "c0ffee",
      "packages": {
        "@opencode-ai/plugin": {"integrity": "sha512-x==", "version": "1.18.4"},
        "opencode-ai": {"integrity": "", "version": "1.18.4"}
      },
      "tags": {
        "@opencode-ai/plugin#latest": "1.18.4",
        "opencode-ai#latest": "1.18.4"
      },
      "tag_targets": {
        "v1.18.4": "c0ffee"
      },
      "facts": {
        "file:a": null,
        "ts:x#A[\\"k\\"]": [1, 2.5, "\\u00e9\\u2028"],
        "ts:x#B": {"optional": true, "type": "() => void"}
      }
    }
  }
}
"""

WORDS = st.text(max_size=12)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)
UPSTREAMS = st.builds(
    LockedUpstream,
    version=WORDS,
    commit=WORDS,
    packages=st.dictionaries(WORDS, st.builds(LockedPackage, WORDS, WORDS), max_size=3),
    tags=st.dictionaries(WORDS, WORDS, max_size=3),
    tag_targets=st.dictionaries(WORDS, WORDS, max_size=3),
    facts=st.dictionaries(WORDS, JSON, max_size=4),
)
LOCKS = st.builds(Lock, st.dictionaries(WORDS, UPSTREAMS, max_size=3))


def test_the_text_is_as_it_is_reviewed() -> None:
    assert lock.dump(SAMPLE) == TEXT


def test_none_when_there_is_no_lock(tmp_path: Path) -> None:
    assert lock.read(tmp_path / "watchlist.lock") is None


def test_writing_reading_and_writing_again(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "watchlist.lock"
    lock.write(path, SAMPLE)
    assert lock.read(path) == SAMPLE
    before = path.stat().st_mtime_ns, path.stat().st_ino
    lock.write(path, SAMPLE)
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == before  # the same bytes are not written again


@settings(max_examples=40)  # each is two forced writes
@given(LOCKS)
@pytest.mark.slow
def test_what_goes_in_comes_out(tmp_path_factory: pytest.TempPathFactory, original: Lock) -> None:
    path = tmp_path_factory.getbasetemp() / "round-trip.lock"
    path.unlink(missing_ok=True)
    lock.write(path, original)
    again = lock.read(path)
    assert again == original
    assert lock.dump(again) == path.read_text("ascii")


@settings(max_examples=40)
@given(LOCKS)
@pytest.mark.slow
def test_one_line_an_entry(original: Lock) -> None:
    text = lock.dump(original)
    entries = sum(
        sum(len(part) for part in (up.packages, up.tags, up.tag_targets, up.facts)) for up in original.upstreams.values()
    )
    assert sum(line.startswith(" " * 8) for line in text.splitlines()) == entries
    assert json.loads(text)["version"] == 1
    assert text.endswith("}\n")


@settings(max_examples=40)
@given(LOCKS)
@pytest.mark.slow
def test_the_order_things_were_found_in_does_not_show(original: Lock) -> None:
    def turned(mapping: Any) -> dict[Any, Any]:
        return dict(reversed(mapping.items()))

    backwards = {
        name: LockedUpstream(
            up.version, up.commit, turned(up.packages), turned(up.tags), turned(up.tag_targets), turned(up.facts)
        )
        for name, up in turned(original.upstreams).items()
    }
    assert lock.dump(Lock(backwards)) == lock.dump(original)


BROKEN = [
    ("empty", lambda text: "", 0, "the file is empty"),
    ("white", lambda text: "  \n\n", 0, "the file is empty"),
    ("cut", lambda text: text[: len(text) // 2], 12, "cut off"),
    ("cut-at-a-line", lambda text: text[: text.index('      "tags"')], 10, "cut off"),
    ("cut-at-the-end", lambda text: text[:-3], 24, "cut off"),
    ("conflict", lambda text: text.replace('        "file:a"', '<<<<<<< ours\n        "file:a"'), 19, "merge conflict"),
    ("conflict-middle", lambda text: text.replace('        "file:a"', '=======\n        "file:a"'), 19, "merge conflict"),
    ("conflict-end", lambda text: text.replace('        "file:a"', '>>>>>>> theirs\n        "file:a"'), 19, "merge conflict"),
    ("newer", lambda text: text.replace('"version": 1,', '"version": 2,'), 2, "written by a newer driftwatch"),
    ("older", lambda text: text.replace('"version": 1,', '"version": 0,'), 2, "no longer read"),
    ("version-text", lambda text: text.replace('"version": 1,', '"version": "1",'), 2, "must be a whole number"),
    ("version-yes", lambda text: text.replace('"version": 1,', '"version": true,'), 2, "must be a whole number"),
    ("no-version", lambda text: text.replace('  "version": 1,\n', ""), 1, "must be a whole number"),
    ("twice", lambda text: text.replace('"file:a": null,', '"file:a": 1,\n        "file:a": null,'), 20, "is there twice"),
    ("not-json", lambda text: text.replace("null", "nil"), 19, "not JSON"),
    ("nan", lambda text: text.replace("null", "NaN"), 0, "NaN is not a JSON number"),
    ("comma", lambda text: text.replace('"file:a": null,', '"file:a": null'), 20, "not JSON"),
    ("yaml", lambda text: "version: 1\n", 1, "not JSON"),
    ("list", lambda text: "[]", 1, "must be a mapping"),
    ("misspelt", lambda text: text.replace('"facts"', '"fact"'), 18, "did you mean 'facts'?"),
    ("missing", lambda text: text.replace('      "commit": "c0ffee",\n', ""), 4, "opencode.commit must be text"),
    (
        "tags-list",
        lambda text: text.replace('{\n        "v1.18.4": "c0ffee"\n      }', "[]"),
        15,
        "tag_targets must be a mapping",
    ),
    ("tag-null", lambda text: text.replace('"opencode-ai#latest": "1.18.4"', '"opencode-ai#latest": null'), 13, "must be text"),
    (
        "package",
        lambda text: text.replace('{"integrity": "", "version": "1.18.4"}', '"1.18.4"'),
        9,
        "opencode-ai must be a mapping",
    ),
    ("upstream", lambda text: '{"version": 1,\n"upstreams": {"a": 3}}', 2, "upstreams.a must be a mapping"),
    ("no-upstreams", lambda text: '{"version": 1}', 1, "upstreams must be a mapping"),
    ("deep", lambda text: '{"version": ' + "[" * 100_000, 0, "not JSON"),
    ("digits", lambda text: text.replace("null", "1" * 5000), 0, "not JSON"),
]


@pytest.mark.parametrize(("spoil", "line", "words"), [row[1:] for row in BROKEN], ids=[row[0] for row in BROKEN])
def test_a_broken_lock_is_refused_and_never_overwritten(spoil: Any, line: int, words: str, tmp_path: Path) -> None:
    path = tmp_path / "watchlist.lock"
    path.write_text(spoil(TEXT), "utf-8")
    with pytest.raises(ConfigError) as caught:
        lock.read(path)
    problem = caught.value.problems[0]
    assert words in problem.message
    assert problem.line == line
    assert "version control" in problem.remedy
    with pytest.raises(ConfigError):
        lock.write(path, SAMPLE)
    assert path.read_text("utf-8") == spoil(TEXT)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "watchlist.lock"
    path.write_bytes(TEXT.encode()[:40] + b"\xff\xfe")
    with pytest.raises(ConfigError, match="not UTF-8"):
        lock.read(path)


def test_a_file_without_end(tmp_path: Path) -> None:
    path = tmp_path / "watchlist.lock"
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(ConfigError, match="larger than 64 MiB"):
        lock.read(path)


def test_a_folder_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "watchlist.lock").mkdir()
    with pytest.raises(StoreError, match="not a regular file"):
        lock.write(tmp_path / "watchlist.lock", SAMPLE)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}, object()])
def test_values_that_are_no_json_are_refused_before_anything_is_written(value: Any, tmp_path: Path) -> None:
    path = tmp_path / "watchlist.lock"
    with pytest.raises(StoreError, match="cannot be stored"):
        lock.write(path, Lock({"a": LockedUpstream("1", facts={"file:x": value})}))
    assert list(tmp_path.iterdir()) == []


@settings(max_examples=150)
@given(st.integers(0, len(TEXT)), st.integers(0, 12), st.binary(max_size=6) | st.sampled_from([b"null", b"{}", b"[]", b"1"]))
def test_whatever_the_bytes_are_it_is_a_lock_or_a_config_error(
    tmp_path_factory: pytest.TempPathFactory, start: int, length: int, piece: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "spoilt.lock"
    path.write_bytes(TEXT.encode()[:start] + piece + TEXT.encode()[start + length :])
    try:
        assert isinstance(lock.read(path), Lock)
    except ConfigError as error:
        assert error.problems[0].line <= TEXT.count("\n") + 2
