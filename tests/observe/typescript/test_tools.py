"""The pinned programs and how they come onto this machine."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import pytest

from driftwatch.errors import Unobservable
from driftwatch.observe.typescript import tools
from tests.support.packages import Shelf, integrity, tarball


def rows() -> list[tools.Pin]:
    told = tools.pins()
    nested = [*told["runtime"].values(), *told["prover"].values(), told["compiler"], told["ambient"]]
    return [tools.Pin(**row) for row in nested]


@pytest.mark.parametrize("pin", rows(), ids=lambda pin: pin.name)
def test_every_pin_names_one_content(pin: tools.Pin) -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", pin.version)
    algorithm, _, digest = pin.integrity.partition("-")
    assert algorithm == "sha512"
    assert len(base64.b64decode(digest, validate=True)) == 64
    assert "/" not in pin.folder


def test_the_compiler_is_the_last_with_an_api_in_javascript() -> None:
    pin = tools.pin("compiler")
    assert pin is not None
    assert pin.version.startswith("5.9.")


@pytest.mark.parametrize("key", ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"])
def test_both_kinds_of_machine_are_served(key: str) -> None:
    assert tools.pin("runtime", key) is not None
    assert tools.pin("prover", key) is not None
    if key.endswith("x64"):
        assert tools.pin("runtime", f"{key}-baseline") is not None


def test_the_version_hangs_on_the_engines_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.mjs").write_text("1")
    monkeypatch.setattr(tools, "engine_folder", lambda: tmp_path)
    monkeypatch.setattr(tools, "pins", lambda: {"compiler": {}})
    tools.version.cache_clear()
    first = tools.version()
    (tmp_path / "a.mjs").write_text("2")
    tools.version.cache_clear()
    assert tools.version() != first
    tools.version.cache_clear()


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shelf:
    """A registry that has the programs of a made-up machine."""
    shelf = Shelf(tmp_path / "shelf")
    files = {"bin/bun": "", "lib/typescript.js": "", "lib/lib.d.ts": "", "lib/tsc": "", "lib/other.js": "", "package.json": "{}"}
    pins = {}
    for name in ("runtime", "compiler", "prover"):
        data = tarball({**files, "readme.md": name})
        shelf.packages[name] = {"1.0.0": data}
        pins[name] = {"name": name, "version": "1.0.0", "integrity": integrity(data)}
    table = {"runtime": {"here": pins["runtime"]}, "compiler": pins["compiler"], "prover": {"here": pins["prover"]}}
    monkeypatch.setattr(tools, "pins", lambda: table)
    monkeypatch.setattr(tools, "platform_key", lambda: "here")
    monkeypatch.setattr(tools, "_fast_cpu", lambda: True)
    return shelf


def test_only_what_is_needed_is_unpacked_and_only_once(shelf: Shelf, cache: Path) -> None:
    found = tools.engine(shelf, cache)
    assert found.note == ""
    assert found.runtime.stat().st_mode & 0o100
    assert not (found.compiler / "lib" / "other.js").exists()
    asked = list(shelf.asked)
    tools.engine(shelf, cache)
    assert shelf.asked == asked


def test_node_stands_in_and_says_so(shelf: Shelf, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    del shelf.packages["runtime"]
    monkeypatch.setattr("shutil.which", lambda name: f"/opt/{name}")
    found = tools.engine(shelf, cache)
    assert found.runtime == Path("/opt/node")
    assert "Node.js" in found.note
    assert "runtime 1.0.0" in found.note


def test_without_a_runtime_nothing_can_be_looked_at(shelf: Shelf, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    del shelf.packages["runtime"]
    monkeypatch.setattr("shutil.which", lambda _: None)
    with pytest.raises(Unobservable, match=r"runtime 1\.0\.0"):
        tools.engine(shelf, cache)


def test_a_machine_without_a_native_compiler(shelf: Shelf, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "platform_key", lambda: "plan9-mips")
    with pytest.raises(Unobservable, match="plan9-mips"):
        tools.prover(shelf, cache)
