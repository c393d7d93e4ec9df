"""Real OpenCode hosts from the real registry: what the probes say of versions whose behaviour is known."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from driftwatch.model import ProbeRow
from driftwatch.observe.hosts import Binary, driver
from driftwatch.observe.hosts.model import MockModel
from driftwatch.observe.probes import control, load_library, run
from driftwatch.observe.process import supervisor
from driftwatch.observe.sources.npm import npmrc
from driftwatch.observe.sources.npm.registry import Registry
from driftwatch.progress import SILENT

pytestmark = pytest.mark.live

FIRST_FOUR = ("opencode/load", "opencode/dispose", "opencode/tool-ids", "opencode/config-once")


@pytest.fixture(scope="module")
def registry(kept: Path) -> Iterator[Registry]:
    asked = subprocess.run(["npm", "config", "get", "registry"], capture_output=True, text=True, timeout=60, check=True)
    with Registry(npmrc.load(registry=asked.stdout.strip()), kept) as opened:
        yield opened


def binary(version: str, registry: Registry, kept: Path) -> Binary:
    return driver("opencode").acquire(version, registry, kept, SILENT)


def probed(found: Binary, scratch: Path) -> dict[str, ProbeRow]:
    library = load_library()
    probes = [library[name] for name in FIRST_FOUR]
    rows = run(driver("opencode"), found, probes, control=control(library, "opencode"), cache=None, scratch=scratch)
    assert list(scratch.iterdir()) == [], "a work folder is left"
    assert not [pid for pid, _, _ in supervisor.table() if runs(pid, found.path, scratch)], "a host is left"
    return {row.id: row for row in rows}


def runs(pid: int, path: Path, scratch: Path) -> bool:
    """Whether it is a host of ours: others may be tested beside it."""
    try:
        home = os.fsencode(scratch) in Path(f"/proc/{pid}/environ").read_bytes()
        return home and Path(f"/proc/{pid}/exe").resolve() == path
    except OSError:
        return False


def newest(registry: Registry) -> str:
    return registry.packument(driver("opencode").package()).dist_tags["latest"]


def test_dispose_does_not_fire_on_1_15_4(registry: Registry, kept: Path, tmp_path: Path) -> None:
    rows = probed(binary("1.15.4", registry, kept), tmp_path)
    assert rows["opencode/load"].outcome == "holds"
    assert rows["opencode/dispose"].outcome == "broken"
    assert rows["opencode/dispose"].facts["fired"] is False
    assert rows["opencode/dispose"].reason.startswith("fired was expected to be true, and is false")


@pytest.mark.parametrize("version", ["1.15.13", "latest"])
def test_all_four_hold(version: str, registry: Registry, kept: Path, tmp_path: Path) -> None:
    found = binary(newest(registry) if version == "latest" else version, registry, kept)
    rows = probed(found, tmp_path)
    assert {row.id: (row.outcome, row.reason) for row in rows.values()} == dict.fromkeys(FIRST_FOUR, ("holds", ""))
    assert {row.version for row in rows.values()} == {found.version}
    assert rows["opencode/dispose"].facts["fired_on_sigterm"] is False
    ids = rows["opencode/tool-ids"].facts["ids"]
    assert isinstance(ids, list)
    assert {"bash", "read", "driftwatch_probe"} <= set(ids)


def test_an_answer_is_there_soon_once_the_binary_is(registry: Registry, kept: Path, tmp_path: Path) -> None:
    found = binary("1.15.13", registry, kept)
    library = load_library()
    started = time.monotonic()
    rows = run(driver("opencode"), found, [], control=control(library, "opencode"), cache=None, scratch=tmp_path)
    assert rows[0].outcome == "holds"
    busy = os.getloadavg()[0] > (os.cpu_count() or 1)  # somebody else wants this machine: then only that it comes at all
    assert time.monotonic() - started < (60 if busy else 8)


@pytest.mark.parametrize("version", ["1.0.185", "1.15.13", "latest"])
def test_a_turn_with_the_mock_model(version: str, registry: Registry, kept: Path, tmp_path: Path) -> None:
    found = binary(newest(registry) if version == "latest" else version, registry, kept)
    with MockModel() as model, driver("opencode").boot(found, scratch=tmp_path) as host:
        assert host.version() == found.version
        project = host.project("turn", {}, {}, model.url("turn"))
        assert host.open(project, 30).is_json
        session = host.request("POST", "/session", {}, directory=project).json["id"]
        text = 'hello\nmock:tool bash {"command": "echo from-the-tool", "description": "say"}\nmock:say good bye'
        body = {"model": {"providerID": "mock", "modelID": "m1"}, "parts": [{"type": "text", "text": text}]}
        answer = host.request("POST", f"/session/{session}/message", body, directory=project, timeout=60)
        assert "good bye" in answer.text
        turns = [request for request in model.requests("turn") if request.kind == "turn"]
        assert len(turns) == 2
        assert any("from-the-tool" in str(message.get("content")) for message in turns[1].body["messages"])
        assert any(request.kind == "title" for request in model.requests("turn"))
