"""What a host is: something that can be had at a version, booted in isolation, asked over HTTP, and ended.

Everything that knows one host lives in its driver; whatever uses drivers (the probe runner) knows none of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from driftwatch.errors import Unobservable
from driftwatch.model import Json
from driftwatch.observe.process import Exit
from driftwatch.progress import Progress


class HostError(Unobservable):
    """A host could not be had, did not start, or stopped answering. The message carries its last words."""


@dataclass(frozen=True, slots=True)
class Binary:
    """A host that can be started. ``integrity`` names what runs: the package it came from, the file itself, or the state of
    the folder a launch command runs in; "" when that cannot be told, and then nothing it says may be kept.
    ``package`` and ``version`` are empty for a host of the user's own: its version is what it says once it runs.

    ``command`` is what starts it, () for ``path`` alone; ``directory`` is where that runs, None for an empty folder.
    ``environment`` names what is handed on of the caller's environment.
    """

    path: Path
    version: str
    package: str
    integrity: str
    command: tuple[str, ...] = ()
    directory: Path | None = None
    environment: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """The first words of its command line."""
        return self.command or (str(self.path),)

    @property
    def label(self) -> str:
        """What to call it before it said its version. No path of this machine is in it."""
        return self.version or (f"own {self.path.name}" if not self.command else f"launched {self.path.name}")


@dataclass(frozen=True, slots=True)
class Answer:
    """What the host answered. ``json`` is only there (``is_json``) when it said so by content type and it parses:
    a web page with status 200 is not an answer."""

    status: int
    content_type: str
    text: str
    is_json: bool = False
    json: Any = None


@dataclass(frozen=True, slots=True)
class Setting:
    """What must be so before a host starts: extra environment, and files below its home folder. Equal settings may share
    one host. ``quick``: what runs there is short and trusted, so a driver may spend memory to save time."""

    env: tuple[tuple[str, str], ...] = ()
    home: tuple[tuple[str, str], ...] = ()
    quick: bool = False


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line of a host's log. ``level`` is lower case, "" where the host gave none."""

    level: str
    text: str
    fields: Mapping[str, str] = field(default_factory=dict)


class Published(Protocol):
    """What the registry says of one version: its Subresource Integrity, "" when it promises none."""

    @property
    def integrity(self) -> str: ...


class Tarballs(Protocol):
    """What a driver needs of a package registry. Both raise Unobservable."""

    def version(self, name: str, version: str, /) -> Published: ...
    def tarball(self, name: str, version: str, /) -> Path:
        """The tarball, its bytes already verified."""


class Host(Protocol):
    """A booted host."""

    log: Path

    @property
    def line(self) -> str:
        """Which line of this host it is, such as ``1`` or ``2``: told by what it answers, never by its version."""

    @property
    def shares(self) -> bool:
        """Whether it can serve several projects without mixing them up."""

    @property
    def scratch(self) -> Path:
        """Its own folder; gone when the host is."""

    def version(self) -> str:
        """The version it reports itself, "" when it reports none."""

    def project(self, name: str, files: Mapping[str, str], config: Mapping[str, Json], model: str) -> Path:
        """Lay out a project folder with these files and this configuration; ``model`` is the mock model's base URL."""

    def open(self, directory: Path, timeout: float) -> Answer:
        """Have the host load a project and its plugins."""

    def request(
        self,
        method: str,
        path: str,
        body: Json = None,
        *,
        directory: Path | None = None,
        query: Mapping[str, str] | None = None,
        timeout: float = 10.0,
    ) -> Answer:
        """Ask. Raises TimeoutError, or HostError when the connection fails."""

    def signal(self, number: int) -> None: ...

    def wait(self, seconds: float) -> Exit | None:
        """Wait for its end, at most so long."""

    def alive(self) -> bool: ...

    def end(self) -> None: ...

    def log_lines(self) -> Sequence[LogLine]: ...


class Driver(Protocol):
    """How one kind of host is had and booted. ``revision`` rises when the driver changes what a host does."""

    name: str
    revision: int
    plugin_folder: str  # where a project's plugins live, relative to the project
    documents: tuple[str, ...]  # where a booted host may serve its OpenAPI document, best first
    hooks: str  # the declared interface whose keys a plugin may implement, as a ``ts:`` address
    usual_line: str  # the line a probe is for when it says nothing

    def package(self) -> str:
        """The package that carries the binary for this machine. Raises HostError where none is published."""

    def acquire(self, version: str, registry: Tarballs, cache: Path, progress: Progress) -> Binary:
        """The published binary for this machine. Raises HostError (no package for this platform), Unobservable."""

    def binary_at(self, path: Path) -> Binary:
        """An executable on disk. Raises HostError."""

    def launched(self, command: Sequence[str], directory: Path, environment: Sequence[str] = ()) -> Binary:
        """A launch command of the user's, run in ``directory``. Raises HostError."""

    def boot(
        self, binary: Binary, *, scratch: Path, setting: Setting = ..., deadline: float = ...
    ) -> AbstractContextManager[Host]:
        """Boot it in a fresh folder under ``scratch``, without network or secrets. Raises HostError with its last words.
        ``deadline`` seconds after its start it is ended, whatever happens."""
