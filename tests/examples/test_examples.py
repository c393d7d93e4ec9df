"""The five example systems: each watchlist is right, has evidence of every surface, and its run says what became of each."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from driftwatch.config import load
from driftwatch.render import surfaces
from driftwatch.render.reading import parse
from tests.pipeline.conftest import scene  # noqa: F401  (a fixture)
from tests.support.scene import Scene

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = ROOT / "examples"
SURFACES: dict[str, list[str]] = yaml.safe_load((Path(__file__).parent / "surfaces.yaml").read_text("utf-8"))
UPSTREAM = "https://github.com/anomalyco/opencode.git"
COMMIT = re.compile(r"\b[0-9a-f]{40}\b")


@pytest.mark.parametrize("system", SURFACES)
def test_the_watchlist_has_evidence_of_every_surface(system: str) -> None:
    watchlist = load(EXAMPLES / system / "watchlist.yaml")
    named = {reliance.surface for upstream in watchlist.upstreams for reliance in upstream.relies_on}
    assert set(SURFACES[system]) <= named, sorted(set(SURFACES[system]) - named)
    assert named <= set(SURFACES[system]), "a surface that no list knows"
    assert (EXAMPLES / system / "README.md").is_file()


@pytest.mark.parametrize("system", SURFACES)
def test_every_probe_that_is_listed_is_evidence_of_a_surface(system: str) -> None:
    for upstream in load(EXAMPLES / system / "watchlist.yaml").upstreams:
        relied = {reliance.address.removeprefix("probe:").partition("#")[0] for reliance in upstream.relies_on}
        own = {yaml.safe_load((EXAMPLES / system / probe / "probe.yaml").read_text())["id"]
               for probe in upstream.probes if probe.startswith("./")}  # fmt: skip
        assert {probe for probe in upstream.probes if not probe.startswith("./")} | own <= relied, upstream.id


@pytest.mark.slow
@pytest.mark.parametrize("system", SURFACES)
def test_a_run_tells_the_outcome_of_every_surface(system: str, scene: Scene) -> None:  # noqa: F811
    """Offline, on a small upstream of the same names: what is not there is absent or unverified, never silently fine."""
    _upstream(scene)
    shutil.copytree(EXAMPLES / system, scene.root, dirs_exist_ok=True)
    path = scene.root / "watchlist.yaml"
    text = path.read_text("utf-8").replace(UPSTREAM, str(scene.repository.path))
    text = COMMIT.sub(scene.repository.git("rev-parse", "v2").strip(), text)
    path.write_text(text.replace("\nupstreams:", f"\nregistry: {scene.registry.url}\n\nupstreams:", 1), "utf-8")
    answer = scene.run("run", "--no-probes", "--format", "json")
    assert answer.code == 11, answer.err
    rows = [row for upstream in answer.report["upstreams"] for row in upstream["reliances"]]
    assert {row["surface"] for row in rows} >= set(SURFACES[system])
    assert all(row["reason"] for row in rows if row["status"] in ("unverified", "absent"))
    by_name = {surface.name: surface for surface in surfaces.whole(parse(answer.out))}
    assert {by_name[name].state for name in SURFACES[system]} <= set(surfaces.STATES)
    assert by_name[_PROBED[system]].state != "confirmed"  # probes were switched off


_PROBED = {
    "phux": "session context hook",
    "overclock": "hook dispose",
    "mcpx": "shell.env",
    "skillstate": "ctx.tool.transform",
    "opencode-connect": "a prompt is admitted once",
}


def _upstream(scene: Scene) -> None:  # noqa: F811
    """Packages, a release and a branch of upstream's names, with next to nothing in them."""
    for name in ("@opencode-ai/plugin", "@opencode-ai/sdk", "opencode-ai"):
        for version in ("1.18.3", "1.18.4", "1.18.10", "1.18.31", "1.18.33"):
            said: dict[str, Any] = {"exports": {"./v2/promise": "./v2.js"}}
            manifest = json.dumps({"name": name, "version": version, **said}).encode()
            scene.package(name, version, {"package.json": manifest}, {"latest": version}, **said)
    for version in ("1.18.4", "1.18.33"):
        scene.repository.commit({"packages/plugin/src/index.ts": f"export interface Hooks {{}} // {version}\n"}, f"v{version}")
    scene.repository.git("switch", "-qc", "v2")
    files = {
        "packages/plugin/src/v2/promise/plugin.ts": "export interface Context { readonly tool: ToolDomain }\n",
        "packages/docs/openapi.json": '{"openapi": "3.1.0", "info": {"title": "x", "version": "1"}, "paths": {}}',
    }
    scene.repository.commit({**files}, "")
