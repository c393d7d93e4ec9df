"""Packages laid out so that a compiler finds them."""

from __future__ import annotations

from pathlib import Path

from driftwatch.observe.typescript.install import folder, install
from driftwatch.observe.typescript.resolve import Resolver
from driftwatch.observe.typescript.scan import Files
from tests.support.packages import Shelf

USES = {"index.d.ts": 'export { A } from "@s/sdk";\n'}


def laid_out(shelf: Shelf, cache: Path, version: str) -> tuple[Path, Path]:
    files = Files(shelf, cache)
    tree = Resolver(shelf, files).tree("@s/plugin", version)
    root = install(tree, files, cache)
    return root, folder(tree, "@s/sdk@1.0.0", cache)


def test_every_import_is_found_by_walking_up(tmp_path: Path, cache: Path) -> None:
    shelf = Shelf(tmp_path / "shelf")
    shelf.put("@s/sdk", "1.0.0", {"index.d.ts": "export type A = string;\n"})
    shelf.put("@s/plugin", "1.0.0", USES, dependencies={"@s/sdk": "1.0.0"})
    root, sdk = laid_out(shelf, cache, "1.0.0")
    assert (root / "index.d.ts").read_text() == USES["index.d.ts"]
    beside = root.parents[1] / "@s" / "sdk"
    assert beside.is_symlink()
    assert beside.resolve() == sdk.resolve()


def test_two_versions_share_a_dependency_they_both_have(tmp_path: Path, cache: Path) -> None:
    shelf = Shelf(tmp_path / "shelf")
    shelf.put("@s/sdk", "1.0.0", {"index.d.ts": "export type A = string;\n"})
    for version in ("1.0.0", "1.0.1"):
        shelf.put("@s/plugin", version, USES, dependencies={"@s/sdk": "1.0.0"})
    (one, sdk), (other, same) = (laid_out(shelf, cache, version) for version in ("1.0.0", "1.0.1"))
    assert one != other
    assert sdk == same


def test_what_is_there_is_not_asked_for_again(tmp_path: Path, cache: Path) -> None:
    shelf = Shelf(tmp_path / "shelf")
    shelf.put("@s/sdk", "1.0.0")
    shelf.put("@s/plugin", "1.0.0", USES, dependencies={"@s/sdk": "1.0.0"})
    laid_out(shelf, cache, "1.0.0")
    asked = list(shelf.asked)
    laid_out(shelf, cache, "1.0.0")
    assert shelf.asked == asked
    assert not [path for path in (cache / "typescript" / "store").iterdir() if path.name.startswith(".")]
