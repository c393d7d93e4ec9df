"""What the declarations of one published package name: the packages they import, and whether they speak of Node's own.

Reading is over the unpacked text with a few regular expressions: too much is found rather than too little (a name in a
comment), and too much costs a download, no fact.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from driftwatch.errors import Unobservable
from driftwatch.observe.sources import archive
from driftwatch.observe.sources.cache import Cache
from driftwatch.observe.typescript.tools import Pin, Tarballs
from driftwatch.progress import SILENT, Progress

FORMAT = 3
MAX_FILE = 8 * 1024 * 1024

_DECLARES = re.compile(r"\.(d\.[cm]?ts|[cm]?tsx?)$")
_TO = rb"""["']([^"'\n.][^"'\n]{0,200})["']"""
_SPECIFIERS = tuple(  # each begins with a plain word: that is searched for ten times as fast as any of several
    re.compile(rb"%b%b" % (word, _TO))
    for word in (rb"from\s*", rb"import\s*\(\s*", rb"import\s+", rb"require\s*\(\s*", rb"declare\s+module\s+")
)
_WORD = re.compile(rb"\w")
_REFERENCE = re.compile(rb"""^\s*///\s*<reference\s+types\s*=\s*["']([^"'\n]+)["']""", re.MULTILINE)
_NODE = tuple((word, re.compile(rb"\b%b" % pattern)) for word, pattern in ((b"NodeJS.", rb"NodeJS\."), (b"Buffer", rb"Buffer\b")))
_NAME = re.compile(r"(?:@[a-z0-9~-][a-z0-9._~-]*/)?[a-zA-Z0-9~-][a-zA-Z0-9._~-]*")
# fmt: off
BUILTIN = frozenset(
    {
        "assert", "async_hooks", "buffer", "child_process", "cluster", "console", "constants", "crypto",
        "dgram", "diagnostics_channel", "dns", "domain", "events", "fs", "http", "http2", "https",
        "inspector", "module", "net", "os", "path", "perf_hooks", "process", "punycode", "querystring",
        "readline", "repl", "stream", "string_decoder", "sys", "timers", "tls", "trace_events", "tty", "url",
        "util", "v8", "vm", "wasi", "worker_threads", "zlib",
    }
)
# fmt: on


@dataclass(frozen=True, slots=True)
class Scanned:
    """``dependencies`` are all a manifest asks for (peers and optional ones too), ``imports`` the packages its text names."""

    name: str
    version: str
    integrity: str
    dependencies: Mapping[str, str]
    imports: tuple[str, ...]
    node: bool
    peers: tuple[str, ...] = ()


def types_name(name: str) -> str:
    """Where the types of an untyped package are published: ``@types/x``, ``@types/scope__x``."""
    return "@types/" + name.removeprefix("@").replace("/", "__")


def declares(path: str) -> bool:
    """Whether a file of a package has a part in its types. Nested copies of other packages have none."""
    return path == "package.json" or (bool(_DECLARES.search(path)) and "node_modules/" not in path)


class Files:
    """Packages unpacked by content, declarations only, and what they name. ``unread`` is called when one is read that never
    was."""

    def __init__(
        self, registry: Tarballs, cache: Path, progress: Progress = SILENT, unread: Callable[[], None] = lambda: None
    ) -> None:
        self._unread = unread
        self._registry, self._folder, self._progress = registry, cache / "typescript" / "files", progress
        self._documents = Cache(cache)
        self._known: dict[str, Scanned] = {}

    def scanned(self, name: str, version: str, integrity: str) -> Scanned:
        """Raises Unobservable when the package cannot be had or its package.json cannot be read."""
        key = f"{FORMAT}|{name}@{version}|{integrity}"
        if key not in self._known:
            kept = self._documents.read("imports", key)
            row = kept if isinstance(kept, dict) else self._scan(name, version, integrity)
            if row is not kept:
                self._documents.write("imports", key, row)
            self._known[key] = _scanned(row)
        return self._known[key]

    def folder(self, name: str, version: str, integrity: str) -> Path:
        """The unpacked declarations of a package, by its content."""
        target = self._folder / Pin(name, version, integrity).folder
        if not target.is_dir():
            tarball = self._registry.tarball(name, version, integrity)
            archive.extract(tarball, target, wanted=declares)
        return target

    def _scan(self, name: str, version: str, integrity: str) -> dict[str, Any]:
        folder = self.folder(name, version, integrity)
        self._unread()
        manifest = read_manifest(folder, f"{name} {version}")
        found: set[str] = set()
        node = False
        for text in _texts(folder):
            found.update(_names(text))
            node = node or _speaks_of_node(text)
        node = node or bool(found & BUILTIN) or "node" in found
        imports = sorted(found - BUILTIN - {"node", name})
        return {
            "name": name,
            "version": version,
            "integrity": integrity,
            "dependencies": dependencies(manifest),
            "imports": [one for one in imports if _NAME.fullmatch(one)],
            "node": node and name != "@types/node",
            "peers": sorted(_section(manifest, "peerDependencies")),
        }


def _scanned(row: Mapping[str, Any]) -> Scanned:
    return Scanned(
        row["name"],
        row["version"],
        row["integrity"],
        row["dependencies"],
        tuple(row["imports"]),
        bool(row["node"]),
        tuple(row["peers"]),
    )


def _texts(folder: Path) -> Iterator[bytes]:
    for place, _, files in os.walk(folder):
        for name in files:
            path = Path(place, name)
            if _DECLARES.search(name) and path.stat().st_size <= MAX_FILE:
                yield path.read_bytes()


def _speaks_of_node(text: bytes) -> bool:
    return b'"node:' in text or b"'node:" in text or any(word in text and pattern.search(text) for word, pattern in _NODE)


def _specifiers(text: bytes) -> Iterator[bytes]:
    for pattern in _SPECIFIERS:
        for match in pattern.finditer(text):
            if not match.start() or not _WORD.match(text, match.start() - 1):  # a word of its own
                yield match[1]
    if b"///" in text:
        yield from _REFERENCE.findall(text)


def _names(text: bytes) -> set[str]:
    specifiers = {match.decode("utf-8", "replace") for match in _specifiers(text)}
    return {_package(one) for one in specifiers if not one.startswith(("node:", "/", "#")) and ":" not in one}


def _package(specifier: str) -> str:
    parts = specifier.split("/")
    return "/".join(parts[:2]) if specifier.startswith("@") else parts[0]


def read_manifest(folder: Path, what: str) -> dict[str, Any]:
    try:
        manifest = json.loads((folder / "package.json").read_text("utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise Unobservable(f"package.json of {what} cannot be read: {error}") from error
    if not isinstance(manifest, dict):
        raise Unobservable(f"package.json of {what} is not an object")
    return manifest


def dependencies(manifest: Mapping[str, Any]) -> dict[str, str]:
    wishes: dict[str, str] = {}
    for part in ("peerDependencies", "optionalDependencies", "dependencies"):
        wishes.update(_section(manifest, part))
    return dict(sorted(wishes.items()))


def _section(manifest: Mapping[str, Any], part: str) -> dict[str, str]:
    section = manifest.get(part)
    rows = section.items() if isinstance(section, dict) else ()
    return {name: wish for name, wish in rows if isinstance(wish, str) and _NAME.fullmatch(name)}
