"""`driftwatch probe` and `driftwatch merge`, as typed: formats, files, shards, exit codes, and words for what is wrong."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from driftwatch.cli import main
from driftwatch.render.matrix import render
from tests.support import fake_host, matrices

DISPOSE = """\
title: dispose fires
about: as the real one
steps:
  - post: /instance/dispose
  - wait: dispose
    seconds: 0.3
observe: {fired: count(marks.dispose) > `0`}
expect: {fired: true}
"""


def call(*argv: str | Path) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    code = main([str(each) for each in argv], out, err)
    return code, out.getvalue(), err.getvalue()


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a probe of the user's own; the next version of the host forgets what it probes."""
    folder = tmp_path / "probes" / "mine"
    folder.mkdir(parents=True)
    (folder / "probe.yaml").write_text(DISPOSE)
    (folder / "plugin.js").write_text("// fake: POST /instance/dispose mark dispose\n")
    fake_host.make(tmp_path / "old", "", "1.2.3").rename(tmp_path / "old" / "host")
    fake_host.make(tmp_path / "new", "forgets", "1.2.4").rename(tmp_path / "new" / "host")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_two_hosts_in_every_format(place: Path) -> None:
    both = ("probe", "--host", "./old/host", "--host", "./new/host", "--probe", "./probes/mine", "--cache", place / "cache")
    code, out, err = call(*both, "--output", place / "out/m.html", "--output", place / "out/m.md", "--format", "json")
    assert code == 10, err
    matrix = json.loads(out)
    assert [(row["id"], row["version"], row["outcome"]) for row in matrix["cells"]] == [
        ("opencode/load", "1.2.3", "holds"),
        ("opencode/mine", "1.2.3", "holds"),
        ("opencode/load", "1.2.4", "holds"),
        ("opencode/mine", "1.2.4", "broken"),
    ]
    [move] = matrix["moves"]
    assert [finding["rule"] for finding in move["findings"]] == ["probe-broke"]
    assert {row["runs"] for row in matrix["cells"] if row["id"] == "opencode/mine"} == {2}, "what differs was asked twice"
    assert "<!DOCTYPE html>" in (place / "out/m.html").read_text()
    assert "❌ broken" in (place / "out/m.md").read_text()
    again, text, _ = call(*both)
    assert again == 10
    assert "fired: true became false" in text


def test_merge_writes_the_whole(place: Path) -> None:
    for name, part in matrices.parts(2).items():
        (place / name).write_text(render(part, "json"))
    code, out, err = call("merge", "part-1.json", "part-2.json", "--output", "whole.json")
    assert (code, err) == (10, "written: whole.json\n")
    assert "absent as expected" in out
    assert json.loads((place / "whole.json").read_text())["shard"] is None
    code, out, _ = call("merge", "part-1.json")
    assert code == 10
    assert "shard 2/2 is missing" in out
    code, out, _ = call("merge", "whole.json", "--format", "html")
    assert "<!DOCTYPE html>" in out


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("probe", "--shard", "3/2"), "--shard '3/2' is no part of a whole"),
        (("probe", "--shard", "half"), "such as 2/4"),
        (("probe", "--shard", "1/2", "--host", "./old/host"), "a host of your own is on this machine only"),
        (("probe", "--executor", "ray", "--host", "./old/host"), "there is no executor 'ray'"),
        (("probe", "--output", "matrix.pdf"), "matrix.pdf ends in none of .json, .md, .html, .txt"),
        (("probe", "--repeat", "0"), "--repeat"),
        (("merge", "nowhere.json"), "cannot read nowhere.json: No such file"),
        (("merge", "probes/mine/probe.yaml"), "not JSON"),
        (("merge",), "PART"),
    ],
)
def test_what_is_wrong_is_said(place: Path, argv: tuple[str, ...], words: str) -> None:
    code, out, err = call(*argv)
    assert (code, out) == (2, "")
    assert words in err


def test_the_schema_of_the_matrix_is_printed() -> None:
    code, out, _ = call("schema", "matrix")
    assert code == 0
    assert json.loads(out)["title"] == "driftwatch matrix of probes and hosts"
