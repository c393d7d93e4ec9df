"""The cheap look: every dist-tag and version of every package, against the lock and the last observation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from driftwatch.config.model import Upstream
from driftwatch.errors import Unobservable
from driftwatch.model import Address, Change, Fact, Gap, Json, Observed, TagRow
from driftwatch.store.lock import LockedUpstream
from driftwatch.store.observed import SeenUpstream, SeenVersion

if TYPE_CHECKING:
    from driftwatch.observe.sources.npm import Packument, Registry


@dataclass(frozen=True, slots=True)
class Polled:
    """What the registry said about the packages of one upstream. A package that could not be read is a gap only."""

    packuments: Mapping[str, Packument]
    now: Observed


def ask(upstreams: Iterable[Upstream], registry: Registry) -> Mapping[str, Packument | Unobservable]:
    """One request a package, all upstreams side by side."""
    return registry.packuments(name for upstream in upstreams for name in upstream.packages)


def poll(upstream: Upstream, told: Mapping[str, Packument | Unobservable]) -> Polled:
    """What the answers say about one upstream."""
    from driftwatch.observe.facts import tags

    packuments: dict[str, Packument] = {}
    parts: list[Observed] = []
    for name in upstream.packages:
        answer = told[name]
        if isinstance(answer, Unobservable):
            parts.append(unread(name, answer))
        else:
            packuments[name] = answer
            parts.append(tags.observe(name, answer))
    return Polled(packuments, Observed.join(parts))


def unread(name: str, error: Unobservable) -> Observed:
    return Observed(gaps=tuple(Gap(f"{kind}:{name}#**", error.message, error.remedy) for kind in ("tag", "version")))


def known(upstream: Upstream, locked: LockedUpstream | None, seen: SeenUpstream | None, now: Observed) -> Observed:
    """The facts ``now`` is held against: tags as accepted (as last seen when there is no lock), versions as last seen.

    A package never seen before has no baseline: what is true of it now is taken as known, so that a first look is not a
    hundred findings.
    """
    tags: Mapping[str, str] = locked.tags if locked and locked.tags else (seen.tags if seen else {})
    facts = [_tag(address, version) for address, version in tags.items()]
    versions = {name: dict(rows) for name, rows in seen.versions.items()} if seen else {}
    for name, package in (locked.packages if locked else {}).items():
        if package.version and (locked_row := versions.setdefault(name, {}).get(package.version)) is not None:
            package_row = replace(locked_row, integrity=package.integrity or locked_row.integrity)
        else:
            package_row = SeenVersion(package.integrity)
        versions[name][package.version] = package_row
    for name, rows in versions.items():
        facts += [Fact(Address.of("version", name, version), _version_value(row)) for version, row in rows.items()]
    listed = [fact for fact in facts if fact.address.subject in upstream.packages]
    told = {(fact.address.kind, fact.address.subject) for fact in listed}
    listed += [fact for fact in now.facts if (fact.address.kind, fact.address.subject) not in told]
    return Observed(tuple(_without_hidden(listed, now.gaps)))


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
        versions[name] = {
            version: SeenVersion(info.integrity, info.deprecated or "") for version, info in packument.versions.items()
        }
    if seen and any(gap.address.startswith("tag:") for gap in polled.now.gaps):
        looked_at = seen.looked_at
    return SeenUpstream(looked_at=looked_at, tags=tags, versions=versions)
