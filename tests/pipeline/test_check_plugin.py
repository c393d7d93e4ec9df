"""Hosts are looked at a few at a time, and who has had enough does not wait for them."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from driftwatch.config.model import OwnHost
from driftwatch.observe.ending import running
from driftwatch.observe.plugins.job import Plugin
from driftwatch.pipeline import check_plugin
from driftwatch.pipeline.settings import Settings
from driftwatch.pipeline.together import together
from driftwatch.pipeline.world import World
from tests.support import fake_host


def test_no_more_at_once_than_asked_for_and_in_order() -> None:
    lock, at_once, seen = threading.Lock(), [0], [0]

    def job(number: int) -> int:
        with lock:
            at_once[0] += 1
            seen[0] = max(seen[0], at_once[0])
        time.sleep(0.02)
        with lock:
            at_once[0] -= 1
        return number

    assert together([partial(job, number) for number in range(6)], 2) == list(range(6))
    assert seen[0] <= 2


def test_an_interrupt_ends_what_runs() -> None:
    ended, begun = threading.Event(), threading.Event()

    def interrupted() -> None:
        begun.wait(10)
        raise KeyboardInterrupt

    def waiting() -> None:
        with running(ended.set):
            begun.set()
            assert ended.wait(10), "it was not made to end"

    with pytest.raises(KeyboardInterrupt):
        together([interrupted, waiting], 2)
    assert ended.is_set()


@pytest.mark.slow
def test_a_host_of_ones_own_is_launched_behind_walls_and_called_by_its_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "tree" / "node_modules" / "own"
    root.mkdir(parents=True)
    (root / "package.json").write_text('{"name": "own", "version": "1.0.0", "engines": {"opencode": "<1.0.0"}}', "utf-8")

    @contextmanager
    def had(*_: object) -> Iterator[tuple[Plugin, None]]:
        yield Plugin("own", "1.0.0", tmp_path / "tree"), None

    monkeypatch.setattr(check_plugin, "_had", had)
    file = Path(fake_host.__file__)
    own = OwnHost(command=(sys.executable, "-I", "-S", str(file), "none", fake_host.VERSION), directory=str(file.parent))
    request = check_plugin.Request("own", [], scenes=("config",), owns=(own,), patience=5)
    with World(Settings(cache=tmp_path / "cache", offline=True), tmp_path) as world:
        report = check_plugin.check(request, world)
    (row,) = report.rows
    assert row.version == f"{fake_host.VERSION} (own {Path(sys.executable).name})"
    assert [fault.kind for fault in row.faults] == ["engines-unmet"], row
    assert row.outcome == "unverified"
    assert "nothing shows that it was loaded" in row.reason
    assert (tmp_path / "cache" / "scratch").is_dir()
    assert list((tmp_path / "cache" / "scratch").iterdir()) == []
