"""Watched files where only the published package is at hand: which member stands for which path of the repository.

A member stands for a path when the package says where it lives (``repository.directory``), or, said nowhere, when its name
is a folder of the path (``packages/plugin/src/x.ts`` for ``@scope/plugin``), or when it has the very same path. A source
file that is shipped built is compared by all that was built from it (``dist/x.d.ts`` and ``dist/x.js``). The rest is a gap.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from driftwatch.model import Json
from driftwatch.observe.facts.files.seen import Seen, blob_id
from driftwatch.observe.sources.paths import matcher

_BUILT = {
    ".ts": (".d.ts", ".js"),
    ".tsx": (".d.ts", ".js", ".jsx"),
    ".mts": (".d.mts", ".mjs"),
    ".cts": (".d.cts", ".cjs"),
}
_EVERYONES = frozenset({"readme", "license", "licence", "changelog", "package"})
_SOURCES, _OUTPUTS = ("src", "lib"), ("dist", "lib", "build", "out")


@dataclass(frozen=True)
class Package:
    """A published package: ``members`` are its files by path, without npm's ``package/`` in front.

    ``directory`` is its folder in the repository, when the caller knows better than package.json.
    """

    name: str
    version: str
    members: Mapping[str, bytes]
    directory: str = ""

    @cached_property
    def home(self) -> str | None:
        """Its folder in the repository ("" for the top), or None when nobody says so."""
        if self.directory:
            return self.directory.strip("/")
        try:
            repository = json.loads(self.members.get("package.json", b"{}")).get("repository")
        except (ValueError, AttributeError, RecursionError):
            return None
        directory = repository.get("directory") if isinstance(repository, dict) else None
        return directory.removeprefix("./").strip("/") if isinstance(directory, str) else None


def carried(packages: Sequence[Package], pattern: str) -> list[Seen]:
    """What the packages carry of one watched path or pattern, at repository paths."""
    if "*" in pattern:
        return sorted(_below(packages, pattern), key=lambda seen: seen.path)
    exact = pattern.rstrip("/")
    found = next((seen for package in packages for seen in _exact(package, exact)), None)
    return [found] if found else sorted(_below(packages, pattern), key=lambda seen: seen.path)


def complete(pattern: str, found: Sequence[Seen]) -> bool:
    """Whether what was found is all that the pattern can mean: only a single file is."""
    return [seen.path for seen in found] == [pattern]


def _exact(package: Package, path: str) -> Iterator[Seen]:
    inside = _inside(path, _home(package, path))
    if inside is None:
        return
    if inside in package.members:
        yield _seen(package, path, [inside])
    elif members := _built(package.members, inside):
        yield _seen(package, path, members, built=True)


def _below(packages: Sequence[Package], pattern: str) -> Iterator[Seen]:
    """Every path a pattern means that some member stands for, found from the members."""
    chosen, told = matcher([pattern]), set()
    for package in packages:
        if (home := _home(package, pattern)) is None:
            continue
        for path in sorted({path for member in package.members for path in _stands_for(home, member)}):
            if path not in told and chosen(path):
                told.add(path)
                yield from _exact(Package(package.name, package.version, package.members, home) if home else package, path)


def _home(package: Package, path: str) -> str | None:
    """The folder this path is looked for under: as said, else the folder with the package's own name that comes before
    any source folder, else the top (but never for a name that every package has one of its own of)."""
    if package.home is not None:
        return package.home
    short = package.name.rpartition("/")[2]
    parts = path.split("/")[:-1]
    for index, part in enumerate(parts[:3]):
        if part in _SOURCES or "*" in part:
            break
        if part == short:
            return "/".join(parts[: index + 1])
    return None if not parts and path.partition(".")[0].lower() in _EVERYONES else ""


def _inside(path: str, home: str | None) -> str | None:
    if home is None:
        return None
    if not home:
        return path
    return path.removeprefix(f"{home}/") if path.startswith(f"{home}/") else None


def _built(members: Mapping[str, bytes], inside: str) -> list[str]:
    """The members built from a source file: all of the first output folder that has any."""
    top, _, rest = inside.partition("/")
    suffix = PurePosixPath(rest).suffix
    if top not in _SOURCES or suffix not in _BUILT or rest.endswith((".d.ts", ".d.mts", ".d.cts")):
        return []
    stem = rest.removesuffix(suffix)
    for output in _OUTPUTS:
        for between in ("", f"{top}/"):
            if found := [name for end in _BUILT[suffix] if (name := f"{output}/{between}{stem}{end}") in members]:
                return found
    return []


def _stands_for(home: str, member: str) -> Iterator[str]:
    """The repository paths a member may stand for: itself, or the source it was built from."""
    front = f"{home}/" if home else ""
    yield front + member
    top, _, rest = member.partition("/")
    if top in _OUTPUTS:
        for suffix, ends in _BUILT.items():
            if end := next((end for end in ends if rest.endswith(end)), None):
                stem = rest.removesuffix(end)
                if suffix != ".tsx":  # a source's suffix can't be told from what was built: .ts is by far the usual one
                    yield f"{front}src/{stem.removeprefix('src/')}{suffix}"


def _seen(package: Package, path: str, members: Sequence[str], *, built: bool = False) -> Seen:
    """What was built from a source is compared as one text, each member under its name."""
    where = f"tarball:{package.name}@{package.version}/{members[0]}"
    extra: dict[str, Json] = {}
    data = package.members[members[0]]
    if built:
        data = b"".join(b"// %s\n%s\n" % (name.encode("utf-8", "surrogateescape"), package.members[name]) for name in members)
        extra["as"] = " + ".join(members)
    elif members[0] == "package.json":  # publishing rewrites it
        extra["as"] = "package.json as published"
    return Seen(path, blob_id(data), len(data), data, where, extra=extra)
