"""The configurations a tsconfig.json stands on: all of them must be the project's own, or of a package it installs."""

from __future__ import annotations

from pathlib import Path

from driftwatch import jsonc
from driftwatch.errors import Unobservable

MAX_CHAIN = 50
REMEDY = "keep what it takes from there in the project's own tsconfig.json, or name the source files under `project.source`"


def within(place: Path, config: str) -> None:
    """Looks at ``config`` of the folder ``place`` and at everything it extends, all the way. Raises Unobservable where one
    leads out of the folder, cannot be read, or they never end."""
    root = place.resolve()
    queue, seen = [root / config], set[Path]()
    while queue:
        path = queue.pop()
        if path in seen:
            continue
        seen.add(path)
        if len(seen) > MAX_CHAIN:
            raise Unobservable(f"{config} extends more than {MAX_CHAIN} other configurations", REMEDY)
        for told in _extended(path, root):
            queue += [found for found in _meant(told, path, root) if found.is_file()]


def _extended(path: Path, root: Path) -> list[str]:
    name = path.relative_to(root)
    if not path.resolve().is_relative_to(root):
        raise Unobservable(f"{name} leads out of the project", REMEDY)
    try:
        told = jsonc.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise Unobservable(f"{name} cannot be read: {error}", "correct it") from error
    extends = told.get("extends", []) if isinstance(told, dict) else []
    return [one for one in (extends if isinstance(extends, list) else [extends]) if isinstance(one, str)]


def _meant(told: str, path: Path, root: Path) -> list[Path]:
    """The files an ``extends`` may mean. Raises Unobservable for one outside of the project."""
    if told.startswith((".", "/", "\\")) or ":" in told:
        found = [path.parent / told]
    else:
        folders = [folder for folder in path.parents if folder.is_relative_to(root)]
        found = [folder / "node_modules" / told for folder in folders]
    meant = [Path(f"{one}{end}") for one in found for end in ("", ".json", "/tsconfig.json")]
    if ":" in told or "\\" in told or any(not one.resolve().is_relative_to(root) for one in meant):
        raise Unobservable(f'{path.relative_to(root)} extends "{told}", which is outside of the project', REMEDY)
    return [one.resolve() for one in meant]
