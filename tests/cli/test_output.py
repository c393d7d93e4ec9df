"""--output: every file named is written, each in the format its name ends in."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from driftwatch.cli import main

REPORTS = Path(__file__).parents[2] / "reports"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DRIFTWATCH_CACHE", str(tmp_path / "cache"))
    return tmp_path


def written(*argv: str) -> str:
    out, err = io.StringIO(), io.StringIO()
    assert main(list(argv), out, err) == 0, err.getvalue()
    return out.getvalue()


def kinds(folder: Path, *names: str) -> list[str]:
    found = []
    for name in names:
        text = (folder / name).read_text("utf-8")
        starts = {"{": "json", "<": "html", "#": "md"}
        found.append(starts.get(text.lstrip()[:1], "text"))
    return found


def test_a_report_is_rendered_to_each_file_in_its_format(here: Path) -> None:
    names = ("a.html", "b.md", "c.json", "d.txt")
    told = written("render", str(REPORTS / "latest.json"), *(word for name in names for word in ("--output", name)))
    assert told == ""
    assert kinds(here, *names) == ["html", "md", "json", "text"]
    written("render", str(REPORTS / "latest.json"), "--format", "json", "--output", "said.md", "--output", "e")
    assert kinds(here, "said.md", "e") == ["json", "json"], "what is said counts"
    written("render", str(REPORTS / "latest.json"), "--output", "no-ending")
    assert kinds(here, "no-ending") == ["md"], "the default of this command"


def test_a_diff_is_written_to_each_file(here: Path) -> None:
    paths = {"/x": {"get": {"responses": {"200": {"description": "ok"}}}}}
    for name in ("old.json", "new.json"):
        (here / name).write_text(json.dumps({"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": paths}))
    pair = ("openapi:old.json", "openapi:new.json")
    assert written("diff", *pair, "-q", "--output", "x.md", "--output", "x.html", "--output", "x.json") == ""
    assert kinds(here, "x.md", "x.html", "x.json") == ["md", "html", "json"]
    err = io.StringIO()
    assert main(["diff", *pair, "--output", "x.md"], io.StringIO(), err) == 0
    headline, place = err.getvalue().splitlines()[-2:]
    assert headline.startswith("Compatible: ")
    assert place == "written: x.md"
