"""One version's API: facts by subject, the tree below a subject, and who points at whom. Built once, read many times."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from driftwatch.model import Fact

Value = dict[str, Any]
Edge = tuple[str, str]  # the address that points, the address it points at

ITEMS = "[]"
VALUES = "[string]"
_HOPS = 50
_NONE: Value = {}
_BESIDE = ("(media ", "(header ")  # stand beside a body or a response, not inside it


class Side:
    def __init__(self, facts: Iterable[Fact]) -> None:
        self.values: dict[str, Value] = {}
        self.subjects: dict[str, dict[str, Value]] = {}  # subject -> its facts
        self.users: dict[str, list[Edge]] = {}  # subject -> who points into it
        self._where: dict[str, str] = {}
        self._trees: dict[str, dict[str, dict[str, str]]] = {}
        self._take(facts)

    def _take(self, facts: Iterable[Fact]) -> None:
        """One pass over some ten thousand facts: everything in it is paid that often."""
        values, subjects, where = self.values, self.subjects, self._where
        for fact in facts:
            address, value = fact.address, fact.value
            if type(value) is not dict or ("at" in value and not address.startswith("config:")):
                continue
            subject = address.split("#", 1)[0] if not address.startswith("config:") else "config:"
            values[address] = value
            held = subjects.get(subject)
            if held is None:
                held = subjects[subject] = {}
            held[address] = value
            if "ref" in value:
                ref = str(value["ref"])
                self.users.setdefault(subject_of(ref), []).append((str(address), ref))
            if fact.where:
                where[address] = fact.where

    def value(self, address: str) -> Value:
        return self.values.get(address, _NONE)

    def where(self, address: str) -> str:
        """The nearest written evidence: of the place, of the operation or schema it is in."""
        return self._where.get(address) or self._where.get(subject_of(address), "")

    def chain(self, address: str) -> list[str]:
        """The place itself and the places its references lead to, last the one that has a type."""
        found = [address]
        while len(found) < _HOPS:
            ref = self.value(found[-1]).get("ref")
            if not isinstance(ref, str) or ref in found or ref not in self.values:
                break
            found.append(ref)
        return found

    def children(self, address: str) -> dict[str, str]:
        """Segment -> address, for what stands directly below a place."""
        subject = subject_of(address)
        tree = self._trees.get(subject)
        if tree is None:
            tree = self._trees[subject] = _tree(subject, sorted(self.subjects.get(subject, ())))
        return tree.get(address, {})


def subject_of(address: str) -> str:
    if address.startswith("config:"):
        return "config:"
    return address.partition("#")[0]


def origin(side: Side, address: str) -> str:
    """Where a place is really written: a property taken over from a shared schema is that schema's."""
    for _ in range(_HOPS):
        ref = side.value(address).get("ref")
        if not isinstance(ref, str) or "#" not in ref or ref not in side.values:
            break
        address = ref
    return address


def below(parent: str, segment: str) -> str:
    """The address of a segment below a place."""
    if parent.startswith("config:"):
        inner = ".*" if segment == VALUES else f".{segment}" if segment[0] in "[(" else segment
        return f"config:{inner[1:]}" if parent == "config:" else parent + inner
    if "#" in parent:
        return parent + segment
    return f"{parent}#{segment[1:] if segment.startswith('.') else segment}"


def _tree(subject: str, addresses: list[str]) -> dict[str, dict[str, str]]:
    """Parents by the longest address that is a beginning: in sorted order a parent stands before all that is below it."""
    tree: dict[str, dict[str, str]] = {}
    edges = "." if subject == "config:" else ".[("
    stack = [subject]
    for address in addresses:
        if address == subject:
            continue
        while stack and not address.startswith(stack[-1]):
            stack.pop()
        parent = next(candidate for candidate in reversed(stack) if _parent(candidate, address, subject, edges))
        segment = _segment(address[len(parent) :], subject)
        tree.setdefault(parent, {})[segment] = address
        stack.append(address)
    return tree


def _parent(candidate: str, address: str, subject: str, edges: str) -> bool:
    return candidate == subject or address[len(candidate)] in edges


def _segment(rest: str, subject: str) -> str:
    if subject != "config:":
        rest = rest.removeprefix("#")
        return rest if rest[0] in ".[(" else f".{rest}"
    rest = rest.removeprefix(".")
    return VALUES if rest == "*" else rest if rest[0] in "[(" else f".{rest}"


def members(children: dict[str, str]) -> Iterator[tuple[str, str]]:
    """The children of an object or a tuple that are named: not its items, not the values of a map, not what stands beside."""
    for segment, address in children.items():
        if segment not in (ITEMS, VALUES) and not segment.startswith(_BESIDE):
            yield segment, address


def beside(children: dict[str, str], what: str) -> dict[str, str]:
    """Further media types (``media``) or headers (``header``) of a body or a response, by name."""
    mark = f"({what} "
    return {segment[len(mark) : -1]: address for segment, address in children.items() if segment.startswith(mark)}
