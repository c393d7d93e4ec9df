"""Which version of each upstream package the project stands on, and how that is known."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path

from driftwatch.errors import Unobservable, UsageError
from driftwatch.pipeline import pins
from driftwatch.pipeline.init.project import Project
from driftwatch.pipeline.pins import Pin
from driftwatch.pipeline.world import World
from driftwatch.versions import parse

MOST = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Accepted:
    """``version`` is "" when it cannot be told; ``how`` says where it comes from, ``reason`` why there is none. ``pins``:
    what is known of every package the project names."""

    version: str = ""
    how: str = ""
    reason: str = ""
    pins: tuple[Pin, ...] = field(default=())


def accepted(project: Project, packages: tuple[str, ...], world: World, asked: str = "") -> Accepted:
    """The version of the first package: asked for, locked, installed, pinned exactly, or what its range means now."""
    if asked:
        if parse(asked) is None:
            raise UsageError(f"--accepted {asked!r} is not a version", "give one such as 1.2.3")
        return Accepted(asked, "as asked for")
    found = tuple(pin for pin in (_pin(project, name) for name in packages) if pin.named)
    if not found or found[0].package != packages[0]:
        return _newest(packages[0], found, world)
    first = found[0]
    if not first.version:
        first = _resolved(first, world)
    if not first.version:
        return Accepted(reason=first.reason, pins=found)
    return Accepted(first.version, first.source, pins=(first, *found[1:]))


def _pin(project: Project, package: str) -> Pin:
    pin = project.tree.pin(package)
    if not pin.named or pin.source == str(project.tree.lock_path):
        return pin
    installed = _installed(project.root, package)
    return replace(pin, version=installed, source=f"node_modules/{package}", reason="") if installed else pin


def _installed(root: Path, package: str) -> str:
    """The version in node_modules, here or above: what really runs, where no lock says it."""
    for folder in (root, *root.parents):
        path = folder / "node_modules" / package / "package.json"
        try:
            if not path.is_file() or path.stat().st_size > MOST:
                continue
            version = json.loads(path.read_bytes()).get("version")
        except (OSError, ValueError, AttributeError, RecursionError):
            return ""
        return version if isinstance(version, str) and parse(version) else ""
    return ""


def _resolved(pin: Pin, world: World) -> Pin:
    """By the registry; a spec that names no version of it (workspace:, git) stays unknown."""
    if pin.reason:
        return pin
    try:
        told = world.registry.packuments([pin.package])[pin.package]
    except Unobservable as error:
        return replace(pin, reason=error.message)
    return replace(pin, reason=told.message) if isinstance(told, Unobservable) else pins.resolve(pin, told)


def _newest(package: str, found: tuple[Pin, ...], world: World) -> Accepted:
    """Nothing names the package: what its newest release is now is all there is to begin with."""
    try:
        told = world.registry.packuments([package])[package]
        version = "" if isinstance(told, Unobservable) else told.dist_tags.get("latest", "")
        reason = told.message if isinstance(told, Unobservable) else f"{package} has no dist-tag latest"
    except Unobservable as error:
        version, reason = "", error.message
    if not version:
        return Accepted(reason=f"package.json does not name {package}, and {reason}", pins=found)
    return Accepted(version, f"latest of {package} now; package.json does not name it", pins=found)
