"""What of the old and new facts is a definition, an entry or another name. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from sys import intern

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


def addresses(names: Iterable[str]) -> list[str]:
    """In order; the same text is one object, for many changes reach the same."""
    return [intern(f"ts:{name}") for name in sorted(names)]
