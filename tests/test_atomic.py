"""Whole files or none, and nothing that is not a file is ever replaced."""

from __future__ import annotations

import os
import subprocess
import threading
from pathlib import Path

import pytest

from driftwatch import atomic
from driftwatch.errors import StoreError


def test_the_file_is_replaced_and_nothing_else_is_left(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "file.txt"
    atomic.write(path, "one\n")
    path.chmod(0o600)
    atomic.write(path, "two\n")
    assert path.read_text() == "two\n" and path.stat().st_mode & 0o777 == 0o600
    assert [entry.name for entry in path.parent.iterdir()] == ["file.txt"]


def test_what_a_killed_run_left_goes_with_the_next_write_and_nothing_else_does(tmp_path: Path) -> None:
    dead = subprocess.Popen(["/bin/true"])
    dead.wait()
    here = atomic.here()
    gone = [f".a.{dead.pid}-{here}.x1.tmp", f".a.{dead.pid}-0000beef.old.tmp"]
    kept = [
        f".b.{dead.pid}-{here}.x1.tmp",
        f".a.{os.getpid()}-{here}.x1.tmp",
        f".a.{dead.pid}-0000beef.x1.tmp",
        ".a.tmp",
        "a.1.tmp",
    ]
    for name in (*gone, *kept):
        (tmp_path / name).write_text("half")
    os.utime(tmp_path / gone[1], (0, 0))
    atomic.write(tmp_path / "a", "whole")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["a", *kept])
    (tmp_path / f".folder.{dead.pid}-{here}.x1.tmp").mkdir()
    atomic.sweep(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["a", *kept[1:]])


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    atomic.write(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real").read_text() == "new"


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
    reader.start()
    atomic.write(pipe, "through")
    reader.join(5)
    assert got == ["through"] and pipe.is_fifo()


def test_the_null_device_survives() -> None:
    atomic.write(Path("/dev/null"), "gone")
    assert not Path("/dev/null").is_file()


def test_a_folder_in_the_way_is_an_error_that_says_so(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(StoreError, match="cannot write"):
        atomic.write(tmp_path / "taken", "x")
    assert [entry.name for entry in tmp_path.iterdir()] == ["taken"]
