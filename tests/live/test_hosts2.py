"""The V2 surface on real hosts: what 1.18.33 has of it, and all of it on a host of the 2.x line where the machine has one.

No host of the 2.x line is published: ``DRIFTWATCH_TEST_HOST2`` names a launch file or an executable of one's own.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from driftwatch.config.model import Host, OwnHost
from driftwatch.model import ProbeRow
from driftwatch.pipeline import hosts, probing
from driftwatch.pipeline.settings import Settings
from driftwatch.pipeline.world import World

pytestmark = pytest.mark.live

ABSENT = {
    "opencode/v2-cleanup",
    "opencode/v2-events",
    "opencode/v2-session-context",
    "opencode/v2-tool",
    "opencode/v2-tool-hooks",
}


def probed(kept: Path, versions: tuple[str, ...], ids: tuple[str, ...], owns: tuple[OwnHost, ...] = ()) -> dict[str, ProbeRow]:
    with World(Settings(cache=kept), Path()) as world:
        made = probing.probe(Host(driver="opencode"), probing.Request(versions, ids, owns, confirm=False), world)
    return {row.id: row for row in made.cells}


def test_1_18_33_has_the_loader_and_not_the_later_domains(kept: Path) -> None:
    wanted = (*sorted(ABSENT), "opencode/v2-context", "opencode/v2-registration", "opencode/v2-registration-reload")
    rows = probed(kept, ("1.18.33",), wanted)
    assert {name for name, row in rows.items() if row.outcome == "absent"} == ABSENT
    assert {row.outcome for name, row in rows.items() if name not in ABSENT} == {"holds"}
    keys = ["agent", "aisdk", "catalog", "command", "integration", "options", "plugin", "reference", "skill"]
    assert rows["opencode/v2-context"].facts["keys"] == keys
    shown = {name: rows[f"opencode/v2-{name}"].facts["agent"] for name in ("registration", "registration-reload")}
    assert shown == {"registration": False, "registration-reload": True}


def test_a_host_of_the_2_x_line(kept: Path) -> None:
    named = os.environ.get("DRIFTWATCH_TEST_HOST2")
    if not named:
        pytest.skip("DRIFTWATCH_TEST_HOST2 names no host of the 2.x line")
    wanted = ("opencode/dispose", "opencode/v2-context", "opencode/v2-registration", "opencode/v2-tool", "opencode/v2-cleanup")
    rows = probed(kept, (), wanted, (hosts.named(named, Path()),))
    assert rows["opencode/dispose"].outcome == "absent"
    assert {rows[name].outcome for name in wanted[1:]} == {"holds"}, [row.reason for row in rows.values()]
    assert rows["opencode/v2-registration"].facts["agent"] is True
