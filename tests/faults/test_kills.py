"""The whole of driftwatch killed at any moment: everything on disk is the old or the new, nothing runs on, and the next run
gives what an undisturbed one gives."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from driftwatch.render.reading import parse
from driftwatch.store import history, observed
from tests.faults.bench import CODE, NEW, Bench, bench, content, left_running, leftovers
from tests.support.git import Faults, http_server
from tests.support.scene import Answer

pytestmark = pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks for processes in /proc")
NEXT = "1.2.0"
MOMENTS = 24
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    """A run has been made, and now there is a newer version, whose host has to be fetched and booted."""
    with bench(tmp_path, monkeypatch, "all") as made:
        assert made.run("run").code == 0
        made.publish(NEXT)
        made.repository.commit({"README.md": "still more\n"}, f"v{NEXT}")
        yield made


def begin(made: Bench, *argv: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "driftwatch", *argv, *made.options],
        cwd=made.root,
        env={**os.environ, "PYTHONPATH": CODE},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def upstreams(answer: Answer) -> Any:
    """What a report says, but for how long the hosts took and how often there was a run before."""
    told = json.loads(answer.out)["upstreams"]
    for upstream in told:
        upstream["trend"] = []
        for probe in upstream["probes"]:
            probe["seconds"] = 0
    return told


def whole(made: Bench, before: dict[str, bytes]) -> None:
    """Every file people keep is as it was, or as a whole run leaves it."""
    for name, end in {"latest.json": b"}\n", "latest.md": b" exit code 0.\n", "latest.html": b"</html>\n"}.items():
        now = (made.reports / name).read_bytes()
        assert now == before[name] or (NEXT.encode() in now and now.endswith(end)), f"{name} is torn"
    assert parse((made.reports / "latest.json").read_text()).upstreams[0].after.version in (NEW, NEXT)
    seen = observed.read(made.reports / "observed.json")
    assert seen and seen.upstreams["acme"].tags["@acme/plugin#latest"] in (NEW, NEXT)
    assert all(isinstance(json.loads(line), dict) for line in (made.reports / "history.jsonl").read_bytes().splitlines())


@pytest.mark.slow
@pytest.mark.parametrize("moment", range(MOMENTS))
def test_killed_at_any_moment(moment: int, made: Bench, tmp_path_factory: pytest.TempPathFactory) -> None:
    number = SIGNALS[moment % len(SIGNALS)]
    lock, before = content(made.lock), {path.name: path.read_bytes() for path in made.reports.iterdir()}
    started = time.monotonic()
    running = begin(made, "run")
    delay = duration(tmp_path_factory) * (moment + 0.5) / MOMENTS
    time.sleep(max(0.0, started + delay - time.monotonic()))
    running.send_signal(number)
    told = running.communicate(timeout=30)[1].decode()
    # Where Python was just building a class it ends by SIGINT itself, after all was cleared up.
    assert running.returncode in ((0, -number) if number == signal.SIGKILL else (0, 130, -number, -signal.SIGINT)), told
    assert "Traceback" not in told and "crashed" not in told
    if number != signal.SIGKILL and "stopped" in told:
        assert not leftovers(made), "who is asked to stop clears up"
    assert not left_running(made.root, patience=10)
    assert content(made.lock) == lock
    whole(made, before)
    after = made.run("run", "--format", "json")
    assert after.code == 0
    assert upstreams(after) in undisturbed(tmp_path_factory)
    assert not leftovers(made), "the next run clears up"
    assert not left_running(made.root)
    assert len(history.read(made.reports / "history.jsonl")) in (2, 3)


_KNOWN: dict[str, Any] = {}


def _once(factory: pytest.TempPathFactory) -> None:
    """One undisturbed run of the same, in this process' share of the tests."""
    if not _KNOWN:
        patch = pytest.MonkeyPatch()
        with bench(factory.mktemp("undisturbed"), patch, "all") as made:
            made.run("run")
            made.publish(NEXT)
            made.repository.commit({"README.md": "still more\n"}, f"v{NEXT}")
            started = time.monotonic()
            first = begin(made, "run")
            assert first.wait(60) == 0
            assert first.stderr is not None
            first.stderr.close()
            _KNOWN["seconds"] = time.monotonic() - started
            report = (made.reports / "latest.json").read_text()
            _KNOWN["upstreams"] = [upstreams(Answer(0, report, "")), upstreams(made.run("run", "--format", "json"))]
        patch.undo()


def duration(factory: pytest.TempPathFactory) -> float:
    _once(factory)
    return float(_KNOWN["seconds"])


def undisturbed(factory: pytest.TempPathFactory) -> Any:
    """What a first look says, and what a second one (the new version is no news then)."""
    _once(factory)
    return _KNOWN["upstreams"]


def until(made: Bench, running: subprocess.Popen[bytes], word: str) -> None:
    """Wait until it says so."""
    assert running.stderr is not None
    said = b""
    while word.encode() not in said:
        line = running.stderr.readline()
        assert line, said
        said += line


HANGING = ["a host that never listens", "a host that never answers", "a registry", "a git server"]
ENDS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL]
QUICK = {("a host that never answers", signal.SIGINT)}


@pytest.mark.parametrize(
    ("what", "number"),
    [
        pytest.param(what, number, marks=[] if (what, number) in QUICK else [pytest.mark.slow], id=f"{what}, {number.name}")
        for what in HANGING
        for number in ENDS
    ],
)
def test_killed_while_something_hangs(what: str, number: int, made: Bench) -> None:
    """Nobody waits for what nobody wants any more."""
    running, lock = hanging(what, made), content(made.lock)
    started = time.monotonic()
    running.send_signal(number)
    told = running.communicate(timeout=30)[1].decode()
    assert time.monotonic() - started < 8
    assert running.returncode == (-number if number == signal.SIGKILL else 130), told
    assert "Traceback" not in told and "crashed" not in told
    assert not left_running(made.root, patience=8)
    assert content(made.lock) == lock


def hanging(what: str, made: Bench) -> subprocess.Popen[bytes]:
    """A run that will not come to an end, at the place where it does not."""
    if "host" in what:
        made.host(NEXT, "never-listens" if "listens" in what else "mute")
        running = begin(made, "run")
        until(made, running, "probing opencode")
        time.sleep(0.4)
        return running
    if what == "a registry":
        from tests.faults.bench import PATH
        from tests.support.fault_registry import Reply

        made.npmrc("fetch-timeout=60000")
        made.registry.always(PATH, Reply(hang=60.0))
        running = begin(made, "run")
        until(made, running, "packages")
    else:
        made.edit("./repository", made.enter(http_server(made.root, Faults(hang=60.0))) + "/x.git")
        running = begin(made, "run")
        until(made, running, "git tags")
    time.sleep(0.4)
    return running


@pytest.mark.slow
def test_two_signals_in_a_row(made: Bench) -> None:
    """The impatient press Ctrl-C twice."""
    running = hanging("a host that never answers", made)
    running.send_signal(signal.SIGINT)
    time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    told = running.communicate(timeout=30)[1].decode()
    assert running.returncode in (130, -signal.SIGINT) and "Traceback" not in told
    assert not left_running(made.root, patience=8)
