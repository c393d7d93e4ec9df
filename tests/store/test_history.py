"""One line per run, only ever added to."""

from __future__ import annotations

import errno
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from driftwatch.errors import StoreError
from driftwatch.store import history


def test_lines_come_back_in_order(tmp_path: Path) -> None:
    path = tmp_path / "reports" / "history.jsonl"
    assert history.read(path) == []
    history.append(path, {"outcome": "compatible", "to": "1.2\n3"})
    history.append(path, {"outcome": "broken", "a": [1, {"z": None}]})
    assert history.read(path) == [{"outcome": "compatible", "to": "1.2\n3"}, {"outcome": "broken", "a": [1, {"z": None}]}]
    assert path.read_text() == '{"outcome": "compatible", "to": "1.2\\n3"}\n{"a": [1, {"z": null}], "outcome": "broken"}\n'


@pytest.mark.parametrize("torn", [b'{"outcome": "comp', b"{", b"\xff\xfe", b"[1]", b"null", b"[" * 100_000])
def test_a_torn_last_line_costs_only_itself(torn: bytes, tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    history.append(path, {"run": 1})
    with path.open("ab") as file:
        file.write(torn)
    assert history.read(path) == [{"run": 1}]
    history.append(path, {"run": 2})
    history.append(path, {"run": 3})
    assert history.read(path) == [{"run": 1}, {"run": 2}, {"run": 3}]


def test_a_whole_last_line_that_only_lacks_its_end_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    path.write_bytes(b'{"run": 1}')
    history.append(path, {"run": 2})
    assert history.read(path) == [{"run": 1}, {"run": 2}]


def test_many_at_once_do_not_mix(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: history.append(path, {"run": number, "pad": "x" * 3000}), range(60)))
    assert sorted(line["run"] for line in history.read(path)) == list(range(60))


def test_a_full_disk_says_so_and_the_next_line_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "history.jsonl"
    history.append(path, {"run": 1})
    real = os.write
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda handle, raw: real(handle, raw[:5]))  # what a disk does that fills up
        with pytest.raises(StoreError, match="only 5 of 11 bytes fitted"):
            history.append(path, {"run": 2})
    history.append(path, {"run": 3})
    assert history.read(path) == [{"run": 1}, {"run": 3}]


def test_no_space_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int, raw: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(StoreError, match="No space left on device"):
        history.append(tmp_path / "history.jsonl", {"run": 1})


def test_a_folder_in_its_place(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot write"):
        history.append(tmp_path, {"run": 1})
    with pytest.raises(StoreError, match="cannot read"):
        history.read(tmp_path)


def test_what_is_no_json_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be stored"):
        history.append(tmp_path / "history.jsonl", {"run": float("nan")})
    assert not (tmp_path / "history.jsonl").exists()
