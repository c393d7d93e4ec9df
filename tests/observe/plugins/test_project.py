"""Where a plugin lies in the project it is tried in."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from driftwatch.observe.hosts.driver import Binary
from driftwatch.observe.plugins.job import Job, Plugin
from driftwatch.observe.plugins.project import Layout, lay_out


def laid_out(tmp_path: Path, kind: str, entry: str = "") -> Layout:
    tree, api = tmp_path / "tree", tmp_path / "api"
    package = tree if entry else tree / "node_modules" / "own"
    for folder in (package, api / "node_modules" / "@opencode-ai" / "plugin"):
        folder.mkdir(parents=True)
    (package / "index.js").write_text("export const Own = async () => ({})", "utf-8")

    def project(name: str, files: dict[str, str], config: Any, model: str) -> Path:
        made = tmp_path / "projects" / name
        for file, text in {**files, "opencode.json": json.dumps(config)}.items():
            (made / file).parent.mkdir(parents=True, exist_ok=True)
            (made / file).write_text(text, "utf-8")
        return made

    host: Any = SimpleNamespace(scratch=tmp_path, project=project)
    driver: Any = SimpleNamespace(plugin_folder=".opencode/plugin")
    job = Job("opencode", Binary(tmp_path, "1", "p", "sha"), tmp_path, Plugin("own", "1.0.0", tree, entry), api)
    return lay_out(job, host, driver, "http://127.0.0.1:1/v1", kind)


@pytest.mark.parametrize("kind", ["plain", "traced"])
def test_a_plugin_of_single_files_finds_the_hosts_package_beside_it(tmp_path: Path, kind: str) -> None:
    layout = laid_out(tmp_path, kind, "index.js")
    assert layout.tree is not None
    above = [folder / "node_modules" / "@opencode-ai" / "plugin" for folder in (layout.tree / "index.js").parents]
    assert any(folder.is_dir() and folder.is_relative_to(layout.project) for folder in above)


@pytest.mark.parametrize("entry", ["", "index.js"])
def test_the_tracer_is_told_what_is_there_and_the_host_is_not(tmp_path: Path, entry: str) -> None:
    layout = laid_out(tmp_path, "traced", entry)
    told = json.loads((layout.project / ".driftwatch" / "trace.json").read_text("utf-8"))
    assert (Path(told["root"]) / "index.js").is_file()
    assert told["root"].startswith(str(layout.tree))
    assert "plugin" not in json.loads((layout.project / "opencode.json").read_text("utf-8"))


def test_the_host_is_told_as_a_user_would(tmp_path: Path) -> None:
    layout = laid_out(tmp_path, "plain")
    assert json.loads((layout.project / "opencode.json").read_text("utf-8"))["plugin"] == ["own@1.0.0"]
