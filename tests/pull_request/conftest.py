from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.actions import Runner
from tests.support.git import Repository
from tests.support.github import TOKEN, GitHub
from tests.support.scene import PLUGIN, Scene
from tests.support.scene import scene as make_scene


@dataclass
class Team:
    """A plugin's repository with a watchlist, upstream on loopback, and GitHub's stand-in."""

    scene: Scene
    github: GitHub
    repository: Repository
    runner: Runner
    folder: Path

    def pin(self, version: str) -> str:
        manifest = {"name": "ours", "devDependencies": {"typescript": "5.9.3", PLUGIN: version}}
        return self.repository.commit({"package.json": json.dumps(manifest, indent=2) + "\n"})

    def checkout(self, revision: str = "main") -> Path:
        """A fresh clone, as a job finds it."""
        target = self.folder / f"work-{len(list(self.folder.glob('work-*')))}"
        self.repository.git("clone", "-q", "--no-local", str(self.repository.path), str(target))
        Repository(target).git("checkout", "-q", revision)
        return target

    def merged(self, branch: str) -> Path:
        """The pull request as it would be merged, two commits deep."""
        target = self.checkout()
        Repository(target).git("merge", "-q", "--no-ff", "-m", "Merge", f"origin/{branch}")
        return target

    def event(self, name: str, data: dict[str, Any]) -> None:
        path = self.folder / "event.json"
        path.write_text(json.dumps(data))
        self.runner.environment["GITHUB_EVENT_PATH"] = str(path)
        self.runner.github.update({"event_name": name, "event": data})


@pytest.fixture
def team(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Team]:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    root, ours, folder = tmp_path / "upstream", tmp_path / "ours", tmp_path / "ci"
    for path in (root, ours, folder / "home"):
        path.mkdir(parents=True)
    with make_scene(root) as scene, GitHub() as github:
        repository = Repository(ours)
        repository.git("init", "-q", "-b", "main", "--template=")
        probe = {f"probes/bye/{path.name}": path.read_bytes() for path in (root / "probes/bye").iterdir()}
        repository.commit({"watchlist.yaml": (root / "watchlist.yaml").read_text(), **probe})
        environment = {
            "GITHUB_API_URL": github.url,
            "GITHUB_REPOSITORY": github.name,
            "GITHUB_SERVER_URL": "https://github.example",
        }
        environment["GITHUB_RUN_ID"] = "7"
        context = {"repository": github.name, "token": TOKEN, "sha": "0" * 40, "run_id": "7", "run_attempt": "1"}
        yield Team(scene, github, repository, Runner(folder, context, environment), folder)
