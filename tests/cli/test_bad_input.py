"""What a hostile user types and a hostile file says: exit code 2 or 11 with words, never a crash, nothing half-written."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from driftwatch.cli import main
from driftwatch.model.matrix import Shard

LONG = "9" * 5000  # more digits than an integer may have
PLUGIN = "@opencode-ai/plugin"


def call(*argv: str | Path) -> tuple[int, str]:
    err = io.StringIO()
    code = main([str(each) for each in argv], io.StringIO(), err)
    return code, err.getvalue()


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DRIFTWATCH_CACHE", str(tmp_path / "cache"))
    return tmp_path


@pytest.mark.parametrize("name", ["@", "@x", "@/", "../x", "X Y", ".", "node_modules", "x" * 300, "@a/b@latest@latest"])
@pytest.mark.parametrize("command", [("show",), ("check-plugin", "--version", "1.2.3")])
def test_a_name_that_is_none_is_a_mistake_of_the_caller(command: tuple[str, ...], name: str) -> None:
    code, err = call(*command, "--offline", f"npm:{name}")
    assert code == 2, err
    assert "package" in err


def test_a_password_in_an_address_is_not_repeated() -> None:
    code, err = call("show", "--offline", "git:https://me:hunter2@example.invalid/x@v1")
    assert code == 2
    assert "hunter2" not in err
    assert "password" in err


def test_an_address_of_the_web_is_not_taken_for_a_file() -> None:
    code, err = call("diff", "openapi:https://example.invalid/a.json", "openapi:b.json")
    assert code == 2
    assert "fetch the document" in err


@pytest.mark.parametrize("text", [
    "a: 2026-99-99\n", "x: !!timestamp foo\n", "x: !!int foo\n", "x: !!float z\n", f"command: [{LONG}]\n", "<<: 5\n", "{",
    "command: [" + "x," * 40_000 + "]\n",
])  # fmt: skip
def test_a_launch_file_that_cannot_be_read(here: Path, text: str) -> None:
    (here / "host.yaml").write_text(text)
    code, err = call("probe", "--offline", "--host", "host.yaml")
    assert code == 2, err
    assert "host.yaml" in err


def test_a_host_that_cannot_be_named(here: Path) -> None:
    for host in ("./x.yaml\n", "./a\x1b[31m"):
        code, err = call("probe", "--offline", "--host", host)
        assert code == 2, err
        assert "\x1b" not in err
    code, err = call("show", "--offline", "host:opencode@~nobody-of-that-name/host")
    assert code == 2, err
    assert "is not a file" in err


def test_a_part_of_a_matrix_that_nothing_keeps() -> None:
    code, err = call("probe", "--offline", "--version", "1.2.3", "--shard", "1/2", "--output", "a.html")
    assert code == 2
    assert "add --output FILE.json" in err


@pytest.mark.parametrize("command", [("render",), ("merge",)])
def test_a_number_too_long_in_a_saved_file(here: Path, command: tuple[str, ...]) -> None:
    (here / "saved.json").write_text(f'{{"schema_version": {LONG}}}')
    code, err = call(*command, "saved.json")
    assert code == 2, err
    assert "saved.json" in err


def test_a_part_of_as_many_as_somebody_likes_is_merged_at_once(here: Path) -> None:
    from driftwatch.pipeline.matrix import cells_of, owner
    from driftwatch.render.matrix import render
    from tests.support import matrices

    part = json.loads(render(matrices.parts(2)["part-1.json"], "json"))
    part["shard"]["of"] = 10**30
    (here / "part.json").write_text(json.dumps(part))
    assert call("merge", "part.json")[0] in (10, 11)
    whole = matrices.whole()
    for of in (1, 2, 3, 4, 7, 50):
        for shard in (Shard(index, of) for index in range(1, of + 1)):
            assert all(owner(whole, cell, of) == shard for cell in cells_of(whole, shard))


def saved(here: Path, name: str = "whole.json") -> dict[str, Any]:
    from driftwatch.render.matrix import render
    from tests.support import matrices

    (here / name).write_text(render(matrices.whole(), "json"))
    return json.loads((here / name).read_text())  # type: ignore[no-any-return]


def test_a_matrix_that_lost_its_answers_is_not_green(here: Path) -> None:
    matrix = saved(here)
    (here / "less.json").write_text(json.dumps({**matrix, "cells": [], "moves": [], "news": []}))
    assert call("merge", "less.json")[0] == 11


@pytest.mark.parametrize("spoil", [
    lambda matrix: matrix["hosts"].append(matrix["hosts"][0]),
    lambda matrix: matrix["probes"].append(matrix["probes"][0]),
    lambda matrix: matrix["cells"].append(matrix["cells"][0]),
    lambda matrix: matrix["hosts"].clear(),
    lambda matrix: matrix["cells"][0].update(version="9.9.9"),
    lambda matrix: matrix["cells"][0].update(id="opencode/other"),
    lambda matrix: matrix["cells"][0].update(seconds=10**400),
    lambda matrix: matrix["cells"][0].update(runs=1.0),
])  # fmt: skip
def test_a_matrix_that_contradicts_itself_is_refused(here: Path, spoil: Callable[[dict[str, Any]], None]) -> None:
    matrix = saved(here)
    spoil(matrix)
    (here / "spoilt.json").write_text(json.dumps(matrix))
    code, err = call("merge", "spoilt.json")
    assert code == 2, err
    assert "spoilt.json: " in err
    assert "is true" not in err, "what is there, as it is there"


def test_a_mark_of_windows_before_a_saved_file_is_passed_over(here: Path) -> None:
    saved(here)
    (here / "marked.json").write_bytes(b"\xef\xbb\xbf" + (here / "whole.json").read_bytes())
    assert call("merge", "marked.json")[0] == call("merge", "whole.json")[0] == 10


def test_merge_writes_over_no_part_and_below_no_file(here: Path) -> None:
    saved(here)
    before = (here / "whole.json").read_bytes()
    for output in ("whole.json", "./whole.json", "whole.json/x.json"):
        code, err = call("merge", "whole.json", "--output", output)
        assert code == 2, err
        assert (here / "whole.json").read_bytes() == before


def test_a_number_too_long_in_a_document(here: Path) -> None:
    (here / "a.json").write_text(f'{{"openapi": "3.1.0", "x": {LONG}}}')
    code, err = call("show", "openapi:a.json")
    assert code == 11, err


def test_options_without_end() -> None:
    code, err = call("check-plugin", "npm:x", "--options", "[" * 100_000)
    assert code == 2, err


@pytest.mark.parametrize("argv", [
    ("guard", "--output"), ("diff", "npm:a@1", "npm:a@2", "--output"), ("render", "r.json", "--output"),
    ("check-plugin", "npm:x", "--output"), ("merge", "m.json", "--output"),
])  # fmt: skip
def test_a_folder_is_refused_as_output_before_anything_is_looked_at(here: Path, argv: tuple[str, ...]) -> None:
    (here / "out.json").mkdir()
    code, err = call(*argv, "out.json")
    assert code == 2
    assert "'out.json' is a directory" in err


def test_a_guard_is_not_looked_for_in_a_pipe(here: Path) -> None:
    os.mkfifo(here / "pipe.ts")
    code, err = call("guard", "--output", "pipe.ts")
    assert code == 2
    assert "pipe.ts is no file" in err


def test_a_file_is_refused_as_the_folder_of_reports(here: Path) -> None:
    (here / "out").write_text("mine")
    code, err = call("run", "--output", "out")
    assert code == 2
    assert "'out' is a file" in err
    assert (here / "out").read_text() == "mine"


def test_a_tarball_that_is_none(here: Path) -> None:
    from driftwatch.errors import UsageError
    from driftwatch.observe.plugins.install import Installer

    (here / "x.tgz").write_text("no gzip")
    installer = Installer.__new__(Installer)
    with pytest.raises(UsageError, match=r"x\.tgz is no tarball"):
        installer.tarball(here / "x.tgz")


@pytest.mark.parametrize("text", ["{", "[]", f'{{"dependencies": {{"x": {LONG}}}}}', '{"a":' * 100_000, "\x00"])
def test_a_package_of_the_user_that_cannot_be_read(here: Path, text: str) -> None:
    from driftwatch.errors import UsageError
    from driftwatch.observe.plugins.install import _own

    (here / "package.json").write_text(text)
    (here / "index.js").write_text("")
    code, err = call("typecheck", ".", "--offline", "--package", PLUGIN)
    assert code == 2, err
    assert f"{here.resolve() / 'package.json'}" in err
    with pytest.raises(UsageError, match=r"shown: its package\.json"):
        _own(here, Path("shown"))


def project(folder: Path, spec: str = "1.4.0", **more: object) -> None:
    (folder / "package.json").write_text(json.dumps({"name": "p", "dependencies": {PLUGIN: spec}, **more}))


def test_init_beside_a_number_too_long(here: Path) -> None:
    (here / "package.json").write_text(f'{{"x": {LONG}}}')
    code, err = call("init", "--offline")
    assert code == 2, err
    assert "package.json" in err


def test_init_repeats_no_password(here: Path) -> None:
    project(here, "git+https://me:hunter2@example.invalid/x")
    code, err = call("init", "--offline")
    assert code == 11, err
    assert "hunter2" not in err + (here / "watchlist.yaml").read_text()


@pytest.mark.parametrize("lock", ["yarn.lock", "bun.lock", "package-lock.json", "pnpm-lock.yaml"])
def test_init_beside_a_lock_with_an_unsettled_merge(here: Path, lock: str) -> None:
    project(here, "^1.0.0")
    one, two = (f'# yarn lockfile v1\n"{PLUGIN}@^1.0.0":\n  version "1.{n}.0"\n' for n in (4, 5))
    (here / lock).write_text(f"<<<<<<< HEAD\n{one}=======\n{two}>>>>>>> other\n")
    code, err = call("init", "--offline")
    assert code == 11, err
    assert f"{lock} has the marks of a merge that was not settled, in line 1" in err


def test_init_names_hostile_folders_on_one_line(here: Path) -> None:
    project(here, workspaces=["packages/*"])
    (here / "package.json").write_text(json.dumps({"name": "p", "workspaces": ["packages/*"]}))
    for name in ("a\nrm x", "b; rm x"):
        (here / "packages" / name).mkdir(parents=True)
        project(here / "packages" / name)
    code, err = call("init", "--offline")
    assert code == 2
    assert f"driftwatch init '{here.name}/packages/b; rm x'" in err
    assert "\nrm x" not in err


def test_init_writes_all_or_nothing(here: Path) -> None:
    project(here)
    (here / ".github").write_text("a file of mine")
    code, err = call("init", "--offline", "--ci", "github")
    assert code == 2, err
    assert not (here / "watchlist.yaml").exists()
    assert (here / ".github").read_text() == "a file of mine"


def test_init_beside_a_dead_link_or_a_folder_in_place_of_its_files(here: Path) -> None:
    project(here)
    (here / "watchlist.yaml").symlink_to("nowhere.yaml")
    code, err = call("init", "--offline")
    assert code == 2
    assert "a link that leads nowhere" in err
    (here / "watchlist.yaml").unlink()
    (here / "watchlist.lock").mkdir()
    code, err = call("init", "--offline")
    assert code == 11
    assert "watchlist.lock is there, and is no file" in err


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ("expect: absent, value: 5", "contradict each other"),
        ("expect: absent, at_least: '1.0'", "contradict each other"),
        ("value: .nan", "no number"),
        ("value: -.inf", "no number"),
    ],
)
def test_wishes_that_contradict_each_other(here: Path, wish: str, words: str) -> None:
    (here / "watchlist.yaml").write_text(
        "version: 1\nproject: {name: p}\nupstreams:\n  - id: a\n    packages: [a]\n    relies_on:\n"
        f"      - {{address: 'ts:a#B', {wish}}}\n"
    )
    code, err = call("poll", "--offline")
    assert code == 2, err
    assert "watchlist.yaml:7:" in err and words in err
