"""The five example systems on the real registry; on a real history where one is at hand (DRIFTWATCH_TEST_MIRROR). No boots."""

from __future__ import annotations

import io
import os
import shutil
from pathlib import Path

import pytest
import yaml

from driftwatch.cli import main
from driftwatch.render import surfaces
from driftwatch.render.reading import parse

pytestmark = [pytest.mark.live, pytest.mark.timeout(600)]

ROOT = Path(__file__).parent.parent.parent
SURFACES: dict[str, list[str]] = yaml.safe_load((ROOT / "tests" / "examples" / "surfaces.yaml").read_text("utf-8"))
MIRROR = os.environ.get("DRIFTWATCH_TEST_MIRROR", "")
SERVES_PARTS = "git -c uploadpack.allowFilter=true -c uploadpack.allowAnySHA1InWant=true upload-pack"
CONFIRMED = {  # without booting anything
    "phux": "no ctx.tool on 1.18",
    "overclock": "tool() contract",
    "mcpx": "$ of PluginInput",
    "skillstate": "Node 20",
    "opencode-connect": "",
}


@pytest.mark.parametrize("system", SURFACES)
def test_every_surface_has_an_outcome(system: str, kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = shutil.copytree(ROOT / "examples" / system, tmp_path / system)
    address = "https://github.com/anomalyco/opencode.git"
    settings = {f"url.{MIRROR or tmp_path / 'nowhere'}.insteadOf": address, "remote.origin.uploadpack": SERVES_PARTS}
    monkeypatch.setenv("GIT_CONFIG_COUNT", str(len(settings)))
    for number, (key, value) in enumerate(settings.items()):
        monkeypatch.setenv(f"GIT_CONFIG_KEY_{number}", key)
        monkeypatch.setenv(f"GIT_CONFIG_VALUE_{number}", value)
    out, err = io.StringIO(), io.StringIO()
    options = ["--watchlist", str(project / "watchlist.yaml"), "--cache", str(kept), "--format", "json", "--no-probes"]
    assert main(["run", *options], out, err) == 11, err.getvalue()
    found = {surface.name: surface for surface in surfaces.whole(parse(out.getvalue()))}
    assert set(SURFACES[system]) <= set(found)
    if name := CONFIRMED[system]:
        declared = found[name].cells[0]
        assert declared.status == "holds", [row.address for row in declared.rows if row.status != "holds"]
    if MIRROR and system == "opencode-connect":
        assert found["session list"].cells[0].rows[0].status in ("holds", "changed"), "the contract, by the branch's document"
