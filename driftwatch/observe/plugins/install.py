"""Having a plugin as its users would: packed as it would be published, with the dependencies the registry gives today.

The runtime's own installer does the work, in a folder of its own, with npm's configuration written for it and taken away before
any code of the plugin runs. Lifecycle scripts are not run here.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from driftwatch.errors import Unobservable, UsageError
from driftwatch.observe.plugins.job import Plugin
from driftwatch.observe.process import start
from driftwatch.observe.sources.npm.npmrc import NpmConfig

DEADLINE = 300.0
LEFT_BEHIND = ("node_modules", ".git", ".hg", ".driftwatch")
LARGEST_FOLDER = 200 * 1024 * 1024
ENTRIES = ("index.ts", "index.js", "index.mjs", "index.tsx")
LIFECYCLE = ("preinstall", "install", "postinstall")
NAME = re.compile(r"(?:@[A-Za-z0-9~-][A-Za-z0-9._~-]*/)?[A-Za-z0-9~-][A-Za-z0-9._~-]*")  # both become parts of paths
VERSION = re.compile(r"\d+\.\d+\.\d+[A-Za-z0-9.+-]*")


@dataclass(frozen=True, slots=True)
class Installer:
    """``runtime`` is the executable that installs, ``config`` npm's own, ``cache`` keeps packages, ``place`` is an empty folder
    for everything that is made. ``offline``: only what the cache holds. ``scripts``: the lifecycle scripts of what
    is installed run afterwards, behind the walls. ``shared``: bytes are shared with the cache, for what nobody will run."""

    runtime: Path
    config: NpmConfig
    cache: Path
    place: Path
    offline: bool = False
    scripts: bool = False
    shared: bool = False

    def package(self, name: str, version: str) -> Plugin:
        """A published version. Raises Unobservable."""
        tree = self._tree("plugin", {name: version})
        return Plugin(name, _manifest(tree / "node_modules" / name)["version"], tree)

    def tarball(self, path: Path) -> Plugin:
        """A packed package. Raises Unobservable, UsageError."""
        _gzip(path)
        copy = self.place / "packed.tgz"
        shutil.copyfile(path, copy)
        return self._packed(copy, str(path))

    def folder(self, path: Path) -> Plugin:
        """A package in a folder, packed as it would be published. Raises Unobservable, UsageError."""
        copy = self.place / "source"
        _copy(path, copy)
        manifest = _own(copy, path)
        if not manifest.get("name") or not manifest.get("version"):
            raise UsageError(f"{path}/package.json has no name or no version", "give it both; they need not be published")
        packed = self.place / "packed"
        packed.mkdir()
        self._run(["pm", "pack", "--ignore-scripts", "--quiet", "--destination", str(packed)], copy, "packing")
        found = sorted(packed.glob("*.tgz"))
        if not found:
            raise Unobservable(f"packing {path} gave no tarball")
        return self._packed(found[0], str(path))

    def files(self, path: Path, api: Mapping[str, str]) -> Plugin:
        """A plugin of single files: ``path`` with what lies beside it, and the dependencies of the nearest package.json."""
        root = next((up for up in (path.parent, path.parent.parent) if (up / "package.json").is_file()), path.parent)
        tree = self.place / "files"
        _copy(root, tree)
        manifest = _own(tree, root) if (tree / "package.json").is_file() else {}
        wanted = {**api, **_texts(manifest.get("dependencies"))}
        (tree / "package.json").write_text(json.dumps({**manifest, "private": True, "dependencies": wanted}), "utf-8")
        if wanted:
            self._install(tree)
        return Plugin(path.stem, str(manifest.get("version") or "0.0.0"), tree, path.relative_to(root).as_posix())

    def dependencies(self, name: str, wanted: Mapping[str, str]) -> Path:
        """A folder with these packages (name -> version or range) installed. Raises Unobservable."""
        return self._tree(name, wanted)

    def into(self, folder: Path) -> None:
        """Install what the package.json of a folder depends on. Raises Unobservable."""
        self._install(folder)

    def _packed(self, tarball: Path, shown: str) -> Plugin:
        tree = self._tree("plugin", {"driftwatch-plugin": f"file:{tarball}"})
        manifest = _manifest(tree / "node_modules" / "driftwatch-plugin")
        name, version = manifest.get("name"), manifest.get("version")
        if not (isinstance(name, str) and NAME.fullmatch(name)) or not (isinstance(version, str) and VERSION.fullmatch(version)):
            raise UsageError(
                f"{shown} holds no package with a name and a version npm would take", "a tarball made by `npm pack` does"
            )
        _rename(tree / "node_modules" / "driftwatch-plugin", tree / "node_modules" / name)
        return Plugin(name, version, tree)

    def _tree(self, name: str, wanted: Mapping[str, str]) -> Path:
        tree = self.place / name
        tree.mkdir(parents=True)
        (tree / "package.json").write_text(json.dumps({"private": True, "dependencies": dict(wanted)}), "utf-8")
        self._install(tree)
        return tree

    def _install(self, tree: Path) -> None:
        told = tree / ".npmrc"
        kept = told.read_bytes() if told.is_file() else None
        told.touch(mode=0o600)
        told.write_text(npmrc(self.config), "utf-8")
        try:
            backend = "hardlink" if self.shared else "copyfile"
            options = ["--ignore-scripts", "--no-progress", "--no-summary", f"--backend={backend}", "--linker=hoisted"]
            self._run(["install", *options, *(["--offline"] if self.offline else [])], tree, "installing")
        finally:
            told.unlink(missing_ok=True)
            if kept is not None:
                told.write_bytes(kept)
        if self.scripts:
            from driftwatch.observe.plugins.scripts import run_scripts

            run_scripts(tree, self.runtime, self.place)

    def _run(self, arguments: list[str], folder: Path, what: str) -> None:
        said = self.place / "said.txt"
        said.unlink(missing_ok=True)
        home = self.place / "home"
        home.mkdir(exist_ok=True)
        with start(
            [str(self.runtime), *arguments], cwd=folder, env=self._environment(home), output=said, deadline=DEADLINE
        ) as child:
            child.wait(DEADLINE + 20)
            if child.exit is None or child.exit.how != "exited" or child.exit.code != 0:
                words = _words(said, self.config).replace(str(self.place), "<scratch>")
                raise Unobservable(f"{what} {child.reason or 'did not end'}: {words}", "see that it installs by hand")

    def _environment(self, home: Path) -> dict[str, str]:
        env = {
            "PATH": os.defpath,
            "HOME": str(home),
            "TMPDIR": str(home),
            "LANG": "C.UTF-8",
            "BUN_INSTALL_CACHE_DIR": str(self.cache / "packages"),
        }
        for name, secret in (("HTTPS_PROXY", self.config.proxy), ("HTTP_PROXY", self.config.http_proxy)):
            if secret:
                env[name] = secret.reveal()
        if self.config.no_proxy:
            env["NO_PROXY"] = ",".join(self.config.no_proxy)
        if self.config.extra_ca_file:
            env["NODE_EXTRA_CA_CERTS"] = self.config.extra_ca_file
        return env


def npmrc(config: NpmConfig) -> str:
    """npm's configuration as a file of its own: registries, credentials, certificates."""
    lines = [f"registry={config.registry}"] if config.registry else []
    lines += [f"{scope}:registry={url}" for scope, url in sorted(config.scopes.items())]
    for dart, secret in sorted(config.credentials.items()):
        kind, _, value = secret.reveal().partition(" ")
        lines.append(f"{dart}:{'_authToken' if kind == 'Bearer' else '_auth'}={value}")
    if config.ca_file:
        lines.append(f"cafile={config.ca_file}")
    if not config.strict_ssl:
        lines.append("strict-ssl=false")
    return "\n".join(lines) + "\n"


def scripted(tree: Path) -> tuple[str, ...]:
    """The installed packages that have lifecycle scripts, which were not run; sorted."""
    found = set()
    for manifest in (tree / "node_modules").glob("**/package.json"):
        if manifest.parent.parent.name == "node_modules" or manifest.parent.parent.parent.name == "node_modules":
            told = _texts(_loose(manifest).get("scripts"))
            if any(name in told for name in LIFECYCLE):
                found.add(str(_loose(manifest).get("name") or manifest.parent.name))
    return tuple(sorted(found))


def _rename(installed: Path, target: Path) -> None:
    """Call an installed package by its own name; one of the same name that was installed along gives way."""
    if installed == target:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.is_symlink() or target.is_file():
        target.unlink()
    elif target.exists():
        shutil.rmtree(target)
    installed.rename(target)


def entry_of(folder: Path) -> Path | None:
    """The file a folder without a package.json begins at."""
    return next((folder / name for name in ENTRIES if (folder / name).is_file()), None)


def manifest_of(plugin: Plugin) -> Mapping[str, Any]:
    """Its package.json, {} for a plugin of single files."""
    return {} if plugin.entry else _manifest(plugin.root)


def _own(copy: Path, shown: Path) -> dict[str, Any]:
    """The package.json that the user wrote, by the place where they wrote it. Raises UsageError."""
    try:
        return _manifest(copy)
    except Unobservable as error:
        raise UsageError(f"{shown}: {error.message}", "correct it") from error


def _gzip(path: Path) -> None:
    """Raises UsageError for a file that is no packed package by its first bytes, whatever its name says."""
    try:
        with path.open("rb") as file:
            head = file.read(2)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}", "make it readable") from error
    if head != b"\x1f\x8b":
        raise UsageError(f"{path} is no tarball: it does not begin as gzip does", "a tarball made by `npm pack` does")


def _manifest(folder: Path) -> dict[str, Any]:
    try:
        told = json.loads((folder / "package.json").read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise Unobservable(f"its package.json cannot be read: {error}") from error
    if not isinstance(told, dict):
        raise Unobservable("its package.json is no object")
    return told


def _loose(path: Path) -> dict[str, Any]:
    try:
        told = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


def _texts(value: Any) -> dict[str, str]:
    return {str(key): text for key, text in value.items() if isinstance(text, str)} if isinstance(value, dict) else {}


def _copy(source: Path, target: Path) -> None:
    """A folder without what is made from it. Raises UsageError when it is too big to be a plugin."""
    size = 0
    for folder, folders, names in os.walk(source):
        folders[:] = [name for name in folders if name not in LEFT_BEHIND]
        size += sum((Path(folder) / name).lstat().st_size for name in names)
        if size > LARGEST_FOLDER:
            raise UsageError(
                f"{source} is bigger than {LARGEST_FOLDER // 1024**2} MB", "give the plugin's own folder, or its tarball"
            )
    ignored = shutil.ignore_patterns(*LEFT_BEHIND, ".npmrc", ".env", ".env.*")
    shutil.copytree(source, target, ignore=ignored, symlinks=True)


def _words(said: Path, config: NpmConfig) -> str:
    """What the installer said, without any secret of the configuration."""
    text = said.read_text("utf-8", "replace") if said.is_file() else ""
    for secret in config.credentials.values():
        text = text.replace(secret.reveal().partition(" ")[2], "***")
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("bun ")]
    return " | ".join(lines[-6:])[:600] or "(it said nothing)"
