"""A small project against real versions of the plugin package: `dispose` is declared from 1.15.11 on."""

from __future__ import annotations

from pathlib import Path

import pytest

from driftwatch.pipeline.settings import Settings
from driftwatch.pipeline.typecheck import Request, typecheck
from driftwatch.pipeline.world import World

pytestmark = pytest.mark.live

PROJECT = Path(__file__).parent.parent / "data" / "typecheck"
PACKAGES = ("@opencode-ai/plugin", "@opencode-ai/sdk")


def test_a_hook_that_is_not_declared_yet_fails_at_our_line_and_the_standing_error_is_told_apart(kept: Path) -> None:
    with World(Settings(cache=kept), PROJECT) as world:
        report = typecheck(Request(PROJECT, PACKAGES, versions=("1.15.7", "1.15.11")), world)
    old, new = report.rows
    assert report.base == "1.15.13"
    assert [(one.file, one.code) for one in report.standing] == [("src/standing.ts", "TS2322")]
    assert ("src/index.ts", 4, "TS2339") in {(one.file, one.line, one.code) for one in old.new}
    assert (old.outcome, new.outcome, report.exit_code) == ("fails", "compiles", 10)


def test_the_first_version_it_compiles_with_is_found_without_a_configuration(kept: Path, tmp_path: Path) -> None:
    (tmp_path / "index.ts").write_text((PROJECT / "src" / "index.ts").read_text("utf-8"), "utf-8")
    (tmp_path / "package.json").write_text((PROJECT / "package.json").read_text("utf-8"), "utf-8")
    with World(Settings(cache=kept), tmp_path) as world:
        report = typecheck(Request(tmp_path, PACKAGES, versions=("1.15.13",), floor=True, since="1.15.0"), world)
    assert report.outcome == "compatible"
    assert report.floor is not None
    assert (report.floor.version, report.floor.below, report.floor.status) == ("1.15.11", "1.15.7", "found")
