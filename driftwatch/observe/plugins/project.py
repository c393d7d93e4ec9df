"""The project a plugin is tried in: as a user would have it (plain), or with the tracer in the plugin's place (traced)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from driftwatch.observe.hosts.driver import Driver, Host
from driftwatch.observe.plugins.job import Job, Plugin
from driftwatch.observe.plugins.ways import copy, way
from driftwatch.observe.probes.session import helper


@dataclass(frozen=True, slots=True)
class Layout:
    """``ours`` are folders below the project or home that we laid out: what is in them is nobody's leftover.
    ``tree`` is where the plugin lies."""

    project: Path
    ours: tuple[Path, ...] = ()
    tree: Path | None = None


def lay_out(job: Job, host: Host, driver: Driver, model: str, kind: str) -> Layout:
    """Raises HostError, OSError."""
    files = {".driftwatch/mark.mjs": helper()}
    config = _config(job)
    own = way(job.driver)
    if job.plugin is not None and kind == "plain":
        config |= own.config(job.plugin, job.options, host.scratch / "projects" / kind)
    if job.plugin is not None and kind == "traced":
        files |= own.tracer(driver.plugin_folder)
    project = host.project(kind, files, config, model)
    ours = [project / ".driftwatch"]
    if job.plugin is None:
        return Layout(project, tuple(ours))
    if kind == "traced" and not job.plugin.entry:
        tree = project / ".driftwatch" / "tree"
        copy(job.plugin.tree, tree)
    else:  # a plugin of single files finds the host's package beside it only where its users would have it
        made = own.lay_out(job.plugin, job.api, project, host.scratch / "home")
        ours += made
        tree = made[0] if job.plugin.entry else made[0] / job.plugin.spec
    if kind == "traced":
        _trace(job, job.plugin, project, tree)
    return Layout(project, tuple(ours), tree)


def _trace(job: Job, plugin: Plugin, project: Path, tree: Path) -> None:
    """Tell the tracer what to load."""
    root = tree if plugin.entry else tree / "node_modules" / plugin.name
    told = {"root": str(root), "entry": plugin.entry, "options": dict(job.options)}
    (project / ".driftwatch" / "trace.json").write_text(json.dumps(told), "utf-8")


def _config(job: Job) -> dict[str, Any]:
    """What all scenes need of the configuration, together: every run of every plugin has the same."""
    from driftwatch.observe.plugins.exercise import scenes

    merged: dict[str, Any] = {}
    for scene in scenes(job.driver):
        merged |= dict(scene.config)
    return merged
