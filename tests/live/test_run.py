"""The main job on the real registry and real hosts, with the known story of `dispose`: silent on 1.15.4, called on 1.15.13."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from driftwatch.cli import main

pytestmark = [pytest.mark.live, pytest.mark.timeout(600)]

WATCHLIST = """\
version: 1
project: {name: live, role: implementer}
upstreams:
  - id: opencode
    packages: ["@opencode-ai/plugin"]
    accepted: 1.15.13
    host: {driver: opencode}
    probes: [opencode/load, opencode/dispose]
    relies_on:
      - {address: "probe:opencode/dispose#fired", why: our timers leak without it}
      - "manifest:@opencode-ai/plugin#peerDependencies.@opentui/solid"
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "watchlist.yaml").write_text(WATCHLIST)
    return tmp_path


def run(project: Path, kept: Path, *argv: str) -> tuple[int, dict[str, Any], str]:
    out, err = io.StringIO(), io.StringIO()
    options = ["--watchlist", str(project / "watchlist.yaml"), "--cache", str(kept), "--format", "json"]
    code = main(["run", *argv, *options], out, err)
    return code, json.loads(out.getvalue())["upstreams"][0], err.getvalue()


def test_dispose_did_not_fire_before_and_fires_now(project: Path, kept: Path) -> None:
    code, upstream, _ = run(project, kept, "--from", "1.15.4", "--to", "1.15.13")
    assert code == 0
    revived = [f for f in upstream["findings"] if f["rule"] == "probe-revived"]
    assert [(f["before"], f["after"]) for f in revived] == [("broken", "holds")]
    outcomes = {(p["id"], p["version"]): p["outcome"] for p in upstream["probes"]}
    assert outcomes["opencode/dispose", "1.15.4"] == "broken" and outcomes["opencode/dispose", "1.15.13"] == "holds"
    assert outcomes["opencode/load", "1.15.4"] == "holds", "the control loaded: not fired is not the same as not loaded"


def test_the_way_back_is_broken_with_exit_10(project: Path, kept: Path) -> None:
    code, upstream, _ = run(project, kept, "--from", "1.15.13", "--to", "1.15.4")
    assert (code, upstream["outcome"]) == (10, "broken")
    [broke] = [f for f in upstream["findings"] if f["rule"] == "probe-broke"]
    assert broke["severity"] == "breaking" and "probe:opencode/dispose#fired" in broke["relied_on"]


def test_accepted_to_latest_holds_and_a_second_run_boots_nothing(project: Path, kept: Path) -> None:
    code, upstream, _ = run(project, kept)
    assert code == 0 and upstream["outcome"] in ("compatible", "drifted")
    again, same, said = run(project, kept)
    assert again == code and same == upstream
    assert "probing" not in said and "unpacking" not in said
