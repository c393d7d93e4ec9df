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
        self._written, self._read, self._turned = (_names(lists.get(way)) for way in ("written", "read", "turned"))
        self._known = known

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

    def is_told_by_use(self, address: str, role: Role) -> bool:
        """Whether only what the source does there makes the change its business: of what is handed to a function we write, and
        of what hangs on a name we import, every part that is read, called or made has a use of its own."""
        if not self._known or address == self._itself:
            return False
        return address in self._read | self._written or (role == "implementer" and address in self._turned)


def _names(listed: object) -> frozenset[str]:
    return frozenset(map(str, listed)) if isinstance(listed, list) else frozenset()
