"""What declarations name, by their text."""

from __future__ import annotations

from pathlib import Path

import pytest

from driftwatch.errors import Unobservable
from driftwatch.observe.typescript.scan import Files, declares, types_name
from tests.support.packages import Shelf


def scanned(tmp_path: Path, cache: Path, text: str, **manifest: object) -> tuple[tuple[str, ...], bool]:
    shelf = Shelf(tmp_path / "shelf")
    sri = shelf.put("root", "1.0.0", {"index.d.ts": text}, **manifest)
    found = Files(shelf, cache).scanned("root", "1.0.0", sri)
    return found.imports, found.node


@pytest.mark.parametrize(
    ("text", "imports"),
    [
        ('import { a } from "one";', ("one",)),
        ("export * from '@a/two/deep';", ("@a/two",)),
        ('type A = import("three/x").B;', ("three",)),
        ('import fs = require("four");', ("four",)),
        ('import "five";', ("five",)),
        ('/// <reference types="six" />\nexport {};', ("six",)),
        ('import {\n  a,\n  b,\n} from "seven";', ("seven",)),
        ('import { a } from "./own.js"; import { b } from "#inner"; import c from "root/x";', ()),
        ('import { a } from "data:text/plain,x";', ()),
        ('const xfrom = 1; type B = { reimport ("x"): 1 }; xfrom "no"; export * from "yes";', ("yes",)),
        ('export * from "one"; declare module "two" {}', ("one", "two")),
    ],
)
def test_imports_of_every_spelling(tmp_path: Path, cache: Path, text: str, imports: tuple[str, ...]) -> None:
    assert scanned(tmp_path, cache, text)[0] == imports


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ('import { a } from "node:fs";', True),
        ('import { a } from "events";', True),
        ("export type A = Buffer;", True),
        ("export type A = NodeJS.Timeout;", True),
        ('/// <reference types="node" />', True),
        ("export type A = string;", False),
    ],
)
def test_whether_nodes_own_types_are_needed(tmp_path: Path, cache: Path, text: str, node: bool) -> None:
    assert scanned(tmp_path, cache, text)[1] is node


def test_only_declarations_and_the_manifest_are_unpacked(tmp_path: Path, cache: Path) -> None:
    shelf = Shelf(tmp_path / "shelf")
    files = {
        "index.d.ts": "",
        "index.js": "",
        "a.d.mts": "",
        "src/b.ts": "",
        "c.tsx": "",
        "readme.md": "",
        "node_modules/x/i.d.ts": "",
    }
    sri = shelf.put("root", "1.0.0", files)
    folder = Files(shelf, cache).folder("root", "1.0.0", sri)
    kept = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    assert kept == ["a.d.mts", "c.tsx", "index.d.ts", "package.json", "src/b.ts"]


def test_a_scan_is_remembered(tmp_path: Path, cache: Path) -> None:
    shelf = Shelf(tmp_path / "shelf")
    sri = shelf.put("root", "1.0.0")
    first = Files(shelf, cache).scanned("root", "1.0.0", sri)
    assert Files(shelf, cache).scanned("root", "1.0.0", sri) == first
    assert shelf.asked == ["root@1.0.0"]


def test_a_manifest_that_cannot_be_read_says_so(tmp_path: Path, cache: Path) -> None:
    shelf = Shelf(tmp_path / "shelf")
    sri = shelf.put("root", "1.0.0", {"package.json": "{"})
    with pytest.raises(Unobservable, match=r"package\.json of root 1\.0\.0"):
        Files(shelf, cache).scanned("root", "1.0.0", sri)


def test_names() -> None:
    assert types_name("@a/b") == "@types/a__b"
    assert types_name("react") == "@types/react"
    assert declares("dist/x.d.cts")
    assert not declares("dist/x.js")


def test_what_was_never_read_is_told_before_it_is_read(tmp_path: Path, cache: Path) -> None:
    shelf, told = Shelf(tmp_path / "shelf"), list[str]()
    sri = shelf.put("root", "1.0.0")
    for _ in range(2):
        Files(shelf, cache, unread=lambda: told.append("once")).scanned("root", "1.0.0", sri)
    assert told == ["once"]
