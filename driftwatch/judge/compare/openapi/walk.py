"""Two places side by side, and everything below them, through references on both sides.

A reference is not a difference: what is compared is what stands behind it. A pair of shared schemas is compared once a
side (request, response), however many operations reach it, and its edits are recorded where they are written.
"""

from __future__ import annotations

from typing import Any

from driftwatch.judge.compare.openapi import content as parts
from driftwatch.judge.compare.openapi.record import Direction, Entry, Pair, Record
from driftwatch.judge.compare.openapi.side import ITEMS, VALUES, Side, below, members, origin, subject_of
from driftwatch.judge.compare.openapi.variants import Variant, Variants, match, text, variants

_WIDER = frozenset({"enum-opened", "enum-value-added", "limit-loosened"})
_NARROWER = frozenset({"enum-closed", "enum-value-removed", "limit-tightened"})
_LEAVES = frozenset({"string", "integer", "number", "boolean"})
_HIDDEN = {"request": "readOnly", "response": "writeOnly"}


class Walk:
    """``same`` are the subjects that are equal on both sides, with all they point at: nothing to find in there."""

    def __init__(self, old: Side, new: Side, record: Record, same: frozenset[str]) -> None:
        self.old = old
        self.new = new
        self.record = record
        self._same = same
        self._seen: set[Pair] = set()
        self._todo: list[Pair] = []
        self._at: Pair = ("", "", "request")  # the pair that is being looked into
        self._from: dict[Pair, set[Pair]] = {}  # a pair -> those it is met in
        self._begun: set[Pair] = set()

    def run(self, before: str, after: str, side: Direction) -> None:
        """Compare two places (uses of a schema) and everything below."""
        self._at = (before, after, side)
        self._begun.add(self._at)
        self.place(before, after, side)
        while self._todo:
            self._at = self._todo.pop()
            self._inside(*self._at)

    def roots(self, entry: Entry) -> set[str]:
        """The places the walk was begun at (as they are called on either side) from which it came to this entry."""
        seen, queue = set(entry.pairs), list(entry.pairs)
        while queue:
            fresh = self._from.get(queue.pop(), set()) - seen
            seen |= fresh
            queue += fresh
        return {place for pair in seen & self._begun for place in pair[:2]}

    def place(self, before: str, after: str, side: Direction) -> None:
        if self._equal_leaves(before, after):
            return
        left, right = self.old.chain(before), self.new.chain(after)
        if left[-1] == right[-1] and subject_of(left[-1]) in self._same and len(left) == len(right) == 1:
            return
        self._flags(left, right, side)
        one, other = variants(self.old, before), variants(self.new, after)
        if one.unread or other.unread:
            return
        self._null(left, right, one, other, side)
        self._variants(left[-1], right[-1], one, other, side)

    def _equal_leaves(self, before: str, after: str) -> bool:
        """The commonest case, made quick."""
        value = self.old.value(before)
        if value.get("type") not in _LEAVES or value != self.new.value(after):
            return False
        return not self.old.children(before) and not self.new.children(after)

    # --- the place itself

    def _flags(self, left: list[str], right: list[str], side: Direction) -> None:
        one, other = _any(self.old, left, "deprecated"), _any(self.new, right, "deprecated")
        if one != other:
            at = self._flag_at(left, right, "deprecated")
            self._add(at, right[-1], "deprecated" if other else "undeprecated", side)
        missing: Any = object()
        first, second = _first(self.old, left, "default", missing), _first(self.new, right, "default", missing)
        if first != second or type(first) is not type(second):
            at = self._flag_at(left, right, "default")
            before, after = (None if each is missing else each for each in (first, second))
            self._add(at, right[-1], "default-changed", side, before, after, had=first is not missing, has=second is not missing)

    def _null(self, left: list[str], right: list[str], one: Variants, other: Variants, side: Direction) -> None:
        if one.null != other.null:
            at = self._flag_at(left, right, "nullable")
            before, after = text(self.old, left[0]), text(self.new, right[0])
            self._add(at, right[-1], "became-nullable" if other.null else "became-not-nullable", side, before, after)

    def _flag_at(self, left: list[str], right: list[str], flag: str) -> str:
        """The first step of the way at which both sides say it differently: that is where it was edited."""
        for one, other in zip(left, right, strict=False):
            if self.old.value(one).get(flag) != self.new.value(other).get(flag):
                return one
        return left[-1]

    # --- what it can be

    def _variants(self, before: str, after: str, one: Variants, other: Variants, side: Direction) -> None:
        old, new = self.old.value(before).get("discriminator"), self.new.value(after).get("discriminator")
        if old != new:
            self._add(before, after, "constraint-changed", side, old, new, "discriminator", limit="discriminator")
        found = match(self.old, self.new, one, other)
        for left, right in found.pairs:
            if not self._told(left, right, found.gone, found.come):
                self._pair(left.address, right.address, side)
        if not one.found and not other.found:
            return
        first, second = text(self.old, before), text(self.new, after)
        gone, come = found.gone, found.come
        if "any" in {variant.type for variant in (*gone, *come)}:
            narrower = any(variant.type == "any" for variant in gone)
            self._add(before, after, "type-narrowed" if narrower else "type-widened", side, first, second)
        elif self._only_numbers(gone, come):  # one type on the wire and in most languages: whether a fraction may come is a limit
            narrower = any(variant.type == "number" for variant in gone)
            what = "limit-tightened" if narrower else "limit-loosened"
            self._add(before, after, what, side, first, second, "integer", limit="type")
        elif gone and come and not found.pairs and not (_objects(one) and _objects(other)):
            self._add(before, after, "type-changed", side, first, second)
        else:
            self._some(before, after, gone, "variant-removed" if _objects(one) else "type-narrowed", side, (first, second))
            self._some(before, after, come, "variant-added" if _objects(one) else "type-widened", side, (first, second))

    def _told(self, left: Variant, right: Variant, gone: tuple[Variant, ...], come: tuple[Variant, ...]) -> bool:
        """Whether the union's own widening (narrowing) already tells how this plain variant of it changed."""
        if left.type in ("object", "array", "reference") or bool(gone) == bool(come):
            return False
        found = {each.what for each in parts.differences(self.old.value(left.address), self.new.value(right.address))}
        return bool(found) and found <= (_WIDER if come else _NARROWER)

    def _only_numbers(self, gone: tuple[Variant, ...], come: tuple[Variant, ...]) -> bool:
        return {variant.type for variant in gone} | {variant.type for variant in come} == {"integer", "number"} and bool(
            gone and come
        )

    def _some(
        self, before: str, after: str, found: tuple[Variant, ...], what: str, side: Direction, types: tuple[str, str]
    ) -> None:
        if found and what.startswith("type-"):
            self._add(before, after, what, side, *types)
            return
        for variant in found:
            self._add(before, after, what, side, *types, detail=variant.label, variant=variant.label)

    def _pair(self, before: str, after: str, side: Direction) -> None:
        key = (before, after, side)
        if before == after and subject_of(before) in self._same:
            return
        self._from.setdefault(key, set()).add(self._at)
        if key not in self._seen:
            self._seen.add(key)
            self._todo.append(key)

    # --- what it holds

    def _inside(self, before: str, after: str, side: Direction) -> None:
        one, other = self.old.value(before), self.new.value(after)
        if one != other:
            for found in parts.differences(one, other):
                self._add(before, after, found.what, side, found.before, found.after, detail=found.detail, **found.args)
        left, right = self.old.children(before), self.new.children(after)
        if not left and not right and one.get("closed") == other.get("closed"):
            return
        if one.get("type") == other.get("type") == "object":
            self._values(before, after, side)
        if ITEMS in left or ITEMS in right:
            self._open(before, after, ITEMS, left.get(ITEMS), right.get(ITEMS), side)
        self._members(before, after, side)

    def _members(self, before: str, after: str, side: Direction) -> None:
        hidden = _HIDDEN[side]
        left = self._shown(self.old, before, hidden)
        right = self._shown(self.new, after, hidden)
        for segment, address in left.items():
            if segment in right:
                self._both(address, right[segment], side)
            else:
                at = origin(self.old, address)
                needed = self.old.value(address).get("required") is True
                self._add(at, after, "property-removed", side, text(self.old, address), required=needed)
        for segment, address in right.items():
            if segment not in left:
                at = origin(self.new, address)
                at = below(before, segment) if at == address else at
                needed = self.new.value(address).get("required") is True
                what = "property-added-required" if needed else "property-added"
                self._add(at, address, what, side, None, text(self.new, address))

    def _shown(self, side: Side, address: str, hidden: str) -> dict[str, str]:
        """The members this direction carries: what is read-only is not sent, what is write-only is not answered."""
        return {
            segment: child
            for segment, child in members(side.children(address))
            if side.value(child).get(hidden) is not True and not _any(side, side.chain(child), hidden)
        }

    def _both(self, before: str, after: str, side: Direction) -> None:
        one, other = (self.old.value(before).get("required") is True), (self.new.value(after).get("required") is True)
        if one != other:
            at = origin(self.old, before)
            if (self.old.value(at).get("required") is True) == one and (self.new.value(at).get("required") is True) == one:
                at = before if before != at else after  # the shared schema says what it said: the one built on it does not
            self._add(at, after, "became-required" if other else "became-optional", side, *_words(one, other))
        self.place(before, after, side)

    def _values(self, before: str, after: str, side: Direction) -> None:
        """Further keys: refused, of a type, or anything."""
        left, right = self.old.children(before).get(VALUES), self.new.children(after).get(VALUES)
        shut = [value.get("closed") is True for value in (self.old.value(before), self.new.value(after))]
        if shut[0] != shut[1]:
            self._add(before, after, "object-closed" if shut[1] else "object-opened", side)
        elif not shut[0] and (left or right):
            self._open(before, after, VALUES, left, right, side)

    def _open(self, before: str, after: str, segment: str, left: str | None, right: str | None, side: Direction) -> None:
        """Items or values of a map: where no schema is written, they can be anything."""
        if left and right:
            self.place(left, right, side)
        elif left and text(self.old, left) != "any":
            self._add(left, after, "type-widened", side, text(self.old, left), "any")
        elif right and text(self.new, right) != "any":
            self._add(below(before, segment), right, "type-narrowed", side, "any", text(self.new, right))

    def _add(
        self, at: str, after: str, what: str, side: Direction, old: Any = None, new: Any = None, detail: str = "", **args: Any
    ) -> None:
        where = self.new.where(after) or self.old.where(at)
        self.record.add(at, what, side, old, new, where, detail, **args).pairs.add(self._at)


def _objects(found: Variants) -> bool:
    """A union of objects: a new member is a new case for who reads it, not another type of the value."""
    return len(found.found) > 1 and all(variant.type in ("object", "reference") for variant in found.found)


def _any(side: Side, chain: list[str], flag: str) -> bool:
    return any(side.value(step).get(flag) is True for step in chain)


def _first(side: Side, chain: list[str], flag: str, missing: Any) -> Any:
    return next((side.value(step)[flag] for step in chain if flag in side.value(step)), missing)


def _words(one: bool, other: bool) -> tuple[str, str]:
    return ("required" if one else "optional"), ("required" if other else "optional")
