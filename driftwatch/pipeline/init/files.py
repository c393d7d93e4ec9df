"""The files `init` writes: only ever new ones."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from driftwatch import atomic
from driftwatch.errors import UsageError

_FROM = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+@[0-9a-f]{40}")
PLACEHOLDER = "OWNER/driftwatch"
_GITHUB = ("driftwatch-watch.yml", "driftwatch-pull-request.yml", "driftwatch-comment.yml")


def ci_files(kind: str | None, source: str) -> Mapping[str, str]:
    """Path below the project -> text of its CI files. ``source`` names the workflows' repository and commit.

    Raises UsageError for a source that is not pinned to a commit.
    """
    if source and not _FROM.fullmatch(source):
        raise UsageError(
            f"--ci-from {source!r} is not OWNER/NAME@COMMIT", "the commit is 40 hexadecimal digits: pin what you looked at"
        )
    if kind == "gitlab":
        return {".gitlab/driftwatch.yml": _template("gitlab.yml")}
    if kind != "github":
        return {}
    repository, _, commit = source.partition("@")
    texts = {f".github/workflows/{name}": _template(name) for name in _GITHUB}
    if not source:
        return texts
    return {name: text.replace(PLACEHOLDER, repository).replace("0" * 40, commit) for name, text in texts.items()}


def write_new(root: Path, texts: Mapping[str, str]) -> tuple[Path, ...]:
    """Write those that are not there, all or none. A link that leads nowhere counts as there: it is somebody's. Raises
    StoreError."""
    fresh = {root / name: text.encode("utf-8") for name, text in texts.items() if not os.path.lexists(root / name)}
    with atomic.together(fresh):
        return tuple(fresh)


def _template(name: str) -> str:
    return files("driftwatch.render").joinpath("templates", "ci", name).read_text("utf-8")
