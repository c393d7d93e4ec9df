"""The built-in library on two real hosts whose behaviour is known: the whole of it on a recent one, and on an older one what
differs there."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest

from driftwatch.model import ProbeRow
from driftwatch.observe.hosts import driver
from driftwatch.observe.probes import control, load_library, run
from driftwatch.observe.probes.definition import Probe
from driftwatch.observe.sources.npm import npmrc
from driftwatch.observe.sources.npm.registry import Registry
from driftwatch.progress import SILENT

pytestmark = [pytest.mark.live, pytest.mark.timeout(1200)]

# What does not hold, and why: docs/probes.md, "Where hosts differ".
RECENT = {"permission-ask": "broken"}
OLDER = {
    "dispose": "broken",
    "permission-ask": "broken",
    "small-model": "absent",
}


@pytest.fixture(scope="module")
def registry(kept: Path) -> Iterator[Registry]:
    asked = subprocess.run(["npm", "config", "get", "registry"], capture_output=True, text=True, timeout=60, check=True)
    with Registry(npmrc.load(registry=asked.stdout.strip()), kept) as opened:
        yield opened


def told(version: str, wanted: Iterable[str], registry: Registry, kept: Path, scratch: Path) -> dict[str, ProbeRow]:
    library = load_library(host="opencode")
    binary = driver("opencode").acquire(version, registry, kept, SILENT)
    probes = [library[f"opencode/{name}"] for name in wanted]

    def asked(some: list[Probe]) -> dict[str, ProbeRow]:
        rows = run(driver("opencode"), binary, some, control=control(library, "opencode"), cache=None, scratch=scratch)
        return {row.id.partition("/")[2]: row for row in rows}

    rows = asked(probes)
    # Other tests boot hosts beside this one: what contradicts itself so is asked once more, with fewer beside it.
    flaky = [library[f"opencode/{name}"] for name, row in rows.items() if row.reason.startswith("flaky: ")]
    return rows | asked(flaky) if flaky else rows


def unlike_holding(rows: Mapping[str, ProbeRow]) -> dict[str, str]:
    return {name: row.outcome for name, row in rows.items() if row.outcome != "holds"}


def test_the_whole_library_on_a_recent_host(registry: Registry, kept: Path, tmp_path: Path) -> None:
    names = [name.partition("/")[2] for name in load_library(host="opencode")]
    rows = told("1.18.33", [name for name in names if not name.startswith("v2-")], registry, kept, tmp_path)
    assert unlike_holding(rows) == RECENT, {name: row.reason for name, row in rows.items() if row.reason}
    facts = {name: row.facts for name, row in rows.items()}
    assert facts["turn-hooks"]["order"][:2] == ["init", "chat.message"]  # type: ignore[index]
    assert facts["plugin-order"]["sees_earlier"] == [0, 1, 2]
    assert facts["mcp"]["protocol"] == "2025-11-25"
    assert facts["permission"]["replies"] == ["once", "reject", "always"]


def test_what_an_older_host_does_not_do(registry: Registry, kept: Path, tmp_path: Path) -> None:
    rows = told("1.15.4", [*OLDER, "tool-execute"], registry, kept, tmp_path)
    assert unlike_holding(rows) == OLDER, {name: row.reason for name, row in rows.items() if row.reason}
