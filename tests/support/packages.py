"""Packages that were never published: tarballs in memory behind what resolving and installing ask of a registry."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from driftwatch.errors import Unobservable


@dataclass(frozen=True)
class Info:
    integrity: str
    shasum: str = ""


@dataclass(frozen=True)
class Said:
    versions: Mapping[str, Info]
    dist_tags: Mapping[str, str]


@dataclass
class Shelf:
    """A registry of made-up packages. ``asked`` counts the tarballs that were asked for."""

    folder: Path
    packages: dict[str, dict[str, bytes]] = field(default_factory=dict)
    tags: dict[str, dict[str, str]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def put(self, name: str, version: str, files: Mapping[str, str] | None = None, **manifest: Any) -> str:
        """Publish a version; gives its integrity. It becomes ``latest``."""
        told = {"name": name, "version": version, "types": "./index.d.ts", **manifest}
        data = tarball({"package.json": json.dumps(told), **({"index.d.ts": "export {};\n"} if files is None else files)})
        self.packages.setdefault(name, {})[version] = data
        self.tags.setdefault(name, {})["latest"] = version
        return integrity(data)

    def packument(self, name: str) -> Said:
        if name not in self.packages:
            raise Unobservable(f"{name} is not on the registry (HTTP 404)")
        return Said({version: Info(integrity(data)) for version, data in self.packages[name].items()}, self.tags[name])

    def tarball(self, name: str, version: str, integrity: str = "") -> Path:
        self.asked.append(f"{name}@{version}")
        if version not in self.packages.get(name, {}):
            raise Unobservable(f"the tarball of {name} {version} is not to be had")
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{name.replace('/', '__')}-{version}.tgz"
        path.write_bytes(self.packages[name][version])
        return path


def integrity(data: bytes) -> str:
    return "sha512-" + base64.b64encode(hashlib.sha512(data).digest()).decode()


def tarball(files: Mapping[str, str]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(f"package/{name}")
            data = text.encode()
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return buffer.getvalue()
