"""Hosts of the user's own: an executable on disk, or a launch command, such as a local build of the upstream.

What such a host says may only be kept when it is known what it is. An executable is its bytes. A launch command is its words,
the program it starts and the state of the folder it runs in: the commit, when nothing there differs from it. Anything else (no
repository, changed files, a program built from it that git does not know) can be another host tomorrow, and is not kept.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from driftwatch.errors import Unobservable
from driftwatch.observe.hosts.binaries import file_integrity
from driftwatch.observe.hosts.driver import Binary, HostError
from driftwatch.observe.sources.git.command import environment, execute

PATIENCE = 20.0  # seconds for one look at the repository


def executable(path: Path, what: str) -> Binary:
    """An executable on disk; ``what`` names the host in messages. Raises HostError."""
    if not path.is_file():
        raise HostError(f"{path} is not a file", f"give the path of an {what} executable")
    if not os.access(path, os.X_OK):
        raise HostError(f"{path} may not be executed", f"`chmod +x` it, or give the path of an {what} executable")
    try:
        return Binary(path.resolve(), "", "", file_integrity(path))
    except OSError as error:
        raise HostError(f"{path} cannot be read: {error.strerror or error}") from error


def launch(command: Sequence[str], directory: Path, environment: Sequence[str] = ()) -> Binary:
    """A launch command, run in ``directory``. ``environment`` names variables that are handed on. Raises HostError."""
    if not command:
        raise HostError("the launch command is empty", "write the program and its words, one an entry")
    if not directory.is_dir():
        raise HostError(f"{directory} is not a folder", "name the folder the launch command runs in")
    folder = directory.resolve()
    program = _program(command[0], folder)
    return Binary(
        path=program,
        version="",
        package="",
        integrity=_identity(command, program, folder),
        command=(str(program), *command[1:]),
        directory=folder,
        environment=tuple(environment),
    )


def handed_on(binary: Binary) -> dict[str, str]:
    """What the user lets this host have of the caller's environment."""
    return {name: os.environ[name] for name in binary.environment if name in os.environ}


def _program(word: str, folder: Path) -> Path:
    """The program of a command: on the caller's PATH, or from the folder when it is written as a path."""
    found = str(folder / os.path.expanduser(word)) if "/" in word else shutil.which(word)  # noqa: PTH111
    if not found or not Path(found).is_file() or not os.access(found, os.X_OK):
        where = str(folder) if "/" in word else "the PATH"
        raise HostError(f"{word!r}, the program of the launch command, is no executable in {where}", "name it with its path")
    return Path(found).absolute()  # not resolved: a program may go by the name it was called by


def _identity(command: Sequence[str], program: Path, folder: Path) -> str:
    state = _state(command, folder)
    if not state:
        return ""
    try:
        told = json.dumps([list(command), file_integrity(program), state])
    except OSError:
        return ""
    return "launch-" + hashlib.sha256(told.encode()).hexdigest()


def _state(command: Sequence[str], folder: Path) -> str:
    """The commit of the folder's repository, "" where that does not tell what runs."""
    commit = _git(folder, "rev-parse", "--verify", "HEAD")
    if not commit or _git(folder, "status", "--porcelain", "--untracked-files=normal") != "":
        return ""
    named = [word for word in command[1:] if (folder / word).is_file()]
    if any(_git(folder, "ls-files", "--error-unmatch", "--", word) is None for word in named):
        return ""  # what is started was built: the commit says nothing about when
    return commit.strip()


def _git(folder: Path, *words: str) -> str | None:
    """What git says there, None when it refuses."""
    try:
        code, output, _ = execute(
            ["git", "-C", str(folder), *words], environment(os.environ, {}), b"", PATIENCE, f"git {words[0]}"
        )
    except Unobservable:
        return None
    return output.decode("utf-8", "replace") if code == 0 else None
