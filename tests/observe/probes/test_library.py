"""The built-in probes themselves: their scripts parse, their expressions fit a host that has nothing, their helpers work."""

from __future__ import annotations

import io
import itertools
import json
import shutil
import subprocess
import sys
import tarfile
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from driftwatch.observe.probes import language, load_library
from driftwatch.observe.probes.definition import Probe
from driftwatch.observe.probes.evidence import MARKS, Evidence, read_marks

LIBRARY = load_library()
FOLDER = Path(str(files("driftwatch.observe.probes")))
BROKEN_ON_PURPOSE = "/syntax.js"
NODE = shutil.which("node")


@pytest.mark.parametrize("probe", LIBRARY.values(), ids=list(LIBRARY))
def test_a_host_that_has_nothing_is_an_answer(probe: Probe, tmp_path: Path) -> None:
    document = Evidence(tmp_path).document()
    for name, expression in {**probe.observe, **probe.present}.items():
        try:
            language.ask(expression, document)
        except language.ExpressionError as error:
            pytest.fail(f"{probe.id} {name}: {error}")


@pytest.mark.parametrize("probe", LIBRARY.values(), ids=list(LIBRARY))
def test_scripts_parse(probe: Probe) -> None:
    import tree_sitter_typescript
    from tree_sitter import Language, Parser

    parser = Parser(Language(tree_sitter_typescript.language_typescript()))
    for place, text in probe.files.items():
        if place.endswith((".js", ".ts", ".mjs", ".cjs")) and not place.endswith(BROKEN_ON_PURPOSE):
            assert not parser.parse(text.encode()).root_node.has_error, f"{probe.id}: {place}"
        if place.endswith(".json"):
            json.loads(text)


def node(script: str, folder: Path, **variables: str) -> str:
    if NODE is None:
        pytest.skip("no node here")
    told = subprocess.run(
        [NODE, "--input-type=module", "-e", script],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", **variables},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    return told.stdout


def project(tmp_path: Path) -> Path:
    (tmp_path / ".driftwatch").mkdir()
    shutil.copy(FOLDER / "mark.mjs", tmp_path / ".driftwatch" / "mark.mjs")
    return tmp_path


def test_marks_kinds_and_events(tmp_path: Path) -> None:
    script = """
        import { caused, hear, keys, kind, mark } from "./.driftwatch/mark.mjs"
        class R7 {}
        const things = [[], "x", new R7(), null, new URL("http://x"), async () => 1]
        mark("kinds", { kinds: things.map(kind), keys: keys({ b: 1, a: 2 }) })
        const event = { type: "session.idle", properties: { sessionID: 1, n: 2 } }
        await hear((event) => ({ n: event.properties.n }))({ event })
        await hear()({ event: { type: "plugin.added", properties: {} } })
        mark("caused", { is: caused("session.idle"), not: caused("file.watcher.updated") })
    """
    node(script, project(tmp_path))
    assert read_marks(tmp_path / MARKS) == [
        {"mark": "kinds", "kinds": ["Array", "String", "object", "object", "URL", "AsyncFunction"], "keys": ["a", "b"]},
        {"mark": "event", "type": "session.idle", "keys": ["n", "sessionID"], "n": 2},
        {"mark": "caused", "is": True, "not": False},
    ]


def test_a_second_host_has_a_role_and_ends(tmp_path: Path) -> None:
    (project(tmp_path) / "child.mjs").write_text(
        'import { mark } from "./.driftwatch/mark.mjs"\n'
        'mark("up", { data: process.env.XDG_DATA_HOME.split("/").pop(), pid: process.env.OPENCODE_PID ?? null })\n'
        "if (process.argv[2]) setTimeout(() => {}, 60000)\n"
        'else console.log("said")\n'
    )
    script = """
        import { host, mark } from "./.driftwatch/mark.mjs"
        mark("once", await host("once", ["child.mjs"]))
        mark("killed", await host("killed", ["child.mjs", "stay"], { kill: ["SIGKILL", "up"] }))
        await host("late", ["child.mjs", "stay"], { seconds: 0.2 }).catch((error) => mark("late", { message: error.message }))
    """
    node(script, tmp_path, OPENCODE_PID="7")
    marks = {(each["mark"], each.get("role")): each for each in read_marks(tmp_path / MARKS)}
    assert marks["up", "once"] == {"mark": "up", "role": "once", "data": "data", "pid": None}
    assert marks["once", None] == {"mark": "once", "code": 0, "signal": None, "output": "said\n"}
    assert marks["killed", None]["signal"] == "SIGKILL"
    assert marks["late", None]["message"].startswith("the host late took longer than 0.2 s")


def test_the_end_of_an_instance_is_what_the_host_says_and_not_its_dispose_hook(tmp_path: Path) -> None:
    script = """
        import { createServer } from "node:http"
        import { follow, mark } from "./.driftwatch/mark.mjs"
        const told = (directory, type) => ({ directory, payload: { type, properties: { directory } } })
        const event = (directory, type) => `data: ${JSON.stringify(told(directory, type))}\\n\\n`
        const streams = []
        const server = createServer((request, response) => {
          mark("asked", { path: request.url })
          if (request.url === "/global/health") return response.end("{}")
          streams.push(response.writeHead(200, { "content-type": "text/event-stream" }))
          response.write(event("/here", "server.connected"))
        })
        await new Promise((done) => server.listen(0, "127.0.0.1", done))
        const input = { serverUrl: new URL(`http://127.0.0.1:${server.address().port}/`), directory: "/here" }
        follow(input)
        follow(input) // the second instance's plugin
        while (!streams.length) await new Promise((done) => setTimeout(done, 10))
        const half = event("/here", "server.instance.disposed")
        await new Promise((done) => setTimeout(done, 300))
        streams[0].write(event("/here/other", "server.instance.disposed") + event("/here", "session.idle") + half.slice(0, 20))
        await new Promise((done) => setTimeout(done, 100))
        streams[0].write(half.slice(20))
        await new Promise((done) => setTimeout(done, 100))
        process.exit(0)
    """
    node(script, project(tmp_path))
    marks = read_marks(tmp_path / MARKS)
    assert [each.get("path", each["mark"]) for each in marks] == ["/global/event", "/global/health", "following", "gone"]


@pytest.mark.parametrize("probe", LIBRARY.values(), ids=list(LIBRARY))
def test_nothing_is_asked_of_an_instance_that_is_being_let_go(probe: Probe) -> None:
    # The old instance answers until it is gone, and what it is asked may load its plugins again.
    for step, after in itertools.pairwise(probe.steps):
        if step.target in {"/instance/dispose", "/global/dispose"} and "2" not in probe.lines:
            assert (after.verb, after.target) == ("wait", "gone"), f"{probe.id}: {after}"


# A wait that nothing ends on some host, and why it may be as short as it is.
SHORT = {
    "opencode/event-scope": "up to 1.15.13 a stream of the client carries nothing; elsewhere it does before the answers",
}


@pytest.mark.parametrize("probe", LIBRARY.values(), ids=list(LIBRARY))
def test_waits_leave_a_slow_machine_its_time(probe: Probe) -> None:
    waits = [step for step in probe.steps if step.verb in {"wait", "model", "poll", "join"}]
    short = [str(step) for step in waits if step.seconds < 5]
    assert not short or probe.id in SHORT, f"end it by something that comes after, or give it time: {short}"


@pytest.mark.parametrize("probe", LIBRARY.values(), ids=list(LIBRARY))
def test_a_wait_for_marks_can_be_ended_by_marks(probe: Probe) -> None:
    # A count that the probe's own files cannot reach waits for nothing but time.
    written = "\n".join(text for place, text in [*probe.files.items(), *probe.home.items()] if place != "mark.mjs")
    for step in probe.steps:
        if step.verb == "wait" and step.count > 1:
            assert step.count < 10 or written.count(step.target) >= step.count, f"{probe.id}: {step} waits for {step.count}"


WAKES = ("/prompt", "/command", "/synthetic", "/revert/clear")
NOT_WHILE_BUSY = ("/revert/stage", "/revert/commit", "/revert/clear")


@pytest.mark.parametrize("probe", LIBRARY.values(), ids=list(LIBRARY))
def test_a_session_that_was_woken_is_waited_for_before_it_is_asked_what_it_refuses_while_it_runs(probe: Probe) -> None:
    busy = ""
    for step in probe.steps:
        assert not (busy and step.target.endswith(NOT_WHILE_BUSY)), f"{probe.id}: {step} may meet what {busy} began"
        if step.verb == "post" and step.target.startswith("/api/session/") and step.target.endswith(WAKES):
            busy = str(step)
        if step.target.endswith("/wait"):
            busy = ""


@pytest.mark.parametrize("probe", [each for each in LIBRARY.values() if "2" in each.lines], ids=lambda each: each.id)
def test_what_takes_its_time_after_a_project_was_opened_is_waited_for(probe: Probe) -> None:
    # Plugins, and with them models, agents and commands, come after the location's answer. A prompt that is sent before its
    # model is known is lost on 1.18.33 until the next one; a list that is read before may be any part of itself.
    opened: set[str] = set()  # by the location asked for; "" is the probe's own project
    for step in probe.steps:
        place = str(step.query.get("location[directory]", ""))
        opened |= {place} if step.target.startswith("/api/model") else set()
        ready = place in opened
        early = step.verb == "post" and step.target.endswith("/prompt") and "unknown" not in str(step.body)
        assert ready or not early, f"{probe.id}: {step}"
        lists = step.save and step.verb in {"get", "poll"} and step.target in {"/api/agent", "/api/plugin", "/api/command"}
        assert ready or not lists, f"{probe.id}: {step}"


OF_THE_WHOLE_SERVER = {"/api/session/active", "/api/permission/saved"}


@pytest.mark.parametrize("probe", LIBRARY.values(), ids=list(LIBRARY))
def test_what_a_server_tells_of_all_its_projects_is_asked_only_of_our_own(probe: Probe) -> None:
    # Probes run beside each other: how many sessions are active, or permissions kept, is not theirs alone.
    for save in {step.save for step in probe.steps if step.verb == "get" and step.target in OF_THE_WHOLE_SERVER}:
        for name, expression in probe.observe.items():
            if save and f"answers.{save}" in expression:
                assert "[?" in expression or "contains(" in expression, f"{probe.id}: {name}"


@pytest.mark.parametrize("probe", [each for each in LIBRARY.values() if "2" in each.lines], ids=lambda each: each.id)
def test_a_host_without_the_surface_is_left_early(probe: Probe) -> None:
    looked_for = {step.target for step in probe.steps if step.verb == "present"}
    missing = {name for name in probe.present if name.startswith(("V2 loader", "ctx."))} - looked_for
    assert not missing, f"{probe.id} goes on without {missing}"


def test_the_small_registry_serves_whole_tarballs(tmp_path: Path) -> None:
    shutil.copy(FOLDER / "library" / "opencode" / "loading-elsewhere" / "registry.mjs", tmp_path)
    script = """
        import { registry } from "./registry.mjs"
        const served = await registry({ one: { main: "index.js", files: { "index.js": "export default 1\\n" } } })
        const about = await (await fetch(served.url + "one")).json()
        const tarball = Buffer.from(await (await fetch(about.versions["1.0.0"].dist.tarball)).arrayBuffer())
        const missing = (await fetch(served.url + "two")).status
        console.log(JSON.stringify({ about, tarball: tarball.toString("base64"), missing, asked: served.asked }))
        served.close()
    """
    told: dict[str, Any] = json.loads(node(script, tmp_path))
    import base64
    import hashlib

    data = base64.b64decode(told["tarball"])
    version = told["about"]["versions"]["1.0.0"]
    assert version["dist"]["integrity"] == "sha512-" + base64.b64encode(hashlib.sha512(data).digest()).decode()
    assert (told["missing"], told["asked"]) == (404, ["one", "one tarball", "two"])
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        members = {member.name: archive.extractfile(member).read() for member in archive}  # type: ignore[union-attr]
    assert sorted(members) == ["package/index.js", "package/package.json"]
    assert members["package/index.js"] == b"export default 1\n"


def test_the_small_mcp_server_records_and_answers(tmp_path: Path) -> None:
    asked = [
        {"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {"roots": {}}}},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list"},
        {"id": 3, "method": "tools/call", "params": {"name": "speak", "arguments": {"word": "x"}}},
        {"id": 5, "method": "tools/call", "params": {"name": "hang", "arguments": {}}},
        {"id": 4, "method": "sampling/none"},
    ]
    told = subprocess.run(
        [sys.executable, FOLDER / "library" / "opencode" / "mcp" / "server.py", "marks.jsonl"],
        cwd=tmp_path,
        input="".join(json.dumps(each) + "\n" for each in asked),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    answers = [json.loads(line) for line in told.stdout.splitlines()]
    by_id = {answer["id"]: answer for answer in answers if "id" in answer}
    assert by_id[1]["result"]["protocolVersion"] == "2025-06-18"
    assert [tool["name"] for tool in by_id[2]["result"]["tools"]] == ["speak", "fail", "hang"]
    assert by_id[3]["result"]["structuredContent"] == {"word": "x"}
    assert 5 not in by_id
    assert by_id[4]["error"]["code"] == -32601
    assert any(answer.get("method") == "notifications/message" for answer in answers)
    assert [each["method"] for each in read_marks(tmp_path / "marks.jsonl")] == [each["method"] for each in asked]
