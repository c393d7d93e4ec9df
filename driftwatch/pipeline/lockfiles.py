"""Which version a lock file pins: one small reader for each kind. Pure: text in, a version out.

Formats: npm https://docs.npmjs.com/cli/configuring-npm/package-lock-json, bun https://bun.com/docs/pm/lockfile,
pnpm https://github.com/pnpm/spec/tree/master/lockfile, yarn https://classic.yarnpkg.com/lang/en/docs/yarn-lock
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

_TRAILING = re.compile(r'("(?:[^"\\\n]|\\.)*")|,(?=\s*[}\]])')
MOST_YAML = 4 * 1024 * 1024  # characters: reading YAML is slow
_CONFLICT = re.compile(r"^<{7} ", re.MULTILINE)
_YARN_VERSION = re.compile(r'^  version:?\s+"?([^"\s]+)"?\s*$')


class Unreadable(ValueError):
    """The lock file is not what its name says; the message says why."""


@dataclass(frozen=True, slots=True)
class Want:
    """What is looked for: ``name`` as it is installed, ``package`` as it is published (differs for an alias), the ``spec``
    of package.json, and the ``importer``: the manifest's folder as seen from the lock's ("" for the same)."""

    name: str
    package: str
    spec: str
    importer: str = ""


def npm(text: str, want: Want) -> str:
    data = _object(text)
    packages = _mapping(data.get("packages"))
    for folder in _upward(want.importer):
        entry = _mapping(packages.get(f"{folder}node_modules/{want.name}"))
        if entry.get("version") and not entry.get("link"):
            return str(entry["version"])
    old = _mapping(_mapping(data.get("dependencies")).get(want.name)).get("version")  # lockfileVersion 1
    alias = f"npm:{want.package}@"
    return str(old or "").removeprefix(alias)


def bun(text: str, want: Want) -> str:
    data = _object(_TRAILING.sub(lambda match: match[1] or "", text))
    packages = _mapping(data.get("packages"))
    workspace = _mapping(_mapping(data.get("workspaces")).get(want.importer)).get("name")
    for key in (f"{workspace}/{want.name}", want.name):
        entry = packages.get(key)
        if isinstance(entry, list) and entry and isinstance(entry[0], str):
            name, _, version = entry[0].rpartition("@")
            return version if name == want.package else ""
    return ""


def pnpm(text: str, want: Want) -> str:
    data = _yaml(re.split(r"^(?:packages|snapshots):", text, maxsplit=1, flags=re.MULTILINE)[0])
    importers = _mapping(data.get("importers"))
    here = _mapping(importers.get(want.importer or ".")) if importers else data
    for table in ("dependencies", "optionalDependencies", "devDependencies"):
        entry = _mapping(here.get(table)).get(want.name)
        version = _mapping(entry).get("version") if isinstance(entry, dict) else entry
        if isinstance(version, str):
            return _pnpm_version(version, want.package)
    return ""


def _pnpm_version(said: str, package: str) -> str:
    """``1.2.3(peer@1)``, ``1.2.3_peer@1``, ``/@x/y/1.2.3`` and, for an alias, ``@x/y@1.2.3``."""
    text = said.removeprefix("/")
    text = text.removeprefix(f"{package}@").removeprefix(f"{package}/")
    return re.split(r"[(_]", text, maxsplit=1)[0]


def yarn(text: str, want: Want) -> str:
    """By the descriptor in package.json; when only one version of the package is there, that one."""
    found: dict[str, str] = {}
    heads: list[str] = []
    for line in text.splitlines():
        if line and not line.startswith((" ", "#")):
            heads = [part.strip().strip('"') for part in line.rstrip(": ").strip('"').split(",")]
        elif match := _YARN_VERSION.match(line):
            found.update(dict.fromkeys(heads, match[1]))
            heads = []
    if not found and text.strip() and "lockfile" not in text:
        raise Unreadable("is not a yarn.lock")
    for spec in (want.spec, f"npm:{want.spec}"):
        if f"{want.name}@{spec}" in found:
            return found[f"{want.name}@{spec}"]
    versions = {version for head, version in found.items() if head.rpartition("@")[0] in (want.name, f"{want.name}@npm:")}
    return versions.pop() if len(versions) == 1 else ""


def binary(text: str, want: Want) -> str:
    raise Unreadable("is bun's binary lock, which only bun reads; `bun install --save-text-lockfile` writes bun.lock")


Reader = Callable[[str, Want], str]
READERS: Mapping[str, Reader] = {
    "package-lock.json": npm,
    "npm-shrinkwrap.json": npm,
    "bun.lock": bun,
    "pnpm-lock.yaml": pnpm,
    "yarn.lock": yarn,
    "bun.lockb": binary,
}
"""Every lock file's name and its reader, in the order in which the first one there counts. A reader gives "" when the
package is not in it, and raises Unreadable."""


def conflict(text: str) -> int:
    """The line in which git left two versions of the file to choose from, 0 when it did not."""
    found = _CONFLICT.search(text)
    return text.count("\n", 0, found.start()) + 1 if found else 0


def _upward(importer: str) -> list[str]:
    """``packages/x/``, ``packages/``, and "": where node looks for a package."""
    parts = importer.split("/") if importer else []
    return ["".join(f"{part}/" for part in parts[:count]) for count in range(len(parts), -1, -1)]


def _object(text: str) -> Mapping[str, Any]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"is not whole JSON: {error}" if isinstance(error, ValueError) else "is nested too deeply") from error
    if not isinstance(data, dict):
        raise Unreadable("is not a JSON object")
    return data


def _yaml(text: str) -> Mapping[str, Any]:
    import yaml

    if len(text) > MOST_YAML:
        raise Unreadable(f"lists importers in more than {MOST_YAML // 1024 // 1024} MiB")
    try:
        data = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError, AttributeError) as error:
        raise Unreadable(f"is not YAML: {str(error).splitlines()[0]}") from error
    if not isinstance(data, dict):
        raise Unreadable("is not a YAML mapping")
    return data


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
