"""Which exported addresses a change shows at. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, reduce

from driftwatch.judge.compare.types.components import components
from driftwatch.judge.compare.types.direction import Directions
from driftwatch.judge.compare.types.graph import Side, parent
from driftwatch.judge.compare.types.routes import Routes

Members = frozenset[tuple[str, str]]  # an exported name, and the path of its member

KEPT = 32  # answers: one after the other, changes stand in the same definitions; each may name everything there is


class Reach:
    """Of the definitions of both sides. ``stands_for``: names edits are told under -> the definition that is there on the old
    side, and the one on the new."""

    def __init__(self, sides: Sequence[Side], stands_for: Mapping[str, Sequence[str]], directions: Sequence[Directions]) -> None:
        users: dict[str, set[tuple[str, str]]] = {}  # of either side
        self._names: dict[str, set[str]] = {}  # a definition -> its exported addresses
        self._views: dict[str, set[str]] = {}
        self._stands_for = stands_for
        self._leads = [Leads(one) for one in sides]
        for one, leads in zip(sides, self._leads, strict=True):
            for target, names in leads.users.items():
                users.setdefault(target, set()).update(names)
            for target, exported in leads.names.items():
                self._names.setdefault(target, set()).update(exported)
            for seen, below in one.views.items():
                self._views.setdefault(seen, set()).update(below)
        self._routes = Routes(directions, users, self._names, stands_for)
        self._led_to = lru_cache(KEPT)(self._on_both)

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

    def _far(self, places: Sequence[tuple[str, str]]) -> Members:
        return self._led_to(*(self._circles(places, at) for at in range(len(self._leads))))

    def _circles(self, places: Sequence[tuple[str, str]], at: int) -> frozenset[int] | None:
        """Where these places are on one side, None when it has none of them."""
        starts = (one for owner, _ in places for one in (owner, *self._stands_for.get(owner, ())[at : at + 1]))
        return self._leads[at].circles(starts)

    def _on_both(self, *circles: frozenset[int] | None) -> Members:
        """What leads there on each side that has it. Where an address leads to it on one side only, another type took its place
        on the way: that is told itself, and what became of the definition does not show at the address."""
        found = [leads.to(each) for leads, each in zip(self._leads, circles, strict=True) if each is not None]
        return reduce(_alike, found) if found else frozenset()


class Leads:
    """Which exported members lead to a definition, on one side."""

    def __init__(self, side: Side) -> None:
        self._definitions = side.definitions.keys()
        self.users: dict[str, set[tuple[str, str]]] = {}  # what is named -> who names it, at which member
        self.names: dict[str, set[str]] = {}
        for name, row in side.definitions.items():
            for top, targets in row.get("uses", {}).items():
                for target in targets:
                    self.users.setdefault(target, set()).add((name, top))
            for member in row.get("exports", ()):
                self.users.setdefault(member["ref"], set()).add((name, f".{member['n']}"))
        for address, target in side.exports().items():
            self.names.setdefault(target, set()).add(address)
        onward = {target: [user for user, _ in users] for target, users in self.users.items()}
        self._circle = components(onward, onward)
        self._shown: dict[int, set[tuple[str, str]]] = {}  # a circle -> exported names that name a part of it, at which member
        self._next: dict[int, set[int]] = {}
        for target, users in self.users.items():
            circle = self._circle[target]
            shown, after = self._shown.setdefault(circle, set()), self._next.setdefault(circle, set())
            for user, top in users:
                shown.update((name, top) for name in self.names.get(user, ()))
                after.add(self._circle[user])

    def circles(self, names: Iterable[str]) -> frozenset[int] | None:
        """Of those definitions that somebody names; None when there are no such definitions."""
        known = {name for name in names if name in self._definitions}
        return frozenset(self._circle[name] for name in known if name in self._circle) if known else None

    def to(self, circles: frozenset[int]) -> Members:
        seen, queue = set(circles), list(circles)
        while queue:
            fresh = self._next.get(queue.pop(), set()) - seen
            seen |= fresh
            queue.extend(fresh)
        return frozenset[tuple[str, str]]().union(*(self._shown.get(circle, ()) for circle in seen))


def _alike(one: Members, other: Members) -> Members:
    """The members that are in both. A type that is written out on one side may be a name for another type on the other: the
    whole of it stands for each of its members."""
    both = one & other
    for some, rest in ((one - both, other), (other - both, one)):
        if some:
            names, wholes = {name for name, _ in rest}, {name for name, top in rest if not top}
            both |= {(name, top) for name, top in some if name in (wholes if top else names)}
    return both


def _themselves(places: Sequence[tuple[str, str]]) -> set[str]:
    return {f"{owner}{path}" for owner, path in places}


def whole(address: str) -> str:
    """The exported name a member belongs to."""
    while (shorter := parent(address)) != address:
        address = shorter
    return address
