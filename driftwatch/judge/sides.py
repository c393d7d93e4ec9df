"""Whether a project reads or writes what changed, seen from an address it relies on. Pure.

A role is said of an address: who implements the hooks writes them. What a hook is handed is read there all the same, and what a
called function takes is written by its caller: ``args["sides"]`` of a change says at which addresses that is so.
"""

from __future__ import annotations

from driftwatch.model import Change, Role


class Sides:
    """``known``: the project's source was scanned, so that what it writes into what it is handed is a use of its own. Without
    that, who is handed something is taken to write into it, too."""

    def __init__(self, change: Change, *, known: bool) -> None:
        told = change.args.get("sides")
        lists = told if isinstance(told, dict) else {}
        self._itself = str(change.address)
        ways = ("written", "read", "turned", "here")
        self._written, self._read, self._turned, self._here = (_names(lists.get(way)) for way in ways)
        self._known = known and isinstance(told, dict)

    def roles(self, address: str, role: Role) -> frozenset[Role]:
        """The roles in which a project that has ``role`` at the address meets what changed."""
        found = set[Role]()
        if address in self._written:
            found.add("implementer")
        if address in self._read:
            found.add("consumer")
        if not found and address in self._turned:
            found.add("consumer" if role == "implementer" else "implementer")
            if role == "implementer" and not self._known:
                found.add(role)
        return frozenset(found or {role})

    def is_told_by_use(self, address: str, role: Role, *, made: bool) -> bool:
        """Whether only what the source does makes a change its business that the address merely leads to: what is read, called or
        filled in on the way has uses of its own. What we make whole (``made``: a hook, a value) is ours wherever it leads."""
        if not self._known or address == self._itself or address in self._here:
            return False
        return role == "consumer" or not made or address in self._read | self._written | self._turned


def _names(listed: object) -> frozenset[str]:
    return frozenset(map(str, listed)) if isinstance(listed, list) else frozenset()
