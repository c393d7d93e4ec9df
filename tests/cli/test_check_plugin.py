"""What is asked wrongly is answered with what would be right, before anything is fetched or booted."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from driftwatch.cli import main
from driftwatch.cli.check_plugin import _versions


def ask(*argv: str) -> tuple[int, str]:
    said = io.StringIO()
    return main(["check-plugin", *argv], io.StringIO(), said), said.getvalue()


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        ((), "Missing argument"),
        (("npm:x", "--options", "{"), "not readable as JSON"),
        (("npm:x", "--options", "[]"), "must be an object"),
        (("npm:x", "--scene", "chatt", "--version", "1.0.0"), "scenes are: config, chat"),
        (("npm:x", "--host", "nothing", "--version", "1.0.0"), "nothing"),
    ],
)
def test_wrong_arguments(argv: tuple[str, ...], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, said = ask(*argv, *(("--cache", str(tmp_path), "--offline") if argv else ()))
    assert code == 2
    assert words in said


def test_a_host_of_ones_own_that_is_not_there_is_said_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, said = ask(".", "--host", "./none", "--version", "1.0.0", "--cache", str(tmp_path), "--offline")
    assert code == 11
    assert "none is not a file" in said
    code, said = ask(".", "--host", "./none.yaml", "--cache", str(tmp_path), "--offline")
    assert code == 2
    assert "none.yaml cannot be read" in said


@pytest.mark.parametrize(
    ("before", "versions", "asked"),
    [
        ("", (), ["latest"]),
        ("1.0.0", (), ["1.0.0", "latest"]),
        ("1.0.0", ("2.0.0",), ["1.0.0", "2.0.0"]),
        ("", ("2.0.0", "1.0.0"), ["2.0.0", "1.0.0"]),
    ],
)
def test_which_hosts_are_asked(before: str, versions: tuple[str, ...], asked: list[str], tmp_path: Path) -> None:
    values = {"before": before, "versions": versions, "watchlist": tmp_path / "none"}
    assert _versions(values, "opencode") == asked
    assert _versions(values, "opencode", alone=True) == [version for version in asked if version != "latest"]


def test_the_accepted_version_comes_from_the_watchlist(tmp_path: Path) -> None:
    head = "version: 1\nproject: {name: p, role: consumer}\n"
    text = f"{head}upstreams:\n  - {{id: o, packages: [p], accepted: 1.2.3, host: {{driver: opencode}}}}\n"
    (tmp_path / "watchlist.yaml").write_text(text, "utf-8")
    values = {"before": "", "versions": (), "watchlist": tmp_path / "watchlist.yaml"}
    assert _versions(values, "opencode") == ["1.2.3", "latest"]
