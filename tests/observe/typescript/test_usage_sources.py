"""Which files are a project's own source, and which never are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from driftwatch.observe.typescript.usage import sources
from driftwatch.observe.typescript.usage.sources import select


def lay_out(root: Path, *names: str) -> Path:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("export {}\n", "utf-8")
    return root


def test_the_usual_places(tmp_path: Path) -> None:
    lay_out(
        tmp_path,
        "src/index.ts",
        "src/deep/view.tsx",
        "src/types.d.ts",
        "src/index.test.ts",
        "src/__tests__/a.ts",
        "src/data.json",
        ".opencode/plugins/local.js",
        ".opencode/skills/script.ts",
        "node_modules/x/index.js",
        "src/node_modules/y/index.js",
        "dist/index.js",
        "index.ts",
        "vite.config.ts",
    )
    assert sorted(select(tmp_path).files) == [".opencode/plugins/local.js", "index.ts", "src/deep/view.tsx", "src/index.ts"]


def test_a_published_plugin_has_only_what_package_json_loads(tmp_path: Path) -> None:
    lay_out(tmp_path, "dist/index.js", "dist/tui.js", "dist/helper.js", "postinstall.mjs")
    exports = {".": {"types": "./dist/index.d.ts", "import": "./dist/index.js"}, "./tui": "./dist/tui.js", "./x": "../x.js"}
    (tmp_path / "package.json").write_text(json.dumps({"main": "dist/index.js", "exports": exports}), "utf-8")
    assert select(tmp_path).files == ("postinstall.mjs", "dist/index.js", "dist/tui.js")


def test_what_was_built_from_a_script_beside_it_is_not_read_twice(tmp_path: Path) -> None:
    lay_out(tmp_path, "index.ts", "dist/index.js")
    (tmp_path / "package.json").write_text('{"main": "dist/index.js"}', "utf-8")
    assert select(tmp_path).files == ("index.ts",)


def test_globs_say_exactly_what_is_read_tests_too(tmp_path: Path) -> None:
    lay_out(tmp_path, "lib/a.ts", "lib/a.test.ts", "lib/deep/b.mjs", "src/index.ts")
    assert select(tmp_path, ["lib"]).files == ("lib/a.test.ts", "lib/a.ts", "lib/deep/b.mjs")
    assert select(tmp_path, ["./lib/**/*.mjs", "src/*.ts"]).files == ("lib/deep/b.mjs", "src/index.ts")


def test_globs_that_mean_nothing_are_a_gap(tmp_path: Path) -> None:
    found = select(tmp_path, ["source"])
    assert found.files == ()
    assert [(gap.address, "source" in gap.reason) for gap in found.gaps] == [("use:**", True)]


def test_a_project_without_source_is_no_gap(tmp_path: Path) -> None:
    assert select(tmp_path) == sources.Selected()


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"main": 3, "exports": [{"a": null}]}', '{"main": "/etc/passwd.js"}', '{"main": "../x.js"}']
)
def test_a_strange_package_json_loads_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "package.json").write_text(text, "utf-8")
    assert select(tmp_path).files == ()


def test_links_and_giants_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay_out(tmp_path, "src/a.ts", "src/big.ts")
    (tmp_path / "src/link.ts").symlink_to(tmp_path / "src/a.ts")
    (tmp_path / "src/big.ts").write_text("x" * 100, "utf-8")
    monkeypatch.setattr(sources, "MAX_BYTES", 50)
    found = select(tmp_path)
    assert found.files == ("src/a.ts",)
    assert [gap.address for gap in found.gaps] == ["use:src/big.ts"]


def test_too_many_files_are_bounded_and_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay_out(tmp_path, *(f"src/{n}.ts" for n in range(4)))
    monkeypatch.setattr(sources, "MAX_FILES", 3)
    found = select(tmp_path)
    assert len(found.files) == 3 and [gap.address for gap in found.gaps] == ["use:**"]
