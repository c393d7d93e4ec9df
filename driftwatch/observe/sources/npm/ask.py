"""Configuring a registry from outside: npm's files first, and npm itself when they name no registry."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from driftwatch.errors import StoreError
from driftwatch.observe.sources.cache import Cache
from driftwatch.observe.sources.npm.npmrc import NpmConfig, load, which

_TIMEOUT = 30.0


def configure(project: Path, cache: Path, registry: str = "", env: Mapping[str, str] | None = None) -> NpmConfig:
    """npm's configuration for ``project``; ``registry`` (the watchlist's) beats the default one.

    When nothing names a registry npm is asked once (0.3 s) and its answer kept in ``cache`` until npm or one of its files
    changes. Without npm the registry stays "", and reading a package says what to do.
    """
    env = os.environ if env is None else env
    config = load(project, registry=registry, env=env)
    npm = None if config.registry else which("npm", env)
    if not npm:
        return config
    store, key = Cache(cache), _key(config, npm, project)
    known = store.read("npm-registry", key)
    if isinstance(known, str):
        return replace(config, registry=known)
    answer = _ask(npm, project, env)
    if not answer.startswith(("http://", "https://")):
        return config
    try:
        if "@" not in answer.partition("://")[2].partition("/")[0]:  # a password does not belong into a cache
            store.write("npm-registry", key, answer)
    except StoreError:
        pass  # asked again next time
    return load(project, registry=answer, env=env)


def _key(config: NpmConfig, npm: str, project: Path) -> str:
    stamps = [str(project), npm]
    for path in (Path(npm).resolve(), *config.files):
        try:
            stamps.append(f"{path} {path.stat().st_mtime_ns}")
        except OSError:
            stamps.append(f"{path} -")
    return "\n".join(stamps)


def _ask(npm: str, project: Path, env: Mapping[str, str]) -> str:
    import subprocess
    import tempfile

    try:
        with tempfile.TemporaryFile() as output:
            subprocess.run(
                [npm, "config", "get", "registry"],
                cwd=project,
                env={**env, "npm_config_update_notifier": "false"},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.DEVNULL,
                timeout=_TIMEOUT,
                check=True,
            )
            output.seek(0)
            lines = output.read(65536).decode("utf-8", "replace").split()
    except (OSError, subprocess.SubprocessError):
        return ""
    return lines[-1] if lines else ""
