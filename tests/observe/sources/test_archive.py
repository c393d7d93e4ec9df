"""Tarballs: plain ones come out whole, hostile ones give nothing."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import threading
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftwatch.observe.sources.archive import ArchiveError, Caps, extract, members
from driftwatch.observe.sources.untar import ArchiveError as Same
from tests.support.fault_registry import tgz

GOOD = tgz({"package.json": b"{}", "dist/index.js": b"export {}\n", "bin/x": b"#!/bin/sh\n"})
SMALL = Caps(entries=50, file=1000, total=100_000, ratio=50)


def entry(name: str, data: bytes = b"x", **fields: Any) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.size = len(data)
    for key, value in fields.items():
        setattr(info, key, value)
    return info, data


def packed(*entries: tuple[tarfile.TarInfo, bytes], form: int = tarfile.PAX_FORMAT) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", format=form, compresslevel=1) as archive:
        for info, data in entries:
            archive.addfile(info, io.BytesIO(data) if info.isreg() or data else None)
    return buffer.getvalue()


def patched(change: Callable[[bytearray], None]) -> bytes:
    """A good archive with its first header changed and its checksum made right again."""
    raw = bytearray(gzip.decompress(packed(entry("package/a"))))
    change(raw)
    raw[148:156] = b" " * 8
    raw[148:156] = b"%06o\0 " % sum(raw[:512])
    return gzip.compress(bytes(raw))


def put(offset: int, value: bytes) -> Callable[[bytearray], None]:
    def change(raw: bytearray) -> None:
        raw[offset : offset + len(value)] = value

    return change


def link(kind: bytes, target: str) -> tuple[tarfile.TarInfo, bytes]:
    return entry("package/link", b"", type=kind, linkname=target)


HOSTILE: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "cut short"),
    "not gzip": (b"PK\x03\x04 not a tarball", "not a whole gzip"),
    "plain tar": (gzip.decompress(GOOD), "not a whole gzip"),
    "cut": (GOOD[: len(GOOD) // 2], "cut short|not a whole gzip"),
    "one byte short": (GOOD[:-1], "cut short"),
    "damaged": (GOOD[:60] + b"\0\0\0\0" + GOOD[64:], "not a whole gzip|damaged|cut short"),
    "wrong checksum of gzip": (GOOD[:-8] + b"\0" * 8, "not a whole gzip"),
    "rubbish behind": (GOOD + b"rubbish", "not a whole gzip"),
    "gzip of rubbish": (gzip.compress(b"rubbish" * 500), "damaged header"),
    "half a header": (gzip.compress(b"x" * 100), "cut short"),
    "header checksum wrong": (
        gzip.compress(gzip.decompress(packed(entry("package/a"))).replace(b"package/a", b"package/b", 1)),
        "damaged",
    ),
    "parent": (packed(entry("package/../../evil")), "leads elsewhere"),
    "parent at the end": (packed(entry("package/..")), "leads elsewhere"),
    "parent first": (packed(entry("../evil")), "leads elsewhere"),
    "absolute": (packed(entry("/etc/passwd")), "leads elsewhere"),
    "absolute within": (packed(entry("package//etc/passwd")), "leads elsewhere"),
    "backslash": (packed(entry("package\\..\\evil")), "leads elsewhere"),
    "drive": (packed(entry("C:/evil")), "leads elsewhere"),
    "control character": (packed(entry("package/a\nb")), "leads elsewhere"),
    "escape": (packed(entry("package/\x1b[2J")), "leads elsewhere"),
    "nul in a pax path": (packed(entry("package/long", pax_headers={"path": "package/a\0b"})), "leads elsewhere"),
    "endless path": (packed(entry("package/" + "a/" * 600 + "b")), "leads elsewhere"),
    "endless name": (packed(entry("package/" + "a" * 300)), "leads elsewhere"),
    "beside its folder": (packed(entry("evil")), "beside its folder"),
    "not utf-8": (patched(put(8, b"\xff\xfe")), "not UTF-8"),
    "symbolic link": (packed(link(tarfile.SYMTYPE, "/etc/passwd")), "symbolic link"),
    "hard link": (packed(link(tarfile.LNKTYPE, "package/x")), "hard link"),
    "character device": (packed(entry("package/d", b"", type=tarfile.CHRTYPE)), "device"),
    "block device": (packed(entry("package/d", b"", type=tarfile.BLKTYPE)), "device"),
    "pipe": (packed(entry("package/d", b"", type=tarfile.FIFOTYPE)), "pipe"),
    "sparse": (patched(put(156, b"S")), "sparse file"),
    "sparse by pax": (packed(entry("package/s", pax_headers={"GNU.sparse.major": "1"})), "sparse file"),
    "unknown type": (patched(put(156, b"Z")), "unknown entry"),
    "negative size": (patched(put(124, b"\xff" * 12)), "damaged header"),
    "enormous size": (patched(put(124, b"\x80" + b"\0" * 3 + b"\x7f" + b"\xff" * 7)), "damaged header|file of"),
    "size that is no number": (patched(put(124, b"9999999zz99\0")), "damaged header"),
    "claims more than there is": (
        patched(lambda raw: [put(124, b"00000001700\0")(raw), raw.__delitem__(slice(1024, None))][0]),
        "cut short",
    ),
    "enormous long name": (patched(lambda raw: [put(156, b"L")(raw), put(124, b"77777777777\0")(raw)][0]), "too long"),
    "enormous pax header": (patched(lambda raw: [put(156, b"x")(raw), put(124, b"77777777777\0")(raw)][0]), "too long"),
    "pax nonsense": (patched(put(156, b"x")), "damaged header"),
    "case collision": (packed(entry("package/README"), entry("package/readme")), "one file on some disks"),
    "case collision of folders": (packed(entry("package/A/x"), entry("package/a/y")), "one file on some disks"),
    "unicode collision": (packed(entry("package/\u00e9"), entry("package/e\u0301")), "one file on some disks"),
    "file as a folder": (packed(entry("package/a"), entry("package/a/b")), "as a file and as a folder"),
    "folder as a file": (packed(entry("package/a/b"), entry("package/a")), "as a file and as a folder"),
    "too many entries": (packed(*(entry(f"package/{number}") for number in range(51))), "more than 50 entries"),
    "too big a file": (packed(entry("package/a", b"x" * 1001)), "a file of 0 MiB"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_archive_gives_nothing(case: str, tmp_path: Path) -> None:
    data, reason = HOSTILE[case]
    with pytest.raises(ArchiveError, match=reason):
        members(data, caps=SMALL)
    (tmp_path / "x.tgz").write_bytes(data)
    with pytest.raises(ArchiveError, match=reason):
        extract(tmp_path / "x.tgz", tmp_path / "in" / "out", caps=SMALL)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["in", "x.tgz"], "nothing is left behind"


def test_the_total_is_capped() -> None:
    data = packed(*(entry(f"package/{number}", os.urandom(900)) for number in range(40)))
    with pytest.raises(ArchiveError, match="more than 0 MiB"):
        members(data, caps=Caps(entries=5, file=1000, total=1000, ratio=50))


@pytest.mark.slow
def test_a_bomb_is_cut_off_early() -> None:
    bomb = packed(entry("package/zeros", b"\0" * 60_000_000))
    assert len(bomb) < 400_000
    tracemalloc.start()
    with pytest.raises(ArchiveError, match="times its size"):
        members(bomb, caps=Caps(ratio=50), wanted=lambda path: False)
    assert tracemalloc.get_traced_memory()[1] < 8_000_000
    tracemalloc.stop()


def test_a_bomb_of_bombs_is_capped() -> None:
    with pytest.raises(ArchiveError, match=r"damaged|cut short"):
        members(gzip.compress(GOOD))


def test_plain_files_come_out() -> None:
    assert members(GOOD) == {"bin/x": b"#!/bin/sh\n", "dist/index.js": b"export {}\n", "package.json": b"{}"}
    assert list(members(GOOD)) == sorted(members(GOOD))
    assert members(GOOD, wanted=lambda path: path == "package.json") == {"package.json": b"{}"}
    assert Same is ArchiveError


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT], ids=["ustar", "gnu", "pax"])
def test_every_form_of_long_name(form: int) -> None:
    names = ["a" * 60 + "/" + "b" * 90, "c/" * 30 + "d" * 60]
    found = members(packed(*(entry(f"package/{name}", name.encode()) for name in names), form=form))
    assert found == {name: name.encode() for name in names}


@pytest.mark.parametrize("root", ["package", "node", "a package", "left-pad-1.0.0"])
def test_whatever_the_first_folder_is_called(root: str) -> None:
    assert members(tgz({"a/b": b"1"}, root=root)) == {"a/b": b"1"}


def test_dots_and_folders_and_the_last_of_two() -> None:
    folder = entry("package/sub/", b"", type=tarfile.DIRTYPE)
    data = packed(entry("./package/./a", b"1"), folder, entry("package/sub/b", b"2"), entry("package/a", b"3"))
    assert members(data) == {"a": b"3", "sub/b": b"2"}


def test_several_gzip_members_in_a_row() -> None:
    raw = gzip.decompress(GOOD)
    assert members(gzip.compress(raw[:700]) + gzip.compress(raw[700:]) + b"\0" * 100) == members(GOOD)


def test_extraction_is_whole_and_tame(tmp_path: Path) -> None:
    data = packed(
        entry("package/run", b"1", mode=0o6755), entry("package/secret", b"2", mode=0o600), entry("package/d/w", b"3", mode=0o777)
    )
    target = extract(data, tmp_path / "out")
    modes = {path.name: path.stat().st_mode & 0o7777 for path in target.rglob("*") if path.is_file()}
    assert modes == {"run": 0o755, "secret": 0o644, "w": 0o755}
    assert extract(b"never looked at", target) == target
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_two_extractions_at_once(tmp_path: Path) -> None:
    data = tgz({f"f{number}": b"x" * 100 for number in range(60)})
    failures: list[BaseException] = []

    def work() -> None:
        try:
            extract(data, tmp_path / "out")
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert len(list((tmp_path / "out").iterdir())) == 60
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


names = st.lists(st.text("abcxyz-_.0", min_size=1, max_size=30).filter(lambda part: part.strip(".")), min_size=1, max_size=6)


@settings(max_examples=60, deadline=None)
@given(
    files=st.dictionaries(names.map("/".join), st.binary(max_size=2000), max_size=8),
    form=st.sampled_from([tarfile.GNU_FORMAT, tarfile.PAX_FORMAT]),
)
@pytest.mark.slow
def test_it_reads_what_the_standard_library_writes(files: dict[str, bytes], form: int) -> None:
    if any(one != other and other.startswith(f"{one}/") for one in files for other in files):
        return
    assert members(packed(*(entry(f"package/{name}", data) for name, data in files.items()), form=form)) == files


@settings(max_examples=150, deadline=None)
@given(st.data())
@pytest.mark.slow
def test_damage_is_an_error_or_nothing_at_all(data: st.DataObject) -> None:
    """A flipped byte of the tar inside: an ArchiveError, or the same or other files; never another exception."""
    raw = bytearray(gzip.decompress(GOOD))
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, 2047))] = data.draw(st.integers(0, 255))
    try:
        found = members(gzip.compress(bytes(raw), 1), caps=SMALL)
    except ArchiveError as error:
        assert error.message
    else:
        assert all(".." not in name.split("/") and not name.startswith("/") for name in found)
