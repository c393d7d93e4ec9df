"""Answers to questions about types that lead to one another. Pure.

A question that is met again while it is being asked is taken as answered with yes: types may be recursive. A yes that hangs on
such an open question is only known for good when that one is answered with yes too; any other answer hangs on nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable


class Memo:
    """``ask`` does the work for each question once, however many others lead to it."""

    def __init__(self) -> None:
        self._known: dict[Hashable, bool | None] = {}
        self._open: dict[Hashable, int] = {}  # questions being asked -> how far down
        self._hangs: list[int] = []  # of each open question: the outermost open one that its yes would hang on
        self._held: dict[Hashable, int] = {}  # answered with yes, in their order -> the outermost open one that yes hangs on

    def ask(self, question: Hashable, work: Callable[[], bool | None]) -> bool | None:
        if question in self._known:
            return self._known[question]
        at = self._open.get(question, self._held.get(question))
        if at is not None:
            self.hang_on(at)
            return True
        depth = self._open[question] = len(self._hangs)
        self._hangs.append(depth)
        held = len(self._held)
        try:
            answer = work()
        finally:
            outermost = self._hangs.pop()
            del self._open[question]
        if answer is not True:
            self._known[question] = answer
            self._release(held)
        elif outermost < depth:
            self._held[question] = outermost
            self.hang_on(outermost)
        else:
            self._known.update(dict.fromkeys([question, *self._release(held)], True))
        return answer

    @property
    def depth(self) -> int:
        """How many questions are open."""
        return len(self._hangs)

    def hang_on(self, depth: int) -> None:
        """A yes to what is being asked hangs on the open question this far down."""
        if self._hangs:
            self._hangs[-1] = min(self._hangs[-1], depth)

    def _release(self, kept: int) -> list[Hashable]:
        """What was held after the first ``kept``, no longer held."""
        return [self._held.popitem()[0] for _ in range(len(self._held) - kept)]
