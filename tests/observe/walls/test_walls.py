"""The walls, tried from behind them; and who is noted to have wanted out."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from driftwatch.observe import walls
from driftwatch.observe.plugins.behind import environment
from driftwatch.observe.walls import sink

PROGRAM = """
import json, os, socket, subprocess, sys
from pathlib import Path
from dataclasses import asdict
from driftwatch.observe import walls
from driftwatch.observe.walls.sink import Sink
scratch, secret, kept, network = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4] == "open"
stood = walls.raise_walls(walls.plan(scratch, [kept], [secret], network=network))
sink = Sink()
if stood.network == walls.NETWORK:
    sink.open(9, scratch)
walls.lock()
script = f'''
import os, socket, json
from pathlib import Path
def tried(what):
    try:
        return what()
    except OSError as error:
        return type(error).__name__
print(json.dumps({{
    "secret": tried(lambda: os.listdir({str(secret)!r})),
    "kept": tried(lambda: Path({str(kept)!r}, "there").read_text()),
    "keep": tried(lambda: Path({str(kept)!r}, "there").write_text("x")),
    "scratch": tried(lambda: Path({str(scratch)!r}, "mine").write_text("x")),
    "system": tried(lambda: Path("/etc/driftwatch-was-here").write_text("x")),
    "outside": tried(lambda: socket.create_connection(("192.0.2.1", 80), timeout=2)),
    "name": tried(lambda: socket.getaddrinfo("plugin.example", 443)),
    "environment": tried(lambda: Path(f"/proc/{os.getppid()}/environ").read_bytes().count(b"=")),
    "processes": [name for name in os.listdir("/proc") if name.isdigit()],
    "rights": [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("CapEff")][0].split()[1],
}}))
'''
said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
print(json.dumps({"walls": asdict(stood), "wanted": sink.wanted(), **json.loads(said.stdout or said.stderr)}))
"""


def behind(tmp_path: Path, network: str = "") -> dict[str, Any]:
    folders = [tmp_path / name for name in ("scratch", "secret", "kept")]
    for folder in folders:
        folder.mkdir()
        (folder / "there").write_text("told", "utf-8")
    argv = [sys.executable, "-c", PROGRAM, *map(str, folders), network]
    said = subprocess.run(argv, capture_output=True, text=True, env=environment(), timeout=60, check=False)
    assert said.returncode == 0, said.stderr
    told: dict[str, Any] = json.loads(said.stdout.splitlines()[-1])
    if told["walls"]["why"]:
        pytest.skip(f"no namespaces here: {told['walls']['why']}")
    return told


@pytest.mark.slow
def test_behind_the_walls_there_is_no_way_out(tmp_path: Path) -> None:
    told = behind(tmp_path)
    assert told["walls"] == {"network": walls.NETWORK, "files": walls.HIDDEN, "why": "", "processes": walls.APART}
    assert told["secret"] in ([], "FileNotFoundError"), "a hidden folder shows what is in it"
    assert told["kept"] == "told"
    assert told["keep"] == "OSError", "what is kept can be written"
    assert told["scratch"] == 1
    assert told["system"] == "OSError"
    assert len(told["processes"]) <= 3, "processes of the user can be seen"
    assert told["outside"] == "OSError", "there is a way to the network"
    assert told["name"] == "gaierror"
    assert "plugin.example" in told["wanted"]
    assert int(told["rights"], 16) == 0, "what runs inside could take the walls down"


@pytest.mark.slow
def test_an_open_network_is_said_and_the_files_stay_hidden(tmp_path: Path) -> None:
    told = behind(tmp_path, "open")
    assert told["walls"]["network"] == walls.OPEN
    assert told["secret"] in ([], "FileNotFoundError")


def test_the_folder_one_is_called_from_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    assert tmp_path not in walls.python()


def test_folders_inside_others_and_the_root_are_not_named(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    made = walls.plan(tmp_path / "a" / "b", [], [Path("/"), tmp_path / "a", tmp_path / "a" / "b", tmp_path / "gone"])
    assert Path("/") not in made.hidden
    assert not any(one.is_relative_to(other) for one in made.hidden for other in made.hidden if one != other)


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (b"CONNECT api.example.org:443 HTTP/1.1\r\nHost: x\r\n", "api.example.org"),
        (b"GET http://user:word@a.example/path HTTP/1.1\r\n", "a.example"),
        (b"GET http://a.example:8080/ HTTP/1.1\r\n", "a.example"),
        (b"GET / HTTP/1.1\r\n", ""),
        (b"", ""),
        (b"\xff\xfe", ""),
    ],
)
def test_who_a_proxy_is_asked_for(head: bytes, name: str) -> None:
    assert sink.target(head) == name


QUERY = b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x01" + b"\x03API\x07example\x03org\x00\x00\x01\x00\x01" + b"\x00" * 11


def test_a_name_is_read_from_a_query_and_denied() -> None:
    assert sink.question(QUERY) == "api.example.org"
    answer = sink.nobody(QUERY)
    assert answer[:2] == QUERY[:2]
    assert answer[3] & 0x0F == 3  # NXDOMAIN
    assert answer.endswith(b"\x03org\x00\x00\x01\x00\x01"), "what is no question is sent back"


@pytest.mark.parametrize("asked", [b"", b"\x00" * 12, QUERY[:15], b"\x00" * 12 + b"\xc0\x0c" * 4])
def test_what_is_no_query_names_nobody(asked: bytes) -> None:
    assert sink.question(asked) == ""
