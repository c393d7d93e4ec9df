"""The project's own repository: what a file held at a revision. Read by git alone, never run: no hooks, no filters.

The caller's ``GIT_*`` variables are not believed: a hook or a tool around us sets them for another repository.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from driftwatch.errors import UsageError

if TYPE_CHECKING:
    import git

MOST = 64 * 1024 * 1024  # bytes of one file that is read
_LINK, _MODULE = 0o120000, 0o160000
_SEAL = threading.Lock()
# The last word on what git may do while it reads for us.
_SETTINGS = {"core.hooksPath": os.devnull, "core.fsmonitor": "false", "core.attributesFile": os.devnull, "gc.auto": "0"}
_FIXED = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PYTHON_REFRESH": "quiet",
}


class Own:
    """A context manager around the repository that ``folder`` lies in. Raises UsageError when it lies in none.

    ``prefix`` is the folder's path from the repository's root ("" at the root).
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._stack = ExitStack()

    def __enter__(self) -> Own:
        self._stack.enter_context(_sealed())
        import git

        try:
            self._repo = self._stack.enter_context(git.Repo(self._folder.resolve(), search_parent_directories=True))
            self.root = Path(self._repo.working_tree_dir or "").resolve()
            self.prefix = PurePosixPath(self._folder.resolve().relative_to(self.root).as_posix())
        except (git.InvalidGitRepositoryError, git.NoSuchPathError, ValueError) as error:
            self._stack.close()
            raise UsageError(f"{self._folder} is not in a git work tree", "run it where the project is checked out") from error
        return self

    def __exit__(self, *exc: object) -> None:
        self._stack.close()

    def commit(self, revision: str) -> git.Commit:
        """The commit a revision names (a branch, tag, SHA or ``HEAD^1``). Raises UsageError."""
        fetched = "fetch it first: a shallow checkout holds only the newest commits (`fetch-depth: 2` for HEAD^1)"
        if not revision or revision.startswith("-") or not revision.isprintable():
            raise UsageError(f"{revision!r} is no revision")
        try:
            commit = self._repo.commit(revision)
            commit.tree.binsha  # noqa: B018  (read now, so that a missing object is told here)
        except _broken() as error:
            raise UsageError(f"{self.root} has no commit {revision!r}{_said(error)}", fetched) from error
        return commit

    def read(self, commit: git.Commit, path: PurePosixPath) -> bytes | None:
        """The bytes of a file at a commit, None when it is not there. ``path`` is from the repository's root.

        Raises UsageError for what is no plain file there, or is too large to be a manifest or a lock.
        """
        import git

        try:
            entry = commit.tree / str(path)
        except KeyError:
            return None
        except _broken() as error:
            raise UsageError(f"{path} at {commit.hexsha[:12]} cannot be read{_said(error)}") from error
        if not isinstance(entry, git.Blob) or entry.mode in (_LINK, _MODULE):
            raise UsageError(f"{path} at {commit.hexsha[:12]} is not a plain file")
        if entry.size > MOST:
            raise UsageError(f"{path} at {commit.hexsha[:12]} is larger than {MOST // 1024 // 1024} MiB")
        data: bytes = entry.data_stream.read()
        return data


def _broken() -> tuple[type[Exception], ...]:
    """What reading raises: git's own refusals, those of its object store, and what odd names trip over."""
    import git
    from git.exc import ODBError

    return (git.GitError, ODBError, ValueError, IndexError, OSError)


def _said(error: BaseException) -> str:
    """The first telling line of git's own text."""
    text = str(getattr(error, "stderr", "") or "")
    lines = [line.strip(" '\"") for line in text.splitlines() if "fatal:" in line]
    return f": {lines[0][:300]}" if lines else ""


@contextmanager
def _sealed() -> Iterator[None]:
    """Without the caller's ``GIT_*`` variables, with ours. The whole process sees it, so one at a time."""
    with _SEAL:
        kept = {name: value for name, value in os.environ.items() if name.startswith("GIT_")}
        pairs = {f"GIT_CONFIG_{part}_{n}": text for n, pair in enumerate(_SETTINGS.items())
                 for part, text in zip(("KEY", "VALUE"), pair, strict=True)}  # fmt: skip
        ours = {**_FIXED, **pairs, "GIT_CONFIG_COUNT": str(len(_SETTINGS))}
        try:
            _without_git()
            os.environ.update(ours)
            yield
        finally:
            _without_git()
            os.environ.update(kept)


def _without_git() -> None:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        del os.environ[name]
