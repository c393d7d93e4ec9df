"""What git can refuse and what can go wrong: each is Unobservable with git's own reason, and never looks like "no change"."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from driftwatch.errors import StoreError, Unobservable
from driftwatch.judge.compare.files import rows
from driftwatch.observe.facts.files import Version, pair
from driftwatch.observe.sources.git import Mirror, command
from driftwatch.observe.sources.git.location import locate, redact
from driftwatch.observe.sources.git.reason import remedy, why
from tests.support.git import Faults, Repository, http_server, repository

ADDRESSES = {
    "nothing": ("", "empty"),
    "spaces": ("   ", "empty"),
    "an option": ("--upload-pack=touch {mark}", "looks like an option"),
    "a short option": ("-utouch {mark}", "looks like an option"),
    "a command helper": ("ext::sh -c 'touch {mark}'", "remote helper"),
    "a descriptor helper": ("fd::17", "remote helper"),
    "any helper": ("foo::https://example.invalid/x", "remote helper"),
    "an unknown scheme": ("javascript://x/y", "scheme"),
    "ftp": ("ftp://example.invalid/x", "scheme"),
    "an ext scheme": ("ext://x", "scheme"),
    "an option as ssh host": ("ssh://-oProxyCommand=touch%20{mark}/x", "no proper host"),
    "an option behind a user": ("ssh://me@-oProxyCommand=x/y", "no proper host"),
    "an option as scp host": ("-oProxyCommand=touch {mark}:x", "looks like an option"),
    "an option as scp host behind a user": ("me@-oProxyCommand=x:y", "no proper host"),
    "an option as scp path": ("host:--upload-pack=x", "no proper host"),
    "no host": ("https:///x", "no proper host"),
    "a newline": ("https://example.invalid/x\n[core]", "control characters"),
    "an escape": ("/tmp/\x1b[31mx", "control characters"),
}


@pytest.mark.parametrize("case", ADDRESSES)
def test_addresses_that_are_none(case: str, cache: Path, tmp_path: Path) -> None:
    address, reason = ADDRESSES[case]
    mark = tmp_path / "ran"
    with pytest.raises(Unobservable, match=reason) as caught:
        Mirror(address.format(mark=mark), cache)
    assert caught.value.remedy
    assert not mark.exists() and not list(cache.iterdir())


@pytest.mark.parametrize(
    ("written", "given", "local"),
    [
        ("https://github.example/a/b.git", "https://github.example/a/b.git", False),
        ("git+https://github.example/a/b.git", "https://github.example/a/b.git", False),
        ("git+ssh://git@github.example/a/b.git", "git+ssh://git@github.example/a/b.git", False),
        ("git@github.example:a/b.git", "git@github.example:a/b.git", False),
        ("ssh://git@[::1]:22/a", "ssh://git@[::1]:22/a", False),
        ("file:///a b/c", "file:///a b/c", True),
        ("/a/b:c", "/a/b:c", True),
        ("./a:b", f"{Path.cwd()}/a:b", True),
        ("~/x", f"{Path.home()}/x", True),
    ],
)
def test_addresses_that_are_right(written: str, given: str, local: bool) -> None:
    location = locate(written)
    assert (location.address, location.local) == (given, local)


def small(tmp_path: Path) -> Repository:
    made = repository(tmp_path / "upstream")
    made.commit({"a.ts": "1\n"}, "v1.0.0")
    made.commit({"a.ts": "2\n"}, "v1.1.0", annotated=True)
    return made


Scene = Callable[[Path, pytest.MonkeyPatch], "object"]
SCENES: dict[str, tuple[str, Callable[..., object]]] = {}


def scene(reason: str) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """A fault: a context manager that gives the address to look at; ``reason`` is what must be said."""

    def register(function: Callable[..., Iterator[str]]) -> Callable[..., object]:
        SCENES[function.__name__.replace("_", " ")] = (reason, contextmanager(function))
        return function

    return register


@scene("does not (exist|appear to be a git repository)")
def no_such_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    yield str(tmp_path / "nowhere")


@scene("does not appear to be a git repository")
def a_folder_that_is_no_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    (tmp_path / "plain").mkdir()
    yield str(tmp_path / "plain")


@scene("does not appear to be a git repository|bundle|invalid gitfile")
def a_file_that_is_no_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    (tmp_path / "plain").write_text("hello")
    yield str(tmp_path / "plain")


@scene("has no tag v1.0.0 .it shows no tags at all")
def an_empty_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    yield str(repository(tmp_path / "empty").path)


@scene(r"has no tag v1.1.0 \(nearest: v1.0.0\)")
def a_missing_tag(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    made = repository(tmp_path / "upstream")
    made.commit({"a.ts": "1\n"}, "v1.0.0")
    yield str(made.path)


@scene("detected dubious ownership in repository")
def a_repository_of_somebody_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    made = small(tmp_path)
    monkeypatch.setattr(command, "_PASSED", command._PASSED | {"GIT_TEST_ASSUME_DIFFERENT_OWNER"})
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    yield str(made.path)


@scene("could not read Username|Authentication failed")
def a_server_that_wants_a_password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with http_server(tmp_path, Faults(status=401)) as address:
        yield f"{address}/x.git"


@scene("Authentication failed")
def a_server_that_refuses_the_password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with http_server(tmp_path, Faults(status=401)) as address:
        yield f"{address.replace('//', '//me:hunter2@')}/x.git"


@scene("403")
def a_server_that_forbids(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with http_server(tmp_path, Faults(status=403)) as address:
        yield f"{address}/x.git"


@scene("not found")
def a_server_that_does_not_know_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with http_server(tmp_path, Faults(status=404)) as address:
        yield f"{address}/x.git?token=hunter2"


@scene("500|unable to access")
def a_broken_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with http_server(tmp_path, Faults(status=500)) as address:
        yield f"{address}/x.git"


@scene("it shows no tags at all: an empty repository, or something that is not one")
def a_server_that_answers_with_a_web_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with http_server(tmp_path, Faults(body=b"<html>welcome</html>")) as address:
        yield f"{address}/x.git"


@scene("Failed to connect|refused")
def nobody_listens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with http_server(tmp_path) as address:
        pass
    yield f"{address}/x.git"


@scene("did not end within")
def a_server_that_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with http_server(tmp_path, Faults(hang=10)) as address:
        yield f"{address}/x.git"


@scene("not a commit")
def a_tag_that_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    made = small(tmp_path)
    made.git("tag", "-f", "v1.1.0", "HEAD:a.ts")
    yield str(made.path)


@scene("corrupt|unable to|died|inflate|bad object|loose object|early EOF|not our ref")
def a_corrupt_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    made = small(tmp_path)
    _spoil(made, made.git("rev-parse", "HEAD"))
    yield str(made.path)


@scene("corrupt|unable to|died|inflate|bad object|loose object|early EOF|not our ref")
def a_corrupt_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    made = small(tmp_path)
    _spoil(made, made.git("rev-parse", "HEAD:a.ts"))
    yield str(made.path)


@scene("missing|unable to|died|bad object|early EOF|not our ref|could not")
def a_file_the_server_has_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    made = small(tmp_path)
    blob = made.git("rev-parse", "HEAD:a.ts")
    (made.path / ".git/objects" / blob[:2] / blob[2:]).unlink()
    yield str(made.path)


@scene("moved from 0123456789ab to")
def a_tag_that_moves_while_it_is_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    bare = small(tmp_path).bare()
    fake = "0123456789abcdef0123456789abcdef01234567"
    monkeypatch.setattr(Mirror, "_tags", {"v1.0.0": fake, "v1.1.0": fake})
    with http_server(tmp_path, Faults(old_protocol=True)) as address:
        yield f"{address}/{bare.name}"


@scene("not our ref|unadvertised|upload-pack")
def a_commit_the_server_no_longer_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    made = small(tmp_path)
    monkeypatch.setattr(Mirror, "commit", lambda *_: "0123456789abcdef0123456789abcdef01234567")
    yield str(made.path)


@scene("transport 'ext' not allowed")
def an_address_rewritten_to_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    config = tmp_path / "config"
    config.write_text(
        f'[url "ext::sh -c touch% {tmp_path}/ran% "]\n\tinsteadOf = https://rewritten.invalid/\n[protocol]\n\tallow = always\n'
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    yield "https://rewritten.invalid/x"
    assert not (tmp_path / "ran").exists()


@scene("git is not installed")
def no_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("PATH", str(tmp_path))
    yield "https://example.invalid/x"


@scene("ssh|Could not read from remote")
def an_ssh_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("GIT_SSH_COMMAND", "echo 'ssh: connect to host x port 22: Network is unreachable' >&2; false")
    yield "git@x.invalid:a/b.git"


def _spoil(made: Repository, sha: str) -> None:
    path = made.path / ".git/objects" / sha[:2] / sha[2:]
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:10])


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.slow
def test_a_fault_is_a_gap_with_the_reason(name: str, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reason, begin = SCENES[name]
    with begin(tmp_path, monkeypatch) as address:  # type: ignore[attr-defined]
        mirror = Mirror(address, cache, deadline=0.7 if "hangs" in name else 30)
        with pytest.raises(Unobservable, match=reason) as caught:
            mirror.fetch(mirror.commit("1.0.0"), mirror.commit("1.1.0"), watched=["*.ts"])
        again = Mirror(address, cache, deadline=0.7 if "hangs" in name else 30)
        seen = pair(Version("1.0.0", again), Version("1.1.0", again), ["a.ts", "*.ts"])
    assert "hunter2" not in str(caught.value)
    assert "\n" not in caught.value.message and len(caught.value.message) < 800
    assert seen.old.facts == seen.new.facts == ()
    assert [gap.address for gap in seen.new.gaps] == [gap.address for gap in seen.old.gaps] == ["file:a.ts", "file:*.ts"]
    assert {row.change for row in rows(seen.old, seen.new, [("a.ts", ""), ("*.ts", "")], seen.texts)} == {"unverified"}


def test_there_are_enough_of_them() -> None:
    assert len(ADDRESSES) + len(SCENES) >= 40


def test_dubious_ownership_says_what_to_do() -> None:
    text = (
        b"fatal: detected dubious ownership in repository at '/srv/up stream'\nTo add an exception for this directory, call:\n\n"
        b"\tgit config --global --add safe.directory '/srv/up stream'\nfatal: Could not read from remote repository.\n\n"
        b"Please make sure you have the correct access rights\nand the repository exists.\n"
    )
    assert why(text).startswith("fatal: detected dubious ownership in repository at '/srv/up stream'; fatal: Could not read")
    assert remedy(text).endswith("git config --global --add safe.directory '/srv/up stream'")


def test_reasons_carry_no_secrets_and_no_control_characters() -> None:
    text = b"remote: \x1b[31mhello\x1b[0m\nfatal: unable to access 'https://me:s3cret@host/x?access_token=s3cret&a=b': no\x07\n"
    assert why(text) == "fatal: unable to access 'https://***@host/x?access_token=***&a=b': no"
    assert why(b"") == "git said nothing"
    assert redact("see https://tok@host/x and user@host:path") == "see https://***@host/x and user@host:path"


def test_a_cache_that_cannot_be_written(tmp_path: Path) -> None:
    made = small(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot make"):
        Mirror(str(made.path), tmp_path / "file").tags()


def test_a_spoilt_mirror_is_not_believed(tmp_path: Path, cache: Path) -> None:
    made = small(tmp_path)
    mirror = Mirror(str(made.path), cache)
    sha = mirror.commit("1.1.0")
    mirror.fetch(sha, watched=["*.ts"])
    for pack in (mirror.folder / "objects/pack").glob("*.pack"):
        pack.chmod(0o644)
        pack.write_bytes(pack.read_bytes()[:40])
    fresh = Mirror(str(made.path), cache, offline=True)
    with pytest.raises(Unobservable):
        fresh.read(sha, ["a.ts"])


def test_a_submodule_is_not_asked_for(tmp_path: Path, cache: Path) -> None:
    made = small(tmp_path)
    made.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},vendor")
    made.seal("v2")
    mirror = Mirror(str(made.path), cache)
    sha = mirror.commit("2")
    mirror.fetch(sha, watched=["**"])
    assert mirror.tree(sha, ["vendor"])["vendor"].mode == "160000"
    assert list(mirror.read(sha, ["vendor", "a.ts"])) == ["a.ts"]


def test_the_mirror_runs_no_hooks(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    (hooks / "reference-transaction").write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    (hooks / "reference-transaction").chmod(0o755)
    config = tmp_path / "config"
    config.write_text(f"[core]\n\thooksPath = {hooks}\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    made = small(tmp_path)
    mirror = Mirror(str(made.path), cache)
    mirror.fetch(mirror.commit("1.0.0"))
    assert not (tmp_path / "ran").exists()
    subprocess.run(
        ["git", "update-ref", "refs/x", "HEAD"], cwd=made.path, check=True, env={**os.environ, "GIT_CONFIG_GLOBAL": str(config)}
    )
    assert (tmp_path / "ran").exists(), "the hook would have run"
