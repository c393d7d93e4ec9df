"""A project's folder as its files describe it. Nothing of it is run; what cannot be read is said, never guessed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from driftwatch.errors import ConfigError, Problem, UsageError
from driftwatch.pipeline.lockfiles import READERS
from driftwatch.pipeline.pins import TABLES, Tree

MANIFEST = "package.json"
MOST = 64 * 1024 * 1024  # bytes of a lock file
MOST_MANIFEST = 1024 * 1024
MOST_MEMBERS = 500  # packages of a monorepo that are looked at


@dataclass(frozen=True, slots=True)
class Project:
    """``manifest`` is {} when there is no package.json (``packaged`` is false then); ``members``: folders of the packages
    of a monorepo, relative; ``notes``: what could not be read, in words."""

    root: Path
    manifest: Mapping[str, Any]
    packaged: bool
    tree: Tree
    members: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        name = self.manifest.get("name")
        return name if isinstance(name, str) and name.strip() else self.root.name or "project"

    @property
    def dependencies(self) -> Mapping[str, str]:
        """Every package it names, with the first spec it has in any table (aliases by the name they stand for)."""
        return dependencies(self.manifest)

    @property
    def keywords(self) -> frozenset[str]:
        listed = self.manifest.get("keywords")
        return frozenset(word.lower() for word in listed if isinstance(word, str)) if isinstance(listed, list) else frozenset()

    def engine(self, name: str) -> str:
        engines = self.manifest.get("engines")
        value = engines.get(name) if isinstance(engines, dict) else None
        return value if isinstance(value, str) else ""


def read(folder: Path) -> Project:
    """Raises UsageError for what is no folder, ConfigError for a package.json that cannot be read."""
    if not folder.exists():
        raise UsageError(f"{folder} is not there", "name the folder that holds package.json")
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder", "name the folder that holds package.json")
    root = folder.resolve()
    text = _manifest_text(root / MANIFEST)
    manifest = _object(text, root / MANIFEST) if text is not None else {}
    tree, notes = _tree(root, text)
    return Project(root, manifest, text is not None, tree, tuple(_members(root, manifest)), notes)


def dependencies(manifest: Mapping[str, Any]) -> dict[str, str]:
    found: dict[str, str] = {}
    for table in TABLES:
        entries = manifest.get(table)
        for name, spec in entries.items() if isinstance(entries, dict) else ():
            if isinstance(spec, str):
                real = spec[4:].rpartition("@")[0] if spec.startswith("npm:") else ""
                found.setdefault(real or name, spec)
    return found


def members_using(project: Project, packages: frozenset[str]) -> list[str]:
    """The packages of a monorepo that depend on any of these, as folders relative to its root."""
    found = []
    for member in project.members:
        try:
            text = _manifest_text(project.root / member / MANIFEST)
            manifest = _object(text, project.root / member / MANIFEST) if text is not None else {}
        except ConfigError:
            continue  # said when init is run there
        if packages & dependencies(manifest).keys():
            found.append(member)
    return found


def _manifest_text(path: Path) -> str | None:
    try:
        if not path.exists() and not path.is_symlink():
            return None
        if not path.is_file():
            raise ConfigError([Problem(str(path), 0, 0, "is not a file, or a link that leads nowhere", "mend it")])
        if path.stat().st_size > MOST_MANIFEST:
            raise ConfigError([Problem(str(path), 0, 0, f"is larger than {MOST_MANIFEST // 1024} KiB", "")])
        return path.read_bytes().decode("utf-8-sig")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise ConfigError([Problem(str(path), 0, 0, f"cannot be read: {reason}", "nothing can be told without it")]) from error


def _object(text: str, path: Path) -> Mapping[str, Any]:
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise ConfigError([Problem(str(path), error.lineno, error.colno, f"is not JSON: {error.msg}", "mend it")]) from error
    except (ValueError, RecursionError) as error:  # a number of thousands of digits; brackets without end
        raise ConfigError([Problem(str(path), 0, 0, "is nested too deeply, or holds a number too long to be one")]) from error
    if not isinstance(data, dict):
        raise ConfigError([Problem(str(path), 1, 1, "is not a JSON object", "a package.json begins with {")])
    return data


def _tree(root: Path, text: str | None) -> tuple[Tree, tuple[str, ...]]:
    """The manifest with the nearest lock file: beside it, or above it in the same repository."""
    for folder in _upward(root):
        for name in READERS:
            path = folder / name
            if not path.is_file():
                continue
            manifest = PurePosixPath(root.relative_to(folder).as_posix()) / MANIFEST
            try:
                if path.stat().st_size > MOST:
                    raise ValueError(f"is larger than {MOST // 1024 // 1024} MiB")
                said = path.read_bytes().decode("utf-8", "replace")
            except (OSError, ValueError) as error:
                return Tree(manifest, text), (f"{path.name} {getattr(error, 'strerror', None) or error}: it pins nothing here",)
            return Tree(manifest, text, name, PurePosixPath(name), said), ()
    return Tree(PurePosixPath(MANIFEST), text), ()


def _upward(root: Path) -> Iterator[Path]:
    """The folder, and those above it up to the repository's root. Outside of a repository a lock above is somebody else's."""
    above = [root, *root.parents]
    top = next((number for number, folder in enumerate(above) if (folder / ".git").exists()), 0)
    yield from above[: top + 1]


def _members(root: Path, manifest: Mapping[str, Any]) -> Iterator[str]:
    """Folders of a monorepo's packages: npm, yarn and bun say ``workspaces``, pnpm has a file of its own."""
    globs = manifest.get("workspaces")
    globs = globs.get("packages") if isinstance(globs, dict) else globs
    patterns = [glob for glob in globs or () if isinstance(glob, str)] if isinstance(globs, list) else []
    patterns += _pnpm(root / "pnpm-workspace.yaml")
    found: set[str] = set()
    for pattern in patterns:
        clean = pattern.removeprefix("./").rstrip("/")
        if not clean or clean.startswith(("!", "/")) or ".." in PurePosixPath(clean).parts:
            continue
        try:
            for path in root.glob(f"{clean}/{MANIFEST}"):
                place = path.parent.relative_to(root)
                if "node_modules" not in place.parts and len(found) < MOST_MEMBERS:
                    found.add(place.as_posix())
        except (OSError, ValueError, NotImplementedError):  # a pattern of no use
            continue
    yield from sorted(found)


def _pnpm(path: Path) -> list[str]:
    import yaml

    try:
        data = yaml.safe_load(path.read_text("utf-8")) if path.is_file() and path.stat().st_size < MOST_MANIFEST else None
    except (OSError, ValueError, AttributeError, RecursionError, yaml.YAMLError):
        return []
    listed = data.get("packages") if isinstance(data, dict) else None
    return [entry for entry in listed if isinstance(entry, str)] if isinstance(listed, list) else []
