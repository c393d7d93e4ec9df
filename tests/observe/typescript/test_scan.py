"""What declarations name, by their text."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from driftwatch.errors import Unobservable
from driftwatch.observe.typescript.scan import CONDITIONS, Files, declares, types_name
from driftwatch.observe.typescript.tools import engine_folder
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


BESIDE = {
    "dist/index.d.ts": '//# made of ./src\nexport * from "./a.js"; // yield* parse("./src")',
    "dist/a.d.ts": "export type A = 1;",
    "src/index.ts": 'export * from "only-the-sources-do";',
    "src/deep/x.ts": "",
}
BUILT = {"types": "./dist/index.d.ts", "default": "./dist/index.js"}


@pytest.mark.parametrize(
    ("files", "manifest", "unpacked"),
    [
        ({}, {"exports": {".": BUILT}}, False),
        ({}, {"exports": "./dist/index.js", "main": "dist/index.js"}, False),
        ({}, {"exports": {".": {"@own/source": "./src/index.ts", **BUILT}}}, False),
        ({}, {"exports": {".": {"bun": "./src/index.ts", **BUILT}}}, True),
        ({}, {"exports": {".": [{"types@>=5": "./src/index.ts"}, BUILT]}}, True),
        ({}, {"exports": {".": BUILT, "./*": "./*"}}, True),
        ({}, {"exports": {".": BUILT, "./": "./"}}, True),
        ({}, {"exports": {".": BUILT}, "imports": {"#own/*": {"default": "./src/*"}}}, True),
        ({}, {"exports": {".": BUILT}, "types": "src/index.ts"}, True),
        ({}, {"exports": {".": BUILT}, "typesVersions": {"*": {"x": ["./src/x"]}}}, True),
        ({}, {}, True),
        ({"src/own.d.ts": ""}, {"exports": {".": BUILT}}, True),
        ({"dist/b.d.ts": 'export * from "../src/index";'}, {"exports": {".": BUILT}}, True),
        ({"dist/b.d.ts": 'export * from "../src";'}, {"exports": {".": BUILT}}, True),
        ({"dist/b.d.ts": 'export type B = import("../../src/index").B;'}, {"exports": {".": BUILT}}, True),
        ({"index.d.ts": '/// <reference path="src/index.ts" />'}, {"exports": {".": BUILT}}, True),
    ],
)
def test_sources_that_no_import_finds_are_not_unpacked(
    tmp_path: Path, cache: Path, files: dict[str, str], manifest: dict[str, object], unpacked: bool
) -> None:
    shelf = Shelf(tmp_path / "shelf")
    sri = shelf.put("root", "1.0.0", {**BESIDE, **files}, **{"types": "./dist/index.d.ts", **manifest})
    reader = Files(shelf, cache)
    assert reader.scanned("root", "1.0.0", sri).imports == (("only-the-sources-do",) if unpacked else ())
    folder = reader.folder("root", "1.0.0", sri)
    kept = {path.relative_to(folder).as_posix() for path in folder.rglob("*.ts")}
    wanted = {name for name in (*BESIDE, *files) if unpacked or not name.startswith("src/")}
    assert kept == wanted


def test_the_conditions_are_those_of_the_engine() -> None:
    text = (engine_folder() / "entries.mjs").read_text("utf-8")
    (listed,) = re.findall(r"^const CONDITIONS = (\[.*\]);$", text, re.MULTILINE)
    assert set(json.loads(listed)) == CONDITIONS


@pytest.mark.parametrize("text", ["export type A = Buffer;", 'import "events";', 'import { x } from "node:fs";'])
def test_sources_that_are_not_unpacked_say_whether_nodes_own_types_are_used(tmp_path: Path, cache: Path, text: str) -> None:
    shelf = Shelf(tmp_path / "shelf")
    for version, source in (("1.0.0", ""), ("2.0.0", text)):
        sri = shelf.put("root", version, {"dist/index.d.ts": "export {};", "src/index.ts": source}, exports={".": BUILT})
        reader = Files(shelf, cache)
        reader.folder("root", version, sri)
        assert reader.scanned("root", version, sri).node is bool(source)
        assert not (reader.folder("root", version, sri) / "src").exists()


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
    shelf, told = Shelf(tmp_path / "shelf"), list[tuple[str, bool]]()
    sri = shelf.put("root", "1.0.0")
    for _ in range(2):
        Files(shelf, cache, unread=lambda name, folder: told.append((name, folder.is_dir()))).scanned("root", "1.0.0", sri)
    assert told == [("root", False)]
