"""Changes of package.json: what can be imported, on what it may run, what it wants beside it, what it runs on install."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from driftwatch.judge.compare import Facts, exports, ranges
from driftwatch.model import Address, Change, Fact, Json


@dataclass(frozen=True)
class _Sides:
    """All manifest facts of both snapshots; a comparison of one address may need its neighbours."""

    old: Facts
    new: Facts

    def before(self, package: str, member: str) -> Json:
        return _value(self.old, package, member)

    def after(self, package: str, member: str) -> Json:
        return _value(self.new, package, member)


_One = Callable[[Address, "Fact | None", "Fact | None", _Sides], Iterator[Change]]


def compare(old: Facts, new: Facts) -> Iterator[Change]:
    sides = _Sides(old, new)
    for address in sorted({*old, *new}):
        before, after = old.get(address), new.get(address)
        if before and after and before.value == after.value:
            continue
        if section := _SECTIONS.get(_section(address.member)):
            yield from section(address, before, after, sides)


def _section(member: str) -> str:
    if member == "exports":
        return "exports as a whole"
    return member.partition(".")[0].partition("[")[0]


def _value(facts: Facts, package: str, member: str) -> Json:
    fact = facts.get(Address.of("manifest", package, member))
    return fact.value if fact else None


def _simple(prefix: str, args: Callable[[Address], dict[str, Json]] = lambda _: {}) -> _One:
    """added, removed or changed, with a prefix."""

    def one(address: Address, before: Fact | None, after: Fact | None, _: _Sides) -> Iterator[Change]:
        word = "added" if before is None else "removed" if after is None else "changed"
        if word != "changed" or not _same_path(before, after):
            yield _change(address, f"{prefix}-{word}", before, after, args(address))

    return one


def _always(kind: str) -> _One:
    def one(address: Address, before: Fact | None, after: Fact | None, _: _Sides) -> Iterator[Change]:
        if not _same_path(before, after):
            yield _change(address, kind, before, after, {})

    return one


def _same_path(before: Fact | None, after: Fact | None) -> bool:
    """``./x.js`` is ``x.js``."""
    was, now = (str(fact.value).removeprefix("./") if fact else None for fact in (before, after))
    return was == now


def _change(address: Address, kind: str, before: Fact | None, after: Fact | None, args: dict[str, Json]) -> Change:
    where = (after or before or Fact(address, None)).where
    return Change(address, kind, before.value if before else None, after.value if after else None, where, args)


def _name(address: Address) -> dict[str, Json]:
    """What a section's entry is called: the part after the section."""
    return {"name": address.member.partition(".")[2]}


def _ranged(prefix: str, plain: bool = False) -> _One:
    """A version range. ``plain``: how it changed is left to the reader (an exact pin moves at every release)."""

    def one(address: Address, before: Fact | None, after: Fact | None, sides: _Sides) -> Iterator[Change]:
        word = "added" if before is None else "removed"
        if before is not None and after is not None:
            word = ranges.difference(str(before.value), str(after.value))
            if word == "same":
                return
            word = "changed" if plain else word
        args: dict[str, Json] = {"floor_before": _floor(before), "floor_after": _floor(after), **_name(address)}
        yield _change(address, f"{prefix}-{word}", before, after, args)

    return one


def _peer(address: Address, before: Fact | None, after: Fact | None, sides: _Sides) -> Iterator[Change]:
    """A peer that may be left out comes and goes under a name of its own."""
    side = sides.before if after is None else sides.after
    member = f"peerDependenciesMeta.{_name(address)['name']}.optional"
    for change in _ranged("peer")(address, before, after, sides):
        optional = change.kind in ("peer-added", "peer-removed") and side(address.subject, member) is True
        yield replace(change, kind=f"optional-{change.kind}") if optional else change


def _floor(fact: Fact | None) -> str:
    spec = ranges.parse(fact.value) if fact and isinstance(fact.value, str) else None
    return spec.floor if spec else ""


def _optional_peer(address: Address, before: Fact | None, after: Fact | None, sides: _Sides) -> Iterator[Change]:
    """Only where the peer itself is on both sides: else its own coming or going says it."""
    peer = address.member.removeprefix("peerDependenciesMeta.").removesuffix(".optional")
    member = f"peerDependencies.{peer}"
    was, now = bool(before and before.value), bool(after and after.value)
    both = sides.before(address.subject, member) is not None and sides.after(address.subject, member) is not None
    if was != now and both:
        yield Change(address, "peer-made-optional" if now else "peer-made-required", was, now, args={"name": peer})


def _export(address: Address, before: Fact | None, after: Fact | None, sides: _Sides) -> Iterator[Change]:
    package, subpath = address.subject, address.member.partition('"')[2].rpartition('"')[0]
    args: dict[str, Json] = {"subpath": subpath}
    if before is None or after is None:
        other, word = (sides.old, "added") if before is None else (sides.new, "removed")
        pattern = _served_by_pattern(other, package, subpath)
        if pattern:
            word, args = "served-by-pattern", {**args, "pattern": pattern}
        yield _change(address, f"export-{word}", before, after, args)
        return
    for change in exports.compare(address, _side(sides.old, address), _side(sides.new, address)):
        yield replace(change, where=after.where, args={**args, **change.args})


def _served_by_pattern(facts: Facts, package: str, subpath: str) -> str:
    """The pattern export of the other side that would still serve this subpath, or ""."""
    start = Address.of("manifest", package, 'exports["')
    for address in sorted(facts):
        if address.startswith(start) and "*" in address:
            pattern = address[len(start) : -2]
            if pattern != subpath and "*" not in subpath and _fits(pattern, subpath):
                return pattern
    return ""


def _fits(pattern: str, subpath: str) -> bool:
    return fnmatch.fnmatchcase(subpath, pattern.replace("[", "[[]"))


def _exports_as_a_whole(address: Address, before: Fact | None, after: Fact | None, _: _Sides) -> Iterator[Change]:
    if before is not None and after is not None:
        yield _change(address, "exports-closed" if after.value == "closed" else "exports-opened", before, after, {})


def _module_kind(address: Address, before: Fact | None, after: Fact | None, sides: _Sides) -> Iterator[Change]:
    """One change for the whole package; ``reaches`` are the entries that are loaded another way by it."""
    if before is not None and after is not None:
        reached = sorted(_reached(address.subject, sides))
        yield _change(address, "module-kind-changed", before, after, {"reaches": list[Json](reached)})


def _reached(package: str, sides: _Sides) -> Iterator[str]:
    start = Address.of("manifest", package, "exports[")
    for address in sides.old.keys() & sides.new.keys():
        if address.startswith(start) and exports.reformatted(_side(sides.old, address), _side(sides.new, address)):
            yield str(address)


def _side(facts: Facts, address: Address) -> exports.Side:
    package = address.subject
    return exports.Side.of(facts[address], _value(facts, package, "type"), _value(facts, package, "exports"))


def _types(address: Address, before: Fact | None, after: Fact | None, sides: _Sides) -> Iterator[Change]:
    """The top-level ``types`` counts where the entry ``.`` names none, and where an entry lost its own that says it."""
    if before is not None and after is not None:
        if not _same_path(before, after):
            yield _change(address, "types-changed", before, after, {})
        return
    was, now = (exports.serves_types(side(address.subject, 'exports["."]')) for side in (sides.before, sides.after))
    both_closed = sides.before(address.subject, "exports") == sides.after(address.subject, "exports") == "closed"
    if after is None and not now and not (both_closed and was):
        yield _change(address, "types-removed", before, after, {})
    elif before is None and not was and not (both_closed and now):
        yield _change(address, "types-added", before, after, {})


def _platform(address: Address, before: Fact | None, after: Fact | None, _: _Sides) -> Iterator[Change]:
    """``os``, ``cpu``, ``libc``: names allowed, or with ``!`` forbidden; none means all."""
    was, now = _allowed(before), _allowed(after)
    inside, outside = _within(now, was), _within(was, now)
    if not (inside and outside):
        yield _change(
            address, "platform-narrowed" if inside else "platform-widened" if outside else "platform-changed", before, after, {}
        )


def _allowed(fact: Fact | None) -> tuple[frozenset[str] | None, frozenset[str]]:
    """(allowed names, None for all; forbidden names)."""
    names = [str(name) for name in fact.value] if fact and isinstance(fact.value, list) else []
    allowed = frozenset(name for name in names if not name.startswith("!")) - {"any"}
    forbidden = frozenset(name[1:] for name in names if name.startswith("!"))
    return (allowed - forbidden if allowed else None), forbidden


def _within(one: tuple[frozenset[str] | None, frozenset[str]], other: tuple[frozenset[str] | None, frozenset[str]]) -> bool:
    if one[0] is not None:
        return (other[0] is None or one[0] <= other[0]) and not one[0] & other[1]
    return other[0] is None and other[1] <= one[1]


def _missing(address: Address, before: Fact | None, after: Fact | None, _: _Sides) -> Iterator[Change]:
    target: dict[str, Json] = {"target": address.member.partition('"')[2].rpartition('"')[0]}
    yield _change(address, "target-missing" if after else "target-restored", before, after, target)


_SECTIONS: dict[str, _One] = {
    "engines": _ranged("engines"),
    "peerDependencies": _peer,
    "peerDependenciesMeta": _optional_peer,
    "dependencies": _ranged("dependency", plain=True),
    "optionalDependencies": _ranged("optional-dependency", plain=True),
    "exports as a whole": _exports_as_a_whole,
    "exports": _export,
    "main": _always("main-changed"),
    "types": _types,
    "type": _module_kind,
    "bin": _simple("bin", _name),
    "os": _platform,
    "cpu": _platform,
    "libc": _platform,
    "scripts": _simple("install-script", _name),
    "missing": _missing,
}
