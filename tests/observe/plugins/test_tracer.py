"""The script between a plugin and its host: run by node, as a host would call it."""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

from driftwatch.observe.plugins.trace import Trace
from driftwatch.observe.probes.session import helper

NODE = shutil.which("node")
PLUGIN = """
export const Plugin = async (input) => {
  const timer = setInterval(() => {}, 60000)
  const hooks = { dispose: async () => clearInterval(timer) }
  if (input.leaks) hooks.config = async () => setInterval(() => {}, 7000)
  return hooks
}
"""
HOST = """
import { DriftwatchTrace } from "./.opencode/plugin/trace.js"
const first = await DriftwatchTrace({ leaks: LEAKS })
await first.config?.({})
const ending = first.dispose()
const second = await DriftwatchTrace({}) // a call that was still under way loads the project again
await ending
await new Promise((done) => setTimeout(done, 500))
process.exit(0)
"""


def left(tmp_path: Path, leaks: bool) -> object:
    if NODE is None:
        pytest.skip("no node here")
    place = {
        ".driftwatch/mark.mjs": helper(),
        ".driftwatch/marks.jsonl": "",
        ".driftwatch/trace.json": json.dumps({"root": str(tmp_path / "plugin"), "entry": "index.mjs", "options": {}}),
        ".opencode/plugin/trace.js": files("driftwatch.observe.plugins").joinpath("ways/trace.js").read_text("utf-8"),
        ".opencode/package.json": '{"type": "module"}',
        "plugin/index.mjs": PLUGIN,
        "host.mjs": HOST.replace("LEAKS", str(leaks).lower()),
    }
    for name, text in place.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    subprocess.run([NODE, "host.mjs"], cwd=tmp_path, check=True, timeout=30)
    marks = [json.loads(line) for line in (tmp_path / ".driftwatch/marks.jsonl").read_text().splitlines()]
    return Trace(marks).facts().get("left#timers")


@pytest.mark.parametrize(("leaks", "told"), [(False, None), (True, [7000])])
def test_a_timer_of_an_instance_that_was_loaded_meanwhile_is_not_left_by_the_one_that_ended(
    tmp_path: Path, leaks: bool, told: object
) -> None:
    assert left(tmp_path, leaks) == told
