"""Which files are a project's own source.

Asked for nothing, it is what a plugin usually has: ``src``, scripts beside package.json, ``.opencode``; where there is no
``src``, also what package.json says is loaded (a published plugin has only that). Tests are left out then: they speak of
doubles.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from driftwatch.model import Gap
from driftwatch.observe.sources import paths

_SCRIPTS = ("*.ts", "*.tsx", "*.mts", "*.cts", "*.js", "*.jsx", "*.mjs", "*.cjs")
_OPENCODE = (".opencode/plugin", ".opencode/plugins", ".opencode/tool", ".opencode/tools")
DEFAULT = ("src", *_OPENCODE, *(f".opencode/{script}" for script in _SCRIPTS), *_SCRIPTS)
MAX_FILES = 5000
MAX_BYTES = 8 * 1024 * 1024  # of one file
MAX_MANIFEST = 1024 * 1024

_CODE = re.compile(r"(?<!\.d)\.[cm]?[jt]sx?$")
_TEST = re.compile(r"(^|/)(__tests__|__mocks__|tests?|fixtures)/|\.(test|spec|bench|config)\.[cm]?[jt]sx?$")
_NEVER = frozenset({"node_modules", ".git", ".hg", ".svn", ".venv", "__pycache__", ".cache", ".turbo", "coverage"})


@dataclass(frozen=True, slots=True)
class Selected:
    files: tuple[str, ...] = ()  # relative, with /
    gaps: tuple[Gap, ...] = ()


def select(project: Path, globs: Sequence[str] = ()) -> Selected:
    """The source files below ``project``: those the globs mean, else the usual ones, else what package.json loads."""
    if globs:
        return _bounded(project, list(_matching(project, globs)), globs)
    usual = [file for file in _matching(project, DEFAULT) if not _TEST.search(file)]
    built = [] if any(file.startswith("src/") for file in usual) else list(_loaded(project))
    stems = {PurePosixPath(file).stem for file in usual}  # index.ts is the source of dist/index.js
    return _bounded(project, [*usual, *(file for file in built if PurePosixPath(file).stem not in stems)], ())


def _matching(project: Path, globs: Sequence[str]) -> Iterator[str]:
    wanted = paths.matcher([glob.removeprefix("./").rstrip("/") or "**" for glob in globs])
    hidden = {".opencode", *(glob.removeprefix("./").partition("/")[0] for glob in globs if glob.startswith("."))}
    for file in _scripts(project, hidden):
        if wanted(file):
            yield file


def _scripts(project: Path, hidden: Collection[str]) -> Iterator[str]:
    """Every script, links not followed, in a steady order. Hidden folders are tools' own, but for those named."""
    root = str(project)
    for folder, names, found in os.walk(root):
        names[:] = sorted(name for name in names if name not in _NEVER and (name[0] != "." or name in hidden))
        here = "" if folder == root else f"{os.path.relpath(folder, root)}/".replace(os.sep, "/")
        for name in sorted(found):
            code = _CODE.search(name) and not name.endswith((".d.mts", ".d.cts"))
            if code and not Path(folder, name).is_symlink():
                yield here + name


def _loaded(project: Path) -> Iterator[str]:
    """The scripts package.json names as what is loaded: main, module and every target of exports."""
    try:
        if (project / "package.json").stat().st_size > MAX_MANIFEST:
            return
        manifest = json.loads((project / "package.json").read_text("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return
    if not isinstance(manifest, dict):
        return
    targets = [manifest.get("main"), manifest.get("module"), *_targets(manifest.get("exports"))]
    if not any(isinstance(target, str) for target in targets):
        targets = ["index.js"]
    for place in sorted({PurePosixPath(target) for target in targets if isinstance(target, str)}):
        if _CODE.search(place.name) and ".." not in place.parts and not place.is_absolute() and (project / place).is_file():
            yield str(place)


def _targets(value: Any, depth: int = 0) -> Iterator[Any]:
    if isinstance(value, dict) and depth < 10:
        for each in value.values():
            yield from _targets(each, depth + 1)
    elif isinstance(value, list) and depth < 10:
        for each in value:
            yield from _targets(each, depth + 1)
    else:
        yield value


def _bounded(project: Path, files: list[str], globs: Sequence[str]) -> Selected:
    gaps: list[Gap] = []
    if globs and not files:
        listed = ", ".join(globs)
        gaps.append(Gap("use:**", f"no source file is meant by {listed}", "correct `project.source` in the watchlist"))
    small: list[str] = []
    for file in files:
        try:
            size = (project / file).stat().st_size
        except OSError as error:
            gaps.append(_gap(file, f"it cannot be read: {error.strerror or error}"))
            continue
        if size > MAX_BYTES:
            gaps.append(_gap(file, f"it is larger than {MAX_BYTES // 2**20} MiB and was not read"))
        else:
            small.append(file)
    if len(small) > MAX_FILES:
        gaps.append(
            Gap("use:**", f"only the first {MAX_FILES} source files were read", "narrow `project.source` in the watchlist")
        )
    return Selected(tuple(small[:MAX_FILES]), tuple(gaps))


def _gap(file: str, reason: str) -> Gap:
    return Gap(f"use:{paths.address(file).subject}", reason)
