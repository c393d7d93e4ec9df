"""Sixty kinds of fault and more, each through the whole of driftwatch.

The tables are the lists ``CASES`` of the modules beside this one: a name, a fault, what must be said, and what to do about it.
``bench.prove`` asserts what is true of every one of them: the exit code of its row; never ``compatible`` but where the fault
must not matter; no traceback; the lock as it was; no process, no work folder and no half-written file left; no token, no
control character and no registry's host in anything written.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.faults import caches, files, hosts, machine, packuments, registry, repositories, tarballs
from tests.faults.bench import KINDS, Case, bench, prove

TABLES = {
    "registry": registry.CASES,
    "packument": packuments.CASES,
    "tarball": tarballs.CASES,
    "git": repositories.CASES,
    "host": hosts.CASES,
    "file": files.CASES,
    "machine": machine.CASES,
    "cache": caches.CASES,
}
SAMPLE = 4  # every fourth row of a table is enough for the inner loop; the whole suite runs them all
ALL = [
    pytest.param(case, id=f"{table}: {case}", marks=[pytest.mark.slow] if case.slow or number % SAMPLE else [])
    for table, cases in TABLES.items()
    for number, case in enumerate(cases)
]


@pytest.mark.parametrize("case", ALL)
def test_fault(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with bench(tmp_path, monkeypatch, case.on) as made:
        prove(case, made)


@pytest.mark.parametrize("kind", KINDS)
def test_undisturbed_every_bench_is_compatible(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with bench(tmp_path, monkeypatch, kind) as made:
        prove(Case("nothing", lambda _: None, exit=0, on=kind), made)


def test_there_are_sixty_kinds() -> None:
    kinds = [(table, case.name) for table, cases in TABLES.items() for case in cases if not case.warm]
    assert not [kind for kind, times in Counter(kinds).items() if times > 1], "a name stands for one kind"
    assert len(kinds) >= 60
