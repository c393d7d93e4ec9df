"""OpenCode: a package is named in `plugin:` and found in the host's package cache, single files by a file URL."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from driftwatch.observe.plugins.job import Plugin
from driftwatch.observe.plugins.ways import copy, trace_text

CODE = ".opencode/code"  # where a plugin of single files is laid out in its project


class OpenCodeWay:
    api = "@opencode-ai/plugin"
    keys = frozenset({"plugin", "plugin_origins"})
    loading = re.compile(r"\bloading plugin\b")
    refusals = (
        ("refused-by-engines", re.compile(r"plugin incompatible|requires opencode .* but running")),
        (
            "no-entry",
            re.compile(r"no server entrypoint|failed to resolve plugin server entry|does not expose a server entrypoint"),
        ),
        ("wrong-shape", re.compile(r"export is not a function|must default export|must export id|invalid server export")),
        ("not-installed", re.compile(r"failed to install plugin")),
        ("not-loaded", re.compile(r"failed to load plugin")),
    )

    def config(self, plugin: Plugin, options: Mapping[str, Any], project: Path) -> dict[str, Any]:
        spec = (project / CODE / plugin.entry).as_uri() if plugin.entry else plugin.spec
        return {"plugin": [[spec, dict(options)] if options else spec]}

    def lay_out(self, plugin: Plugin, api: Path | None, project: Path, home: Path) -> Sequence[Path]:
        if plugin.entry:
            copy(plugin.tree, project / CODE)
            if api is not None:
                shutil.rmtree(project / ".opencode" / "node_modules", ignore_errors=True)
                copy(api / "node_modules", project / ".opencode" / "node_modules")
            return (project / CODE,)
        cache = home / ".cache" / "opencode"
        place = cache / "packages" / plugin.spec
        copy(plugin.tree, place)
        older = cache / "node_modules"  # where hosts before 1.14 look, by the manifest beside it
        if not older.exists():
            older.symlink_to(place / "node_modules")
            (cache / "package.json").write_text(json.dumps({"dependencies": {plugin.name: plugin.version}}), "utf-8")
        return (cache / "packages", older)

    def tracer(self, folder: str) -> Mapping[str, str]:
        return {f"{folder}/driftwatch-trace.js": trace_text()}


WAY = OpenCodeWay()
