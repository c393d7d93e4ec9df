"""The mirror against real repositories, by path and over real transports."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from driftwatch.errors import NotCached, Unobservable
from driftwatch.observe.sources.git import Mirror, installed
from driftwatch.observe.sources.git.command import environment
from tests.support.git import Faults, Repository, http_server, repository

FIRST = {
    "src/index.ts": "export const a = 1\n" * 20,
    "src/v2/one.ts": "one\n",
    "src/v2/deep/two.ts": "two\n",
    "other/large.bin": b"\0\1\2" * 1000,
    "README.md": "hello\n",
}


@pytest.fixture
def upstream(tmp_path: Path) -> Repository:
    made = repository(tmp_path / "upstream")
    made.commit(FIRST, "v1.0.0")
    made.commit({"src/index.ts": "export const a = 2\n" * 20, "src/v2/three.ts": "three\n"}, "v1.1.0", annotated=True)
    return made


def everything(mirror: Mirror) -> tuple[dict[str, bytes | None], dict[str, bytes | None]]:
    old, new = mirror.commit("1.0.0"), mirror.commit("1.1.0")
    mirror.fetch(old, new, watched=["src/**"])
    sides = []
    for commit in (old, new):
        sides.append({path: blob.data for path, blob in mirror.read(commit, mirror.tree(commit, ["src/**"])).items()})
    return sides[0], sides[1]


def expect_right(mirror: Mirror) -> None:
    old, new = everything(mirror)
    assert old == {name: str(text).encode() for name, text in FIRST.items() if name.startswith("src/")}
    assert new["src/index.ts"] == b"export const a = 2\n" * 20
    assert sorted(new) == ["src/index.ts", "src/v2/deep/two.ts", "src/v2/one.ts", "src/v2/three.ts"]


class TestTransports:
    def test_local_path(self, upstream: Repository, cache: Path) -> None:
        expect_right(Mirror(str(upstream.path), cache))

    def test_file_url(self, upstream: Repository, cache: Path) -> None:
        expect_right(Mirror(upstream.path.as_uri(), cache))

    @pytest.mark.slow
    def test_bare_path_whose_config_is_gone(self, upstream: Repository, cache: Path) -> None:
        bare = upstream.bare()
        (bare / "config").unlink()  # core.bare unset
        expect_right(Mirror(str(bare), cache))

    def test_bundle(self, upstream: Repository, cache: Path, tmp_path: Path) -> None:
        upstream.git("tag", "-f", "v1.1.0", "v1.1.0^{commit}")  # a bundle does not say where an annotated tag points
        upstream.git("bundle", "create", "-q", str(tmp_path / "all.bundle"), "--all")
        expect_right(Mirror(str(tmp_path / "all.bundle"), cache))

    @pytest.mark.parametrize("offers_filter", ["true", "false"])
    @pytest.mark.parametrize("old_protocol", [False, True])
    @pytest.mark.slow
    def test_smart_http(self, upstream: Repository, cache: Path, offers_filter: str, old_protocol: bool) -> None:
        bare = upstream.bare()
        subprocess.run(["git", "config", "uploadpack.allowFilter", offers_filter], cwd=bare, check=True)
        with http_server(bare.parent, Faults(old_protocol=old_protocol)) as address:
            expect_right(Mirror(f"{address}/{bare.name}", cache))

    @pytest.mark.slow
    def test_dumb_http(self, upstream: Repository, cache: Path) -> None:
        bare = upstream.bare()
        subprocess.run(["git", "update-server-info"], cwd=bare, check=True)
        with http_server(bare.parent, Faults(dumb=True)) as address:
            expect_right(Mirror(f"{address}/{bare.name}", cache))

    @pytest.mark.slow
    def test_git_daemon(self, upstream: Repository, cache: Path) -> None:
        import socket

        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        command = ["git", "daemon", "--export-all", "--reuseaddr", "--listen=127.0.0.1", f"--port={port}"]
        daemon = subprocess.Popen([*command, f"--base-path={upstream.path.parent}"], start_new_session=True)
        try:
            for _ in range(100):
                try:
                    socket.create_connection(("127.0.0.1", port), 1).close()
                    break
                except OSError:
                    time.sleep(0.05)
            expect_right(Mirror(f"git://127.0.0.1:{port}/upstream/.git", cache))
        finally:
            os.killpg(daemon.pid, signal.SIGTERM)
            daemon.wait(10)


class TestOnlyWhatIsNeeded:
    def test_unwatched_files_and_history_stay_away(self, upstream: Repository, cache: Path) -> None:
        before = upstream.git("rev-parse", "v1.0.0^{commit}")
        new = upstream.git("rev-parse", "v1.1.0^{commit}")
        large = upstream.git("rev-parse", "v1.1.0:other/large.bin")
        mirror = Mirror(str(upstream.path), cache)
        mirror.fetch(new, watched=["src/**"])
        held = subprocess.run(
            ["git", f"--git-dir={mirror.folder}", "cat-file", "--batch-check"],
            input=f"{before}\n{new}\n{large}\n",
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
        assert [line.split()[1] for line in held] == ["missing", "commit", "missing"]

    @pytest.mark.slow
    def test_nothing_is_fetched_twice(self, upstream: Repository, cache: Path) -> None:
        bare = upstream.bare()
        subprocess.run(["git", "config", "uploadpack.allowFilter", "true"], cwd=bare, check=True)
        faults = Faults()
        with http_server(bare.parent, faults) as address:
            everything(Mirror(f"{address}/{bare.name}", cache))
            faults.seen.clear()
            everything(Mirror(f"{address}/{bare.name}", cache))
        assert len(faults.seen) == 2  # the one question about tags

    def test_one_question_about_tags_in_a_run(self, upstream: Repository, cache: Path) -> None:
        mirror = Mirror(str(upstream.path), cache)
        mirror.tags()
        shutil.rmtree(upstream.path)
        assert set(mirror.tags()) == {"v1.0.0", "v1.1.0"}


class TestTags:
    def test_a_refusal_is_remembered_too(self, cache: Path, tmp_path: Path) -> None:
        how = Faults(status=500)
        with http_server(tmp_path, how) as address:
            mirror = Mirror(f"{address}/x.git", cache)
            for ask in (mirror.tags, mirror.tags, lambda: mirror.commit("1.0.0"), lambda: mirror.commit("1.1.0")):
                with pytest.raises(Unobservable, match="500"):
                    ask()
        assert len(how.seen) == 1

    def test_annotated_tags_are_peeled(self, upstream: Repository, cache: Path) -> None:
        tags = Mirror(str(upstream.path), cache).tags()
        assert tags == {"v1.0.0": upstream.git("rev-parse", "v1.0.0"), "v1.1.0": upstream.git("rev-parse", "HEAD")}

    def test_pattern(self, upstream: Repository, cache: Path) -> None:
        upstream.git("tag", "plugin@2.0.0")
        assert Mirror(str(upstream.path), cache).commit("2.0.0", "plugin@{version}") == upstream.git("rev-parse", "HEAD")

    @pytest.mark.parametrize(
        ("version", "near"),
        [("1.0.5", "v1.0.0, v1.1.0"), ("9.0.0", "v1.10.0"), ("0.1.0", "v1.0.0"), ("1.9.0", "v1.1.0, v1.10.0")],
    )
    def test_a_missing_tag_names_its_neighbours(self, upstream: Repository, cache: Path, version: str, near: str) -> None:
        upstream.git("tag", "v1.10.0")
        upstream.git("tag", "unrelated")
        with pytest.raises(Unobservable) as caught:
            Mirror(str(upstream.path), cache).commit(version)
        assert f"has no tag v{version} (nearest: {near})" in caught.value.message


class TestNames:
    ODD = (
        "with space.ts",
        'quo"te.ts',
        "tab\there.ts",
        "new\nline.ts",
        "ümlaut.ts",
        "hash#tag.ts",
        "[id].ts",
        ":(glob)x",
        "-dash",
    )

    def test_odd_names(self, cache: Path, tmp_path: Path) -> None:
        made = repository(tmp_path / "odd")
        one = made.commit({f"src/{name}": name for name in self.ODD}, "v1")
        two = made.commit({f"src/{name}": f"now {name!r}\n" for name in self.ODD}, "v2")
        mirror = Mirror(str(made.path), cache)
        mirror.fetch(one, two, watched=["src/**"])
        paths = [f"src/{name}" for name in self.ODD]
        assert {path: blob.data for path, blob in mirror.read(one, paths).items()} == {p: p[4:].encode() for p in paths}
        patches = mirror.patches(one, two, paths)
        assert set(patches) == set(paths)
        assert all(f"+now {path[4:]!r}\n".encode() in patch for path, patch in patches.items())

    def test_names_that_are_not_utf8(self, cache: Path, tmp_path: Path) -> None:
        made = repository(tmp_path / "odd")
        name = os.fsdecode(b"caf\xe9.txt")
        one = made.commit({name: "1\n"}, "v1")
        two = made.commit({name: "2\n"}, "v2")
        mirror = Mirror(str(made.path), cache)
        assert list(mirror.tree(one, ["*.txt"])) == [name]
        assert list(mirror.patches(one, two, [name])) == [name]


class TestPatches:
    def test_a_file_that_looks_like_a_patch(self, cache: Path, tmp_path: Path) -> None:
        made = repository(tmp_path / "evil")
        text = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
        one = made.commit({"a": "x\n", "b": text}, "v1")
        two = made.commit({"a": text, "b": "y\n"}, "v2")
        patches = Mirror(str(made.path), cache).patches(one, two, ["a", "b"])
        assert set(patches) == {"a", "b"}
        assert b"+diff --git a/x b/x" in patches["a"] and b"-diff --git a/x b/x" in patches["b"]

    @pytest.mark.slow
    def test_more_files_than_a_command_line(self, cache: Path, tmp_path: Path) -> None:
        made = repository(tmp_path / "many")
        one = made.commit({f"d/{n}": f"{n}\n" for n in range(600)}, "v1")
        two = made.commit({f"d/{n}": f"{n} new\n" for n in range(600)}, "v2")
        assert len(Mirror(str(made.path), cache).patches(one, two, [f"d/{n}" for n in range(600)])) == 600

    def test_a_type_change_is_one_patch(self, cache: Path, tmp_path: Path) -> None:
        made = repository(tmp_path / "types")
        one = made.commit({"a": "x\n"}, "v1")
        (made.path / "a").unlink()
        (made.path / "a").symlink_to("elsewhere")
        two = made.commit({}, "v2")
        patch = Mirror(str(made.path), cache).patches(one, two, ["a"])["a"]
        assert b"deleted file mode 100644" in patch and b"new file mode 120000" in patch

    @pytest.mark.slow
    def test_the_users_taste_changes_nothing(
        self, upstream: Repository, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        old, new = upstream.git("rev-parse", "v1.0.0"), upstream.git("rev-parse", "HEAD")
        plain = Mirror(str(upstream.path), cache / "plain").patches(old, new, ["src/index.ts"])
        config = tmp_path / "config"
        config.write_text(
            "[diff]\nnoprefix=true\ncontext=9\nexternal=false\nmnemonicPrefix=true\nrenames=false\nalgorithm=patience\n"
            "[color]\nui=always\n[core]\nquotepath=true\npager=false\n[fetch]\nprune=true\n[transfer]\nfsckObjects=true\n"
        )
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
        monkeypatch.setenv("GIT_EXTERNAL_DIFF", "false")
        monkeypatch.setenv("GIT_DIFF_OPTS", "-u9")
        assert Mirror(str(upstream.path), cache / "tasty").patches(old, new, ["src/index.ts"]) == plain


class TestRenames:
    def test_followed_near_and_exactly(self, cache: Path, tmp_path: Path) -> None:
        made = repository(tmp_path / "moved")
        body = "".join(f"line {n}\n" for n in range(100))
        one = made.commit({"src/a.ts": body, "src/b.ts": body + "b\n", "src/c.ts": "gone for good\n", "src/kept.ts": "k\n"}, "v1")
        two = made.commit(
            {
                "src/a.ts": None,
                "src/b.ts": None,
                "src/c.ts": None,
                "lib/a.ts": body.replace("line 50\n", "line fifty\n"),
                "lib/b.ts": body + "b\n",
                "lib/unlike.ts": "nothing\n" * 50,
            },
            "v2",
        )
        found = Mirror(str(made.path), cache).renames(one, two, ["src/a.ts", "src/b.ts", "src/c.ts", "src/kept.ts", "never"])
        assert set(found) == {"src/a.ts", "src/b.ts"}
        assert found["src/b.ts"] == ("lib/b.ts", 100)
        assert found["src/a.ts"].path == "lib/a.ts" and 90 < found["src/a.ts"].similarity < 100

    def test_the_same_content_is_found_without_reading_it(self, cache: Path, tmp_path: Path) -> None:
        made = repository(tmp_path / "moved")
        one = made.commit({"a/x": "same\n", "a/y": "same\n", "a/empty": ""}, "v1")
        two = made.commit({"a/x": None, "a/y": None, "a/empty": None, "b/y": "same\n", "c/z": "same\n", "c/empty": ""}, "v2")
        mirror = Mirror(str(made.path), cache)
        mirror.fetch(one, two)
        shutil.rmtree(made.path)
        assert mirror.exact_renames(one, two, ["a/x", "a/y", "a/empty", "never"]) == {"a/x": ("c/z", 100), "a/y": ("b/y", 100)}


class TestOffline:
    def test_replays_from_the_cache(self, upstream: Repository, cache: Path) -> None:
        seen = everything(Mirror(str(upstream.path), cache))
        shutil.rmtree(upstream.path)
        assert everything(Mirror(str(upstream.path), cache, offline=True)) == seen

    @pytest.mark.slow
    def test_a_web_page_in_place_of_the_server_does_not_wipe_what_was_known(self, upstream: Repository, cache: Path) -> None:
        bare, faults = upstream.bare(), Faults()
        with http_server(bare.parent, faults) as address:
            known = Mirror(f"{address}/{bare.name}", cache).tags()
            faults.body = b"<html>log in to the network</html>"
            assert Mirror(f"{address}/{bare.name}", cache).tags() == {}
            assert Mirror(f"{address}/{bare.name}", cache, offline=True).tags() == known

    def test_names_what_it_lacks(self, upstream: Repository, cache: Path) -> None:
        with pytest.raises(NotCached, match=r"the tags of .* are not in the cache"):
            Mirror(str(upstream.path), cache, offline=True).tags()
        sha = upstream.git("rev-parse", "HEAD")
        with pytest.raises(NotCached, match=f"commit {sha[:12]} of"):
            Mirror(str(upstream.path), cache, offline=True).fetch(sha)
        Mirror(str(upstream.path), cache).fetch(sha)
        with pytest.raises(NotCached, match="watched files"):
            Mirror(str(upstream.path), cache, offline=True).fetch(sha, watched=["src/**"])


class TestEnvironment:
    def test_the_callers_repository_does_not_leak_in(
        self, upstream: Repository, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_OBJECT_DIRECTORY", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_NAMESPACE"):
            monkeypatch.setenv(name, str(tmp_path / "nowhere"))
        monkeypatch.setenv("GIT_TRACE", str(tmp_path / "trace"))
        expect_right(Mirror(str(upstream.path), cache))
        assert not (tmp_path / "trace").exists() and not (tmp_path / "nowhere").exists()

    def test_what_is_passed_and_what_is_fixed(self) -> None:
        caller = {
            "PATH": "/bin",
            "HOME": "/home/x",
            "SECRET": "s",
            "GIT_DIR": "/x",
            "GIT_SSH_COMMAND": "ssh -i key",
            "GIT_SSL_CAINFO": "/ca",
            "https_proxy": "http://p",
            "GIT_ASKPASS": "/bin/ask",
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "http.extraHeader",
            "GIT_CONFIG_VALUE_0": "X: y",
        }
        made = environment(caller, {"a.b": "c"})
        assert {"PATH", "HOME", "GIT_SSH_COMMAND", "GIT_SSL_CAINFO", "https_proxy"} <= made.keys()
        assert not {"SECRET", "GIT_DIR"} & made.keys()
        assert (made["LC_ALL"], made["GIT_TERMINAL_PROMPT"], made["GIT_ASKPASS"]) == ("C", "0", "")
        count = int(made["GIT_CONFIG_COUNT"])
        pairs = [(made[f"GIT_CONFIG_KEY_{n}"], made[f"GIT_CONFIG_VALUE_{n}"]) for n in range(count)]
        assert pairs[0] == ("http.extraHeader", "X: y") and pairs[-1] == ("a.b", "c")
        assert f"GIT_CONFIG_KEY_{count}" not in made


class TestTogether:
    @pytest.mark.slow
    def test_two_at_once_share_a_mirror(self, upstream: Repository, cache: Path) -> None:
        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(lambda _: everything(Mirror(str(upstream.path), cache)), range(4)))
        assert all(answer == answers[0] for answer in answers) and answers[0][0]

    def test_what_a_killed_run_left_is_cleared_away(self, upstream: Repository, cache: Path) -> None:
        mirror = Mirror(str(upstream.path), cache)
        mirror.tags()
        for name in ("shallow.lock", "config.lock", "objects/pack/tmp_pack_x"):
            (mirror.folder / name).write_text("")
        expect_right(mirror)
        assert not (mirror.folder / "shallow.lock").exists()

    @pytest.mark.slow
    def test_half_a_mirror_is_made_again(self, upstream: Repository, cache: Path) -> None:
        mirror = Mirror(str(upstream.path), cache)
        (mirror.folder / "objects").mkdir(parents=True)
        expect_right(mirror)

    @pytest.mark.slow
    def test_credentials_stay_out_of_the_cache_and_of_the_mirrors_name(self, upstream: Repository, cache: Path) -> None:
        bare = upstream.bare()
        with http_server(bare.parent) as address:
            places = [
                Mirror(f"{address.replace('//', f'//{user}@')}/{bare.name}", cache)
                for user in ("me:first-secret", "me:second-secret")
            ]
            expect_right(places[0])
            assert places[0].folder == places[1].folder
        kept = b"".join(path.read_bytes() for path in cache.rglob("*") if path.is_file())
        assert b"first-secret" not in kept


class TestEnding:
    @pytest.mark.slow
    def test_a_deadline_ends_git_and_its_helpers(self, upstream: Repository, cache: Path) -> None:
        faults = Faults(hang=20)
        with http_server(upstream.path.parent, faults) as address:
            start = time.monotonic()
            with pytest.raises(Unobservable, match=r"did not end within 0\.5 s"):
                Mirror(f"{address}/x.git", cache, deadline=0.5).tags()
            assert time.monotonic() - start < 5
            assert faults.gone.wait(5), "the http helper is still connected"

    @pytest.mark.slow
    def test_an_interrupt_ends_git_and_its_helpers(self, upstream: Repository, cache: Path) -> None:
        faults = Faults(hang=20)
        code = (
            "import sys; from pathlib import Path; from driftwatch.observe.sources.git import Mirror;"
            "Mirror(sys.argv[1], Path(sys.argv[2])).tags()"
        )
        with http_server(upstream.path.parent, faults) as address:
            child = subprocess.Popen([sys.executable, "-c", code, f"{address}/x.git", str(cache)], stderr=subprocess.PIPE)
            waiting = threading.Event()
            while not faults.seen and not waiting.wait(0.02):
                assert child.poll() is None
            child.send_signal(signal.SIGINT)
            _, errors = child.communicate(timeout=10)
            assert b"KeyboardInterrupt" in errors
            assert faults.gone.wait(5), "the http helper is still connected"


class TestInstalled:
    def test_the_version_of_git(self) -> None:
        assert installed().startswith("2.")

    def test_an_old_git_is_said_to_be_old(self, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        fake = tmp_path / "git"
        fake.write_text('#!/bin/sh\n[ "$1" = --version ] && echo git version 2.20.1 || { echo fatal: what >&2; exit 129; }\n')
        fake.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
        with pytest.raises(Unobservable, match=r"the installed git is too old: 'git version 2\.20\.1'"):
            Mirror(str(tmp_path), cache).tags()
