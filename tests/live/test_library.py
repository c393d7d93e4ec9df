"""The whole built-in library on two real hosts whose behaviour is known: one recent, one older."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from driftwatch.observe.hosts import driver
from driftwatch.observe.probes import control, load_library, run
from driftwatch.observe.sources.npm import npmrc
from driftwatch.observe.sources.npm.registry import Registry
from driftwatch.progress import SILENT

pytestmark = [pytest.mark.live, pytest.mark.timeout(1200)]

# What does not hold, and why: docs/probes.md, "Where hosts differ".
KNOWN = {
    "1.18.33": {"permission-ask": "broken"},
    "1.15.4": {
        "client-calls": "broken",
        "dispose": "broken",
        "permission-ask": "broken",
        "run-once": "broken",
        "small-model": "absent",
        "tool-ask": "broken",
    },
}


@pytest.fixture(scope="module")
def registry(kept: Path) -> Iterator[Registry]:
    asked = subprocess.run(["npm", "config", "get", "registry"], capture_output=True, text=True, timeout=60, check=True)
    with Registry(npmrc.load(registry=asked.stdout.strip()), kept) as opened:
        yield opened


@pytest.mark.parametrize("version", KNOWN)
def test_the_library(version: str, registry: Registry, kept: Path, tmp_path: Path) -> None:
    library = {name: probe for name, probe in load_library(host="opencode").items() if "/v2-" not in name}
    binary = driver("opencode").acquire(version, registry, kept, SILENT)
    rows = run(driver("opencode"), binary, library.values(), control=control(library, "opencode"), cache=None, scratch=tmp_path)
    told = {row.id.partition("/")[2]: row.outcome for row in rows if row.outcome != "holds"}
    assert told == KNOWN[version], {row.id: row.reason for row in rows if row.reason}
    facts = {row.id.partition("/")[2]: row.facts for row in rows}
    assert facts["turn-hooks"]["order"][:2] == ["init", "chat.message"]  # type: ignore[index]
    assert facts["plugin-order"]["sees_earlier"] == [0, 1, 2]
    assert facts["mcp"]["protocol"] == "2025-11-25"
    assert facts["permission"]["replies"] == ["once", "reject", "always"]
