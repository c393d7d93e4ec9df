"""Who does the work: units travel as bytes, and an engine that is not there is a clear error."""

from __future__ import annotations

import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from driftwatch.config.model import Host
from driftwatch.errors import UsageError
from driftwatch.model import ProbeRow
from driftwatch.observe.probes import load_library
from driftwatch.pipeline import engines, work
from driftwatch.pipeline.settings import Settings
from driftwatch.pipeline.work import Work
from driftwatch.pipeline.world import World

LIBRARY = load_library()


def unit(version: str) -> Work:
    return Work(Host(driver="opencode"), (LIBRARY["opencode/dispose"],), version)


def test_every_unit_can_be_pickled() -> None:
    whole = Work(Host(driver="opencode"), tuple(LIBRARY.values()), "1.2.3", repeat=2, fresh=True)
    assert pickle.loads(pickle.dumps(whole)) == whole


def test_rows_come_back_in_the_order_of_the_units(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def do(one: Work, *_: Any) -> tuple[ProbeRow, ...]:
        return (ProbeRow("opencode/dispose", one.version, "holds"),)

    monkeypatch.setattr(engines, "do", do)
    monkeypatch.setattr(engines, "do_elsewhere", do)
    world = World(Settings(cache=tmp_path, jobs=3), tmp_path)
    versions = [f"1.0.{number}" for number in range(9)]
    with ThreadPoolExecutor(2) as pool:
        for engine in (engines.Here(world), engines.There(pool, 2, world)):
            told = engine.all([unit(version) for version in versions])
            assert [rows[0].version for rows in told] == versions


@pytest.mark.parametrize("name", ["threads", ""])
def test_threads_are_as_many_as_jobs(tmp_path: Path, name: str) -> None:
    with engines.engine(name, World(Settings(cache=tmp_path, jobs=3), tmp_path)) as made:
        assert made.workers == 3


def test_elsewhere_a_cache_that_is_not_there_is_not_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRIFTWATCH_CACHE", str(tmp_path / "own"))
    seen: list[Path] = []

    def do(one: Work, world: World) -> tuple[ProbeRow, ...]:
        seen.append(world.settings.cache)
        return ()

    monkeypatch.setattr(work, "do", do)
    work.do_elsewhere(unit("1.0.0"), str(tmp_path / "not-here"), str(tmp_path), True)
    work.do_elsewhere(unit("1.0.0"), str(tmp_path), str(tmp_path), True)
    assert seen == [tmp_path / "own", tmp_path]
    assert not (tmp_path / "not-here").exists()


def test_an_engine_nobody_knows(tmp_path: Path) -> None:
    with (
        pytest.raises(UsageError, match="no executor 'ray'"),
        engines.engine("ray", World(Settings(cache=tmp_path), tmp_path)),
    ):
        pass


def test_dask_that_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(UsageError) as caught,
        engines.engine("dask", World(Settings(cache=tmp_path), tmp_path)),
    ):
        pass
    assert "pip install 'driftwatch[dask]'" in str(caught.value)


@pytest.mark.slow
def test_a_dask_scheduler_that_does_not_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="driftwatch[dask] is not installed")
    monkeypatch.setattr(engines, "ANSWERS_IN", "1s")
    with (
        pytest.raises(UsageError, match=r"no dask scheduler answers at 127\.0\.0\.1:9"),
        engines.engine("dask://127.0.0.1:9", World(Settings(cache=tmp_path), tmp_path)),
    ):
        pass


@pytest.mark.slow
def test_a_whole_matrix_on_workers_of_dask(tmp_path: Path) -> None:
    """Scripted hosts, real workers in processes of their own."""
    pytest.importorskip("distributed", reason="driftwatch[dask] is not installed")
    from driftwatch.config.model import OwnHost
    from driftwatch.pipeline.probing import Request, probe
    from tests.support import fake_host

    hosts = [OwnHost(executable=str(fake_host.make(tmp_path / version, "", version))) for version in ("1.2.3", "1.2.4")]
    request = Request((), ("opencode/load",), tuple(hosts), confirm=False)
    world = World(Settings(cache=tmp_path / "cache", jobs=2), tmp_path)
    (tmp_path / "cache").mkdir()
    with engines.engine("dask", world) as made:
        assert made.workers == 2
        matrix = probe(Host(driver="opencode"), request, world, made)
    assert [(row.id, row.version, row.outcome) for row in matrix.cells] == [
        ("opencode/load", "1.2.3", "holds"),
        ("opencode/load", "1.2.4", "holds"),
    ]
