"""The import arrows of docs/architecture.md, held against the code."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import driftwatch

PACKAGE = Path(driftwatch.__file__).parent
GROUND = {"model", "errors", "progress", "atomic", "rules", "addresses", "jsonc", "stamps", "versions", "__init__"}
WINGS = {"observe", "judge", "render", "config", "store", "publish"}
ALLOWED = {
    **dict.fromkeys(GROUND, GROUND),
    **{wing: GROUND | {wing} for wing in WINGS},
    "pipeline": GROUND | WINGS | {"pipeline"},
    "cli": GROUND | WINGS | {"pipeline", "cli"},
    "__main__": {"cli"},
}


def room(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def imports(path: Path) -> set[str]:
    found: set[str] = set()
    package = "driftwatch." + ".".join(path.relative_to(PACKAGE).parent.parts)
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names if alias.name.split(".")[0] == "driftwatch")
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if node.level:
                base = package.rstrip(".").split(".")
                module = ".".join(base[: len(base) - node.level + 1] + ([module] if module else []))
            if module == "driftwatch":
                found.update(f"driftwatch.{alias.name}" for alias in node.names if not alias.name.startswith("__"))
            elif module.startswith("driftwatch."):
                found.add(module)
    return found


FILES = sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_follow_the_picture(path: Path) -> None:
    here = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    wrong = {name for name in imports(path) if room(name) not in ALLOWED[here]}
    assert not wrong, f"{here} may not import {sorted(wrong)}: see docs/architecture.md"


def test_the_checker_sees_a_wrong_arrow(tmp_path: Path) -> None:
    assert "store" not in ALLOWED["judge"]
    assert room("driftwatch.store.lock") == "store"
    assert FILES, "no files found: the test looks at nothing"


JUDGES_AND_RENDERERS = [path for path in FILES if path.relative_to(PACKAGE).parts[0] in {"judge", "render"}]


@pytest.mark.parametrize("path", JUDGES_AND_RENDERERS, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_pure_rooms_do_no_io(path: Path) -> None:
    """No network, process, clock or randomness in judge and render (render reads its own templates as package data)."""
    forbidden = {"requests", "git", "socket", "subprocess", "time", "random", "os", "shutil", "tempfile", "urllib.request"}
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    assert not names & forbidden
