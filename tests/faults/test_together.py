"""Several runs at the same time on one cache and one reports folder."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from driftwatch.render.reading import parse
from driftwatch.store import history, observed
from tests.faults.bench import bench, content, left_running, leftovers
from tests.faults.test_kills import begin


@pytest.mark.slow
@pytest.mark.parametrize("commands", [("run", "run", "run"), ("run", "poll", "accept", "run"), ("poll",) * 6], ids=" ".join)
def test_at_the_same_time(commands: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with bench(tmp_path, monkeypatch, "all") as made:
        lock = content(made.lock)
        running = [begin(made, command) for command in commands]
        ends = [(process.communicate(timeout=100)[1].decode(), process.returncode) for process in running]
        assert [code for _, code in ends] == [0] * len(commands), ends
        assert not any("Traceback" in told or "crashed" in told for told, _ in ends)
        if "accept" in commands:
            assert json.loads(made.lock.read_text())["upstreams"]["acme"]["version"] == "1.1.0"
        else:
            assert content(made.lock) == lock
        if "run" in commands:
            assert parse((made.reports / "latest.json").read_text()).outcome == "compatible"
            writers = [command for command in commands if command != "poll"]
            assert len(history.read(made.reports / "history.jsonl")) == len(writers)
        assert observed.read(made.reports / "observed.json")
        assert not leftovers(made) and not left_running(made.root)


@pytest.mark.slow
def test_one_that_is_killed_does_not_hold_up_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with bench(tmp_path, monkeypatch, "all") as made:
        first, second = begin(made, "run"), begin(made, "run")
        time.sleep(0.6)
        first.kill()
        told = second.communicate(timeout=100)[1].decode()
        first.communicate(timeout=10)
        assert second.returncode == 0, told
        assert not left_running(made.root, patience=8)
