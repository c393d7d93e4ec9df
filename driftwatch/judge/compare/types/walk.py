"""What a walk over two sets of definitions carries along. Pure.

``Spot`` says who gives the value that stands there. Outside of parameters the package's side gives and the consumer reads;
inside a parameter it is the other way round, and inside a callback's parameter it turns once more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from driftwatch.judge.compare.types.edits import Edit
from driftwatch.judge.compare.types.relation import Fits
from driftwatch.judge.compare.types.sameness import Same
from driftwatch.judge.compare.types.shapes import Definitions, Node


@dataclass(frozen=True, slots=True)
class Spot:
    """``given`` is true where the consumer reads, false where the consumer writes; ``slot``: value, return or param.
    ``hook``: what the parameter belongs to is written by an implementer (a hook), not by the package."""

    given: bool = True
    slot: str = "value"
    hook: bool = True


MAX_DEPTH = 24  # named places below one another: types that hold themselves with ever other arguments have no end

MAX_BEHIND = 300  # edits behind one name that took another's place, over all definitions; a rewrite has no end of them

Slot = Callable[["Walk", str, Node, Node, Spot], Iterator[Edit]]


class Walk:
    """``slot`` tells what differs between the types at one place: every room that goes deeper goes through it."""

    def __init__(self, old: Definitions, new: Definitions, slot: Slot, elsewhere: Iterable[tuple[str, str]] = ()) -> None:
        self.old, self.new = old, new
        self._elsewhere = set(elsewhere)
        self.same = Same(old, new, frozenset(self._elsewhere))
        self.forth, self.back = Fits(old, new, self.same), Fits(new, old, lambda a, b: self.same(b, a))
        self.looked: set[tuple[str, str]] = set()
        self.owner = ""
        self.via: tuple[str, int] | None = None  # the pair of names looked behind, and how long the path was there
        self.behind: list[tuple[str, str]] = []  # the pairs of names that are being looked behind
        self._told: Counter[tuple[str, str]] = Counter()  # edits behind pairs of names
        self._slot, self._depth = slot, 0

    def slot(self, path: str, old: Node, new: Node, spot: Spot) -> Iterator[Edit]:
        """What differs at one place; nothing below MAX_DEPTH places, where the same names have long been told about."""
        if self._depth >= MAX_DEPTH:
            return
        self._depth += 1
        yield from self._slot(self, path, old, new, spot)
        self._depth -= 1

    @contextmanager
    def under(self, owner: str) -> Iterator[None]:
        """A definition that is told under the name ``owner``, whatever is being looked behind around it."""
        around = self.owner, self.looked, self.via, self.behind
        self.owner, self.looked, self.via, self.behind = owner, set(), None, []
        yield
        self.owner, self.looked, self.via, self.behind = around

    def first_time(self, was: str, now: str) -> bool:
        """Whether two definitions, one in the place of the other, are there and have not been told of."""
        new = (was, now) not in self._elsewhere and was in self.old and now in self.new
        self._elsewhere.add((was, now))
        return new

    def enough(self, names: tuple[str, str]) -> bool:
        """Whether what differs behind two names was told often enough for its members to be known."""
        return self._told[names] >= MAX_BEHIND

    def edit(self, path: str, kind: str, before: Any = None, after: Any = None, **args: Any) -> Edit:
        self._told.update({names for names in self.behind if all(names)})
        origin, below = (self.via[0], path[self.via[1] :]) if self.via else ("", "")
        return Edit(self.owner, path, kind, before, after, args, origin, below)

    def deprecation(self, path: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Edit]:
        if "dep" in new and "dep" not in old:
            yield self.edit(path, "deprecated", None, "@deprecated", note=str(new["dep"])[:300])
        elif "dep" in old and "dep" not in new:
            yield self.edit(path, "undeprecated", "@deprecated", None)
