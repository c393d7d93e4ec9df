"""What one part of a watchlist says of another. Works on the plain data, so that it adds to the shape's problems. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from driftwatch.addresses import problem
from driftwatch.config.explain import Wrong
from driftwatch.config.reading import Path
from driftwatch.errors import did_you_mean

_PACKAGE_KINDS = ("tag", "version", "manifest", "ts", "pin")


def crosscheck(data: Any) -> Iterator[Wrong]:
    """Every contradiction between parts. Parts of a wrong shape are passed over: the shape's own problems name them."""
    ids: dict[str, int] = {}
    for path, upstream in _mappings(data, ("upstreams",)):
        name = upstream.get("id")
        if isinstance(name, str):
            if name in ids:
                yield Wrong(
                    (*path, "id"), f"upstream id {name!r} is there twice: also upstreams[{ids[name]}]", "give each its own"
                )
            ids.setdefault(name, int(path[-1]))
        yield from _upstream(path, upstream)
    for path, waiver in _mappings(data, ("waivers",)):
        wanted = waiver.get("upstream")
        if isinstance(wanted, str) and wanted not in ids:
            remedy = did_you_mean(wanted, ids) or f"there is {', '.join(sorted(ids)) or 'none'}"
            yield Wrong((*path, "upstream"), f"there is no upstream {wanted!r}", remedy)


def _upstream(path: Path, upstream: Mapping[str, Any]) -> Iterator[Wrong]:
    yield from _watched(path, upstream)
    yield from _twice(path, upstream, "packages", "")
    yield from _twice(path, upstream, "probes", "")
    yield from _twice(path, upstream, "watch", "path")
    yield from _twice(path, upstream, "relies_on", "address")
    yield from _twice(path, upstream, "deprecations", "address")
    if upstream.get("probes") and not upstream.get("host"):
        yield Wrong(
            (*path, "probes"), "probes are run on a host, but this upstream has none", "add `host: {driver: opencode}`", key=True
        )
    probes = [name for _, name in _strings(path, upstream, "probes", "")]
    for here, name in _strings(path, upstream, "expected", "probe"):
        if name not in probes:
            yield Wrong(here, f"{name!r} is not one of this upstream's probes", did_you_mean(name, probes) or "add it to probes")
    host = upstream.get("host")
    if isinstance(host, dict):
        yield from _own_host((*path, "host"), host)
        for side in ("accepted", "new"):
            if isinstance(host.get(side), dict):
                yield from _own_host((*path, "host", side), host[side], named=True)
    yield from _foreign(path, upstream)


def _watched(path: Path, upstream: Mapping[str, Any]) -> Iterator[Wrong]:
    """Published versions of packages, or the commits of a branch: one of them."""
    git = upstream.get("git")
    branch = git.get("branch") if isinstance(git, dict) else None
    if branch and upstream.get("packages"):
        message = "an upstream is published packages or a branch, not both"
        yield Wrong((*path, "git", "branch"), message, "write the branch as an upstream of its own", key=True)
    if not branch and "packages" not in upstream:
        yield Wrong(path, "packages is missing: nothing says what is watched", "name npm packages, or `branch` under `git`")
    accepted = upstream.get("accepted")
    if isinstance(accepted, str) and bool(branch) == (len(accepted) != 40):
        message = "the accepted state of a branch is a commit" if branch else "a commit is accepted only of a branch"
        yield Wrong((*path, "accepted"), message, "give the full 40 characters" if branch else "write a version", key=True)


def _own_host(path: Path, host: Mapping[str, Any], *, named: bool = False) -> Iterator[Wrong]:
    if host.get("executable") and host.get("command"):
        yield Wrong((*path, "command"), "a host has an executable or a command, not both", "remove one", key=True)
    if host.get("directory") and not host.get("command"):
        yield Wrong((*path, "directory"), "directory is where the host's command runs, but there is no command", "", key=True)
    if named and not host.get("executable") and not host.get("command"):
        yield Wrong(path, "no host is named here", "give `executable` or `command`, or leave it out", key=True)


def _twice(path: Path, upstream: Mapping[str, Any], list_key: str, entry_key: str) -> Iterator[Wrong]:
    seen: dict[str, Path] = {}
    for here, entry in _strings(path, upstream, list_key, entry_key):
        if entry in seen:
            yield Wrong(here, f"{entry!r} is there twice: also {list_key}[{seen[entry][len(path) + 1]}]", "keep one of them")
        seen.setdefault(entry, here)


def _foreign(path: Path, upstream: Mapping[str, Any]) -> Iterator[Wrong]:
    """Relied-on addresses of a package that is not polled here would never be observed."""
    packages = [name for _, name in _strings(path, upstream, "packages", "")]
    for here, address in _strings(path, upstream, "relies_on", "address"):
        kind, _, rest = address.partition(":")
        subject = rest.partition("#")[0]
        if problem(address) or kind not in _PACKAGE_KINDS or "*" in subject:
            continue
        name = "/".join(subject.split("/")[: 2 if subject.startswith("@") else 1])
        if packages and name not in packages:
            yield Wrong(
                here, f"{name!r} is not one of this upstream's packages", did_you_mean(name, packages) or "add it to packages"
            )


def _strings(path: Path, upstream: Mapping[str, Any], list_key: str, entry_key: str) -> Iterator[tuple[Path, str]]:
    """The text entries of a list, and those that mappings in it hold under ``entry_key``, each with its path."""
    entries = upstream.get(list_key)
    for index, entry in enumerate(entries if isinstance(entries, list) else ()):
        if isinstance(entry, str):
            yield (*path, list_key, index), entry
        elif isinstance(entry, dict) and isinstance(entry.get(entry_key), str):
            yield (*path, list_key, index, entry_key), entry[entry_key]


def _mappings(data: Any, path: Path) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    entries = data.get(path[0]) if isinstance(data, dict) else None
    for index, entry in enumerate(entries if isinstance(entries, list) else ()):
        if isinstance(entry, dict):
            yield (*path, index), entry
