"""When our own source is a row of the floors: only where there is TypeScript that depends on the upstream."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from driftwatch.cli.loading import load
from driftwatch.config.model import Upstream, Watchlist
from driftwatch.errors import ConfigError
from driftwatch.pipeline.compiles import asked
from driftwatch.pipeline.floor import _wanted
from driftwatch.pipeline.settings import Settings
from driftwatch.pipeline.typecheck import locked
from driftwatch.pipeline.world import World

UPSTREAM = Upstream(id="o", packages=("api",))


def watchlist(root: Path, dependencies: object = None, file: str = "index.ts") -> Watchlist:
    (root / file).write_text("export {}", "utf-8")
    (root / "package.json").write_text(json.dumps({"dependencies": dependencies or {"api": "^1"}}), "utf-8")
    text = "version: 1\nproject: {name: p}\nupstreams:\n  - {id: o, packages: [api]}\n"
    (root / "watchlist.yaml").write_text(text, "utf-8")
    return load(root / "watchlist.yaml")


def test_typescript_that_depends_on_it_has_a_floor(tmp_path: Path) -> None:
    (row,) = asked(UPSTREAM, watchlist(tmp_path), ())
    assert row.declared is not None
    assert row.declared.address == "use:source#compiles"
    assert asked(UPSTREAM, watchlist(tmp_path), ("use:**",)) == (row,)


def test_no_row_where_other_addresses_are_asked_for_or_nothing_depends_on_it(tmp_path: Path) -> None:
    assert asked(UPSTREAM, watchlist(tmp_path), ("ts:api#X",)) == ()
    assert asked(UPSTREAM, watchlist(tmp_path, {"other": "1"}), ()) == ()


def test_asked_for_alone_it_is_the_only_row(tmp_path: Path) -> None:
    made = watchlist(tmp_path)
    with World.of(made, Settings(cache=tmp_path)) as world:
        rows = _wanted(UPSTREAM, made, ("use:**",), world)
    assert [row.demand.address for row in rows] == ["use:source#compiles"]


def test_no_row_for_javascript(tmp_path: Path) -> None:
    assert asked(UPSTREAM, watchlist(tmp_path, file="index.js"), ()) == ()


def test_a_manifest_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    made = watchlist(tmp_path)
    (tmp_path / "package.json").write_text("{", "utf-8")
    with pytest.raises(ConfigError, match=r"package\.json"):
        asked(UPSTREAM, made, ())


def test_versions_of_a_lock_file(tmp_path: Path) -> None:
    watchlist(tmp_path, {"api": "^1", "beside": "file:../beside"})
    assert locked(tmp_path) == {}
    (tmp_path / "package-lock.json").write_text(
        json.dumps({"packages": {"node_modules/api": {"version": "1.2.3"}, "node_modules/beside": {"version": "1.0.0"}}}), "utf-8"
    )
    assert locked(tmp_path) == {"api": "1.2.3"}
    (tmp_path / "package-lock.json").write_text("{", "utf-8")
    assert locked(tmp_path) == {}
