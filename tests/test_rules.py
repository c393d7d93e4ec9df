"""The rule catalogue as a file format: read directly, and as ``tomllib`` reads it."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from driftwatch import rules

FILES = sorted((Path(rules.__file__).parent / "catalogue").glob("*.toml"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_catalogue_file_is_read_directly_and_as_toml_means_it(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = file.read_text("utf-8")
    meant = tomllib.loads(text)["rule"]

    def slow(_: str) -> None:
        raise AssertionError("this file is written so that every run pays for tomllib")

    monkeypatch.setattr(tomllib, "loads", slow)
    assert rules.rows(text) == meant


@pytest.mark.parametrize("value", ["'''a'''", "'a' # 'b'", "0x10", "''", "'it\"s'"])
def test_whatever_else_toml_says_is_understood(value: str) -> None:
    text = f"[[rule]]\nid = {value}\n"
    assert rules.rows(text) == tomllib.loads(text)["rule"]
