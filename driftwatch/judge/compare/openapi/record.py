"""What was found while walking, one entry an edit: the same edit met again (from another operation, on the other side) adds
its side to the entry that is there."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from driftwatch.model import Address, Change, Json

Direction = Literal["request", "response"]
Pair = tuple[str, str, Direction]  # a place of the old side, and what stands in its place on the new one


@dataclass(slots=True)
class Entry:
    address: str
    what: str
    before: Json
    after: Json
    where: str
    args: dict[str, Json]
    sides: set[Direction] = field(default_factory=set)
    pairs: set[Pair] = field(default_factory=set)  # it was found in
    met: list[str] = field(default_factory=list)  # addresses it stands for, when it is one edit of many places


class Record:
    def __init__(self) -> None:
        self._entries: dict[tuple[str, str, str], Entry] = {}

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries.values())

    def add(
        self,
        address: str,
        what: str,
        side: Direction | None,
        before: Json = None,
        after: Json = None,
        where: str = "",
        detail: str = "",
        **args: Json,
    ) -> Entry:
        """``detail`` tells two edits of one kind at one place apart, such as two limits."""
        entry = self._entries.setdefault((address, what, detail), Entry(address, what, before, after, where, args))
        if side is not None:
            entry.sides.add(side)
        return entry

    def put(self, address: str, like: Entry) -> Entry:
        """The same edit under another address."""
        entry = replace(like, address=address, sides=set(like.sides), met=[])
        self._entries[address, like.what, json.dumps([like.before, like.after], sort_keys=True)] = entry
        return entry

    def drop(self, unwanted: Callable[[Entry], bool]) -> None:
        """Forget what something else already says."""
        self._entries = {key: entry for key, entry in self._entries.items() if not unwanted(entry)}

    def take(self, address: str, what: str) -> Entry | None:
        """An entry of a place, whatever its detail."""
        return next((entry for (at, kind, _), entry in self._entries.items() if at == address and kind == what), None)


def change(entry: Entry, reaches: list[str]) -> Change:
    """The entry as a Change. A shared schema says which sides it was met on; an operation's own parts have one."""
    address = Address(entry.address)
    sides: list[Json] = [*sorted(entry.sides)]
    kind = entry.what
    args = dict(entry.args)
    if sides:
        kind = _kind(address, entry)
        if address.kind == "schema":
            args["sides"] = sides
    if reaches:
        args["reaches"] = [*reaches]
        args["reach_count"] = len({reached.partition("#")[0] for reached in reaches})
    return Change(address, kind, entry.before, entry.after, entry.where, args)


def _kind(address: Address, entry: Entry) -> str:
    if address.kind == "event":
        return f"payload-{entry.what}"
    if address.kind == "config":
        return f"key-{entry.what}"
    return f"{'both' if len(entry.sides) > 1 else next(iter(entry.sides))}-{entry.what}"
