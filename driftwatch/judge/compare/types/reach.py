"""Which exported addresses a change shows at. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from driftwatch.judge.compare.types.components import components
from driftwatch.judge.compare.types.direction import Directions
from driftwatch.judge.compare.types.graph import Side, parent
from driftwatch.judge.compare.types.routes import Routes

KEPT = 32  # answers: one after the other, changes stand in the same definitions; each may name everything there is


class Reach:
    """Of the definitions of both sides. ``stands_for``: names edits are told under -> the definitions that are there."""

    def __init__(self, sides: Iterable[Side], stands_for: Mapping[str, Iterable[str]], directions: Sequence[Directions]) -> None:
        self._users: dict[str, set[tuple[str, str]]] = {}  # what is named -> who names it, at which member
        self._names: dict[str, set[str]] = {}  # a definition -> its exported addresses
        self._views: dict[str, set[str]] = {}
        self._stands_for = stands_for
        for one in sides:
            for name, row in one.definitions.items():
                for top, targets in row.get("uses", {}).items():
                    for target in targets:
                        self._users.setdefault(target, set()).add((name, top))
                for member in row.get("exports", ()):
                    self._users.setdefault(member["ref"], set()).add((name, f".{member['n']}"))
            for address, target in one.exports().items():
                self._names.setdefault(target, set()).add(address)
            for seen, names in one.views.items():
                self._views.setdefault(seen, set()).update(names)
        self._routes = Routes(directions, self._users, self._names, stands_for)
        onward = {target: [user for user, _ in users] for target, users in self._users.items()}
        self._circle = components(onward, onward)
        self._shown: dict[int, set[tuple[str, str]]] = {}  # a circle -> exported names that name a part of it, at which member
        self._next: dict[int, set[int]] = {}
        self._led_to = lru_cache(KEPT)(self._closed)
        for target, users in self._users.items():
            circle = self._circle[target]
            shown, after = self._shown.setdefault(circle, set()), self._next.setdefault(circle, set())
            for user, top in users:
                shown.update((name, top) for name in self._names.get(user, ()))
                after.add(self._circle[user])

    def of(self, places: Sequence[tuple[str, str]]) -> set[str]:
        """Everything exported that a change at these places (an owner, a path) reaches, itself left out: the members whose
        types lead to it."""
        return (self._beside(places) | {f"{name}{top}" for name, top in self._far(places)}) - _themselves(places)

    def names(self, places: Sequence[tuple[str, str]]) -> set[str]:
        """The same without members: the exported names that lead to it, whole."""
        return {whole(one) for one in self._beside(places) - _themselves(places)} | {name for name, _ in self._far(places)}

    def sides(self, places: Sequence[tuple[str, str]]) -> Mapping[str, set[str]]:
        """Which of these addresses hand over what changed, and which are given it (``Routes.sides``); ``here`` are those at which
        it is itself, by another name, and not only led to."""
        here = self._beside(places) - _themselves(places)
        return {**self._routes.sides(places), **({"here": here} if here else {})}

    def size(self, places: Sequence[tuple[str, str]]) -> int:
        """How many addresses a change reaches, but for a few beside it."""
        return len(self._far(places))

    def _beside(self, places: Sequence[tuple[str, str]]) -> set[str]:
        return set[str]().union(*(self._near(*place) for place in places))

    def _near(self, owner: str, path: str) -> set[str]:
        found = {f"{name}{path}" for one in (owner, *self._stands_for.get(owner, ())) for name in self._names.get(one, ())}
        found |= self._views.get(f"{owner}{path}", set())
        above = f"{owner}{path}"
        while (shorter := parent(above)) != above:
            found |= {f"{name}{path[len(shorter) - len(owner) :]}" for name in self._views.get(shorter, ())}
            above = shorter
        return found

    def _far(self, places: Sequence[tuple[str, str]]) -> frozenset[tuple[str, str]]:
        starts = {one for owner, _ in places for one in (owner, *self._stands_for.get(owner, ()))}
        return self._led_to(frozenset(self._circle[one] for one in starts if one in self._circle))

    def _closed(self, circles: frozenset[int]) -> frozenset[tuple[str, str]]:
        seen, queue = set(circles), list(circles)
        while queue:
            fresh = self._next.get(queue.pop(), set()) - seen
            seen |= fresh
            queue.extend(fresh)
        return frozenset[tuple[str, str]]().union(*(self._shown.get(circle, ()) for circle in seen))


def _themselves(places: Sequence[tuple[str, str]]) -> set[str]:
    return {f"{owner}{path}" for owner, path in places}


def whole(address: str) -> str:
    """The exported name a member belongs to."""
    while (shorter := parent(address)) != address:
        address = shorter
    return address
