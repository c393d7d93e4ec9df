"""Who reads and who writes the values of a type, told by where it stands in what a package exports. Pure.

A function that is exported is called by a consumer: what it takes is written, what it gives is read. A type that nothing else
leads to and that holds functions (hooks) is written by an implementer: what its functions are handed first is read, what they
give back is written. What they are handed beside may be there to be changed: it is both. Where neither leads to a type, nobody
is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeAlias

from driftwatch.judge.compare.types.shapes import Definition, Node, segment

Use: TypeAlias = tuple[str, int]  # a role, and 1 where it reads or gives as the outside of a function does, -1 inside parameters
_BOTH = (1, -1)
_VALUES = frozenset({"function", "variable"})


def direction(uses: frozenset[Use]) -> str:
    """``given``: those who call the package write it and never read it, and hooks do not write it. ``handed``: hooks read it, and
    nobody writes it. Else "": a consumer may read it, an implementer may write it."""
    if ("consumer", -1) in uses and not uses & {("consumer", 1), ("implementer", 1)}:
        return "given"
    if ("implementer", -1) in uses and not uses & {("implementer", 1), ("consumer", -1)}:
        return "handed"
    return ""


class Named(NamedTuple):
    """A place where a type is named: ``signs`` of it, through which arguments of generic types (each a name and a number)."""

    target: str
    signs: tuple[int, ...]
    through: tuple[tuple[str, int], ...] = ()


@dataclass
class Directions:
    """Of one side's definitions; ``exported`` are the names of those a user can name, ``wanted`` those that are asked about: only
    what leads to them is looked into."""

    definitions: Mapping[str, Definition]
    exported: frozenset[str]
    wanted: frozenset[str]
    _named: dict[tuple[str, str], list[Named]] = field(default_factory=dict)
    _variances: dict[tuple[str, int], frozenset[int]] = field(default_factory=dict)
    _steps: dict[tuple[str, str], Mapping[str, frozenset[int]]] = field(default_factory=dict)
    _parts: dict[str, dict[str, list[tuple[Node, int]]]] = field(default_factory=dict)
    _uses: dict[str, set[Use]] | None = None

    def of(self, name: str) -> frozenset[Use]:
        """How the values of a named type are used; empty where that is not known."""
        if self._uses is None:
            self._uses = self._spread()
        return frozenset(self._uses.get(name, ()))

    def step(self, user: str, top: str, target: str) -> frozenset[int]:
        """The signs of ``target`` in ``user``'s member ``top`` ("" for the whole of it); empty where it is not named there. Both
        where it was worked out of other types."""
        if (user, top) not in self._steps:
            found: dict[str, frozenset[int]] = {}
            for one in self._below(user, top):
                found[one.target] = found.get(one.target, frozenset()) | self._signs(one)
            self._steps[user, top] = found
        signs = self._steps[user, top].get(target)
        if signs is not None:
            return signs
        return frozenset(_BOTH) if target in self.definitions.get(user, {}).get("uses", {}).get(top, ()) else frozenset()

    def is_value(self, name: str) -> bool:
        """Whether it can be imported and called or read, and not be written by who does."""
        return not _VALUES.isdisjoint(self.definitions.get(name, {}).get("kind", ()))

    def _below(self, name: str, top: str) -> list[Named]:
        if name not in self._parts:
            row, parts = self.definitions.get(name, {}), self._parts.setdefault(name, {})
            for side in ("type", "value"):
                for rest, part, sign in _tops(row[side]) if side in row else ():
                    parts.setdefault(rest, []).append((part, sign))
        found: list[Named] = []
        for part, sign in self._parts[name].get(top, ()):
            _names(part, _Place(signs=(sign,)), found)
        return found

    def _spread(self) -> dict[str, set[Use]]:
        users = self._users()
        leading = _closure(self.wanted, users)
        here = sorted(leading & self.exported)
        queue = [(name, "value", ("consumer", 1)) for name in here if "value" in self.definitions.get(name, ())]
        tops = (name for name in here if name not in users and name in self.definitions)
        queue += [(name, "type", ("implementer", 1)) for name in tops if self._is_written(self.definitions[name])]
        found: dict[str, set[Use]] = {}
        seen = set(queue)
        while queue:
            name, side, (role, sign) = queue.pop()
            if side == "type":
                found.setdefault(name, set()).add((role, sign))
            for one in self._at(name, side, hooks=role == "implementer" and sign == 1):
                for way in self._signs(one):
                    step = (one.target, "type", (role, sign * way))
                    if step not in seen and one.target in leading and one.target in self.definitions:
                        seen.add(step)
                        queue.append(step)
        return found

    def _is_written(self, row: Definition) -> bool:
        return "value" not in row and _holds_functions(row.get("type"))

    def _users(self) -> dict[str, set[str]]:
        """A definition -> those that name it, itself left out."""
        users: dict[str, set[str]] = {}
        for name, row in self.definitions.items():
            for targets in row.get("uses", {}).values():
                for target in targets:
                    if target != name:
                        users.setdefault(target, set()).add(name)
        return users

    def _at(self, name: str, side: str, hooks: bool = False) -> list[Named]:
        key = (name, f"{side}{hooks}")
        if key not in self._named:
            row = self.definitions.get(name, {})
            self._named[key] = []
            if side in row:
                _names(row[side], _Place(hooks=hooks), self._named[key])
        return self._named[key]

    def _signs(self, one: Named) -> frozenset[int]:
        signs = frozenset(one.signs)
        for generic, number in one.through:
            signs = frozenset(a * b for a in signs for b in self._variance(generic, number))
        return signs

    def _variance(self, generic: str, number: int) -> frozenset[int]:
        """Where the type parameter stands in a generic type; of what is not known, as in the whole."""
        key = (generic, number)
        if generic not in self.definitions:
            return frozenset({1})
        if key not in self._variances:
            self._variances[key] = frozenset()  # while it is asked: what it holds of itself adds nothing
            wanted = f"?0.{number}"
            self._variances[key] = frozenset(
                sign for one in self._at(generic, "type") if one.target == wanted for sign in self._signs(one)
            )
        return self._variances[key]


def _closure(names: Iterable[str], onward: Mapping[str, Iterable[str]]) -> set[str]:
    found, queue = set(names), list(names)
    while queue:
        fresh = set(onward.get(queue.pop(), ())) - found
        found |= fresh
        queue += fresh
    return found


def _tops(node: Node) -> Iterator[tuple[str, Node, int]]:
    """The parts of a definition that have an address of their own, as it goes on from the definition's: (rest, part, sign)."""
    if not isinstance(node, dict) or "obj" not in node:
        yield "", node, 1
        return
    shape = node["obj"]
    yield from ((segment(one["n"]), one["t"], 1) for one in shape.get("props", ()))
    for signature in shape.get("call", ()):
        yield from ((f"({place})", one["t"], -1) for place, one in enumerate(signature.get("p", ())))
        yield "()", signature.get("r"), 1


def _holds_functions(node: Node) -> bool:
    if isinstance(node, dict):
        return "call" in node or any(_holds_functions(part) for part in node.values())
    return isinstance(node, list) and any(_holds_functions(part) for part in node)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a type is looked at. ``hooks``: what functions here are handed beside their first parameter may be changed."""

    signs: tuple[int, ...] = (1,)
    through: tuple[tuple[str, int], ...] = ()
    hooks: bool = False


def _names(node: Node, at: _Place, found: list[Named]) -> None:
    """Every name in a type, into ``found``. What values are made of is looked through: not what is only asked about, nor keys."""
    kind = type(node)  # not isinstance: this is asked of every node of every type
    if kind is list:
        for part in node:
            if type(part) is dict or type(part) is list:
                _names(part, at, found)
    elif kind is not dict or "keyof" in node:
        return
    elif type(node.get("tp")) is str:
        found.append(Named("?" + node["tp"], at.signs, at.through))
    elif "ref" in node or "typeof" in node:
        _named(node, str(node.get("ref") or node.get("typeof")), at, found)
    elif "p" in node and "r" in node:
        _signature(node, at, found)
    elif "cond" in node:
        _names([node["cond"][0], *node["cond"][2:]], at, found)
    elif "mapped" in node:
        _names(node["mapped"]["to"], at, found)
    else:
        for key, part in node.items():
            if (type(part) is dict or type(part) is list) and key not in {"tp", "k"}:
                _names(part, at, found)


def _named(node: Node, name: str, at: _Place, found: list[Named]) -> None:
    found.append(Named(name, at.signs, at.through))
    for number, part in enumerate(node.get("args", ())):
        if isinstance(part, dict | list):
            _names(part, replace(at, through=(*at.through, (name, number))), found)


def _signature(node: Node, at: _Place, found: list[Named]) -> None:
    turned = tuple(-sign for sign in at.signs)
    for number, part in enumerate(node["p"]):
        if isinstance(part["t"], dict | list):
            _names(part["t"], replace(at, signs=_BOTH if at.hooks and number else turned), found)
    _names(node["r"], at, found)
