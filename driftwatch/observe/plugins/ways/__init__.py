"""How each kind of host is given a plugin, and what its log says when it will not have one. One module a kind of host."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any, Protocol, cast

from driftwatch.errors import UsageError
from driftwatch.observe.plugins.job import Plugin


class Way(Protocol):
    """``api`` is the package of the host's version that plugins import. ``refusals``: problem -> what the host's log says then,
    first match counts. ``loading`` is what it says when it loads one. ``keys`` of the configuration name plugins."""

    api: str
    keys: frozenset[str]
    refusals: Sequence[tuple[str, re.Pattern[str]]]
    loading: re.Pattern[str]

    def config(self, plugin: Plugin, options: Mapping[str, Any], project: Path) -> dict[str, Any]:
        """The configuration by which a user of this host names the plugin."""

    def lay_out(self, plugin: Plugin, api: Path | None, project: Path, home: Path) -> Sequence[Path]:
        """Put the installed plugin where the host would have installed it, after the boot, before the project is opened. The
        folders that were made for it."""

    def tracer(self, folder: str) -> Mapping[str, str]:
        """Files of a plugin that loads another one and marks what happens to it, below a project."""


def way(host: str) -> Way:
    """Raises UsageError for a kind of host nobody has written a way for."""
    try:
        return cast(Way, import_module(f"{__name__}.{host}").WAY)
    except ModuleNotFoundError:
        raise UsageError(f"plugins of {host!r} hosts cannot be checked", "known: opencode") from None


def trace_text() -> str:
    return files(__package__).joinpath("trace.js").read_text("utf-8")


def copy(source: Path, target: Path) -> None:
    """A tree of its own, its bytes shared where the disk can."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copytree(source, target, symlinks=True, copy_function=_link, dirs_exist_ok=True)


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, target, follow_symlinks=False)
