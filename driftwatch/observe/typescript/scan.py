"""What the declarations of one published package name: the packages they import, and whether they speak of Node's own.

Reading is over the unpacked text with a few regular expressions: too much is found rather than too little (a name in a
comment), and too much costs a download, no fact.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from driftwatch.errors import Unobservable
from driftwatch.observe.sources import archive
from driftwatch.observe.sources.cache import Cache
from driftwatch.observe.typescript.tools import Pin, Tarballs
from driftwatch.progress import SILENT, Progress

FORMAT = 5
MAX_FILE = 8 * 1024 * 1024

_DECLARES = re.compile(r"\.(d\.[cm]?ts|[cm]?tsx?)$")
_DECLARATION = re.compile(r"\.d\.[cm]?ts$")
CONDITIONS = frozenset({"types", "import", "node", "module", "default", "require", "bun", "browser"})  # as the engine takes them
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
    """Packages unpacked by content, declarations only, and what they name. ``unread`` is called with the name of one that was
    never read, and the folder where it will stand."""

    def __init__(
        self, registry: Tarballs, cache: Path, progress: Progress = SILENT, unread: Callable[[str, Path], None] = lambda *_: None
    ) -> None:
        self._unread = unread
        self._registry, self._folder, self._progress = registry, cache / "typescript" / "files", progress
        self._documents = Cache(cache)
        self._known: dict[str, Scanned] = {}
        self._locks: dict[str, threading.Lock] = {}  # of one package: several trees may need it at once
        self._busy = threading.Lock()  # unpacking waits for the processor alone: several at once get in each other's way

    def scanned(self, name: str, version: str, integrity: str) -> Scanned:
        """Raises Unobservable when the package cannot be had or its package.json cannot be read."""
        key = f"{FORMAT}|{name}@{version}|{integrity}"
        with self._locks.setdefault(key, threading.Lock()):
            if key not in self._known:
                kept = self._documents.read("imports", key)
                row = kept if isinstance(kept, dict) else self._scan(name, version, integrity)
                if row is not kept:
                    self._documents.write("imports", key, row)
                self._known[key] = _scanned(row)
            return self._known[key]

    def folder(self, name: str, version: str, integrity: str) -> Path:
        """The unpacked declarations of a package, by its content."""
        target = self._target(name, version, integrity)
        if not target.is_dir():
            archive.lay_out(contents(self._registry.tarball(name, version, integrity))[0], target)
        return target

    def _target(self, name: str, version: str, integrity: str) -> Path:
        return self._folder / Pin(name, version, integrity).folder

    def _scan(self, name: str, version: str, integrity: str) -> dict[str, Any]:
        target = self._target(name, version, integrity)
        tarball = self._registry.tarball(name, version, integrity)
        self._unread(name, target)
        with self._busy:
            files, aside = contents(tarball)
            manifest = read_manifest(archive.lay_out(files, target), f"{name} {version}")
            found, node = _named(files)
            if aside and not node:  # sources that use Node's own types are of a package that is used with them
                _, node = _named(archive.members(tarball, wanted=aside.__contains__))
        return {
            "name": name,
            "version": version,
            "integrity": integrity,
            "dependencies": dependencies(manifest),
            "imports": [one for one in sorted(found - {name}) if _NAME.fullmatch(one)],
            "node": node and name != "@types/node",
            "peers": sorted(_section(manifest, "peerDependencies")),
        }


def contents(tarball: Path) -> tuple[dict[str, bytes], set[str]]:
    """The files of a package that have a part in its types, by path: its manifest, its declarations, and its sources; and
    which sources are left out, because no import finds them. Raises ArchiveError."""
    sources: list[str] = []

    def declaration(path: str) -> bool:
        if path == "package.json" or not declares(path):
            return path == "package.json"
        if not _DECLARATION.search(path):
            sources.append(path)
        return bool(_DECLARATION.search(path))

    files = archive.members(tarball, wanted=declaration)
    folders = _aside(files, sources)
    aside = {path for path in sources if path.partition("/")[0] in folders}
    read = set(sources) - aside
    return (files | archive.members(tarball, wanted=read.__contains__) if read else files), aside


def _aside(files: Mapping[str, bytes], sources: Sequence[str]) -> set[str]:
    """Folders of sources beside what was built from them: no declaration stands in them or speaks of them, and no entry leads
    there. They are often most of a package, and no import finds its way into them."""
    folders = {path.partition("/")[0] for path in sources if "/" in path} - {path.partition("/")[0] for path in files}
    try:
        manifest = json.loads(files["package.json"].decode("utf-8-sig")) if folders else {}
    except (KeyError, ValueError, RecursionError):
        return set()
    if not isinstance(manifest, dict) or not isinstance(manifest.get("exports"), (dict, str, list)):
        return set()  # without ``exports`` every file of it may be imported
    leads = {text.removeprefix("./").partition("/")[0] for text in _targets(manifest)}
    if any(not first or "*" in first for first in leads):
        return set()  # anywhere
    texts = {path: text for path, text in files.items() if path != "package.json"}
    return {folder for folder in folders - leads if not any(_speaks_of(folder, path, text) for path, text in texts.items())}


def _speaks_of(folder: str, path: str, text: bytes) -> bool:
    """Whether a file may name one of another top folder. From within a folder no path leads there but over the top."""
    name = b"../" * ("/" in path) + folder.encode()
    return name in text and any(name + end in text for end in (b"/", b'"', b"'"))


def _targets(manifest: Mapping[str, Any]) -> Iterator[str]:
    """Where the entries of a package lead, but for those under a condition that only who works on the package sets."""
    for part in ("exports", "imports"):
        yield from _strings(manifest.get(part), lambda key: key.startswith((".", "#", "types@")) or key in CONDITIONS)
    for part in ("main", "module", "types", "typings", "typesVersions", "browser"):
        yield from _strings(manifest.get(part), lambda _: True)


def _strings(value: Any, below: Callable[[str], bool]) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from _strings(one, below)
    elif isinstance(value, dict):
        for key, one in value.items():
            if below(key):
                yield from _strings(one, below)


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


def _named(files: Mapping[str, bytes]) -> tuple[set[str], bool]:
    """The packages that files import, and whether they speak of Node's own modules or globals."""
    found: set[str] = set()
    node = False
    for path, text in files.items():
        if _DECLARES.search(path) and len(text) <= MAX_FILE:
            found.update(_names(text))
            node = node or _speaks_of_node(text)
    return found - BUILTIN - {"node"}, node or bool(found & BUILTIN) or "node" in found


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
