"""The workflows and actions: what linters say, and what this project asks of them beyond that."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.actions import ROOT, Expression, fill

FILES = sorted([*(ROOT / ".github").rglob("*.yml"), ROOT / "action.yml"])
WORKFLOWS = [path for path in FILES if path.parent.name == "workflows"]
each = pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))


def program(name: str) -> str:
    """From the environment the tests run in, else from the path."""
    found = shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)
    if not found:
        pytest.skip(f"{name} is not installed here (it is in the extra `test` where there is a wheel)")
    return found


@pytest.mark.parametrize("words", [["actionlint"], ["zizmor", "--offline", "--no-progress", "."]], ids=lambda words: words[0])
def test_linters_find_nothing(words: list[str]) -> None:
    done = subprocess.run([program(words[0]), *words[1:]], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def steps(path: Path) -> list[dict[str, Any]]:
    data = yaml.safe_load(path.read_text("utf-8"))
    if "runs" in data:
        return list(data["runs"]["steps"])
    return [step for job in data["jobs"].values() for step in job.get("steps", ())]


@each
def test_actions_are_pinned_by_commit_with_their_version_beside_it(path: Path) -> None:
    used = re.findall(r"uses: *(\S+)(.*)", path.read_text("utf-8"))
    assert len(used) == sum("uses" in step for step in steps(path))
    for action, comment in used:
        if not action.startswith("$/"):
            assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action), action
            assert re.fullmatch(r" # v\d+\.\d+\.\d+", comment), (action, comment)
        else:
            assert (ROOT / action[2:] / "action.yml").is_file(), action


@each
def test_no_value_is_written_into_a_script(path: Path) -> None:
    for step in steps(path):
        assert "${{" not in step.get("run", "")


@each
def test_no_credentials_stay_behind(path: Path) -> None:
    for step in steps(path):
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_permissions_are_the_least(path: Path) -> None:
    data = yaml.safe_load(path.read_text("utf-8"))
    assert data["permissions"] in ({}, {"contents": "read"})
    for job in data["jobs"].values():
        assert job["timeout-minutes"] <= 60
        words = str(job)
        granted = job.get("permissions", {})
        if "write" in granted.values():
            assert "'command': 'run'" not in words and "'command': 'bump'" not in words, "what may write boots no host"
    assert "secrets." not in path.read_text("utf-8"), "the run's own token is enough"


def test_code_of_a_pull_request_never_meets_a_token_that_may_write() -> None:
    comment = yaml.safe_load((ROOT / ".github/workflows/comment.yml").read_text("utf-8"))
    assert not any("actions/checkout" in step.get("uses", "") for step in comment["jobs"]["comment"]["steps"])
    pull = yaml.safe_load((ROOT / ".github/workflows/pull-request.yml").read_text("utf-8"))
    assert {value for job in pull["jobs"].values() for value in job["permissions"].values()} == {"read"}
    assert not any("pull_request_target" in path.read_text("utf-8") for path in WORKFLOWS)


def test_the_action_hands_on_every_input_and_output() -> None:
    outer, inner = (
        yaml.safe_load((ROOT / folder / "action.yml").read_text("utf-8")) for folder in ("", ".github/actions/driftwatch")
    )
    assert outer["inputs"] == inner["inputs"]
    assert outer["outputs"].keys() == inner["outputs"].keys()
    assert "$ACTION_PATH/../../.." in str(inner) and (ROOT / ".github/actions/driftwatch/../../../pyproject.toml").is_file()
    [only] = outer["runs"]["steps"]
    assert only["with"] == {name: f"${{{{ inputs.{name} }}}}" for name in inner["inputs"]}


def test_the_runner_of_these_tests_reads_expressions() -> None:
    contexts = {"inputs": {"a": ""}, "steps": {"x-y": {"outputs": {"n": "true"}}}}
    assert fill("${{ inputs.a || 'b' }}/${{ steps.x-y.outputs.n == 'true' }}", contexts) == "b/true"
    assert Expression("inputs.none != '' || !(steps.x-y.outputs.n == 'false')", contexts).value() is True
    with pytest.raises(AssertionError):
        Expression("a + b", contexts)
