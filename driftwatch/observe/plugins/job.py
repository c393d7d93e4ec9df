"""What the process behind the walls is told to do, and what it answers. Plain data, handed over in files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from driftwatch.observe.hosts.driver import Binary

REVISION = 5  # rises when the exercise does or sees something else, so that kept controls are made again


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plugin as installed. ``tree`` is a folder with ``node_modules``; a package lies in it by its name, a plugin of single
    files lies in ``tree`` itself and begins at ``entry`` (relative). ``spec`` is how a user would name it in a configuration."""

    name: str
    version: str
    tree: Path
    entry: str = ""

    @property
    def spec(self) -> str:
        return f"{self.name}@{self.version}"

    @property
    def root(self) -> Path:
        """The folder of its own package."""
        return self.tree if self.entry else self.tree / "node_modules" / self.name


@dataclass(frozen=True, slots=True)
class Job:
    """``plugin`` None: the control. ``api`` is an installed tree with the host's own plugin package, for plugins of single
    files. ``known`` are the tools there are without the plugin. ``patience`` is how many seconds a project may take to open."""

    driver: str
    binary: Binary
    scratch: Path
    plugin: Plugin | None = None
    api: Path | None = None
    scenes: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    hidden: tuple[Path, ...] = ()
    network: bool = False
    patience: float = 20.0

    def text(self) -> str:
        return json.dumps(asdict(self), default=str)


def read(text: str) -> Job:
    raw = json.loads(text)
    told = raw["plugin"]
    plugin = Plugin(told["name"], told["version"], Path(told["tree"]), told["entry"]) if told else None
    return Job(
        driver=raw["driver"],
        binary=_binary(raw["binary"]),
        scratch=Path(raw["scratch"]),
        plugin=plugin,
        api=Path(raw["api"]) if raw["api"] else None,
        scenes=tuple(raw["scenes"]),
        known=tuple(raw["known"]),
        options=raw["options"],
        hidden=tuple(map(Path, raw["hidden"])),
        network=raw["network"],
        patience=raw["patience"],
    )


def _binary(raw: Mapping[str, Any]) -> Binary:
    return Binary(
        Path(raw["path"]),
        raw["version"],
        raw["package"],
        raw["integrity"],
        tuple(raw["command"]),
        Path(raw["directory"]) if raw["directory"] else None,
        tuple(raw["environment"]),
    )
