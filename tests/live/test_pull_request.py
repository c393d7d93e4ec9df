"""The pull-request story on the real registry and real hosts: a plugin pinned at 1.15.4, a branch that bumps to the newest."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.support.actions import Runner, workflow
from tests.support.git import Repository
from tests.support.github import LONGEST, TOKEN, GitHub

pytestmark = pytest.mark.live
PLUGIN = "@opencode-ai/plugin"

WATCHLIST = """\
version: 1
project: {name: overclock, role: implementer}
registry: REGISTRY
upstreams:
  - id: opencode
    packages: ["@opencode-ai/plugin", "@opencode-ai/sdk", opencode-ai]
    host: {driver: opencode}
    probes: [opencode/load, opencode/dispose]
    relies_on:
      - address: probe:opencode/dispose#fired
        why: without dispose our timers leak
      - address: ts:@opencode-ai/plugin#Hooks.dispose
        why: we hand the host a dispose
      - address: manifest:@opencode-ai/plugin#exports
        why: we import the package by these entries
"""


def npm(*words: str, folder: Path) -> str:
    done = subprocess.run(["npm", *words], cwd=folder, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout.strip()


def pin(repository: Repository, version: str) -> str:
    manifest = {"name": "overclock", "version": "1.0.0", "devDependencies": {PLUGIN: version}}
    (repository.path / "package.json").write_text(json.dumps(manifest, indent=2) + "\n")
    npm("install", "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund", folder=repository.path)
    return repository.commit({})


def test_a_bump_from_1_15_4_to_the_newest(tmp_path: Path, kept: Path) -> None:
    ours, ci = tmp_path / "ours", tmp_path / "ci"
    for path in (ours, ci / "home"):
        path.mkdir(parents=True)
    repository = Repository(ours)
    repository.git("init", "-q", "-b", "main", "--template=")
    registry = npm("config", "get", "registry", folder=ours)
    newest = npm("view", PLUGIN, "dist-tags.latest", folder=ours)
    (ours / "watchlist.yaml").write_text(WATCHLIST.replace("REGISTRY", registry))
    pin(repository, "1.15.4")
    repository.git("checkout", "-q", "-b", "bump")
    sha = pin(repository, newest)
    repository.git("checkout", "-q", "main")
    repository.git("merge", "-q", "--no-ff", "-m", "Merge", "bump")

    with GitHub() as github:
        environment = {"GITHUB_API_URL": github.url, "GITHUB_REPOSITORY": github.name, "DRIFTWATCH_CACHE": str(kept)}
        runner = Runner(ci, {"repository": github.name, "token": TOKEN}, environment)
        runner.github["event"] = {"pull_request": {"number": 1}}
        done = runner.run(workflow("pull-request.yml"), "compare", ours)
        report = json.loads((ci / "artifacts/driftwatch-report/report.json").read_text())

        [upstream] = report["upstreams"]
        assert (upstream["from"]["version"], upstream["to"]["version"]) == ("1.15.4", newest), done.out
        assert upstream["place"] == "package.json:5"
        assert upstream["packages"][0]["note"] == "pinned by package-lock.json"
        told = {(probe["id"], probe["version"]): probe for probe in upstream["probes"]}
        assert told["opencode/dispose", "1.15.4"]["facts"]["fired"] is False
        assert told["opencode/dispose", newest]["facts"]["fired"] is True
        rules = {finding["rule"] for finding in upstream["findings"]}
        assert "probe-revived" in rules, "dispose is called on the newest"
        declared = [finding for finding in upstream["findings"] if finding["address"] == f"ts:{PLUGIN}#Hooks.dispose"]
        assert declared and declared[0]["relied_on"], "and is declared since"
        assert (
            f"::{ {'broken': 'error', 'unverified': 'warning'}.get(report['outcome'], 'notice') } title=driftwatch::" in done.out
        )

        number = github.open_pull("bump", "contributor", owner="contributor")
        github.pulls[number]["head"]["sha"] = sha
        head = {"id": 2, "full_name": "contributor/ours", "owner": {"login": "contributor"}}
        event = {"workflow_run": {"event": "pull_request", "head_repository": head, "head_branch": "bump", "head_sha": sha}}
        (ci / "event.json").write_text(json.dumps(event))
        environment["GITHUB_EVENT_PATH"] = str(ci / "event.json")
        runner.github["event"] = event
        for _ in range(2):
            assert runner.run(workflow("comment.yml"), "comment", ci).failed == ""
        [body] = github.bodies(number)
    assert len(body) <= LONGEST
    assert "1.15.4" in body and newest in body and "dispose" in body and report["headline"] in body
    print(body[:3000])
