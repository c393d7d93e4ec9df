"""The GitLab template and the recipes of docs/ci.md: they parse, are linted, and their scripts do what they say."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.pull_request.conftest import Team
from tests.pull_request.test_workflows import program
from tests.support.actions import ROOT

BLOCKS = re.findall(r"```(yaml|json)\n(.*?)```", (ROOT / "docs/ci.md").read_text("utf-8"), re.DOTALL)
GITLAB = yaml.safe_load((ROOT / "examples/ci/gitlab.yml").read_text("utf-8"))


def test_every_block_is_what_it_says() -> None:
    assert len(BLOCKS) >= 6
    for language, text in BLOCKS:
        assert isinstance(json.loads(text) if language == "json" else yaml.safe_load(text), dict)


def test_workflows_in_the_docs_call_what_is_there_with_what_it_needs() -> None:
    called = 0
    for _, text in BLOCKS:
        data = yaml.safe_load(text)
        for job in data.get("jobs", {}).values():
            if "uses" in job:
                name = re.search(r"/workflows/([\w-]+\.yml)@[0-9a-f]{40}$", job["uses"])
                assert name
                ours = yaml.safe_load((ROOT / ".github/workflows" / name[1]).read_text("utf-8"))
                trigger = ours[True]["workflow_call"] or {}  # YAML reads `on` as true
                assert set(job.get("with", {})) <= set(trigger.get("inputs", {}))
                needed: dict[str, str] = {}
                for inner in ours["jobs"].values():
                    needed.update({k: v for k, v in inner["permissions"].items() if needed.get(k) != "write"})
                assert job["permissions"] == needed
                called += 1
    assert called == 3


def test_workflows_in_the_docs_are_clean(tmp_path: Path) -> None:
    folder = tmp_path / ".github/workflows"
    folder.mkdir(parents=True)
    for number, (_, text) in enumerate(block for block in BLOCKS if "jobs:" in block[1]):
        head = "" if text.startswith("name:") else "name: ours\non: push\npermissions: {}\n"
        (folder / f"{number}.yml").write_text(head + text)
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    # Whether the called workflow may write a cache is the called workflow's to say: ours says it, out of the linter's sight.
    words = [program("actionlint"), "-ignore", "cache access limit"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def gitlab(team: Team, job: str, workspace: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """A job's script as GitLab's runner would run it: one shell, the first failure ends it."""
    spec = {**GITLAB[".driftwatch"], **GITLAB[job]}
    programs = team.folder / "bin"
    programs.mkdir(exist_ok=True)
    for name, text in {"driftwatch": f'exec "{sys.executable}" -m driftwatch "$@"', "pip": 'test "$3" = driftwatch'}.items():
        (programs / name).write_text(f"#!/bin/sh\n{text}\n")
        (programs / name).chmod(0o755)
    script = "\n".join(["set -e", *spec["before_script"], *spec["script"]])
    environment = {
        "PATH": f"{programs}:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(team.folder / "home"),
        "DRIFTWATCH_CACHE": str(team.folder / "cache"),
        **GITLAB["variables"],
        **variables,
    }
    return subprocess.run(["bash", "-c", script], cwd=workspace, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_gitlabs_merge_request_job(team: Team) -> None:
    team.scene.publish("1.1.0", fault="forgets")
    base = team.pin("1.0.0")
    head = team.pin("1.1.0")
    workspace = team.checkout()
    done = gitlab(team, "driftwatch:merge-request", workspace, CI_MERGE_REQUEST_DIFF_BASE_SHA=base, CI_COMMIT_SHA=head)
    assert done.returncode == 10, done.stderr
    entries = json.loads((workspace / "gl-code-quality-report.json").read_text())
    assert {entry["location"]["path"] for entry in entries} <= {"package.json", "watchlist.yaml"} and entries
    assert "<testsuites" in (workspace / "driftwatch.xml").read_text()
    assert (workspace / "reports/bump.html").is_file()
    broken = gitlab(team, "driftwatch:merge-request", workspace, CI_MERGE_REQUEST_DIFF_BASE_SHA="gone", CI_COMMIT_SHA=head)
    assert broken.returncode != 0 and "no commit 'gone'" in broken.stderr


@pytest.mark.slow
def test_gitlabs_scheduled_job_runs_only_when_something_moved(team: Team) -> None:
    workspace = team.checkout()
    done = gitlab(team, "driftwatch:watch", workspace)
    assert done.returncode == 0 and (workspace / "reports/latest.json").is_file(), done.stderr
    subprocess.run([sys.executable, "-m", "driftwatch", "accept", "-q"], cwd=workspace, check=True, capture_output=True)
    (workspace / "reports/latest.json").unlink()
    assert gitlab(team, "driftwatch:watch", workspace).returncode == 0
    assert not (workspace / "reports/latest.json").exists(), "only polled"


def test_the_example_of_the_docs_names_what_the_action_takes() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    text = (ROOT / "docs/ci.md").read_text("utf-8")
    for name in action["outputs"]:
        assert f"`{name}`" in text
