"""Which versions of the watched packages the project pins at one revision of its own repository.

A lock file says it exactly. A range without one is resolved as npm would: the version ``latest`` points at when it fits,
else the highest published version that does.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from driftwatch.errors import UsageError
from driftwatch.pipeline.lockfiles import READERS, Unreadable, Want, conflict
from driftwatch.pipeline.own import Own
from driftwatch.versions import ordered
from driftwatch.versions import parse as parse_version

if TYPE_CHECKING:
    import git

    from driftwatch.observe.sources.npm import Packument

ANY = ("", "*", "x")
NOWHERE = PurePosixPath()
TABLES = ("dependencies", "optionalDependencies", "devDependencies", "peerDependencies")


@dataclass(frozen=True, slots=True)
class Pin:
    """One package. ``spec``: what package.json says ("" when it does not name it); ``version``: "" until it is known;
    ``source``: the file that says the version; ``place``: ``path:line`` of ours; ``reason``: why it can't be told."""

    package: str
    spec: str = ""
    version: str = ""
    source: str = ""
    place: str = ""
    reason: str = ""

    @property
    def named(self) -> bool:
        return bool(self.spec)


@dataclass(frozen=True, slots=True)
class Tree:
    """The manifest and the lock of one revision. ``lock`` is "" where there is none; texts are None for a missing file."""

    manifest: PurePosixPath
    text: str | None
    lock: str = ""
    lock_path: PurePosixPath = NOWHERE
    lock_text: str = ""

    def pin(self, package: str) -> Pin:
        """What is pinned of one package, as far as the files say."""
        name, spec, line = _entry(self.text or "", package, self.manifest)
        if not spec:
            return Pin(package)
        pin = Pin(package, spec, place=f"{self.manifest}:{line}")
        if spec.startswith(("file:", "link:", "workspace:", "git", "http", "github:", "portal:", "catalog:")):
            reason = f"{_bland(spec)} is not a version of the registry"
            return self._locked(pin, name) if self.lock else replace(pin, reason=reason)
        if self.lock:
            pin = self._locked(pin, name)
        if pin.version and not fits(pin.version, _bare(spec)):
            pin = replace(pin, version="", source="", reason="")  # the lock is behind: an install follows package.json
        if not pin.version and not pin.reason and parse_version(_bare(spec)):
            pin = replace(pin, version=_bare(spec), source=str(self.manifest))
        return pin

    def _locked(self, pin: Pin, name: str) -> Pin:
        folder = self.manifest.parent
        importer = folder.relative_to(self.lock_path.parent).as_posix()
        want = Want(name, pin.package, pin.spec, "" if importer == "." else importer)
        try:
            if line := conflict(self.lock_text):
                raise Unreadable(f"has the marks of a merge that was not settled, in line {line}")
            version = READERS[self.lock](self.lock_text, want)
        except Unreadable as error:
            return replace(pin, reason=f"{self.lock_path} {error}")
        if version and parse_version(version) is None:
            return replace(pin, reason=f"{self.lock_path} says {version[:80]!r}, which is not a version of the registry")
        return replace(pin, version=version, source=str(self.lock_path) if version else "")

    def line_in_lock(self, pin: Pin) -> str:
        """``path:line`` near which the lock says this version, else the pin's own place."""
        named = False
        for number, line in enumerate(self.lock_text.splitlines(), 1):
            named = named or pin.package in line
            if named and pin.version in line:
                return f"{self.lock_path}:{number}"
        return pin.place


def tree(own: Own, commit: git.Commit, manifest: str) -> Tree:
    """The manifest (from the watchlist's folder) and the nearest lock file at or above it. Raises UsageError."""
    path = own.prefix / manifest
    data = own.read(commit, path)
    text = data.decode("utf-8-sig", "replace") if data is not None else None
    for folder in [path.parent, *path.parent.parents]:
        for name in READERS:
            found = own.read(commit, folder / name)
            if found is not None:
                return Tree(path, text, name, folder / name, found.decode("utf-8", "replace"))
    return Tree(path, text)


def resolve(pin: Pin, packument: Packument | None) -> Pin:
    """The pin with its version, from the registry's published ones where no file says it; else with the reason."""
    if pin.version or pin.reason or not pin.named:
        return pin
    if packument is None:
        return replace(pin, reason=f"{pin.package} could not be read from the registry, so {_bland(pin.spec)} stays unresolved")
    spec = _bare(pin.spec)
    if spec in packument.dist_tags:
        return replace(pin, version=packument.dist_tags[spec], source=f"the dist-tag {spec}")
    if not is_range(spec):
        return replace(pin, reason=f"{pin.package} has no dist-tag {spec[:80]!r}")
    latest = packument.dist_tags.get("latest", "")
    fitting = [version for version in ordered(packument.versions) if fits(version, spec)]
    if not fitting:
        return replace(pin, reason=f"no published version of {pin.package} fits {_bland(pin.spec)}")
    version = latest if latest in fitting else fitting[-1]
    return replace(pin, version=version, source=f"{pin.place.rpartition(':')[0]} ({pin.spec}, resolved now)")


def fits(version: str, spec: str) -> bool:
    """Whether an npm range lets a version in. A spec that is no range (a tag, a protocol) refuses nothing."""
    import nodesemver

    return not is_range(spec) or spec in ANY or bool(nodesemver.satisfies(version, spec, False))


def is_range(spec: str) -> bool:
    import nodesemver

    try:
        return spec in ANY or nodesemver.valid_range(spec, False) is not None
    except (ValueError, AttributeError):  # what its own tokenizer trips over
        return False


def _bland(spec: str) -> str:
    """What a file says, for a message: short, and without the password an address may hold."""
    from driftwatch.observe.sources.git.location import redact  # only who says it pays for it

    return redact(spec)[:200]


def _bare(spec: str) -> str:
    """The range of an alias or of yarn's ``npm:`` protocol."""
    if not spec.startswith("npm:"):
        return spec
    rest = spec.removeprefix("npm:")
    name, at, version = rest.rpartition("@")
    return version if at and name else rest


def _entry(text: str, package: str, path: PurePosixPath) -> tuple[str, str, int]:
    """Under which name package.json lists a package, its spec, and the line. ("", "", 0) when it does not."""
    if not text:
        return "", "", 0
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is not whole JSON: {error}", "mend it; nothing can be told from it") from error
    for name, spec in _listed(data):
        if name == package or spec.startswith(f"npm:{package}@"):
            return name, spec, _line(text, name, spec)
    return "", "", 0


def _listed(data: Any) -> Iterator[tuple[str, str]]:
    for table in TABLES:
        entries = data.get(table) if isinstance(data, dict) else None
        for name, spec in entries.items() if isinstance(entries, Mapping) else ():
            if isinstance(spec, str) and spec:
                yield name, spec


def _line(text: str, name: str, spec: str) -> int:
    """The line that lists it; 1 when it is not on a line of its own."""
    key, value = json.dumps(name, ensure_ascii=False), json.dumps(spec, ensure_ascii=False)
    for number, line in enumerate(text.splitlines(), 1):
        _, found, after = line.partition(key)
        if found and after.lstrip().startswith(":") and value in after:
            return number
    return 1
