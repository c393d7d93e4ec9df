"""Real plugins on a real host: one that is published, and those broken on purpose, each named rightly."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from driftwatch.model.plugins import PluginReport
from driftwatch.observe.process import supervisor
from driftwatch.pipeline.check_plugin import Request, check
from driftwatch.pipeline.settings import Settings
from driftwatch.pipeline.world import World

pytestmark = pytest.mark.live

HOST = "1.15.13"
FOLDERS = Path(__file__).parent.parent / "data" / "plugins"
BROKEN = {
    "hangs": {"hangs-in-init"},
    "hook-throws": {"hook-throws", "breaks-scene"},
    "kills": {"crashes-host", "breaks-scene"},
    "syntax": {"syntax-error"},
    "throws": {"throws-in-init"},
    "shape": {"wrong-shape"},
    "missing": {"missing-dependency"},
    "engines": {"engines-unmet", "refused-by-engines"},
    "leaves": {"leaves-process", "leaves-timer", "writes-outside", "peer-unmet"},
    "good": set[str](),
}
FLAWED = {"leaves"}
TALKING = {"hook-throws", "kills", "good"}  # to see what these do the model has to be asked


@pytest.fixture(scope="module")
def world(kept: Path) -> Iterator[World]:
    with World(Settings(cache=kept), Path()) as opened:
        yield opened


@pytest.fixture(scope="module")
def told(world: World) -> dict[str, PluginReport]:
    """All of them at once, two at a time, each with the one scene it takes to see what it has."""

    def checked(name: str) -> PluginReport:
        scene, patience = "chat" if name in TALKING else "config", 2.0 if name == "hangs" else 20.0
        return check(Request(str(FOLDERS / name), [HOST], scenes=(scene,), patience=patience), world)

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(BROKEN, pool.map(checked, BROKEN), strict=True))


@pytest.mark.parametrize("name", BROKEN)
def test_each_broken_plugin_is_named_rightly(name: str, told: dict[str, PluginReport]) -> None:
    (row,) = told[name].rows
    assert {fault.kind for fault in row.faults} == BROKEN[name], row
    assert row.outcome == ("works" if name == "good" else "flawed" if name in FLAWED else "broken")
    assert told[name].exit_code == (10 if row.outcome == "broken" else 0)


def test_what_a_good_plugin_changes_is_told(told: dict[str, PluginReport]) -> None:
    facts = told["good"].rows[0].facts
    system = facts["chat#turn.1.system"]
    assert isinstance(system, dict)
    assert (system["begins"], system["removed"]) == ("be good", "none")
    assert facts["plugin#hooks"] == ["dispose", "experimental.chat.system.transform"]
    assert facts["plugin#started"] == 1


def test_nothing_is_left_of_what_they_left(told: dict[str, PluginReport], kept: Path) -> None:
    assert told
    assert not [pid for pid, _, _ in supervisor.table() if _command(pid).startswith("sleep 321")]
    assert not Path("/tmp/driftwatch-test-outside").exists(), "it wrote through the wall"
    assert not list((kept / "scratch").glob(f"driftwatch-{os.getpid()}-*")), "work folders are left"


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError:
        return ""


def test_a_published_plugin_works_and_says_what_it_could_not_do(world: World) -> None:
    report = check(Request("npm:opencode-prompt-recorder", [HOST], scenes=("config",)), world)
    (row,) = report.rows
    assert row.outcome == "works", row
    assert (row.network, row.processes) == ("network namespace", "process namespace")
    assert row.facts["plugin#hooks"] == ["event"]
