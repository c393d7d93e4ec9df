"""Which host is meant: the published one at a version, or one of the user's own (an executable, a launch command)."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from driftwatch.errors import Unobservable, UsageError
from driftwatch.pipeline.world import World
from driftwatch.versions import ordered, parse

if TYPE_CHECKING:
    from driftwatch.config.model import OwnHost
    from driftwatch.observe.hosts import Binary, Driver

FILES = (".yaml", ".yml", ".json")
FILE_LIMIT = 64 * 1024


def acquire(driver: Driver, version: str, world: World) -> Binary:
    """The host's binary at exactly this version: what another version does is no evidence for this one."""
    if not version:
        raise Unobservable("the version is not known, so there is no host to boot")
    if parse(version) is None:
        raise Unobservable(
            "no host of a branch is published, and none of your own is named", "name `host.command` or `host.executable`"
        )
    try:
        return driver.acquire(version, world.registry, world.settings.cache, world.settings.progress)
    except Unobservable as error:
        raise type(error)(error.message, error.remedy or neighbours(driver, version, world)) from error


def neighbours(driver: Driver, version: str, world: World) -> str:
    """The published versions just below and above, for a reader who may want to look there."""
    try:
        published: Mapping[str, object] = world.registry.packument(driver.package()).versions
    except Unobservable:
        return ""
    row = ordered([*published, version])
    if version not in row or version in published:
        return ""
    at = row.index(version)
    near = [each for each in (row[at - 1] if at else "", row[at + 1] if at + 1 < len(row) else "") if each]
    return f"published hosts nearby: {', '.join(near)}" if near else ""


def owned(driver: Driver, own: OwnHost, root: Path) -> Binary:
    """A host of the user's own; its paths start from ``root``. Raises HostError saying what is wrong with it."""
    if own.executable:
        return driver.binary_at(root / home(own.executable))
    directory = root / home(own.directory or "")
    return driver.launched(own.command, directory, own.environment)


def kind(given: Sequence[str]) -> tuple[str, list[str]]:
    """What ``--host`` means: the kind of host (the last one named, else the first there is), and the paths of the user's
    own."""
    from driftwatch.observe.hosts import DRIVERS

    own = [each for each in given if "/" in each or Path(each).is_file()]
    kinds = [each for each in given if each not in own]
    return kinds[-1] if kinds else next(iter(DRIVERS)), own


def named(text: str, root: Path) -> OwnHost:
    """What a path on the command line means: a launch file (.yaml, .yml, .json; its folder is where its paths start from), or
    an executable. Raises UsageError."""

    path = root / home(text)
    if path.suffix.lower() not in FILES:
        return _checked({"executable": str(path)}, f"the host {text[:80]!r}")
    own = _read(path)
    folder = path.parent
    absolute = {"directory": str(folder / home(own.directory or ""))}
    if own.executable:
        absolute = {"executable": str(folder / home(own.executable))}
    return own.model_copy(update=absolute)


def home(text: str) -> Path:
    """The path with ``~`` written out. That of a user who is not known here stays as it is, and is then no file."""
    return Path(os.path.expanduser(text))  # noqa: PTH111 - pathlib's raises for those


def command(words: str, directory: str, environment: tuple[str, ...] = ()) -> OwnHost:
    """A launch command given as one text, split as a shell would and handed to none. Raises UsageError."""
    try:
        split = tuple(shlex.split(words))
    except ValueError as error:
        raise UsageError(f"the launch command cannot be read: {error}: {words!r}", "close its quotes") from None
    return _checked({"command": split, "directory": directory or ".", "environment": environment}, "the launch command")


def _read(path: Path) -> OwnHost:
    import yaml

    try:
        if path.exists() and not path.is_file():
            raise UsageError(f"{path} is no file", "give a launch file, or an executable")
        with path.open("rb") as file:
            text = file.read(FILE_LIMIT + 1)
        if len(text) > FILE_LIMIT:
            raise UsageError(f"{path} is larger than {FILE_LIMIT // 1024} KiB", "a launch file is a few lines")
        data = yaml.safe_load(text)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}", "give a launch file, or an executable") from None
    except (yaml.YAMLError, ValueError, AttributeError, RecursionError) as error:  # its own readers of dates and numbers, too
        mark = getattr(error, "problem_mark", None)
        place = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else str(path)
        words = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise UsageError(f"{place} is no YAML: {words}", "correct it") from None
    return _checked(data, str(path))


def _checked(data: Any, what: str) -> OwnHost:
    from pydantic import ValidationError

    from driftwatch.config.model import OwnHost

    remedy = "give `executable`, or `command` (one word an entry) with `directory` and `environment`"
    try:
        own = OwnHost.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"{what}: {place + ': ' if place else ''}{first['msg']}", remedy) from None
    if bool(own.executable) == bool(own.command):
        raise UsageError(f"{what} names {'both an executable and a command' if own.executable else 'no host'}", remedy)
    return own
