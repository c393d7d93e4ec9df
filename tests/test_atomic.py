"""Whole files or none; and what is no file is written into, never replaced."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from driftwatch import atomic
from driftwatch.errors import StoreError


def test_a_file_is_replaced_and_keeps_its_mode_and_its_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("old")
    real.chmod(0o600)
    link.symlink_to(real)
    atomic.write(link, "new\n")
    assert link.is_symlink() and real.read_text() == "new\n" and real.stat().st_mode & 0o777 == 0o600
    assert {path.name for path in tmp_path.iterdir()} == {"real", "link"}


def test_a_pipe_is_written_into_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    told: list[bytes] = []
    reader = threading.Thread(target=lambda: told.append(pipe.read_bytes()))
    reader.start()
    atomic.write(pipe, b"data")
    reader.join(5)
    assert told == [b"data"] and pipe.is_fifo()


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot write"):
        atomic.write(tmp_path, "x")
    assert list(tmp_path.iterdir()) == []
