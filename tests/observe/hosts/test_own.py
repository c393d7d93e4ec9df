"""Hosts of the user's own: what they are, and when what they say may be kept."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from driftwatch.observe.hosts import HostError, own


def git(folder: Path, *words: str) -> None:
    settings = ("-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "init.defaultBranch=main")
    subprocess.run(["git", *settings, "-C", str(folder), *words], check=True, capture_output=True)


@pytest.fixture
def build(tmp_path: Path) -> Path:
    """A repository with a program in it, all committed."""
    folder = tmp_path / "build"
    folder.mkdir()
    (folder / "serve.py").write_text("print('hi')\n")
    (folder / ".gitignore").write_text("dist/\n")
    git(folder, "init")
    git(folder, "add", ".")
    git(folder, "commit", "-m", "one")
    return folder


def launch(folder: Path, *words: str) -> str:
    return own.launch((sys.executable, *words), folder).integrity


def test_a_launch_command_is_its_words_its_program_and_its_commit(build: Path) -> None:
    first = launch(build, "serve.py")
    assert first.startswith("launch-")
    assert launch(build, "serve.py") == first
    assert launch(build, "serve.py", "--other") != first
    (build / "serve.py").write_text("print('other')\n")
    git(build, "commit", "-am", "two")
    assert launch(build, "serve.py") not in {first, ""}


@pytest.mark.parametrize("change", ["edited", "untracked", "built", "no repository"])
def test_what_can_be_another_host_tomorrow_has_no_name(build: Path, change: str) -> None:
    word = "serve.py"
    if change == "edited":
        (build / "serve.py").write_text("print('edited')\n")
    elif change == "untracked":
        (build / "helper.py").write_text("")
    elif change == "built":
        (build / "dist").mkdir()
        (build / "dist" / "serve.py").write_text("")
        word = "dist/serve.py"
    else:
        subprocess.run(["rm", "-rf", str(build / ".git")], check=True)
    assert launch(build, word) == ""


def test_a_program_may_be_written_from_the_folder(build: Path) -> None:
    program = build / "run.sh"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    found = own.launch(("./run.sh", "x"), build, ("LANG",))
    assert found.command == (str(program), "x")
    assert (found.directory, found.environment, found.version, found.package) == (build, ("LANG",), "", "")
    assert str(build.parent) not in found.label


def test_what_cannot_be_launched_says_why(build: Path) -> None:
    with pytest.raises(HostError, match="is empty"):
        own.launch((), build)
    with pytest.raises(HostError, match="is not a folder"):
        own.launch((sys.executable,), build / "nowhere")
    with pytest.raises(HostError, match="no executable in the PATH"):
        own.launch(("no-such-program-anywhere",), build)
    with pytest.raises(HostError, match="no executable in"):
        own.launch(("./serve.py",), build)


def test_an_executable_must_be_one(tmp_path: Path) -> None:
    path = tmp_path / "host"
    path.write_text("x")
    with pytest.raises(HostError, match="may not be executed"):
        own.executable(path, "opencode")
    with pytest.raises(HostError, match="is not a file"):
        own.executable(tmp_path, "opencode")
