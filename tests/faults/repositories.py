"""The git repository is not there, not right, or tries something."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from driftwatch.observe.sources.git import command
from tests.faults.bench import GIT, Answer, Bench, Case, history
from tests.support.git import Faults, http_server, repository

CHECK = "check the git address"
NETWORK = "check the network"


def at(address: str) -> Callable[[Bench], None]:
    """The watchlist names this repository."""
    return lambda made: made.edit("./repository", address)


def server(**faults: object) -> Callable[[Bench], None]:
    """A git server that goes wrong."""

    def fault(made: Bench) -> None:
        made.edit("./repository", made.enter(http_server(made.root, Faults(**faults))) + "/x.git")  # type: ignore[arg-type]

    return fault


def spoilt(what: str) -> Callable[[Bench], None]:
    """An object of the repository is damaged."""

    def fault(made: Bench) -> None:
        sha = made.repository.git("rev-parse", what)
        path = made.repository.path / ".git/objects" / sha[:2] / sha[2:]
        path.chmod(0o644)
        path.write_bytes(b"rubbish")

    return fault


def behind_the_package(made: Bench) -> None:
    history(made.repository)
    made.edit("    watch:", f"{GIT}    watch:")
    spoilt("v1.1.0")(made)


def lost(what: str) -> Callable[[Bench], None]:
    def fault(made: Bench) -> None:
        sha = made.repository.git("rev-parse", what)
        (made.repository.path / ".git/objects" / sha[:2] / sha[2:]).unlink()

    return fault


def somebody_elses(made: Bench) -> None:
    made.patch.setattr(command, "_PASSED", command._PASSED | {"GIT_TEST_ASSUME_DIFFERENT_OWNER"})
    made.env(GIT_TEST_ASSUME_DIFFERENT_OWNER="1", GIT_CONFIG_GLOBAL="/dev/null")


def rewritten(made: Bench) -> None:
    """The user's own git configuration turns the address into a command."""
    command = f"ext::sh -c touch% {made.root}/ran% "
    config = made.write(
        "gitconfig", f'[url "{command}"]\n\tinsteadOf = https://upstream.example/\n[protocol]\n\tallow = always\n'
    )
    made.env(GIT_CONFIG_GLOBAL=str(config))
    made.edit("./repository", "https://upstream.example/x")


def nothing_ran(made: Bench, _: Answer) -> None:
    assert not (made.root / "ran").exists()


def shallow(made: Bench) -> None:
    """A clone of the last commit only: the accepted one is not in it."""
    target = made.root / "shallow"
    made.repository.git("clone", "-q", "--depth=1", made.repository.path.as_uri(), str(target))
    made.edit("./repository", "./shallow")


def tag_moved(made: Bench) -> None:
    made.repository.commit({"src/index.ts": "export {}\n"})
    made.repository.git("tag", "-f", "v1.0.0")


def big_file(made: Bench) -> None:
    """A watched file of a size nobody should read."""
    made.repository.commit({"src/index.ts": b"x" * (33 * 1024 * 1024)})
    made.repository.git("tag", "-f", "v1.1.0")


def hostile_path(made: Bench) -> None:
    made.edit("path: src/index.ts", 'path: "src/**"')
    made.repository.commit({"src/\x1b[2J<script>\u202egpj.exe": "x"})
    made.repository.git("tag", "-f", "v1.1.0")


def slow(made: Bench) -> None:
    made.patch.setattr("driftwatch.observe.sources.git.Mirror.__init__.__kwdefaults__", {**_defaults(), "deadline": 0.5})
    server(hang=20)(made)


def _defaults() -> dict[str, object]:
    from driftwatch.observe.sources.git import Mirror

    return dict(Mirror.__init__.__kwdefaults__ or {})


def flooding(made: Bench) -> None:
    made.patch.setattr(command, "MAX_OUTPUT", 10_000)
    _fake_git(made, "yes | head -c 20000")


def _fake_git(made: Bench, script: str) -> None:
    path = made.write("bin/git", f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    made.env(PATH=f"{path.parent}:/usr/bin:/bin")


QUICK = {"no such folder", "the new version's tag is missing", "no git", "ext:: transport", "an address that is an option"}


def row(name: str, *rest: Any, on: str = "git", **more: Any) -> Case:
    return Case(name, *rest, on=on, slow=name not in QUICK, **more)


CASES = [
    row("no such folder", at("./nowhere"), "does not (exist|appear to be a git repository)", CHECK),
    row("a folder that is no repository", at("./probes"), "does not appear to be a git repository", CHECK),
    row("a file that is no repository", at("./watchlist.yaml"), "does not appear|bundle|invalid", CHECK),
    row("an empty repository", lambda b: (repository(b.root / "empty"), at("./empty")(b)), "no tags at all", "wait for the tag"),
    row("the new version's tag is missing", lambda b: b.repository.git("tag", "-d", "v1.1.0"), "has no tag v1.1.0", "wait for"),
    row("tags of another pattern", lambda b: b.edit("repository}", 'repository, tags: "release-{version}"}'), "no tag release-1"),
    row("the accepted tag was moved", tag_moved, "points at another commit|moved", ".", 10),
    row("somebody else's folder", somebody_elses, "detected dubious ownership", "if you trust that folder: git config"),
    row("nobody listens", at("http://127.0.0.1:1/x.git"), "Failed to connect|refused", NETWORK),
    row("401", server(status=401), "could not read Username|Authentication failed", "credential helper"),
    row("403", server(status=403), "403", "credential helper"),
    row("404", server(status=404), "not found", CHECK),
    row("500", server(status=500), "500", NETWORK),
    row("web page", server(body=b"<html>welcome</html>"), "no tags at all", "."),
    row("hangs", slow, "did not end within 0.5 s", NETWORK),
    row("ext:: transport", at('"ext::sh -c touch x"'), "transport helper", ".", 2, then=nothing_ran),
    row("an address that is an option", at("--upload-pack=touch x"), "read it as an option", ".", 2),
    row("an ssh address that is an option", at("ssh://-oProxyCommand=x/y"), "ssh would read it as an option", ".", 2),
    row("an address rewritten to a command", rewritten, "transport 'ext' not allowed", "use an https", then=nothing_ran),
    row("a damaged commit", spoilt("v1.1.0"), "corrupt|inflate|bad object|loose object|not our ref", "."),
    row("a damaged file", spoilt("v1.1.0:src/index.ts"), "corrupt|inflate|loose object|not our ref|did not send", "."),
    row("a lost tree", lost("v1.1.0^{tree}"), "unable to|bad|could not|missing|not our ref|did not send", "."),
    row("a lost file", lost("v1.1.0:src/index.ts"), "unable to|bad|could not|missing|not our ref|did not send", "."),
    row("a damaged commit, but the package carries the file", behind_the_package, exit=0, on="package"),
    row("a shallow source", shallow, "has no tag v1.0.0|not our ref|not a commit", "."),
    row("a watched file of 33 MB", big_file, "file-changed", ".", 0, outcome="drifted"),
    row("a file with a hostile name", hostile_path, "file-added", ".", 0, outcome="drifted"),
    row("no git", lambda b: b.env(PATH=str(b.root)), "git is not installed", "install git"),
    row("a git that is none", lambda b: _fake_git(b, "echo hello"), "made no repository", "git --version"),
    row("a git that is too old", lambda b: _fake_git(b, "echo git version 1.8.3; exit 1"), "too old", "install git"),
    row("a git that crashes", lambda b: _fake_git(b, "kill -SEGV $$"), "git", "."),
    row("a git that floods", flooding, "more than 10000 bytes of output", "."),
]
