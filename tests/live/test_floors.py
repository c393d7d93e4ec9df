"""Floors found again from the real registry and on real hosts: what is published is known, so the answers are."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from driftwatch.cli import main
from driftwatch.judge.floor import usual

pytestmark = [pytest.mark.live, pytest.mark.timeout(1800)]

WATCHLIST = Path(__file__).parent.parent / "data" / "floors.yaml"
PLUGIN = "@opencode-ai/plugin"
DISPOSE, FIRED = f"ts:{PLUGIN}#Hooks.dispose", "probe:opencode/dispose#fired"

Ask = Callable[..., tuple[int, dict[str, Any], dict[str, Any]]]


@pytest.fixture
def ask(kept: Path) -> Ask:
    """``floor`` on the watchlist: exit code, the rows by address, the upstream."""

    def call(*argv: str) -> tuple[int, dict[str, Any], dict[str, Any]]:
        out, err = io.StringIO(), io.StringIO()
        code = main(
            ["floor", *argv, "--watchlist", str(WATCHLIST), "--cache", str(kept), "--format", "json", "--quiet"], out, err
        )
        assert out.getvalue(), err.getvalue()
        [upstream] = json.loads(out.getvalue())["upstreams"]
        return code, {row["address"]: row for row in upstream["floors"]}, upstream

    return call


def test_manifest_floors_need_only_the_list_of_versions(ask: Ask) -> None:
    code, rows, upstream = ask(f"manifest:{PLUGIN}")
    floors = {address.partition("#")[2]: (row["declared"]["version"], row["declared"]["below"]) for address, row in rows.items()}
    assert floors == {
        "peerDependencies.@opentui/solid": ("1.18.4", "1.18.3"),
        'exports["./tool"]': ("0.13.9", "0.6.3"),
        'exports["./tui"]': ("1.3.6", "1.3.3"),
        'exports["./v2/promise"]': ("1.17.11", "1.17.9"),
    }
    assert all(row["declared"]["exhaustive"] and not row["declared"]["intervals"] for row in rows.values())
    assert (code, upstream["minimum"]) == (0, "1.18.4")
    assert upstream["decided_by"] == [f"manifest:{PLUGIN}#peerDependencies.@opentui/solid"]


def test_declared_floors_by_the_compiler(ask: Ask) -> None:
    _, rows, _ = ask(DISPOSE, f"ts:{PLUGIN}/tui#TuiPluginApi.attention.notify", "--since", "1.14.34", "--no-probes")
    dispose = rows[DISPOSE]["declared"]
    notify = rows[f"ts:{PLUGIN}/tui#TuiPluginApi.attention.notify"]["declared"]
    assert (dispose["version"], dispose["below"]) == ("1.15.11", "1.15.7")
    assert (notify["version"], notify["below"], notify["unpublished"]) == ("1.14.50", "1.14.48", ["1.14.49"])


def test_dispose_fires_on_hosts_from_a_later_version_than_it_is_declared(ask: Ask) -> None:
    code, rows, upstream = ask(FIRED, "--since", "1.15.3")
    declared, behaviour = rows[FIRED]["declared"], rows[FIRED]["behaviour"]
    assert (declared["version"], declared["below"]) == ("1.15.11", "1.15.7")
    assert (behaviour["version"], behaviour["below"]) == ("1.15.13", "1.15.4")
    assert behaviour["unpublished"] == [f"1.15.{patch}" for patch in range(5, 13)]
    assert (code, upstream["minimum"], upstream["decided_by"]) == (0, "1.15.13", [FIRED])
    hosts = len([look for look in behaviour["looks"] if look["holds"] is not None])
    assert hosts <= usual(60), "halving, not a walk"
