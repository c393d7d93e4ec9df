"""The cheap look: every dist-tag and version of every package, against the lock and the last observation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING

from driftwatch.errors import Unobservable
from driftwatch.model import Address, Change, Fact, Gap, Json, Observed, TagRow
from driftwatch.store.lock import LockedUpstream
from driftwatch.store.observed import SeenUpstream, SeenVersion

if TYPE_CHECKING:
    from driftwatch.config.model import Upstream
    from driftwatch.observe.sources.npm import Packument, Registry


Rows = Mapping[str, SeenVersion]


@dataclass(frozen=True, slots=True)
class Polled:
    """What the registry said about the packages of one upstream. A package that could not be read is a gap only.

    ``told``: package -> the versions ``now`` has facts of: those that moved since the last look, the accepted one, and
    those a tag points at. A registry holds thousands that are as they were. ``same``: packages where none moved.
    """

    packuments: Mapping[str, Packument]
    now: Observed
    told: Mapping[str, frozenset[str]] = field(default_factory=dict)
    same: frozenset[str] = frozenset()


def ask(upstreams: Iterable[Upstream], registry: Registry) -> Mapping[str, Packument | Unobservable]:
    """One request a package, all upstreams side by side."""
    return registry.packuments(name for upstream in upstreams for name in upstream.packages)


def poll(
    upstream: Upstream,
    answers: Mapping[str, Packument | Unobservable],
    locked: LockedUpstream | None = None,
    seen: SeenUpstream | None = None,
) -> Polled:
    """What the answers say about one upstream."""
    from driftwatch.observe.facts import tags

    packuments: dict[str, Packument] = {}
    parts: list[Observed] = []
    told: dict[str, frozenset[str]] = {}
    same: set[str] = set()
    for name in upstream.packages:
        answer = answers[name]
        if isinstance(answer, Unobservable):
            parts.append(unread(name, answer))
            continue
        packuments[name] = answer
        rows = seen.versions.get(name) if seen else None
        moved = _moved(answer, rows)
        if rows is not None and not moved:
            same.add(name)
        told[name] = frozenset(moved | _worth(upstream, answer, locked))
        parts.append(tags.observe(name, _only(answer, told[name])))
    return Polled(packuments, Observed.join(parts), told, frozenset(same))


def _moved(packument: Packument, rows: Rows | None) -> set[str]:
    """The versions that came, went or changed since the last look; none when there was none."""
    if rows is None:
        return set()
    now = packument.versions
    moved = {version for version in rows if version not in now}
    for version, info in now.items():
        row = rows.get(version)
        if row is None or row.integrity != info.integrity or row.deprecated != (info.deprecated or ""):
            moved.add(version)
    return moved


def _worth(upstream: Upstream, packument: Packument, locked: LockedUpstream | None) -> set[str]:
    """The versions worth a fact although they did not move."""
    if any(reliance.address.startswith((f"version:{packument.name}", "version:*", "*")) for reliance in upstream.relies_on):
        return set(packument.versions)
    package = locked.packages.get(packument.name) if locked else None
    return {*packument.dist_tags.values(), *([package.version] if package else ())}


def _only(packument: Packument, versions: frozenset[str]) -> Packument:
    """The packument with these versions alone, but never with none: that would read as "nothing is known of any"."""
    kept = {version: info for version, info in packument.versions.items() if version in versions}
    return replace(packument, versions=kept or dict(islice(packument.versions.items(), 1)))


def unread(name: str, error: Unobservable) -> Observed:
    return Observed(gaps=tuple(Gap(f"{kind}:{name}#**", error.message, error.remedy) for kind in ("tag", "version")))


def known(upstream: Upstream, locked: LockedUpstream | None, seen: SeenUpstream | None, polled: Polled) -> Observed:
    """The facts of ``polled`` are held against: tags as accepted (as last seen when there is no lock), versions as last seen.

    A package never seen before has no baseline: what is true of it now is taken as known, so that a first look is not a
    hundred findings. What was accepted counts in any case.
    """
    tags: Mapping[str, str] = locked.tags if locked and locked.tags else (seen.tags if seen else {})
    facts = {fact.address: fact for fact in (_tag(address, version) for address, version in tags.items())}
    tagged = {address.subject for address in facts}
    facts.update(
        {fact.address: fact for fact in polled.now.facts if fact.address.kind == "tag" and fact.address.subject not in tagged}
    )
    for name in upstream.packages:
        rows = seen.versions.get(name) if seen else None
        told = polled.told.get(name, frozenset())
        if rows is None:
            facts.update({f.address: f for f in polled.now.facts if f.address.kind == "version" and f.address.subject == name})
        else:
            facts.update(_versions(name, {version: row for version, row in rows.items() if version in told}))
        package = locked.packages.get(name) if locked else None
        if package and package.version:
            row = (rows or {}).get(package.version, SeenVersion())
            facts.update(_versions(name, {package.version: row._replace(integrity=package.integrity or row.integrity)}))
    listed = [fact for fact in facts.values() if fact.address.subject in upstream.packages]
    return Observed(tuple(_without_hidden(listed, polled.now.gaps)))


def _versions(name: str, rows: Rows) -> dict[Address, Fact]:
    facts = (Fact(Address.of("version", name, version), _version_value(row)) for version, row in rows.items())
    return {fact.address: fact for fact in facts}


def _version_value(row: SeenVersion) -> dict[str, Json]:
    return {"integrity": row.integrity, "deprecated": row.deprecated or None}


def _tag(address: str, version: str) -> Fact:
    return Fact(Address(f"tag:{address}"), {"version": version, "published": True, "deprecated": None})


def _without_hidden(facts: Iterable[Fact], gaps: Iterable[Gap]) -> list[Fact]:
    """What a gap hides today cannot have been removed: it was not looked at."""
    from driftwatch.addresses import compile as compile_patterns

    hidden = compile_patterns(gap.address for gap in gaps)
    return [fact for fact in facts if not hidden(fact.address)]


def tag_rows(old: Observed, new: Observed, changes: Iterable[Change], seen: SeenUpstream | None) -> tuple[TagRow, ...]:
    """One row a dist-tag, same ones too, sorted by package and name."""
    before = {fact.address: fact for fact in old.facts if fact.address.kind == "tag"}
    after = {fact.address: fact for fact in new.facts if fact.address.kind == "tag"}
    kinds: dict[Address, list[str]] = {}
    for change in changes:
        if change.address.kind == "tag":
            kinds.setdefault(change.address, []).append(change.kind)
    rows = []
    for address in sorted({*before, *after}):
        key = f"{address.subject}#{address.member}"
        was, now = _version(before.get(address)), _version(after.get(address))
        last = seen.tags.get(key, "") if seen else ""
        rows.append(
            TagRow(
                package=address.subject,
                name=address.member,
                before=was,
                after=now,
                change=", ".join(kinds.get(address, ["same"])),
                seen=last if last not in (was, now) else "",
            )
        )
    return tuple(rows)


def _version(fact: Fact | None) -> str:
    value: Json = fact.value if fact else None
    return str(value.get("version", "")) if isinstance(value, dict) else ""


def remember(polled: Polled, seen: SeenUpstream | None, looked_at: str) -> SeenUpstream:
    """The state for the next look. What could not be read today stays as it was last seen, and a look that did not see
    everything is no good look: its time stays that of the last one."""
    tags = dict(seen.tags) if seen else {}
    versions = dict(seen.versions) if seen else {}
    for name, packument in polled.packuments.items():
        tags = {key: value for key, value in tags.items() if key.rpartition("#")[0] != name}
        tags.update({f"{name}#{tag}": version for tag, version in packument.dist_tags.items()})
        if name in polled.same:
            continue
        versions[name] = {
            version: SeenVersion(info.integrity, info.deprecated or "") for version, info in packument.versions.items()
        }
    if seen and any(gap.address.startswith("tag:") for gap in polled.now.gaps):
        looked_at = seen.looked_at
    return SeenUpstream(looked_at=looked_at, tags=tags, versions=versions)
