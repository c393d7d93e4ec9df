"""What of the old and new facts is a definition, an entry or another name, and who reaches whom. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from driftwatch.judge.compare.types.shapes import Known
from driftwatch.model import Address, Fact

Facts = Mapping[Address, Fact]


@dataclass(frozen=True, slots=True)
class Side:
    """One snapshot's declared types. Keys are addresses without their kind."""

    definitions: Known = field(default_factory=Known)
    entries: dict[str, str] = field(default_factory=dict)
    reexports: dict[str, str] = field(default_factory=dict)
    views: dict[str, list[str]] = field(default_factory=dict)  # what is seen -> below which names
    facts: Facts = field(default_factory=dict)

    def exports(self) -> dict[str, str]:
        """Every exported address -> the definition behind it."""
        own = {name: name for name, row in self.definitions.items() if row.get("api") and self.entry_of(name) is not None}
        return {**own, **self.reexports}

    def entry_of(self, address: str) -> str | None:
        subject = address.partition("#")[0]
        return subject if subject in self.entries else None

    def where(self, address: str) -> str:
        """Where it stands, or where the nearest thing above it stands."""
        found = self.facts.get(Address(f"ts:{address}"))
        while found is None and (shorter := parent(address)) != address:
            address = shorter
            found = self.facts.get(Address(f"ts:{address}"))
        return found.where if found else ""


def side(facts: Facts) -> Side:
    found = Side(facts=facts)
    for address, fact in facts.items():
        value, name = fact.value, address[3:]
        if not isinstance(value, dict):
            continue
        if "kind" in value:
            found.definitions[name] = value
        elif "view" in value:
            found.views.setdefault(str(value["view"]), []).append(name)
        elif "reexport" in value:
            found.reexports[name] = str(value["reexport"])
        elif "entry" in value:
            found.entries[name] = str(value["entry"])
    return found


def parent(address: str) -> str:
    """The address one step up; itself when there is none."""
    start = address.find("#") + 1
    if start == 0:
        return address
    cut = -1
    quoted = False
    for at in range(start + 1, len(address)):
        sign = address[at]
        if sign == '"':
            quoted = not quoted
        elif not quoted and sign in ".[(":
            cut = at
    return address[:cut] if cut > 0 else address


class Reach:
    """Which exported addresses a change at a definition reaches, on either side."""

    def __init__(self, *sides: Side) -> None:
        self._users: dict[str, set[tuple[str, str]]] = {}
        self._names: dict[str, set[str]] = {}
        self._views: dict[str, set[str]] = {}
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
        self._closures: dict[str, frozenset[str]] = {}

    def of(self, owner: str, path: str) -> set[str]:
        """Everything exported that a change at ``owner + path`` reaches, itself left out."""
        found = {f"{name}{path}" for name in self._names.get(owner, ())}
        found |= self._views.get(f"{owner}{path}", set())
        above = f"{owner}{path}"
        while (shorter := parent(above)) != above:
            found |= {f"{name}{path[len(shorter) - len(owner) :]}" for name in self._views.get(shorter, ())}
            above = shorter
        return (found | self._closure(owner)) - {f"{owner}{path}"}

    def _closure(self, owner: str) -> frozenset[str]:
        """The members of exported names whose types lead to ``owner``."""
        if owner not in self._closures:
            found: set[str] = set()
            seen, queue = {owner}, [owner]
            while queue:
                for user, top in self._users.get(queue.pop(), ()):
                    for name in self._names.get(user, ()):
                        found.add(f"{name}{top}")
                    if user not in seen:
                        seen.add(user)
                        queue.append(user)
            self._closures[owner] = frozenset(found)
        return self._closures[owner]


def addresses(names: Iterable[str]) -> list[str]:
    return [f"ts:{name}" for name in sorted(names)]
