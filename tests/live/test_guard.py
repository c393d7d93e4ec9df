"""The guard a plugin carries: typechecked beside the real declarations, and loaded by real hosts that have, or lack, its list."""

from __future__ import annotations

import contextlib
import http.client
import io
import json
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from driftwatch.cli import main
from driftwatch.observe.hosts import driver
from driftwatch.observe.hosts.model import MockModel
from driftwatch.observe.hosts.profile import guard, profiles
from driftwatch.observe.sources.npm import npmrc
from driftwatch.observe.sources.npm.registry import Registry
from driftwatch.observe.typescript import tools
from driftwatch.observe.typescript.engine import environment
from driftwatch.progress import SILENT
from driftwatch.render.guard import render

pytestmark = pytest.mark.live

PROFILE = next(profile for profile in profiles() if profile.name == "opencode")
NEWEST, OLDER = "1.18.33", "1.15.13"
SOURCE = """\
import type { Plugin } from "@opencode-ai/plugin"

export const Ours: Plugin = async ({ client, directory }) => ({
  event: async ({ event }) => {
    if (event.type !== "session.idle") return
    await client.session.messages({ path: { id: event.properties.sessionID } })
    await client.tui.showToast({ body: { message: directory, variant: "info" } })
  },
})
"""
LOADED = """\
import { guard } from "../lib/driftwatch-guard"
import { appendFileSync, writeFileSync } from "node:fs"

export const Ours = async (input: any) => {
  const before = Date.now()
  const missing = guard(input, { delay: 5000, done: (all) => writeFileSync(input.directory + "/done.json", JSON.stringify(all)) })
  writeFileSync(input.directory + "/init.json", JSON.stringify({ missing, took: Date.now() - before }))
  return {
    event: async ({ event }: any) => {
      if (event.type === "tui.toast.show") appendFileSync(input.directory + "/toasts.jsonl", JSON.stringify(event) + "\\n")
    },
  }
}
"""


@pytest.fixture(scope="module")
def address() -> str:
    return subprocess.run(
        ["npm", "config", "get", "registry"], capture_output=True, text=True, timeout=60, check=True
    ).stdout.strip()


@pytest.fixture(scope="module")
def registry(kept: Path, address: str) -> Iterator[Registry]:
    with Registry(npmrc.load(registry=address), kept) as opened:
        yield opened


@pytest.fixture(scope="module")
def made(kept: Path, address: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The guard of a small plugin, made by the command line."""
    root = tmp_path_factory.mktemp("plugin")
    (root / "src").mkdir()
    (root / "src/index.ts").write_text(SOURCE)
    (root / "package.json").write_text(json.dumps({"name": "ours", "engines": {"opencode": ">=1.15.0"}}))
    upstream = (
        f'{{id: opencode, packages: ["@opencode-ai/plugin", "@opencode-ai/sdk"], accepted: {NEWEST}, host: {{driver: opencode}}}}'
    )
    (root / "watchlist.yaml").write_text(
        f"version: 1\nregistry: {address}\nproject: {{name: ours, source: [src]}}\nupstreams: [{upstream}]\n"
    )
    target = root / "src/driftwatch-guard.ts"
    for words in ("wrote", "up to date"):
        out, err = io.StringIO(), io.StringIO()
        argv = ["guard", "--watchlist", str(root / "watchlist.yaml"), "--output", str(target), "--cache", str(kept), "-q"]
        assert main(argv, out, err) == 0, err.getvalue()
        assert out.getvalue().startswith(words)
    return target.read_text()


def relied(text: str) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(text.partition("const RELIED: Relied = ")[2].partition("\n\n")[0])
    return told


def test_it_looks_for_what_the_source_uses(made: str) -> None:
    assert relied(made) == {
        "name": "ours",
        "accepted": NEWEST,
        "floor": "1.15.0",
        "input": ["client", "client.session", "client.session.messages()", "client.tui", "client.tui.showToast()", "directory"],
        "operations": ["GET /session/{}/message", "POST /tui/show-toast"],
        "events": ["session.idle"],
    }


def test_it_typechecks_beside_the_real_declarations(made: str, registry: Registry, kept: Path, tmp_path: Path) -> None:
    """As strictly as a project may be; and a mistake in it would be seen."""
    from driftwatch.observe.facts.declarations import Declarations, Wanted
    from driftwatch.observe.typescript.install import install
    from driftwatch.observe.typescript.scan import Files
    from driftwatch.observe.typescript.tree import Tree

    (tree,) = Declarations(registry, kept).trees([Wanted("@opencode-ai/plugin", NEWEST)])
    assert isinstance(tree, Tree)
    package = install(tree, Files(registry, kept, SILENT), kept).resolve()
    place = tmp_path / "node_modules/@opencode-ai/plugin"
    place.parent.mkdir(parents=True)
    place.symlink_to(package)
    (tmp_path / "driftwatch-guard.ts").write_text(made)
    plugin = SOURCE.replace("=> ({", "=> {\n  void client\n  return ({").rstrip().removesuffix("})") + "})}\n"
    plugin = plugin.replace("async ({ client, directory })", "async (input)").replace("void client", "guard(input, { delay: 0 })")
    plugin = plugin.replace("  return (", "  const { client, directory } = input\n  return (")
    (tmp_path / "index.ts").write_text('import { guard } from "./driftwatch-guard"\n' + plugin)
    strict = (
        "strict noUncheckedIndexedAccess exactOptionalPropertyTypes noPropertyAccessFromIndexSignature noImplicitReturns "
        "noUnusedLocals noUnusedParameters verbatimModuleSyntax isolatedModules noEmit skipLibCheck"
    )
    options = {
        **dict.fromkeys(strict.split(), True),
        "target": "es2022",
        "module": "esnext",
        "moduleResolution": "bundler",
        "types": [],
    }
    (tmp_path / "tsconfig.json").write_text(json.dumps({"compilerOptions": options, "files": ["index.ts"]}))
    compiler = tools.prover(registry, kept)

    def check() -> str:
        argv = [str(compiler), "-p", str(tmp_path / "tsconfig.json"), "--pretty", "false"]
        return subprocess.run(argv, capture_output=True, text=True, timeout=120, env=environment(tmp_path), check=False).stdout

    said = check()
    assert "driftwatch-guard.ts" not in said and "index.ts" not in said, said
    (tmp_path / "driftwatch-guard.ts").write_text(made.replace("return missing\n", "return 1\n", 1))
    assert "driftwatch-guard.ts" in check()


class Stream:
    """A host's event stream, read until it is closed."""

    def __init__(self, address: tuple[str, int], directory: Path) -> None:
        self.events: list[dict[str, Any]] = []
        self._connection = http.client.HTTPConnection(*address, timeout=120)
        self._connection.request("GET", f"/event?directory={directory}")
        self._begun = threading.Event()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()
        assert self._begun.wait(90), "the stream does not begin"

    def _read(self) -> None:
        answer = self._connection.getresponse()
        with contextlib.suppress(OSError, ValueError):
            while line := answer.fp.readline():
                if line.startswith(b"data:"):
                    self.events.append(json.loads(line[5:]))
                    self._begun.set()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            assert self._connection.sock is not None
            self._connection.sock.shutdown(socket.SHUT_RDWR)
        self._thread.join(10)
        self._connection.close()


def load(version: str, text: str, registry: Registry, kept: Path, scratch: Path) -> tuple[dict[str, Any], list[str], list[str]]:
    """A host loads a plugin with the guard: what was told at once, what in the end, the toasts on the event stream."""
    kind = driver("opencode")
    binary = kind.acquire(version, registry, kept, SILENT)
    files = {".opencode/plugin/ours.ts": LOADED, ".opencode/lib/driftwatch-guard.ts": text}
    with MockModel() as model, kind.boot(binary, scratch=scratch) as host:
        directory = host.project("ours", files, {}, model.url("ours"))
        assert host.open(directory, 60).is_json
        stream = Stream(host._address, directory)  # type: ignore[attr-defined]
        until = time.monotonic() + 90
        while not (directory / "done.json").exists() and time.monotonic() < until:
            time.sleep(0.05)
        time.sleep(2)  # what comes after it, too
        stream.close()
        first = json.loads((directory / "init.json").read_text())
        last = json.loads((directory / "done.json").read_text())
        seen = directory / "toasts.jsonl"
        heard = [json.loads(line) for line in seen.read_text().splitlines()] if seen.exists() else []
    # 1.15.13 starts the project a second time for a plugin's own client: what that causes is heard there, by the plugin alone.
    shown = heard if version == OLDER else [event for event in stream.events if event["type"] == "tui.toast.show"]
    return first, last, [event["properties"]["message"] for event in shown]


@pytest.mark.parametrize("version", [OLDER, NEWEST])
def test_a_host_with_all_of_it_is_left_alone(version: str, made: str, registry: Registry, kept: Path, tmp_path: Path) -> None:
    first, last, toasts = load(version, made, registry, kept, tmp_path)
    assert (first["missing"], last, toasts) == ([], [], [])
    assert first["took"] < 1000, "the plugin's start waits for nothing"


@pytest.mark.parametrize("version", [OLDER, NEWEST])
def test_a_host_that_lacks_something_says_so_by_a_toast(version: str, registry: Registry, kept: Path, tmp_path: Path) -> None:
    wanted = {
        "name": "ours",
        "accepted": "9.0.0",
        "floor": "9.0.0",
        "input": ["client", "client.session.teleport()", "future", "directory"],
        "operations": ["GET /session", "POST /session/{}/teleport"],
        "events": ["session.idle", "session.teleported"],
    }
    first, last, toasts = load(version, render(guard(PROFILE), wanted), registry, kept, tmp_path)
    assert first["missing"] == ["input.client.session.teleport()", "input.future"]
    told = [
        *first["missing"],
        f"host 9.0.0 or newer (this is {version})",
        "operation POST /session/{}/teleport",
        "event session.teleported",
    ]
    assert last == told
    assert toasts == [f"This host lacks what ours relies on (checked against 9.0.0): {', '.join(told)}"]


def test_an_operation_that_came_later_is_missed_on_the_older_host_alone(registry: Registry, kept: Path, tmp_path: Path) -> None:
    """Where both are asked for their own description: neither is the accepted version."""
    text = render(guard(PROFILE), {"name": "ours", "accepted": "1.18.0", "operations": ["GET /api/location"]})
    _, missing, toasts = load(OLDER, text, registry, kept, tmp_path / "older")
    assert missing == ["operation GET /api/location"] and len(toasts) == 1
    assert load(NEWEST, text, registry, kept, tmp_path / "newest")[1:] == ([], [])


SECOND = """\
import { guard } from "../lib/driftwatch-guard"
import { writeFileSync } from "node:fs"

export default {
  id: "ours",
  setup(ctx: any) {
    guard(ctx, { delay: 100, done: (all) => writeFileSync(import.meta.dirname + "/../../done.json", JSON.stringify(all)) })
  },
}
"""


def test_the_second_plugin_api_is_looked_at_too(registry: Registry, kept: Path, tmp_path: Path) -> None:
    """``ctx.tool`` is not there on 1.18.33; without a toast or a log of the host's, the console is where it is said."""
    text = render(
        guard(PROFILE), {"name": "ours", "accepted": NEWEST, "context": ["agent", "command.transform()", "tool.transform()"]}
    )
    kind = driver("opencode")
    files = {".opencode/plugin/ours.ts": SECOND, ".opencode/lib/driftwatch-guard.ts": text}
    binary = kind.acquire(NEWEST, registry, kept, SILENT)
    with MockModel() as model, kind.boot(binary, scratch=tmp_path) as host:
        directory = host.project("ours", files, {}, model.url("ours"))
        host.open(directory, 60)
        until = time.monotonic() + 90
        while not (directory / "done.json").exists() and time.monotonic() < until:
            host.request("GET", "/api/location", directory=directory, timeout=30)
            time.sleep(0.5)
        time.sleep(1)
        assert json.loads((directory / "done.json").read_text()) == ["context.tool.transform()"]
        assert "[ours] This host lacks what ours relies on" in host.log.read_text("utf-8", "replace")
