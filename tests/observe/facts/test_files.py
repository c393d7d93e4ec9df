"""Watched files as facts: from git, from packages where git can't be reached, and between two versions."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from driftwatch.errors import Unobservable
from driftwatch.model import Fact, FileRow, Json
from driftwatch.observe.facts.files import Package, Pair, Version, observe, pair
from driftwatch.observe.facts.files.seen import blob_id, lines
from driftwatch.observe.facts.files.texts import MAX_LINES, from_bytes, from_patch
from driftwatch.observe.sources.git import Mirror
from tests.support.git import repository

BODY = "".join(f"line {n}\n" for n in range(60))


def values(facts: Sequence[Fact]) -> dict[str, Json]:
    return {fact.address: fact.value for fact in facts}


def table(seen: Pair, *watched: str) -> dict[str, FileRow]:
    from driftwatch.judge.compare.files import rows

    return {row.old_path or row.path: row for row in rows(seen.old, seen.new, [(w, f"breaks {w}") for w in watched], seen.texts)}


Two = Callable[[dict[str, bytes | str | None], dict[str, bytes | str | None]], Callable[..., Pair]]


@pytest.fixture
def two(tmp_path: Path, cache: Path) -> Two:
    """Two commits of a repository, and a function that looks at watched patterns between them."""

    def make(first: dict[str, bytes | str | None], second: dict[str, bytes | str | None]) -> Callable[..., Pair]:
        made = repository(tmp_path / "upstream")
        made.commit(first, "v1")
        made.commit(second, "v2")
        mirror = Mirror(str(made.path), cache)
        return lambda *watched: pair(Version("1", mirror), Version("2", mirror), watched)

    return make


class TestGit:
    def test_a_fact(self, tmp_path: Path, cache: Path) -> None:
        made = repository(tmp_path / "upstream")
        sha = made.commit({"src/a.ts": "a\nb", "src/b.bin": b"\0x", "c.ts": "c\n"}, "v1")
        seen = observe(Version("1", Mirror(str(made.path), cache)), ["src/**"])
        assert seen.gaps == ()
        assert seen.facts[0] == Fact(
            seen.facts[0].address,
            {"blob": made.git("rev-parse", "HEAD:src/a.ts"), "size": 3, "lines": 2},
            f"git:src/a.ts@{sha[:12]}",
        )
        assert values(seen.facts)["file:src/b.bin"] == {"blob": made.git("rev-parse", "HEAD:src/b.bin"), "size": 2, "lines": None}

    def test_an_accepted_commit_counts_more_than_the_tag(self, tmp_path: Path, cache: Path) -> None:
        made = repository(tmp_path / "upstream")
        accepted = made.commit({"a": "1\n"})
        made.commit({"a": "2\n"}, "v1")
        seen = observe(Version("1", Mirror(str(made.path), cache), commit=accepted), ["a"])
        assert seen.facts[0].where == f"git:a@{accepted[:12]}"

    def test_special_modes(self, tmp_path: Path, cache: Path) -> None:
        made = repository(tmp_path / "upstream")
        pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 12345\n"
        made.commit({"run.sh": "x\n", "large": pointer})
        (made.path / "link").symlink_to("run.sh")
        (made.path / "run.sh").chmod(0o755)
        made.git("add", "-A")
        made.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},vendor")
        made.seal("v1")
        seen = values(observe(Version("1", Mirror(str(made.path), cache)), ["**"]).facts)
        modes = {path: value["mode"] for path, value in seen.items() if isinstance(value, dict)}
        assert modes == {"file:run.sh": "executable", "file:large": "lfs", "file:link": "link", "file:vendor": "submodule"}
        assert seen["file:vendor"] == {"blob": "1" * 40, "size": 0, "lines": None, "mode": "submodule"}

    def test_names_become_addresses(self, tmp_path: Path, cache: Path) -> None:
        made = repository(tmp_path / "upstream")
        made.commit({"s/a#b": "1", "s/x\ny": "2", os.fsdecode(b"s/\xe9"): "3", "s/é": "4"}, "v1")
        seen = observe(Version("1", Mirror(str(made.path), cache)), ["s/*"])
        assert {fact.address for fact in seen.facts} == {"file:s/a%23b", "file:s/x\\ny", "file:s/\\xe9", "file:s/é"}
        assert all(fact.address.encode("utf-8") for fact in seen.facts)


class TestBetween:
    def test_what_happens_to_files(self, two: Two) -> None:
        look = two(
            {"d/same": "s\n", "d/changed": "a\nb\n", "d/gone": "g\n", "d/moved": BODY, "d/copy": BODY + "copy\n"},
            {"d/changed": "a\nc\nd\n", "d/gone": None, "d/moved": None, "e/moved": BODY + "end\n", "d/new": "n\n"},
        )
        seen = look("d/**", "nowhere/*", "absent.ts")
        rows = table(seen, "d/**", "nowhere/*", "absent.ts")
        assert {path: row.change for path, row in rows.items()} == {
            "d/same": "same",
            "d/changed": "changed",
            "d/gone": "removed",
            "d/moved": "renamed",
            "d/copy": "same",
            "d/new": "added",
            "nowhere/*": "missing",
            "absent.ts": "missing",
        }
        assert (rows["d/changed"].added_lines, rows["d/changed"].removed_lines) == (2, 1)
        assert (rows["d/gone"].added_lines, rows["d/gone"].removed_lines) == (0, 1)
        assert (rows["d/moved"].path, rows["d/moved"].added_lines, rows["d/moved"].removed_lines) == ("e/moved", 1, 0)
        assert "similarity index" in rows["d/moved"].diff and "+end" in rows["d/moved"].diff
        assert rows["d/changed"].breaks == "breaks d/**" and rows["d/changed"].source == "git"
        assert seen.old.gaps == seen.new.gaps == ()

    @pytest.mark.slow
    def test_a_rename_inside_a_watched_folder_is_one_row(self, two: Two) -> None:
        rows = table(two({"d/a": BODY}, {"d/a": None, "d/b": BODY})("d/**"), "d/**")
        assert [(row.change, row.old_path, row.path) for row in rows.values()] == [("renamed", "d/a", "d/b")]

    def test_a_file_whose_way_can_not_be_followed_is_said_so(self, two: Two, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_: object) -> None:
            raise Unobservable("the server hung up")

        look = two({"d/a": BODY, "d/b": "b\n"}, {"d/a": None, "d/b": None, "e/b": "b\n"})
        monkeypatch.setattr(Mirror, "renames", refuse)
        seen = look("d/**")
        assert [(gap.address, gap.reason) for gap in seen.new.gaps] == [
            ("file:d/a", "it is gone, and whether it was renamed could not be looked at: the server hung up")
        ]
        assert {path: row.change for path, row in table(seen, "d/**").items()} == {"d/a": "removed", "d/b": "renamed"}

    def test_identical_versions_are_the_same(self, two: Two) -> None:
        rows = table(two({"a": "1\n", "b": "2\n"}, {"other": "x"})("a", "b"), "a", "b")
        assert {row.change for row in rows.values()} == {"same"} and len(rows) == 2

    @pytest.mark.parametrize(
        ("old", "new", "said"),
        [
            ("a\r\nb\r\n", "a\nb\n", "-a\r\n"),
            ("a\n", "a", "\\ No newline at end of file"),
            (b"\0a", b"\0b", "Binary files a/f and b/f differ"),
            (b"caf\xe9\n", b"caf\xe8\n", "caf�"),
            ("", "a\n", "+a"),
        ],
    )
    @pytest.mark.slow
    def test_content_of_all_kinds(self, two: Two, old: bytes | str, new: bytes | str, said: str) -> None:
        seen = two({"f": old}, {"f": new})("f")
        assert table(seen, "f")["f"].change == "changed"
        assert said in seen.texts["file:f"].text

    def test_a_folder_without_a_star_means_all_below_it(self, two: Two) -> None:
        rows = table(two({"d/x/a": "1\n"}, {"d/x/b": "2\n"})("d/x/"), "d/x/")
        assert {path: row.change for path, row in rows.items()} == {"d/x/a": "same", "d/x/b": "added"}

    def test_a_file_becomes_a_link(self, tmp_path: Path, cache: Path) -> None:
        made = repository(tmp_path / "upstream")
        made.commit({"f": "x\n"}, "v1")
        (made.path / "f").unlink()
        (made.path / "f").symlink_to("g")
        made.commit({}, "v2")
        mirror = Mirror(str(made.path), cache)
        seen = pair(Version("1", mirror), Version("2", mirror), ["f"])
        assert values(seen.new.facts)["file:f"] == {"blob": blob_id(b"g"), "size": 1, "lines": 1, "mode": "link"}
        assert table(seen, "f")["f"].change == "changed"

    def test_nothing_watched_asks_nobody(self) -> None:
        assert pair(Version("1"), Version("2"), []) == Pair(pair(Version("1"), Version("2"), []).old, observe(Version("1"), []))

    @pytest.mark.slow
    def test_a_wide_change_has_no_cap(self, two: Two) -> None:
        seen = two({f"d/{n}": f"{n}\n" for n in range(400)}, {f"d/{n}": f"{n}!\n" for n in range(400)})("d/**")
        assert [row.change for row in table(seen, "d/**").values()] == ["changed"] * 400


def package(version: str, members: dict[str, str], name: str = "@scope/plugin", **extra: Json) -> Package:
    manifest = json.dumps({"name": name, "version": version, **extra})
    return Package(name, version, {"package.json": manifest.encode(), **{path: text.encode() for path, text in members.items()}})


def offered(version: str, *packages: Package) -> Version:
    return Version(version, packages=lambda: packages)


HOME: dict[str, Json] = {"repository": {"type": "git", "url": "https://x.invalid/y", "directory": "packages/plugin"}}


class TestPackages:
    def test_the_same_file_has_the_same_value_as_in_git(self, tmp_path: Path, cache: Path) -> None:
        made = repository(tmp_path / "upstream")
        made.commit({"packages/plugin/api.d.ts": "export {}\n"}, "v1")
        in_git = observe(Version("1", Mirror(str(made.path), cache)), ["packages/plugin/api.d.ts"])
        in_package = observe(offered("1", package("1", {"api.d.ts": "export {}\n"}, **HOME)), ["packages/plugin/api.d.ts"])
        assert values(in_git.facts) == values(in_package.facts)
        assert in_package.facts[0].where == "tarball:@scope/plugin@1/api.d.ts"

    @pytest.mark.parametrize("said", [HOME, {}], ids=["directory said", "directory guessed"])
    def test_a_source_is_compared_by_what_was_built_from_it(self, said: dict[str, Json]) -> None:
        old = offered("1", package("1", {"dist/index.d.ts": "a\n", "dist/index.js": "x\n"}, **said))
        new = offered("2", package("2", {"dist/index.d.ts": "a\n", "dist/index.js": "y\n"}, **said))
        seen = pair(old, new, ["packages/plugin/src/index.ts"])
        row = table(seen, "packages/plugin/src/index.ts")["packages/plugin/src/index.ts"]
        assert (row.change, row.added_lines, row.removed_lines) == ("changed", 1, 1)
        assert row.source == "tarball @scope/plugin: dist/index.d.ts + dist/index.js"
        assert seen.new.gaps == () and "-x\n+y" in row.diff

    def test_what_is_not_carried_is_a_gap_with_gits_reason(self, cache: Path, tmp_path: Path) -> None:
        mirror = Mirror(str(tmp_path / "nowhere"), cache)
        carried = package("1", {"dist/index.d.ts": "a\n"}, **HOME)
        watched = ["packages/plugin/src/index.ts", "packages/sdk/openapi.json", "packages/plugin/src/v2/**"]
        sides = [Version(v, mirror, packages=lambda: [carried]) for v in ("1", "2")]
        seen = pair(sides[0], sides[1], watched)
        assert list(values(seen.new.facts)) == ["file:packages/plugin/src/index.ts"]
        assert [gap.address for gap in seen.new.gaps] == ["file:packages/sdk/openapi.json", "file:packages/plugin/src/v2/**"]
        assert all("does not appear to be a git repository" in gap.reason and gap.remedy for gap in seen.new.gaps)
        assert [row.change for row in table(seen, *watched).values()] == ["same", "unverified", "unverified"]

    def test_what_one_side_alone_carries_is_neither_added_nor_removed(self) -> None:
        seen = pair(
            offered("1", package("1", {}, **HOME)),
            offered("2", package("2", {"dist/x.d.ts": "new\n"}, **HOME)),
            ["packages/plugin/src/x.ts"],
        )
        assert seen.old.facts == seen.new.facts == ()
        assert seen.old.gaps == seen.new.gaps and len(seen.new.gaps) == 1
        assert [row.change for row in table(seen, "packages/plugin/src/x.ts").values()] == ["unverified"]

    def test_below_a_folder_only_what_is_carried_and_that_is_said(self) -> None:
        old = offered("1", package("1", {"dist/v2/a.d.ts": "a\n", "dist/v2/b.d.ts": "b\n"}, **HOME))
        new = offered("2", package("2", {"dist/v2/a.d.ts": "A\n", "dist/v2/c.d.ts": "c\n"}, **HOME))
        seen = pair(old, new, ["packages/plugin/src/v2/**"])
        changes = {path.rpartition("/")[2]: row.change for path, row in table(seen, "packages/plugin/src/v2/**").items()}
        assert changes == {"a.ts": "changed", "b.ts": "removed", "c.ts": "added", "**": "unverified"}
        assert "only the 2 files that the package carries" in seen.new.gaps[0].reason

    @pytest.mark.parametrize(
        ("path", "name", "members", "found"),
        [
            ("packages/opencode/src/plugin/index.ts", "@scope/plugin", ["dist/index.d.ts"], False),  # another package's folder
            ("packages/sdk/openapi.json", "@scope/plugin", ["openapi.json"], False),
            ("packages/sdk/openapi.json", "@scope/sdk", ["openapi.json"], True),
            ("README.md", "@scope/plugin", ["README.md"], False),  # every package has one of its own
            ("src/index.ts", "single", ["src/index.ts"], True),
            ("src/index.ts", "single", ["dist/index.js"], True),
            ("src/index.mts", "single", ["dist/index.d.mts"], True),
            ("src/style.css", "single", ["dist/style.d.ts"], False),
            ("plugin/src/deep/x.tsx", "plugin", ["dist/deep/x.js"], True),
            ("plugin/src/deep/x.ts", "plugin", ["build/src/deep/x.js"], True),
        ],
    )
    def test_which_member_stands_for_a_path(self, path: str, name: str, members: list[str], found: bool) -> None:
        seen = observe(offered("1", package("1", dict.fromkeys(members, "x\n"), name)), [path])
        assert [fact.address for fact in seen.facts] == ([f"file:{path}"] if found else [])
        assert len(seen.gaps) == (not found)

    def test_a_published_manifest_is_not_the_sources(self) -> None:
        seen = observe(offered("1", package("1", {}, **HOME)), ["packages/plugin/package.json"])
        assert isinstance(seen.facts[0].value, dict) and seen.facts[0].value["as"] == "package.json as published"

    @pytest.mark.parametrize(
        "manifest", [b"", b"[]", b"\xff", b'{"repository": 3}', b'{"repository": {"directory": 3}}', b"[" * 9999]
    )
    def test_a_broken_manifest_gives_gaps(self, manifest: bytes) -> None:
        seen = observe(offered("1", Package("x", "1", {"package.json": manifest})), ["packages/y/z.ts"])
        assert seen.facts == () and len(seen.gaps) == 1

    def test_neither_git_nor_package(self) -> None:
        def refuse() -> Sequence[Package]:
            raise Unobservable("the registry is down")

        seen = pair(Version("1", packages=refuse), Version("2", packages=refuse), ["a", "b/**"])
        assert seen.new.facts == () and seen.texts == {}
        assert all("no git repository is named" in gap.reason and "registry is down" in gap.reason for gap in seen.new.gaps)
        assert [gap.address for gap in seen.new.gaps] == ["file:a", "file:b/**"]


class TestTexts:
    def test_counts_from_a_patch_ignore_headers(self) -> None:
        patch = b"diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n--- was\n+++ is\n same\n\\ No newline at end of file\n"
        assert (from_patch(patch).added, from_patch(patch).removed) == (1, 1)

    def test_folding_says_how_much_is_left_out(self) -> None:
        patch = b"diff --git a/f b/f\n--- /dev/null\n+++ b/f\n@@ -0,0 +1,5000 @@\n" + b"+x\n" * 5000
        text = from_patch(patch)
        assert text.added == 5000
        assert text.text.splitlines()[-1] == f"({5004 - MAX_LINES} more lines of this diff are left out)"
        assert len(text.text.splitlines()) == MAX_LINES + 1

    @pytest.mark.parametrize(
        ("old", "new", "added", "removed", "said"),
        [
            (b"a\nb\nc\nd\ne\nf\ng\n", b"a\nb\nc\nd\nE\nf\ng\n", 1, 1, "@@ -2,6 +2,6 @@"),
            (b"a\n", b"a", 1, 1, "\\ No newline at end of file"),
            (b"a\r\n", b"a\n", 1, 1, "-a\r"),
            (None, b"a\nb\n", 2, 0, "--- /dev/null\n+++ b/f\n@@ -0,0 +1,2 @@"),
            (b"a\nb\n", None, 0, 2, "+++ /dev/null"),
            (b"\0", b"\0\0", 0, 0, "Binary files a/f and b/f differ"),
            (b"--- x\n", b"+++ y\n", 1, 1, "\n---- x\n++++ y"),
        ],
    )
    def test_from_bytes(self, old: bytes | None, new: bytes | None, added: int, removed: int, said: str) -> None:
        text = from_bytes("f", old, new)
        assert (text.added, text.removed) == (added, removed)
        assert said in text.text

    def test_hunks_are_numbered_as_in_the_whole_file(self) -> None:
        old = "".join(f"{n}\n" for n in range(1, 101))
        text = from_bytes("f", old.encode(), old.replace("\n50\n", "\nfifty\n").encode())
        assert "@@ -47,7 +47,7 @@\n 47\n 48\n 49\n-50\n+fifty\n 51" in text.text

    def test_a_large_file_takes_no_time(self) -> None:
        old = "".join(f"  {n}: {n % 97}\n" for n in range(40_000)).encode()
        new = "".join(f"  {n}: {n % 89}\n" for n in range(40_000)).encode()
        start = time.monotonic()
        whole, one = from_bytes("f", old, new), from_bytes("f", old, old.replace(b" 20000: ", b" twenty: "))
        assert time.monotonic() - start < 1
        assert "too much differs" in whole.text and whole.added > 30_000
        assert (one.added, one.removed) == (1, 1)


@pytest.mark.parametrize(
    ("data", "count"), [(b"", 0), (b"a", 1), (b"a\n", 1), (b"a\nb", 2), (b"\n\n", 2), (b"\0\n", None), (None, None)]
)
def test_lines(data: bytes | None, count: int | None) -> None:
    assert lines(data) == count


def test_blob_id_is_gits() -> None:
    assert blob_id(b"") == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    assert blob_id(b"x") == hashlib.sha1(b"blob 1\0x").hexdigest()
