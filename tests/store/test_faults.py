"""Full disks, read-only folders, and being killed at any moment: the lock is the old one or the new one, never torn."""

from __future__ import annotations

import errno
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

from driftwatch.errors import StoreError
from driftwatch.store import history, lock
from driftwatch.store.lock import Lock, LockedUpstream


def made(version: str, size: int = 50) -> Lock:
    return Lock({"up": LockedUpstream(version, facts={f"file:{number}": version * 20 for number in range(size)})})


def full(*_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("call", ["fsync", "replace", "chmod"])
def test_a_fault_while_writing_leaves_the_old_lock_and_nothing_else(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "watchlist.lock"
    lock.write(path, made("1.0.0"))
    with monkeypatch.context() as patch:
        patch.setattr(os if call == "fsync" else Path, call, full)
        with pytest.raises(StoreError, match="No space left on device"):
            lock.write(path, made("2.0.0"))
    assert lock.read(path) == made("1.0.0")
    assert [entry.name for entry in tmp_path.iterdir()] == ["watchlist.lock"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = os.geteuid() == 0 and sys.platform == "linux" and shutil.which("mount") is not None
    if mounted:
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)], capture_output=True, check=False)
        mounted = done.returncode == 0
    if not mounted:
        pytest.skip("a small file system cannot be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_a_really_full_disk(small_disk: Path) -> None:
    path = small_disk / "watchlist.lock"
    lock.write(path, made("1.0.0"))
    with pytest.raises(StoreError, match="No space left on device"):
        lock.write(path, made("2.0.0", size=2000))
    assert lock.read(path) == made("1.0.0")
    assert [entry.name for entry in small_disk.iterdir()] == ["watchlist.lock"]
    story = small_disk / "history.jsonl"
    with pytest.raises(StoreError, match=r"No space left|bytes fitted"):
        for number in range(100):
            history.append(story, {"run": number, "pad": "x" * 3000})
    assert [line["run"] for line in history.read(story)] == list(range(len(history.read(story))))


def test_a_read_only_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "watchlist.lock"
    lock.write(path, made("1.0.0"))
    tmp_path.chmod(0o500)
    try:
        if os.access(tmp_path, os.W_OK):  # the superuser may: let the system call say what it says to others

            def refuse(*_: object, **__: object) -> None:
                raise OSError(errno.EROFS, os.strerror(errno.EROFS))

            monkeypatch.setattr("tempfile.mkstemp", refuse)
        with pytest.raises(StoreError, match=r"cannot write .*(Read-only|Permission denied)") as caught:
            lock.write(path, made("2.0.0"))
    finally:
        tmp_path.chmod(0o700)
    assert "writable" in caught.value.remedy
    assert lock.read(path) == made("1.0.0")


def test_what_killed_runs_left_is_swept_but_not_what_another_is_writing(tmp_path: Path) -> None:
    path = tmp_path / "watchlist.lock"
    old, young, foreign = (tmp_path / name for name in (".watchlist.lock.aa.tmp", ".watchlist.lock.bb.tmp", ".other.aa.tmp"))
    for leftover in (old, young, foreign):
        leftover.write_text("torn")
    for leftover in (old, foreign):
        os.utime(leftover, (time.time() - 3600,) * 2)
    lock.write(path, made("1.0.0"))
    assert (old.exists(), young.exists(), foreign.exists()) == (False, True, True)


def test_a_linked_lock_stays_a_link(tmp_path: Path) -> None:
    real = tmp_path / "real" / "watchlist.lock"
    lock.write(real, made("1.0.0"))
    path = tmp_path / "watchlist.lock"
    path.symlink_to(real)
    lock.write(path, made("2.0.0"))
    assert path.is_symlink()
    assert lock.read(real) == made("2.0.0")


WRITER = """
import sys
from pathlib import Path
from driftwatch.store import history, lock
from tests.store.test_faults import made
folder = Path(sys.argv[1])
print("ready", flush=True)
turn = 0
while True:
    lock.write(folder / "watchlist.lock", made("1.0.0" if turn % 2 else "2.0.0", 400))
    history.append(folder / "history.jsonl", {"turn": turn, "pad": "x" * 5000})
    turn += 1
"""


@pytest.mark.slow
def test_killed_at_any_moment(tmp_path: Path) -> None:
    chance = random.Random(7)
    root = Path(__file__).parents[2]
    whole = (made("1.0.0", 400), made("2.0.0", 400))
    seen = 0
    for _ in range(8):
        child = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, cwd=root, env={**os.environ, "PYTHONPATH": "."}
        )
        assert child.stdout is not None
        with child.stdout:
            assert child.stdout.readline() == b"ready\n"
            time.sleep(chance.uniform(0.0, 0.15))
            child.send_signal(signal.SIGKILL)
            assert child.wait(10) == -signal.SIGKILL
        now = lock.read(tmp_path / "watchlist.lock")
        assert now is None or now in whole
        seen += now is not None
        turns = [line["turn"] for line in history.read(tmp_path / "history.jsonl")]
        assert turns == [turn for index, turn in enumerate(turns) if turn == 0 or turn == turns[index - 1] + 1]
    assert seen > 0
    for leftover in tmp_path.glob(".watchlist.lock.*.tmp"):
        os.utime(leftover, (0, 0))
    lock.write(tmp_path / "watchlist.lock", made("3.0.0"))
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["history.jsonl", "watchlist.lock"]
