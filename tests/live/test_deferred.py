"""Files of dependencies that are parsed only when they are looked into: the facts are those of files parsed at once."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from driftwatch.observe.sources.npm import Registry, configure
from driftwatch.observe.typescript import tools
from driftwatch.observe.typescript.engine import Ahead, Job, read

pytestmark = pytest.mark.live
LONG = "\n/* " + "x" * 5000 + " */\n"  # at the end of a file: it moves nothing and makes the file worth waiting with

ROOT = """
import { Passed, far, via, Kept, Late, many } from "dep";
import type * as Dep from "dep";
import deep = require("dep/deep");
export interface Hooks {
  passed: Passed; kept: Kept; late: Late; many: typeof many; deep: deep.Deep; named: Dep.Space.Inner; far: typeof far;
  inferred: ReturnType<typeof far>; keys: keyof Passed; told: Told; global: Everywhere;
  grown: Passed["grown"]; via: ReturnType<typeof via>;
}
export type Told = Pick<Kept, "a">;
export { default as made } from "dep/made";
export * as space from "dep/space";
"""
DEPENDENCY: Mapping[str, str] = {
    "index.d.ts": """
/** ```ts
 * import { nothing } from "only-in-a-comment";
 * ``` */
export { Hidden as Passed } from "./hidden.js";
export * as Space from "./space.js";
export * from "./many.js";
import { Kept } from "./kept.js";
export { Kept };
export declare function far(a: import("./far.js").Far): { a: import("./far.js").Far };
import "./unseen.js";
export { Late } from "./late.js";
export * from "./sub/barrel.js";
export declare function via(): [typeof import("./sub/inner.js"), import("./sub/inner.js").In];
""",
    "hidden.d.ts": "export interface Hidden { a: 1; b: Other }\ninterface Other { c: string }\nexport {};\n",
    "space.d.ts": """
export interface Inner { a: 1 }
export declare const value: Inner;
declare const not_: 1;
export { not_ as not };
""",
    "many.d.ts": "export declare class many { private x: number; y: string }\n",
    "kept.d.ts": "export interface Kept { a: string; b?: number }\n",
    "far.d.ts": "export interface Far { a: 'far' | 'near' }\n",
    # nobody looks into it, and what it leads to is global
    "unseen.d.ts": 'import "./global.js";\nexport interface Unseen { a: 1 }\n',
    "global.d.ts": "declare global { interface Everywhere { here: true } }\nexport {};\n",
    "late.d.ts": 'import { Late } from "./later.js";\nexport { Late };\n',
    "later.d.ts": "export type Late = { a: 1 } | { b: 2 };\n",
    "grown.d.ts": 'declare module "./hidden.js" { interface Hidden { grown: boolean } }\nexport {};\n',
    "sub/barrel.d.ts": 'export * as Sub from "./inner.js";\n',
    "sub/inner.d.ts": "export interface In { a: 1 }\nexport declare const value: In;\n",
    "deep.d.ts": 'import "./grown.js";\ndeclare namespace deep { interface Deep { a: 1 } }\nexport = deep;\n',
    "made.d.ts": "declare const made: { a: 1 };\nexport default made;\n",
}


@pytest.fixture(scope="module")
def engine(request: pytest.FixtureRequest) -> Iterator[tools.Engine]:
    assert request.config.cache is not None
    kept = Path(request.config.cache.mkdir("driftwatch-types"))
    with Registry(configure(kept, kept), kept) as registry:
        yield tools.engine(registry, kept)


def said(engine: tools.Engine, home: Path, end: str, ahead: Ahead | None = None) -> Mapping[str, Any]:
    root = home / "root"
    dependency = root / "node_modules" / "dep"
    dependency.mkdir(parents=True)
    (root / "package.json").write_text(json.dumps({"name": "root", "version": "1.0.0", "types": "index.d.ts"}))
    (root / "index.d.ts").write_text(ROOT)
    entries = {".": "./index.d.ts", "./distant": "./far.d.ts"}
    entries |= {f"./{name}": f"./{name}.d.ts" for name in ("deep", "made", "space", "many", "unseen", "late")}
    (dependency / "package.json").write_text(json.dumps({"name": "dep", "version": "1.0.0", "exports": entries}))
    for name, text in DEPENDENCY.items():
        (dependency / name).parent.mkdir(exist_ok=True)
        (dependency / name).write_text(text + end)
    (answer,) = read([Job(root.resolve(), "root", ("root",))], engine, ahead)
    return answer


def test_a_file_that_is_parsed_late_gives_the_same_facts(engine: tools.Engine, tmp_path: Path) -> None:
    at_once, late = said(engine, tmp_path / "once", ""), said(engine, tmp_path / "late", LONG)
    assert "failed" not in at_once, at_once
    assert at_once["gaps"] == []
    assert late == at_once
    named = set(re.findall(r'"((?:dep|@lib)[/#][^"]*)"', json.dumps(late)))
    assert named >= {
        "dep#Passed",
        "dep#Kept",
        "dep#Late",
        "dep#many",
        "dep/made#default",
        "dep/space#Inner",
        "dep/distant#Far",
        "dep#Sub",
    }
    assert "dep/global#__global.Everywhere" in named


def test_an_engine_that_was_started_ahead_says_the_same(engine: tools.Engine, tmp_path: Path) -> None:
    with Ahead() as ahead:
        ahead.start(lambda: engine)
        assert said(engine, tmp_path / "ahead", LONG, ahead) == said(engine, tmp_path / "then", LONG)


def test_files_that_were_parsed_before_they_were_laid_out_give_the_same_facts(engine: tools.Engine, tmp_path: Path) -> None:
    then = said(engine, tmp_path / "then", "")
    with Ahead() as ahead:
        ahead.start(lambda: engine)
        for folder in (tmp_path / "nowhere", tmp_path / "then" / "root", tmp_path / "then" / "root" / "node_modules" / "dep"):
            ahead.expect(folder)
        time.sleep(2)  # it reads the language's own files first
        assert said(engine, tmp_path / "ahead", "", ahead) == then


def test_a_module_that_is_no_entry_is_named_by_its_file(engine: tools.Engine, tmp_path: Path) -> None:
    said(engine, tmp_path / "home", "")
    root = (tmp_path / "home" / "root").resolve()
    (root / "index.d.ts").write_text(
        'export * as far from "dep/inside";\nexport declare const late: typeof import("dep/inside");\n'
    )
    dependency = root / "node_modules" / "dep"
    (dependency / "package.json").write_text(json.dumps({"name": "dep", "version": "1.0.0"}))
    (dependency / "inside.d.ts").write_text("export interface Inside { a: 1 }\n")
    (answer,) = read([Job(root, "root", ("root",))], engine)
    assert "dep/inside" in {row["of"] for row in answer["exports"]}
    assert str(tmp_path) not in json.dumps(answer)
