"""Children are limited, and end; nothing is left, whoever is killed."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from driftwatch.errors import Unobservable
from driftwatch.observe.ending import ending
from driftwatch.observe.process import ProcessError, scratch_folder, start, supervisor
from driftwatch.observe.process.scratch import sweep

needs_setsid = pytest.mark.skipif(shutil.which("setsid") is None, reason="no setsid command here")
ENV = {"PATH": "/usr/bin:/bin"}


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    made = scratch_folder(tmp_path / "scratch")
    yield made
    assert not made.exists(), "the scratch folder is left"


def shell(script: str, folder: Path, **options: object) -> object:
    arguments = {"cwd": folder, "env": ENV, "output": folder / "out", "deadline": 20.0, "scratch": folder, **options}
    return start(["/bin/sh", "-c", script], **arguments)  # type: ignore[arg-type]


def tagged(tag: str) -> set[int]:
    """Living processes with this word among their arguments."""
    if not Path("/proc/self").exists():
        lines = supervisor.ps("axww", "-o", "pid=,command=").splitlines()
        return {int(line.split()[0]) for line in lines if tag in line.split()}
    found = set()
    for pid, _, _ in supervisor.table():
        try:
            if tag.encode() in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0"):
                found.add(pid)
        except OSError:
            continue
    return found


def gone(tag: str, seconds: float = 5.0) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if not tagged(tag):
            return True
        time.sleep(0.02)
    return False


def tag() -> str:
    """A number of seconds nobody else sleeps."""
    return f"6{random.randrange(10**8):08d}"


def test_exit_code_and_output(folder: Path) -> None:
    with shell("echo out; echo err >&2; exit 3", folder) as child:
        ended = child.wait(10)
        assert (ended.how, ended.code) == ("exited", 3)
        assert child.reason == "exited with code 3"
        assert not child.alive()
        assert sorted((folder / "out").read_text().split()) == ["err", "out"]


def test_the_environment_is_only_what_was_given(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_SECRET", "hunter2")
    with start(["/usr/bin/env"], cwd=folder, env={"ONE": "1"}, output=folder / "out", deadline=10, scratch=folder) as child:
        child.wait(10)
        names = {line.partition("=")[0] for line in (folder / "out").read_text().splitlines()}
    assert names == {"ONE", "DRIFTWATCH_CHILD"}


def test_it_runs_where_told_in_a_session_of_its_own_without_input(folder: Path) -> None:
    with shell('pwd; cat; ps -o sid= -p $$ | tr -d " "; echo $$', folder) as child:
        child.wait(10)
        where, session, own = (folder / "out").read_text().split()
    assert Path(where) == folder
    assert session == own


@pytest.mark.parametrize(
    "argv, reason",
    [
        (["/no/such/program"], "cannot start /no/such/program: No such file or directory"),
        (["/etc/passwd"], "cannot start /etc/passwd: Permission denied"),
    ],
)
def test_what_cannot_start_says_why(folder: Path, argv: list[str], reason: str) -> None:
    with (
        pytest.raises(ProcessError, match=reason),
        start(argv, cwd=folder, env=ENV, output=folder / "out", deadline=5, scratch=folder),
    ):
        raise AssertionError("it started")


def test_a_signal_reaches_the_child(folder: Path) -> None:
    with shell("exec sleep 60", folder) as child:
        child.signal(signal.SIGUSR1)
        ended = child.wait(5)
        assert (ended.how, ended.code) == ("signalled", -signal.SIGUSR1)
        assert child.reason == "was killed by SIGUSR1"


def test_the_end_of_the_block_ends_it(folder: Path) -> None:
    word = tag()
    with shell(f"exec sleep {word}", folder) as child:
        until = time.monotonic() + 5
        while not tagged(word) and time.monotonic() < until:  # in the middle of exec a process has no command line
            time.sleep(0.01)
        assert tagged(word) == {child.pid}
    assert gone(word)
    assert child.exit.how == "ended"


@pytest.mark.slow
def test_deadline(folder: Path) -> None:
    with shell("exec sleep 60", folder, deadline=0.2) as child:
        assert child.wait(5).how == "deadline"


def test_flood(folder: Path) -> None:
    with shell("exec yes", folder, output_limit=100_000) as child:
        assert child.wait(10).how == "flooded"


@pytest.mark.slow
def test_one_that_ignores_sigterm_is_killed(folder: Path) -> None:
    with shell('trap "" TERM; echo ready; while :; do sleep 0.1; done', folder, grace=0.3) as child:
        while "ready" not in ((folder / "out").read_text() if (folder / "out").exists() else ""):
            time.sleep(0.01)
        started = time.monotonic()
        child.end()
        assert child.exit.how == "ended"
        assert 0.25 < time.monotonic() - started < 5


@needs_setsid
def test_daemonised_descendants_go_too(folder: Path) -> None:
    word = tag()
    with shell(f"setsid sh -c 'setsid sleep {word} & setsid sleep {word} &' & sleep 0.2; exec sleep 60", folder):
        until = time.monotonic() + 5
        while len(tagged(word)) < 2 and time.monotonic() < until:
            time.sleep(0.02)
        assert len(tagged(word)) == 2
    assert gone(word)


@needs_setsid
def test_what_an_exited_child_left_behind_goes(folder: Path) -> None:
    word = tag()
    with shell(f"setsid sleep {word} & exit 0", folder) as child:
        assert child.wait(5).code == 0
        assert gone(word)


def test_files_without_rights_are_removed_too(folder: Path) -> None:
    with shell("mkdir -p a/b; touch a/b/c; chmod 000 a/b a", folder) as child:
        child.wait(5)


def test_limits(folder: Path) -> None:
    with shell("ulimit -c; ulimit -n", folder) as child:
        child.wait(5)
        core, files = (folder / "out").read_text().split()
    assert core == "0"
    assert int(files) <= 4096


def test_only_folders_of_ours_are_ever_removed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    with start(["/bin/true"], cwd=tmp_path, env=ENV, output=tmp_path / "out", deadline=5, scratch=precious) as child:
        child.wait(5)
    assert precious.is_dir()


@needs_setsid
def test_a_killed_supervisor_takes_the_child_with_it(folder: Path) -> None:
    word = tag()
    with shell(f"setsid sleep {word} & exec sleep {word}", folder) as child:
        until = time.monotonic() + 5
        while len(tagged(word)) < 2 and time.monotonic() < until:
            time.sleep(0.02)
        os.kill(child._process.pid, signal.SIGKILL)
        assert child.wait(5).how == "lost"
        assert gone(word)


def test_an_interrupt_ends_all(folder: Path) -> None:
    with shell("exec sleep 60", folder) as child, ending():
        assert child.wait(5).how == "ended"
        with pytest.raises(Unobservable, match="being stopped"), shell("exec sleep 60", folder):
            raise AssertionError
    with shell("true", scratch_folder(folder.parent)) as child:
        assert child.wait(5).how == "exited"


# --- driftwatch itself is killed -------------------------------------------------------------------------------------

OWNER = """
import sys, time
from pathlib import Path
from driftwatch.observe.process import scratch_folder, start
folder = scratch_folder(Path(sys.argv[1]))
print(flush=True)
script = f"setsid sh -c 'setsid sleep {sys.argv[2]} &' ; touch busy; exec sleep {sys.argv[2]}"
where = {"cwd": folder, "env": {"PATH": "/usr/bin:/bin"}, "output": folder / "out", "scratch": folder}
with start(["/bin/sh", "-c", script], deadline=60, **where):
    time.sleep(60)
"""


@needs_setsid
@pytest.mark.parametrize("moment", [0.0, 0.03, 0.06, 0.1, 0.3])
@pytest.mark.slow
def test_kill_of_driftwatch_leaves_nothing(tmp_path: Path, moment: float) -> None:
    word = tag()
    owner = subprocess.Popen([sys.executable, "-c", OWNER, str(tmp_path / "scratch"), word], stdout=subprocess.PIPE)
    assert owner.stdout is not None
    owner.stdout.readline()
    time.sleep(moment)
    owner.kill()
    owner.wait()
    owner.stdout.close()
    assert gone(word)
    until = time.monotonic() + 5
    while any((tmp_path / "scratch").iterdir()) and time.monotonic() < until:
        sweep(tmp_path / "scratch")  # a kill before the supervisor knew its folder: the next run removes it
        time.sleep(0.02)
    assert list((tmp_path / "scratch").iterdir()) == []


HOLDER = """
import sys, time
from pathlib import Path
from driftwatch.observe.process import held_folder
with held_folder(Path(sys.argv[1])) as folder:
    (folder / "deep" / "er").mkdir(parents=True)
    print(flush=True)
    time.sleep(float(sys.argv[2]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("killed", [True, False])
def test_a_held_folder_is_gone_whoever_dies(tmp_path: Path, killed: bool) -> None:
    argv = [sys.executable, "-c", HOLDER, str(tmp_path / "scratch"), "60" if killed else "0"]
    owner = subprocess.Popen(argv, stdout=subprocess.PIPE)
    assert owner.stdout is not None
    owner.stdout.readline()
    if killed:
        owner.kill()
    assert owner.wait(20) == (-signal.SIGKILL if killed else 0)
    owner.stdout.close()
    until = time.monotonic() + 10
    while any((tmp_path / "scratch").iterdir()) and time.monotonic() < until:
        time.sleep(0.02)
    assert list((tmp_path / "scratch").iterdir()) == []


def test_the_next_run_sweeps_what_a_dead_one_left(tmp_path: Path) -> None:
    dead = subprocess.Popen(["/bin/true"])
    dead.wait()
    (tmp_path / f"driftwatch-{dead.pid}-abc").mkdir()
    (tmp_path / "driftwatch-notes").mkdir()
    (tmp_path / f"driftwatch-{dead.pid}-0therbox-abc").mkdir()
    (tmp_path / f"driftwatch-{dead.pid}-0therbox-old").mkdir()
    os.utime(tmp_path / f"driftwatch-{dead.pid}-0therbox-old", (0, 0))
    ours = scratch_folder(tmp_path)
    left = ["driftwatch-notes", ours.name, f"driftwatch-{dead.pid}-0therbox-abc"]  # who knows whether that one runs
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(left)


# --- elsewhere than on Linux ------------------------------------------------------------------------------------------


def test_ps_finds_the_same_as_proc(folder: Path) -> None:
    with shell("exec sleep 60", folder) as child:
        rows = {row for row in supervisor.ps_table() if row[0] == child.pid}
        assert rows == {row for row in supervisor.table() if row[0] == child.pid}
        assert rows


@needs_setsid
def test_without_a_subreaper_the_mark_finds_those_that_left(folder: Path) -> None:
    word = tag()
    with shell(f"setsid sh -c 'setsid sleep {word} &' ; exec sleep {word}", folder) as child:
        until = time.monotonic() + 5
        while len(tagged(word)) < 2 and time.monotonic() < until:
            time.sleep(0.02)
        assert tagged(word) <= supervisor.marked(child._mark)
