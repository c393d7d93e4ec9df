"""Our own source against one version of the packages it is written for: really installed, and asked of the native compiler.

The project is copied to a folder of its own, its manifest changed there so that the packages of the upstream have the wanted
versions and everything else what the project declares (or its lock file pins), and compiled as its own configuration says.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from driftwatch.errors import ConfigError, Problem, Unobservable
from driftwatch.observe.plugins.install import Installer
from driftwatch.observe.typescript.diagnostics import Said, parse
from driftwatch.observe.typescript.engine import environment
from driftwatch.observe.typescript.extends import within
from driftwatch.observe.typescript.usage.sources import select
from driftwatch.observe.typescript.witness.program import OPTIONS

DEADLINE = 240.0
TABLES = ("peerDependencies", "devDependencies", "dependencies", "optionalDependencies")  # weakest first
FOREIGN = ("workspace:", "file:", "link:", "portal:", "catalog:", "patch:")
NEVER = ("node_modules", ".git", ".hg", ".svn", ".venv", "coverage", ".turbo", ".cache")
LARGEST = 200 * 1024 * 1024
OWN_CONFIG = "driftwatch.tsconfig.json"
REPLACED = {"moduleResolution": "bundler", "module": "esnext", "target": "esnext"}  # what a removed value becomes
CONFIG = "tsconfig.json"
LOCKS = ("bun.lock", "bun.lockb", "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bunfig.toml")


@dataclass(frozen=True, slots=True)
class Project:
    """``root`` of the project; ``source``: globs of its files, for a project without a tsconfig.json. ``pinned``: versions its
    lock file says, by package. ``node`` is the ``name`` and ``version`` of Node's types, for a project that declares none."""

    root: Path
    source: tuple[str, ...] = ()
    pinned: Mapping[str, str] = field(default_factory=dict)
    node: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class Compiled:
    """What the compiler said, and ``notes`` about what was not as in the project."""

    said: Said
    notes: tuple[str, ...] = ()


def manifest(root: Path) -> Mapping[str, Any]:
    """package.json of a folder; {} where there is none. Raises ConfigError for one that cannot be read."""
    path = root / "package.json"
    if not path.is_file():
        return {}
    try:
        told = json.loads(path.read_text("utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        line, column = getattr(error, "lineno", 0), getattr(error, "colno", 0)
        reason = getattr(error, "msg", None) or getattr(error, "strerror", None) or str(error)
        raise ConfigError([Problem(str(path), line, column, f"cannot be read as JSON: {reason}", "correct it")]) from error
    if not isinstance(told, dict):
        raise ConfigError([Problem(str(path), 1, 1, "is not a JSON object", "a package.json begins with {")])
    return told


def declared(told: Mapping[str, Any]) -> dict[str, str]:
    """Every dependency of a manifest with its range, of whatever kind."""
    found: dict[str, str] = {}
    for table in TABLES:
        entries = told.get(table)
        found |= {name: wish for name, wish in entries.items() if isinstance(wish, str)} if isinstance(entries, dict) else {}
    return found


def compiled(project: Project, versions: Mapping[str, str], installer: Installer, compiler: Path) -> Compiled:
    """``versions``: the packages under test, each exactly. ``installer.place`` is an empty folder. Raises Unobservable."""
    place = installer.place / "project"
    _copy(project.root, place)
    notes = _set_versions(project, place, versions)
    installer.into(place)
    config, more = _configured(project, place)
    said = _asked(compiler, place, config)
    if said.stopped and said.options:
        said = _asked(compiler, place, _without(place, config, said))
        more += (f"compiler options {', '.join(name for name, _ in said.options)} were left out",) if said.options else ()
    if said.stopped:
        raise Unobservable(f"the native compiler does not take {config}: {said.stopped[0]}", "give it a configuration it takes")
    return Compiled(said, (*notes, *more))


def _set_versions(project: Project, place: Path, versions: Mapping[str, str]) -> tuple[str, ...]:
    told = dict(manifest(place))
    wanted = declared(told)
    left = sorted(name for name, wish in wanted.items() if wish.startswith(FOREIGN))
    kept = {name: project.pinned.get(name) or wish for name, wish in wanted.items() if name not in left}
    name, version = project.node
    if name and not any(each in wanted for each in ("@types/node", "@types/bun", "bun-types")):
        kept[name] = version
    for table in (*TABLES, "workspaces", "scripts", "overrides", "resolutions", "patchedDependencies", "trustedDependencies"):
        told.pop(table, None)
    dependencies = {**kept, **versions}
    told |= {"private": True, "dependencies": dict(sorted(dependencies.items())), "overrides": dict(versions)}
    (place / "package.json").write_text(json.dumps(told), "utf-8")
    for name in LOCKS:
        (place / name).unlink(missing_ok=True)
    return (f"{', '.join(left)}: not installed, they come from beside the project",) if left else ()


def _configured(project: Project, place: Path) -> tuple[str, tuple[str, ...]]:
    """The configuration to compile by: the project's own, or one made for its source files. Raises Unobservable."""
    if (place / CONFIG).is_file():
        within(place, CONFIG)
    if (place / CONFIG).is_file() and not project.source:
        return CONFIG, ()
    own = [file for file in select(place, project.source).files if file.endswith((".ts", ".tsx", ".mts", ".cts"))]
    if not own:
        raise Unobservable("there is no TypeScript source to check", "name it under `project.source`, or add a tsconfig.json")
    types = sorted({"node", "bun"} & {path.name for path in (place / "node_modules" / "@types").glob("*")})
    extended = {"extends": f"./{CONFIG}"} if (place / CONFIG).is_file() else {}
    options = {"noEmit": True} if extended else {**OPTIONS, "types": types, "jsx": "preserve", "allowImportingTsExtensions": True}
    (place / OWN_CONFIG).write_text(json.dumps({**extended, "compilerOptions": options, "include": [], "files": own}), "utf-8")
    return OWN_CONFIG, ()


def _without(place: Path, config: str, said: Said) -> str:
    """A configuration on top of ours without what this compiler no longer has."""
    options: dict[str, Any] = {name: REPLACED.get(name) if value else None for name, value in said.options}
    if "moduleResolution" in options:
        options["module"] = "esnext"
    (place / f"over.{OWN_CONFIG}").write_text(json.dumps({"extends": f"./{config}", "compilerOptions": options}), "utf-8")
    return f"over.{OWN_CONFIG}"


def _asked(compiler: Path, place: Path, config: str) -> Said:
    from driftwatch.observe.process.child import start

    output = place.parent / "said.txt"
    output.unlink(missing_ok=True)
    argv = [str(compiler), "-p", config, "--noEmit", "--pretty", "false", "--incremental", "false", "--composite", "false"]
    argv += ["--skipLibCheck", "true"]
    with start(argv, cwd=place, env=environment(place.parent), output=output, deadline=DEADLINE) as child:
        child.wait(DEADLINE + 20)
        said = output.read_text("utf-8", "replace") if output.exists() else ""
        if child.exit is None or child.exit.how != "exited" or child.exit.code not in (0, 1, 2):
            raise Unobservable(f"the native compiler {child.reason or 'did not end'}: {said.strip()[-300:]}")
        found = parse(said)
        if child.exit.code != 0 and not (found.own or found.elsewhere or found.stopped):
            raise Unobservable(f"the native compiler {child.reason} without naming an error: {said.strip()[-300:]}")
    return found


def _copy(source: Path, target: Path) -> None:
    size = 0
    for folder, folders, names in os.walk(source):
        folders[:] = [name for name in folders if name not in NEVER]
        size += sum((Path(folder) / name).lstat().st_size for name in names)
        if size > LARGEST:
            raise Unobservable(f"{source} is bigger than {LARGEST // 1024**2} MB", "name the folder of the plugin itself")
    ignored = shutil.ignore_patterns(*NEVER, ".npmrc", ".env", ".env.*")
    shutil.copytree(source, target, ignore=ignored, symlinks=True)


def relied(project: Project, packages: Sequence[str]) -> tuple[str, ...]:
    """Those of ``packages`` the project declares to depend on. Raises Unobservable."""
    told = declared(manifest(project.root))
    return tuple(name for name in packages if name in told)
