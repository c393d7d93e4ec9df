"""What upstream declares: types, the API document with its events and config keys, and the call sites of hooks.

Looked at when somebody relies on it (or relies on everything): a watchlist that names only probes costs no compiler.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from driftwatch.errors import Unobservable
from driftwatch.judge.terms import Terms
from driftwatch.model import Address, Fact, Gap, Observed
from driftwatch.observe.facts.texts import HOST
from driftwatch.pipeline import hosts
from driftwatch.pipeline.polling import Polled
from driftwatch.pipeline.sides import Side
from driftwatch.pipeline.together import together
from driftwatch.pipeline.world import World

if TYPE_CHECKING:
    from driftwatch.config.model import OwnHost, Upstream
    from driftwatch.observe.hosts import Binary, Driver

API = ("http", "schema", "event", "config")


def wanted(terms: Terms, kinds: Iterable[str]) -> bool:
    """Whether anything of these kinds is relied on, or used by the project's source."""
    asked = {reliance.address.partition(":")[0] for reliance in terms.reliances}
    return terms.everything or "*" in asked or not (asked | terms.used).isdisjoint(kinds)


def look(
    upstream: Upstream, before: Side, after: Side, polled: Polled, terms: Terms, world: World, *, boot: bool
) -> tuple[Observed, Observed]:
    """Facts and gaps of both sides."""
    types = declarations(before, after, polled, world) if wanted(terms, ("ts", "call")) else (Observed(), Observed())
    host = upstream.host
    owns = (host.own("accepted"), host.own("new")) if host else (None, None)
    served = [Served(upstream, side, world, boot=boot, own=own) for side, own in zip((before, after), owns, strict=True)]
    parts: list[list[Observed]] = [[types[0]], [types[1]]]
    if wanted(terms, API):
        for part, told in zip(parts, together([one.api for one in served]), strict=True):
            part.append(told)
    if wanted(terms, ("call",)):
        hooks = countable(upstream, terms, types)
        for part, one in zip(parts, served, strict=True):
            part.append(one.calls(hooks))
    if sought := [text for address in terms.reliances if (text := _sought(address.address))]:
        for part, one in zip(parts, served, strict=True):
            part.append(one.texts(sought))
    return Observed.join(parts[0]), Observed.join(parts[1])


def _sought(address: str) -> str:
    """The text a ``text:@host#TEXT`` address looks for in the host's executable, "" for anything else."""
    return Address(address).member if address.startswith(f"text:{HOST}#") else ""


# --- types


def declarations(before: Side, after: Side, polled: Polled, world: World) -> tuple[Observed, Observed]:
    """``ts:`` facts of every package on both sides. Both versions of a package are read together, so that a dependency
    that moved between them is followed on both."""
    from driftwatch.observe.facts.declarations import Declarations, Wanted

    reader = Declarations(world.registry, world.settings.cache, world.settings.progress, offline=world.settings.offline)
    sides: tuple[list[Observed], list[Observed]] = ([], [])
    for name, packument in polled.packuments.items():
        versions = [side.packages[name].version for side in (before, after)]
        if not all(version in packument.versions for version in versions):
            continue  # said by the side's gaps
        pair = [Wanted(name, version, packument.versions[version].integrity) for version in versions]
        told = reader.observe(pair if versions[0] != versions[1] else pair[:1])
        sides[0].append(told[0])
        sides[1].append(told[-1])
    return merged(sides[0]), merged(sides[1])


def merged(parts: Sequence[Observed]) -> Observed:
    """One fact an address: types of a followed dependency are also seen through the package that re-exports them, but only
    the package itself knows which of them it exports."""
    facts: dict[str, Fact] = {}
    for part in parts:
        for fact in part.facts:
            if fact.address not in facts or (isinstance(fact.value, dict) and "api" in fact.value):
                facts[fact.address] = fact
    return Observed(tuple(facts.values()), tuple(dict.fromkeys(gap for part in parts for gap in part.gaps)))


# --- what the host itself says


class Served:
    """One side's host: its API document and its call sites. Everything that fails is a gap."""

    def __init__(self, upstream: Upstream, side: Side, world: World, *, boot: bool, own: OwnHost | None = None) -> None:
        self._upstream, self._side, self._world, self._boot, self._own = upstream, side, world, boot, own

    @cached_property
    def _binary(self) -> tuple[Driver, Binary]:
        from driftwatch.observe.hosts import driver as driver_named

        if self._upstream.host is None:
            raise Unobservable("no `host:` is named for this upstream", "add it to the watchlist")
        driver = driver_named(self._upstream.host.driver)
        if self._own is not None:
            return driver, hosts.owned(driver, self._own, self._world.root)
        return driver, hosts.acquire(driver, self._side.version, self._world)

    def document(self) -> dict[str, Any]:
        """What the booted host serves; where none can be booted, the document in the repository. Raises Unobservable."""
        from driftwatch.observe.facts import openapi

        try:
            if not self._boot:
                raise Unobservable("no host is booted in this run")
            return openapi.load(self._served(), "the host's OpenAPI document")
        except Unobservable as refusal:
            if not self._upstream.openapi or (self._own is not None and self._boot):
                raise  # the repository at this version says nothing of a host of the user's own
            try:
                return openapi.load(self._committed(self._upstream.openapi), self._upstream.openapi)
            except Unobservable as second:
                raise Unobservable(f"{refusal.message}; in the repository: {second.message}", refusal.remedy) from second

    def _served(self) -> bytes:
        from driftwatch.observe.hosts.document import served

        driver, binary = self._binary
        settings = self._world.settings
        return served(driver, binary, cache=settings.cache, scratch=settings.cache / "scratch", progress=settings.progress).data

    def _committed(self, path: str) -> bytes:
        if self._upstream.git is None:
            raise Unobservable("no git repository is named for this upstream", "add `git:` to it in the watchlist")
        mirror = self._world.mirror(self._upstream.git)
        commit = self._side.commit or mirror.commit(self._side.version, self._upstream.git.tags)
        blob = mirror.read(commit, [path]).get(path)
        if blob is None or blob.data is None:
            raise Unobservable(f"{path} is not in the repository at {commit[:12]}")
        return blob.data

    def api(self) -> Observed:
        from driftwatch.observe.facts import hostconfig, openapi

        try:
            document = self.document()
        except Unobservable as error:
            return Observed(gaps=tuple(Gap(f"{kind}:**", error.message, error.remedy) for kind in API))
        observers: Mapping[str, Callable[[dict[str, Any]], Observed]] = {"http": openapi.observe, "config": hostconfig.observe}
        return merged([_tried(kind, observe, document) for kind, observe in observers.items()])

    def _executable(self) -> Binary:
        """Raises Unobservable when the host is a launch command."""
        _, binary = self._binary
        if binary.command:
            raise Unobservable(
                "the host is started by a launch command, so there is no executable to count in", "name an `executable`"
            )
        return binary

    def texts(self, sought: Sequence[str]) -> Observed:
        from driftwatch.observe.facts import texts

        try:
            return texts.observe_executable(self._executable().path, sought)
        except Unobservable as error:
            return Observed(gaps=(Gap(f"text:{HOST}", error.message, error.remedy),))

    def calls(self, hooks: Sequence[str]) -> Observed:
        from driftwatch.observe.facts import calls

        try:
            binary = self._executable()
            return calls.observe_binary(binary.path, hooks, cache=self._world.settings.cache, integrity=binary.integrity)
        except Unobservable as error:
            return Observed(gaps=(Gap("call:**", error.message, error.remedy),))


def _tried(kind: str, observe: Callable[[dict[str, Any]], Observed], document: dict[str, Any]) -> Observed:
    try:
        return observe(document)
    except Unobservable as error:
        kinds = (kind,) if kind == "config" else ("http", "schema", "event")
        return Observed(gaps=tuple(Gap(f"{each}:**", error.message, error.remedy) for each in kinds))


def countable(upstream: Upstream, terms: Terms, types: tuple[Observed, Observed]) -> list[str]:
    """The hooks to count: those relied on by name, and every key of the declared hooks interface on either side."""
    from driftwatch.observe.hosts import driver as driver_named

    names = {
        reliance.address.removeprefix("call:")
        for reliance in terms.reliances
        if reliance.address.startswith("call:") and "*" not in reliance.address
    }
    if upstream.host:
        prefix = driver_named(upstream.host.driver).hooks
        declared = {_key(fact.address, prefix) for side in types for fact in side.facts}
        # A hook of a plain name may be read as a value instead of being called: it is only counted when it is asked for.
        names.update(key for key in declared if "." in key)
    return sorted(names)


def _key(address: str, interface: str) -> str:
    """The direct member of an interface an address names, "" for anything else."""
    rest = address.removeprefix(interface)
    if rest == address:
        return ""
    if rest.startswith('["') and rest.endswith('"]') and rest.count('"') == 2:
        return rest[2:-2]
    return rest[1:] if rest.startswith(".") and rest[1:].isidentifier() else ""
