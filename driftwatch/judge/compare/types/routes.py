"""Which way what changed goes at the addresses it shows at: who uses them reads it, or hands it over. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from driftwatch.judge.compare.types.direction import Directions

SAME, TURNED, BOTH = frozenset({1}), frozenset({-1}), frozenset({1, -1})
MAX_STEPS = 100_000  # from one definition to the next, over all changes; beyond it nothing is said of their sides


class Routes:
    """``directions``: one a side; ``users``: a definition -> who names it, at which member; ``names``: a definition -> its
    exported addresses; ``stands_for``: names edits are told under -> the definitions that are there."""

    def __init__(
        self,
        directions: Sequence[Directions],
        users: Mapping[str, Iterable[tuple[str, str]]],
        names: Mapping[str, Iterable[str]],
        stands_for: Mapping[str, Iterable[str]],
    ) -> None:
        self._directions = directions
        self._users, self._names, self._stands_for = users, names, stands_for
        self._known: dict[str, Mapping[str, frozenset[int]]] = {}
        self._imported: set[str] = set()  # addresses below functions and values
        self._left = MAX_STEPS

    def sides(self, places: Sequence[tuple[str, str]]) -> Mapping[str, set[str]]:
        """Of the addresses that a change at these places (an owner, a path) is at or reaches, those that say which way it goes.

        ``written``: who uses the address hands it over; ``read``: who uses it is given it (both: a function that takes and gives
        it); ``turned``: it goes the other way than the address itself, which some read and others write.
        """
        found: dict[str, set[str]] = {"written": set(), "read": set(), "turned": set()}
        for owner, path in places:
            for start in (owner, *self._stands_for.get(owner, ())):
                self._note(start, path, found)
        return {way: addresses for way, addresses in found.items() if addresses} if self._left > 0 else {}

    def _note(self, owner: str, path: str, found: Mapping[str, set[str]]) -> None:
        met = self._met(owner)
        for address, ways in met.items():
            if address in self._imported:
                found["written" if -1 in ways else "read"].add(address)
                found["read" if 1 in ways else "written"].add(address)
            elif address and ways == TURNED:
                found["turned"].add(address)
        if met.get("") == TURNED:  # everything that can be called takes it, and nothing gives it
            found["written"].update({f"{owner}{path}", *(f"{name}{path}" for name in self._names.get(owner, ()))})

    def _met(self, owner: str) -> Mapping[str, frozenset[int]]:
        """The members of exported names whose types lead to ``owner``, with the ways they do; "" for all those together that
        are imported as values."""
        if owner not in self._known:
            found: dict[str, frozenset[int]] = {"": SAME} if self._is_value(owner) else {}
            queue = [(owner, 1)]
            seen = set(queue)
            while queue and self._left > 0:
                target, turns = queue.pop()
                for user, top in self._users.get(target, ()):
                    self._left -= 1
                    ways = frozenset(turns * way for way in self._ways(user, top, target))
                    self._add(user, top, ways, found)
                    fresh = {(user, way) for way in ways} - seen
                    seen |= fresh
                    queue += fresh
            self._known[owner] = found
        return self._known[owner]

    def _add(self, user: str, top: str, ways: frozenset[int], found: dict[str, frozenset[int]]) -> None:
        names = [f"{name}{top}" for name in self._names.get(user, ())]
        if names and self._is_value(user):
            self._imported.update(names)
            names.append("")
        for address in names:
            found[address] = found.get(address, frozenset()) | ways

    def _is_value(self, name: str) -> bool:
        return any(directions.is_value(name) for directions in self._directions)

    def _ways(self, user: str, top: str, target: str) -> frozenset[int]:
        """Of the sides that have this step; both ways where none can tell."""
        known = [ways for directions in self._directions if (ways := directions.step(user, top, target))]
        return frozenset().union(*known) if known else BOTH
