"""What our own source gets wrong against the new version, changed or not: names the host no longer (or never) knew, parts
that are deprecated, hooks that nothing calls. The host says nothing about any of these: it ignores them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from driftwatch.addresses import matches
from driftwatch.judge.terms import Signal
from driftwatch.judge.usage import Use, Uses, key_path
from driftwatch.model import Address, Change, Confidence, Fact, Json, Snapshot

Facts = Mapping[str, Fact]


def misuses(uses: Uses, old: Snapshot, new: Snapshot, changes: Sequence[Change], signals: Sequence[Signal] = ()) -> list[Change]:
    """Changes of the ``use`` rules. What a change of the comparison already says at the same address is not said again."""
    if not uses:
        return []
    before, after = _facts(old), _facts(new)
    spoken = {change.address for change in changes}
    found = [
        *_hooks(uses, before, after),
        *(change for change in _exports(uses, before, after) if not _spoken(change, changes)),
        *_events(uses, before, after, spoken),
        *_config(uses, before, after, spoken),
        *(change for change in _deprecated(uses, before, after) if not _said_deprecated(change, changes)),
        *(change for change in _dead(uses, before, after) if change.address not in spoken),
        *_signals(uses, signals),
    ]
    return list({(change.address, change.kind): change for change in found}.values())


def claimed(changes: Iterable[Change], made: Sequence[Change]) -> list[Change]:
    """The changes without those that a misuse says better: a hook that went away is one finding, and it is about our key."""
    hooks = {change.address for change in made if change.kind == "unknown-hook"}
    return [change for change in changes if not (change.kind == "removed" and change.address in hooks)]


def _facts(snapshot: Snapshot) -> Facts:
    return {fact.address: fact for fact in snapshot.facts}


def _value(facts: Facts, address: str) -> Json:
    return facts[address].value if address in facts else None


def _spoken(change: Change, changes: Sequence[Change]) -> bool:
    """Whether the export, or the whole entry it stood in, is reported as gone."""
    gone = [each.address for each in changes if each.kind in ("export-removed", "entry-removed", "removed")]
    return any(matches(address, change.address) for address in gone)


def _said_deprecated(change: Change, changes: Sequence[Change]) -> bool:
    return any(each.address == change.address and each.kind.endswith("deprecated") for each in changes)


# --- names ----------------------------------------------------------------------------------------------------------


def _hooks(uses: Uses, before: Facts, after: Facts) -> Iterator[Change]:
    for use in uses.all:
        if "hook" in use.kinds and use.address not in after and use.parent in after:
            yield Change(Address(use.address), "unknown-hook", _known(before, use.address), args={"hook": use.name})


def _known(before: Facts, address: str) -> Json:
    """What to say about the accepted version: there, not there, or nothing when that was not observed."""
    return "known" if address in before else None


def _exports(uses: Uses, before: Facts, after: Facts) -> Iterator[Change]:
    packages = {_package(Address(address)) for address in after if address.startswith("ts:")}
    for use in uses.all:
        address = Address(use.address)
        if not use.kinds & {"import", "import-type"} or _package(address) not in packages or address in after:
            continue
        entry = f"ts:{address.subject}"
        missing = Address(entry) if entry not in after else address
        yield Change(missing, "missing-export", _known(before, missing))


def _package(address: Address) -> str:
    parts = address.subject.split("/")
    return "/".join(parts[:2] if address.subject.startswith("@") else parts[:1])


def _events(uses: Uses, before: Facts, after: Facts, spoken: set[Address]) -> Iterator[Change]:
    known, earlier = event_names(after.values()), event_names(before.values())
    for use in uses.all:
        name = use.address.removeprefix("event:")
        if not known or name == use.address or "*" in name or "#" in name or name in known or Address(use.address) in spoken:
            continue
        yield Change(
            Address(use.address),
            "unknown-event",
            "known" if name in earlier else None,
            args={"name": name},
            confidence=_confidence(use),
        )


def _confidence(use: Use) -> Confidence:
    return "likely" if use.unsure else "proven"


def event_names(facts: Iterable[Fact]) -> set[str]:
    """Every event a version knows: of its API's unions and manifest, and of the declared types that are called events."""
    found: set[str] = set()
    for fact in facts:
        if fact.address.kind == "event":
            found.add(fact.address.subject)
        elif fact.address.kind == "ts" and "Event" in fact.address.member and isinstance(fact.value, dict):
            found.update(_literal_types(fact.value.get("type")))
    return found


def _literal_types(node: Any) -> Iterator[str]:
    """The literal `type` of a declared object: ``{"obj": {"props": [{"n": "type", "t": {"lit": "session.idle"}}]}}``."""
    shape = node.get("obj") if isinstance(node, dict) else None
    for prop in shape.get("props", ()) if isinstance(shape, dict) else ():
        held = prop.get("t") if prop.get("n") == "type" else None
        if isinstance(held, dict) and isinstance(held.get("lit"), str):
            yield held["lit"]


def _config(uses: Uses, before: Facts, after: Facts, spoken: set[Address]) -> Iterator[Change]:
    keys, earlier = Keys(after), Keys(before)
    for use in uses.all:
        if use.address.startswith("config:") and keys and (unknown := keys.unknown(use.address)):
            address = Address(f"config:{unknown}")
            if address not in spoken:
                yield Change(address, "unknown-config-key", None if not earlier or earlier.unknown(use.address) else "known")


class Keys:
    """The tree of configuration keys of one version."""

    def __init__(self, facts: Facts) -> None:
        self._tree: dict[str, Any] = {}
        for address in facts:
            if address.startswith("config:"):
                node = self._tree
                for name in key_path(address):
                    node = node.setdefault(name, {})

    def __bool__(self) -> bool:
        return bool(self._tree)

    def unknown(self, address: str) -> str:
        """The shortest part of a used key that the version does not know, or "". Where nothing is listed, anything goes."""
        nodes, path = [self._tree], key_path(address)
        for depth, name in enumerate(path):
            if name == "*" or not any(nodes):
                return ""
            inside = [node[each] for node in nodes for each in (name, "*") if each in node]
            if not inside:
                return ".".join(path[: depth + 1])
            nodes = inside
        return ""


# --- states ---------------------------------------------------------------------------------------------------------


def _deprecated(uses: Uses, before: Facts, after: Facts) -> Iterator[Change]:
    for use in uses.all:
        note = _note(_value(after, use.address))
        if note is not None:
            earlier = _note(_value(before, use.address))
            yield Change(
                Address(use.address),
                "used-deprecated",
                "deprecated" if earlier is not None else None,
                note or "deprecated",
                after[use.address].where,
            )


def _note(value: Json) -> str | None:
    """What is said beside a deprecation ("" for nothing); None when it is not deprecated."""
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("dep"), str):
        return str(value["dep"])
    return "" if value.get("deprecated") is True else None


def _dead(uses: Uses, before: Facts, after: Facts) -> Iterator[Change]:
    for use in uses.all:
        address = Address(f"call:{use.name}")
        if "hook" in use.kinds and use.address in after and _value(after, address) == 0:
            yield Change(address, "used-dead", _value(before, address), 0, after[address].where, {"hook": use.name})


def _signals(uses: Uses, signals: Sequence[Signal]) -> Iterator[Change]:
    for signal in signals:
        reached = sorted({use.address for use in uses.all if matches(signal.address, use.address)})
        reached += sorted(
            {f"call:{use.name}" for use in uses.all if "hook" in use.kinds and signal.address == f"call:{use.name}"}
        )
        if reached:
            args: dict[str, Json] = {"signal": signal.address, "reaches": [*reached]}
            yield Change(Address.of("watchlist", "deprecations", signal.address), "signal-used", None, _said(signal), args=args)


def _said(signal: Signal) -> str:
    since = f"{signal.state} since {signal.since}" if signal.since else signal.state
    return "; ".join(filter(None, (since, signal.replacement and f"use {signal.replacement}", signal.note)))
