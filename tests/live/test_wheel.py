"""The built wheel carries everything: installed in a clean environment, away from the checkout, it does the whole job."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from tests.support.scene import scene

pytestmark = [pytest.mark.live, pytest.mark.timeout(600)]
ROOT = Path(__file__).parent.parent.parent


def call(*argv: str | Path, cwd: Path, **extra: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    return subprocess.run(
        [str(word) for word in argv], cwd=cwd, env={**kept, **extra}, capture_output=True, text=True, timeout=400, check=False
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    done = call(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, ROOT, cwd=folder)
    assert done.returncode == 0, done.stderr
    [built] = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def driftwatch(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clean")
    venv.create(folder / "env", with_pip=True)
    done = call(folder / "env/bin/python", "-m", "pip", "install", "-q", wheel, cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "env/bin/driftwatch"


def test_every_data_file_of_the_package_is_in_it(wheel: Path) -> None:
    packed = set(zipfile.ZipFile(wheel).namelist())
    listed = subprocess.run(
        ["git", "ls-files", "driftwatch"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    assert len(listed) > 200
    assert not {name for name in listed if (ROOT / name).is_file()} - packed


def test_it_runs_from_elsewhere(driftwatch: Path, tmp_path: Path) -> None:
    for argv, said in (
        (["--version"], "driftwatch"),
        (["schema", "watchlist"], '"upstreams"'),
        (["schema", "report"], '"findings"'),
        (["rules"], "probe-broke"),
        (["explain", "probe-broke"], "what to do"),
        (["probe", "--list"], "opencode/dispose"),
    ):
        done = call(driftwatch, *argv, cwd=tmp_path)
        assert done.returncode == 0 and said in done.stdout, (argv, done.stderr)


def test_it_does_the_whole_job(driftwatch: Path, tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    with scene(root) as made:
        done = call(driftwatch, "run", "-q", "--format", "json", "--cache", made.root / "cache", cwd=root)
        assert done.returncode == 0, done.stderr
        upstream = json.loads(done.stdout)["upstreams"][0]
    assert upstream["outcome"] == "drifted" and {p["outcome"] for p in upstream["probes"]} == {"holds"}
    assert (root / "reports" / "latest.html").is_file()
