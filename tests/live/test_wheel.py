"""The wheel, as a user gets it: built, installed into a clean environment away from the checkout, and run from there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import driftwatch
from tests.faults.bench import Bench, bench

pytestmark = pytest.mark.live
CHECKOUT = Path(driftwatch.__file__).parents[1]


@dataclass
class Installed:
    """``run`` is the console script of the clean environment, called from a folder that has nothing to do with the checkout."""

    wheel: Path
    bin: Path
    elsewhere: Path

    def run(self, *argv: str, expect: int = 0) -> str:
        clean = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        done = subprocess.run(
            [str(self.bin / "driftwatch"), *argv],
            cwd=self.elsewhere,
            env=clean,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == expect, (argv, done.stdout, done.stderr)
        assert "Traceback" not in done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    root = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", str(root), str(CHECKOUT)], check=True, timeout=300)
    [wheel] = root.glob("driftwatch-*.whl")
    subprocess.run([sys.executable, "-m", "venv", str(root / "env")], check=True, timeout=120)
    scripts = root / "env" / "bin"
    subprocess.run(
        [str(scripts / "python"), "-m", "pip", "--disable-pip-version-check", "--quiet", "install", str(wheel)],
        check=True,
        timeout=600,
        cwd=root,
    )
    elsewhere = root / "elsewhere"
    elsewhere.mkdir()
    return Installed(wheel, scripts, elsewhere)


def test_it_is_not_the_checkout(installed: Installed) -> None:
    place = "import driftwatch, sys; print(driftwatch.__file__)"
    told = subprocess.run(
        [str(installed.bin / "python"), "-c", place], cwd=installed.elsewhere, capture_output=True, text=True, check=True
    )
    assert Path(told.stdout.strip()).is_relative_to(installed.bin.parent)
    assert installed.run("--version").split()[-1] == driftwatch.__version__


def test_every_file_of_the_package_is_in_the_wheel(installed: Installed) -> None:
    listed = subprocess.run(["git", "ls-files", "driftwatch"], cwd=CHECKOUT, capture_output=True, text=True, check=True)
    wanted = {name for name in listed.stdout.splitlines() if (CHECKOUT / name).is_file()}
    with zipfile.ZipFile(installed.wheel) as archive:
        packed = set(archive.namelist())
    assert wanted <= packed, sorted(wanted - packed)
    suffixes = {Path(name).suffix for name in packed}
    assert {".mjs", ".js", ".yaml", ".toml", ".json", ".j2", ".css"} <= suffixes, "probes, engines, rules, schemas, templates"
    assert any(name.endswith("py.typed") for name in packed)
    assert {name.partition("/")[0] for name in packed} == {"driftwatch", f"driftwatch-{driftwatch.__version__}.dist-info"}
    assert not [name for name in packed if "__pycache__" in name]


def test_what_is_data_is_found(installed: Installed) -> None:
    for what in ("watchlist", "report"):
        assert json.loads(installed.run("schema", what))["$schema"].startswith("https://json-schema.org/")
    rules = json.loads(installed.run("rules", "--format", "json"))
    assert len(rules) > 50
    assert rules[0]["id"] in installed.run("explain", rules[0]["id"])
    listed = installed.run("probe", "--list")
    assert {"opencode/load", "opencode/dispose"} <= set(listed.split())
    data = "driftwatch.observe.typescript.engine as e, driftwatch.observe.typescript.tools as t"
    script = f"import {data}; assert (e.engine_folder() / 'engine.mjs').is_file(); assert t.pins()['compiler']"
    subprocess.run([str(installed.bin / "python"), "-c", script], cwd=installed.elsewhere, check=True)


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    with bench(tmp_path, monkeypatch, "host") as scene:
        yield scene


def test_a_whole_run(installed: Installed, made: Bench) -> None:
    report = json.loads(installed.run("run", "--format", "json", *made.options))
    assert report["outcome"] == "compatible"
    assert {probe["outcome"] for probe in report["upstreams"][0]["probes"]} == {"holds"}
    for form in ("json", "md", "html"):
        assert (made.reports / f"latest.{form}").stat().st_size > 500
    assert "1.1.0" in installed.run("render", str(made.reports / "latest.json"), "--format", "md")
    installed.run("poll", *made.options)
    installed.run("doctor", *made.options)
    made.lock.write_text("{")
    installed.run("run", *made.options, expect=2)
