"""What a guard looks for, how its module is written, what the command refuses (tests/live/test_guard.py has the hosts)."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from driftwatch.cli import main
from driftwatch.config.model import Watchlist
from driftwatch.model import Address, Fact, Observed
from driftwatch.observe.hosts.profile import guard, profiles
from driftwatch.pipeline.guard import absent_then, relied_on
from driftwatch.render.guard import MARK, ours, render
from driftwatch.store.lock import LockedUpstream

PLUGIN, SDK = "@opencode-ai/plugin", "@opencode-ai/sdk"
PROFILE = next(profile for profile in profiles() if profile.name == "opencode")
GEN = f"{SDK}/dist/gen/sdk.gen"
DECLARED = tuple(
    Fact(Address(address), value)
    for address, value in {
        f"ts:{PLUGIN}#PluginInput.client": {},
        f"ts:{PLUGIN}#PluginInput.directory": {},
        f"ts:{PLUGIN}/v2/promise#PluginContext.tool": {},
        f"ts:{SDK}#OpencodeClient.session": {"t": {"ref": f"{GEN}#Session"}},
        f"ts:{SDK}#OpencodeClient.session.prompt": {"view": f"{GEN}#Session.prompt"},
        f"ts:{SDK}#OpencodeClient.session.prompt()": {"view": f"{GEN}#Session.prompt()"},
        f"ts:{SDK}#OpencodeClient.session.list": {"view": f"{GEN}#Session.list"},
        f"ts:{SDK}#OpencodeClient.session.list()": {"view": f"{GEN}#Session.list()"},
    }.items()
)


def use(address: str, *kinds: str, **more: Any) -> Fact:
    return Fact(Address(f"use:src/a.ts#{address}"), {"kinds": [*kinds], "lines": ["1:1"], **more})


def upstream(*relies_on: str) -> Any:
    data = {
        "project": {"name": "x"},
        "upstreams": [{"id": "o", "packages": [PLUGIN, SDK], "host": {"driver": "opencode"}, "relies_on": list(relies_on)}],
    }
    return Watchlist.model_validate({"version": 1, **data}).upstreams[0]


def looked_for(relies_on: list[str], *uses: Fact) -> dict[str, list[str]]:
    return {key: value for key, value in relied_on(upstream(*relies_on), PROFILE, Observed(uses), DECLARED).items() if value}


def test_what_the_source_uses_is_looked_for_where_the_plugin_finds_it() -> None:
    uses = (
        use(f"ts:{PLUGIN}#PluginInput.client", "read"),
        use(f"ts:{PLUGIN}#PluginInput.directory", "read"),
        use(f"ts:{PLUGIN}#PluginInput.project.id", "read"),
        use(f"ts:{GEN}#Session.prompt", "call"),
        use(f"ts:{PLUGIN}/v2/promise#PluginContext.tool.transform", "call"),
        use("http:POST /session/{}/message", "call"),
        use("event:session.idle", "event"),
        use("event:session.idle#properties.sessionID", "read"),
    )
    assert looked_for([], *uses) == {
        "input": ["client", "client.session.prompt()", "directory", "project"],
        "context": ["tool"],
        "operations": ["POST /session/{}/message"],
        "events": ["session.idle"],
    }


def test_guesses_and_patterns_of_many_things_are_not() -> None:
    guess = use("event:mine.own", "event", unsure=True)
    assert looked_for(["event:session.*", "http:* /session", "ts:x#y"], guess, use("event:message.**", "event")) == {}


def test_what_is_written_under_relies_on_is_enough() -> None:
    written = [f"ts:{SDK}#OpencodeClient.session.list", "event:session.idle", "http:GET /session"]
    assert looked_for(written) == {
        "input": ["client.session.list()"],
        "operations": ["GET /session"],
        "events": ["session.idle"],
    }


def test_what_was_not_there_when_it_was_accepted_is_not_looked_for() -> None:
    written = ["event:session.idle", "event:session.gone", "http:GET /session"]
    locked = LockedUpstream("1.0.0", facts={"event:session.idle": {}, "tag:x#y": "1"})
    assert absent_then(upstream(*written), locked) == ("event:session.gone",)
    assert absent_then(upstream(*written), None) == absent_then(upstream(*written), LockedUpstream("1.0.0")) == ()
    told = relied_on(upstream(*written), PROFILE, Observed(), DECLARED, ("event:session.gone",))
    assert (told["events"], told["operations"]) == (["session.idle"], ["GET /session"])


def test_the_module_is_the_same_bytes_and_no_name_ends_a_string() -> None:
    hostile = {"name": '"}; import "fs" // \u2028 </script> */', "events": ["b", "a\n"], "input": []}
    text = render(guard(PROFILE), hostile)
    start = guard(PROFILE).partition(MARK)[0]
    told = json.JSONDecoder().raw_decode(text[len(start) :])[0]
    assert told == {"name": hostile["name"], "events": ["a\n", "b"]}
    assert text.isascii() and ours(text)
    with pytest.raises(ValueError, match="no place"):
        render("nothing", {})


def run(*argv: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    return main(["guard", *argv], out, err), out.getvalue(), err.getvalue()


def test_a_file_of_somebody_else_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "index.ts").write_text("export {}\n")
    code, _, err = run("--output", str(tmp_path / "index.ts"), "--watchlist", str(tmp_path / "watchlist.yaml"))
    assert code == 2 and "was not made by `driftwatch guard`" in err
    assert (tmp_path / "index.ts").read_text() == "export {}\n"
    assert run("--check")[0] == 2
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    assert run("--output", str(tmp_path / "binary"))[0] == 2


def test_an_upstream_without_a_host_has_no_guard(tmp_path: Path) -> None:
    path = tmp_path / "watchlist.yaml"
    path.write_text(f"version: 1\nproject: {{name: x}}\nupstreams: [{{id: o, packages: ['{PLUGIN}'], accepted: 1.0.0}}]\n")
    code, _, err = run("--watchlist", str(path), "--offline", "--cache", str(tmp_path / "cache"))
    assert code == 2 and "no upstream of the watchlist has a host" in err


def test_nothing_to_look_for_is_said(tmp_path: Path) -> None:
    path = tmp_path / "watchlist.yaml"
    upstream = f"{{id: o, packages: ['{PLUGIN}'], accepted: 1.0.0, host: {{driver: opencode}}}}"
    path.write_text(f"version: 1\nproject: {{name: x}}\nupstreams: [{upstream}]\n")
    code, _, err = run("--watchlist", str(path), "--offline", "--cache", str(tmp_path / "cache"))
    assert code == 2 and "nothing a guard could look for" in err
    path.write_text(f"version: 1\nproject: {{name: x}}\nupstreams: [{upstream[:-1]}, relies_on: ['event:session.idle']}}]\n")
    code, out, err = run("--watchlist", str(path), "--offline", "--cache", str(tmp_path / "cache"))
    assert code == 0 and '"session.idle"' in out and "not guarded" in err
    target = tmp_path / "guard.ts"
    target.write_text(out.replace("session.idle", "session.old"))
    argv = ("--watchlist", str(path), "--offline", "--cache", str(tmp_path / "cache"), "--output", str(target))
    assert run(*argv, "--check")[0] == 10
    assert run(*argv)[0] == 0 and target.read_text() == out
    assert run(*argv, "--check")[0] == 0
