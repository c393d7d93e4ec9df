"""A place as the set of what it can be, and which of the old variants is which of the new ones."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from driftwatch.judge.compare.openapi.side import ITEMS, Side, members

TELLING = ("type", "kind", "role", "event", "name", "_tag", "tag", "status", "state")
_DEEP = 5


@dataclass(frozen=True, slots=True)
class Variant:
    label: str  # given when two unions are matched
    address: str  # where it is written, behind its references
    type: str


@dataclass(frozen=True, slots=True)
class Variants:
    found: tuple[Variant, ...]
    null: bool
    unread: bool  # it could not be looked at (a gap says why), or it is a list of events, which is compared elsewhere


@dataclass(frozen=True, slots=True)
class Matched:
    pairs: tuple[tuple[Variant, Variant], ...]
    gone: tuple[Variant, ...]
    come: tuple[Variant, ...]


def variants(side: Side, address: str) -> Variants:
    """What a place can be. Unions inside unions are opened, whether written in place or shared."""
    found: list[Variant] = []
    flags = {"null": False, "unread": False}
    _collect(side, address, found, flags, set())
    return Variants(tuple(found), flags["null"], flags["unread"])


def _collect(side: Side, address: str, found: list[Variant], flags: dict[str, bool], seen: set[str]) -> None:
    chain = side.chain(address)
    last = chain[-1]
    value = side.value(last)
    flags["null"] |= any(side.value(step).get("nullable") is True for step in chain) or value.get("type") == "null"
    if last in seen or "event" in value or value.get("type") == "null":
        return
    seen.add(last)
    kind = str(value.get("type", "reference"))
    if kind in ("unknown", "events", "expression"):
        flags["unread"] = True
    elif kind == "union":
        for _, child in members(side.children(last)):
            _collect(side, child, found, flags, seen)
    else:
        found.append(Variant("", last if kind != "reference" else str(value.get("ref", last)), kind))


def _labelled(side: Side, found: Sequence[Variant]) -> list[Variant]:
    """Each with a name of its own: the literal no other has, the shared schema it is, its type."""
    held = [_literals(side, variant.address) if variant.type == "object" else {} for variant in found]
    counts = Counter((name, value) for each in held for name, value in each.items())
    several = sum(variant.type == "object" for variant in found) > 1
    required = [_required(side, variant) if several else [] for variant in found]
    needs = Counter(name for each in required for name in each)
    seen: Counter[str] = Counter()
    result = []
    for variant, each, own in zip(found, held, required, strict=True):
        label = _label(variant, each, counts, next((name for name in own if needs[name] == 1), ""))
        seen[label] += 1
        label = label if seen[label] == 1 else f"{label}~{seen[label]}"
        result.append(Variant(label, variant.address, variant.type))
    return result


def _label(variant: Variant, held: dict[str, str], counts: Counter[tuple[str, str]], own: str) -> str:
    known = [name for name in (*TELLING, *sorted(held)) if name in held]
    alone = next((name for name in known if counts[name, held[name]] == 1), None)
    if alone is not None:
        return f"{alone}={held[alone]}"
    named = f"{known[0]}={held[known[0]]}" if known else f"with {own}" if own else variant.type
    return _shared(variant) or named


def _required(side: Side, variant: Variant) -> list[str]:
    if variant.type != "object":
        return []
    inside = members(side.children(variant.address))
    return sorted(segment.removeprefix(".") for segment, child in inside if side.value(child).get("required") is True)


def _shared(variant: Variant) -> str:
    """The name of the shared schema a variant is, "" when it is written in place."""
    whole = variant.type in ("object", "reference") and variant.address.startswith("schema:") and "#" not in variant.address
    return variant.address.removeprefix("schema:") if whole else ""


def _literals(side: Side, address: str) -> dict[str, str]:
    found = {}
    for segment, child in members(side.children(address)):
        value = side.value(side.chain(child)[-1])
        literal = value.get("enum")
        if isinstance(literal, list) and len(literal) == 1 and side.value(child).get("required") is True:
            found[segment.removeprefix(".")] = literal[0] if isinstance(literal[0], str) else json.dumps(literal[0])
    return found


def match(old: Side, new: Side, before: Variants, after: Variants) -> Matched:
    """By name, then as the same shared schema, then by being the same in all they hold, then the only object here as the
    only object there."""
    if len(before.found) == len(after.found) == 1 and before.found[0].type == after.found[0].type != "reference":
        return Matched(((before.found[0], after.found[0]),), (), ())
    left = {variant.label: variant for variant in _labelled(old, before.found)}
    right = {variant.label: variant for variant in _labelled(new, after.found)}
    pairs = [(left.pop(label), right.pop(label)) for label in list(left) if label in right]
    for label in list(left):
        twin = next((each for each in right.values() if _shared(each) and _shared(each) == _shared(left[label])), None)
        if twin is not None:
            pairs.append((left.pop(label), right.pop(twin.label)))
    if left and right:
        _same_content(old, new, left, right, pairs)
    if all(sum(variant.type == "object" for variant in each.found) == 1 for each in (before, after)):
        one, other = (next((each for each in found.values() if each.type == "object"), None) for found in (left, right))
        if one is not None and other is not None:
            pairs.append((left.pop(one.label), right.pop(other.label)))
    _said_twice(old, new, left, right, pairs)
    return Matched(tuple(pairs), tuple(left.values()), tuple(right.values()))


def _said_twice(
    old: Side, new: Side, left: dict[str, Variant], right: dict[str, Variant], pairs: list[tuple[Variant, Variant]]
) -> None:
    """A generator may give one schema two names and list both: the second is what the first is."""
    matched = tuple(pairs) if left or right else ()
    if right:
        known = {content(new, other.address): one for one, other in matched}
        again = {label: known.get(content(new, each.address)) for label, each in right.items()}
        pairs.extend((one, right.pop(label)) for label, one in again.items() if one is not None)
    if left:
        known = {content(old, one.address): other for one, other in matched}
        again = {label: known.get(content(old, each.address)) for label, each in left.items()}
        pairs.extend((left.pop(label), other) for label, other in again.items() if other is not None)


def _same_content(
    old: Side, new: Side, left: dict[str, Variant], right: dict[str, Variant], pairs: list[tuple[Variant, Variant]]
) -> None:
    known: dict[str, str] = {content(new, variant.address): label for label, variant in right.items()}
    for label in list(left):
        other = known.pop(content(old, left[label].address), None)
        if other is not None:
            pairs.append((left.pop(label), right.pop(other)))


def content(side: Side, address: str, depth: int = 0) -> str:
    """What a place holds, a few levels deep, without the names of shared schemas: equal for what only got a new name."""
    last = side.chain(address)[-1]
    value = {word: each for word, each in side.value(last).items() if word not in ("ref", "event", "at", "path", "media")}
    if depth >= _DEEP:
        return json.dumps(value.get("type"))
    inside = {segment: content(side, child, depth + 1) for segment, child in side.children(last).items()}
    return json.dumps([value, inside], sort_keys=True)


def text(side: Side, address: str, depth: int = 0) -> str:
    """A type in a few words: ``string | null``, ``Session[]``."""
    last = side.chain(address)[-1]
    value = side.value(last)
    kind = str(value.get("type", ""))
    null = " | null" if any(side.value(step).get("nullable") is True for step in side.chain(address)) else ""
    if not kind:
        return str(value.get("ref", "unknown")).removeprefix("schema:") + null
    if isinstance(value.get("enum"), list):
        return " | ".join(json.dumps(each, ensure_ascii=False) for each in value["enum"][:12]) + null
    if last.startswith("schema:") and "#" not in last:
        return last.removeprefix("schema:") + null
    children = side.children(last)
    if kind == "array" and depth < _DEEP:
        inner = text(side, children[ITEMS], depth + 1) if ITEMS in children else "any"
        return (f"({inner})[]" if " | " in inner else f"{inner}[]") + null
    if kind == "union" and depth < _DEEP:
        return " | ".join(dict.fromkeys(text(side, child, depth + 1) for _, child in members(children))) + null
    return kind + null
