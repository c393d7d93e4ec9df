"""What a guard in the plugin itself can look for: what is relied on and visible from inside, at the accepted version."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from driftwatch.config.model import Upstream, Watchlist
from driftwatch.errors import UsageError
from driftwatch.model import Address, Fact, Observed
from driftwatch.observe.hosts.profile import Profile, guard, profiles
from driftwatch.pipeline import contract, polling, sides, usage
from driftwatch.pipeline.run import chosen, lock_path
from driftwatch.pipeline.settings import Settings
from driftwatch.pipeline.world import World
from driftwatch.render.guard import render
from driftwatch.store import lock as locks
from driftwatch.store.lock import LockedUpstream

_FLOOR = re.compile(r"^(?:>=|\^|~|=)?\s*v?(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)$")


@dataclass(frozen=True, slots=True)
class Guard:
    """``text`` is the module; ``counts`` how many of each it looks for; ``notes`` what could not be taken in, and why."""

    text: str
    counts: Mapping[str, int]
    notes: tuple[str, ...] = ()


def make(watchlist: Watchlist, settings: Settings, only: Sequence[str] = ()) -> Guard:
    """The guard of one upstream. Raises UsageError when none of the watchlist's has a host that a guard is known for, or
    nothing that is relied on can be seen from inside."""
    if watchlist.project.role != "implementer":
        raise UsageError(
            "a guard is carried by a plugin, and this project's role is consumer", "see `project.role` in the watchlist"
        )
    upstream, profile = _guarded(watchlist, only)
    lock = locks.read(lock_path(watchlist))
    locked = lock.upstreams.get(upstream.id) if lock else None
    with World.of(watchlist, settings) as world:
        polled = polling.poll(upstream, polling.ask([upstream], world.registry), locked)
        side = sides.before(upstream, polled, locked)
        used = usage.look(watchlist, upstream, side, polled, world)
        declared = contract.declarations(side, side, polled, world)[0]
    notes = [f"{gap.address}: {gap.reason}" for gap in (*used.gaps, *declared.gaps, *polled.now.gaps) if gap.asked]
    absent = absent_then(upstream, locked)
    notes += [f"{address} is relied on, and was not there at {side.version}" for address in absent]
    relied = relied_on(upstream, profile, used, declared.facts, absent)
    if not any(relied.values()):
        why = notes[0] if notes else "no member, operation or event of the host's is relied on"
        raise UsageError(f"there is nothing a guard could look for: {why}", "name it under relies_on, or name your source")
    head = {"name": watchlist.project.name, "accepted": side.version, "floor": _floor(watchlist, profile)}
    return Guard(render(guard(profile), {**head, **relied}), {key: len(value) for key, value in relied.items() if value},
                 tuple(dict.fromkeys(notes)))  # fmt: skip


def _guarded(watchlist: Watchlist, only: Sequence[str]) -> tuple[Upstream, Profile]:
    known = {profile.name: profile for profile in profiles() if profile.guard}
    found = [(each, known[each.host.driver]) for each in chosen(watchlist, only) if each.host and each.host.driver in known]
    if not found:
        raise UsageError("no upstream of the watchlist has a host that a guard is known for", f"known: {', '.join(known)}")
    if len(found) > 1:
        raise UsageError("several upstreams have a host, and a guard is for one", "add --upstream ID")
    return found[0]


def absent_then(upstream: Upstream, locked: LockedUpstream | None) -> tuple[str, ...]:
    """Operations and events that are relied on and were not seen when the version was accepted: to look for them would warn where
    nothing has changed. Nothing is said where the lock saw none of the kind at all."""
    facts = [Address(address) for address in locked.facts] if locked else []
    seen = {(each.kind, each.subject) for each in facts}
    kinds = {each.kind for each in facts}
    written = [Address(row.address) for row in upstream.relies_on if "*" not in row.address]
    return tuple(each for each in written if each.kind in (kinds & {"http", "event"}) and (each.kind, each.subject) not in seen)


def relied_on(
    upstream: Upstream, profile: Profile, used: Observed, declared: Iterable[Fact], absent: Sequence[str] = ()
) -> dict[str, list[str]]:
    """What to look for, by where: members of what the plugin is handed, operations, events. Only what is relied on by name: a
    pattern that means many things is none of them."""
    written = {Address(row.address) for row in upstream.relies_on if "*" not in row.address}
    sure = [fact for fact in used.facts if not (isinstance(fact.value, dict) and fact.value.get("unsure"))]
    addresses = {each for each in written | {Address(fact.address.member) for fact in sure} if each not in absent}
    facts = tuple(declared)
    found: dict[str, list[str]] = {}
    for name, handed in profile.inputs.items():
        members = {*_members(addresses, handed), *_methods(addresses, facts, handed, profile)}
        found[name] = sorted(members)
    found["operations"] = sorted({each.subject for each in addresses if each.kind == "http" and "*" not in each})
    found["events"] = sorted({each.subject for each in addresses if each.kind == "event" and "*" not in each})
    return found


def _members(addresses: Iterable[Address], handed: str) -> Iterator[str]:
    """The direct members of what is handed over: what lies below them may rightly be absent at times."""
    for address in addresses:
        rest = str(address).removeprefix(f"{handed}.")
        if rest != str(address):
            yield re.split(r"[.(\[]", rest)[0]


def _methods(addresses: Iterable[Address], declared: Sequence[Fact], handed: str, profile: Profile) -> Iterator[str]:
    """``client.session.prompt()``: methods of a client that are called, found by the class they are declared in."""
    called = {str(address) for address in addresses}
    for member, client in profile.clients.items():
        if not any(str(fact.address) == f"{handed}.{member}" for fact in declared):
            continue
        for fact in declared:
            path = str(fact.address).removeprefix(f"{client}.")
            if path == str(fact.address) or re.search(r"[(\[]", path):
                continue
            view = fact.value.get("view") if isinstance(fact.value, dict) else None
            if str(fact.address) in called or f"ts:{view}" in called:
                callable_ = any(str(other.address) == f"{fact.address}()" for other in declared) if "." in path else False
                yield f"{member}.{path}{'()' if callable_ else ''}"


def _floor(watchlist: Watchlist, profile: Profile) -> str:
    """The lowest version of the host that package.json asks for, when it is written as one."""
    try:
        data = json.loads((watchlist.root / watchlist.project.manifest).read_bytes())
        said = data["engines"][profile.engine]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return ""
    match = _FLOOR.match(said.strip()) if isinstance(said, str) else None
    return match[1] if match else ""
