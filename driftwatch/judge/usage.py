"""Which lines of the project's own source a finding touches, and in which role. Made from the ``use`` facts.

A use is touched by what happens at its address and above it (the thing it is part of). What happens below it touches it
where we make or call the whole thing (a hook, a call, a value handed over): what we read below it has an address of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from driftwatch import addresses
from driftwatch.model import Address, Fact, Role

# What a scan of source can speak of: with uses found, a change of these kinds concerns those who use it.
SEEN_KINDS = frozenset({"ts", "http", "schema", "event", "config", "call"})

_IMPLEMENTS = frozenset({"hook", "tool", "write"})
_NARROW = frozenset({"import", "import-type", "import-origin"})
_HANDED_OVER = re.compile(r"\(\d+\)[.\[(]")  # inside of what the host hands to a function of ours
_NAMES = frozenset({"event", "switch"})
_ERROR = re.compile(r"#response\.([45]|default)")  # the body of an error that some answer shares
_ANSWERED = re.compile(r"#response\.\w+.*\.([^.\[\](\")]+)[\[\]()=\w-]*$")  # a member of an answer, and its name
_LAST = re.compile(r'(\.[^.\[("]+|\["(?:[^"\\]|\\.)*"\])$')


@dataclass(frozen=True, slots=True)
class Use:
    """One address used in one file. ``lines`` are ``line:column``."""

    file: str
    address: str
    kinds: frozenset[str]
    lines: tuple[str, ...]
    through: bool = False
    exhaustive: bool = False
    unsure: bool = False

    @property
    def role(self) -> Role:
        return "implementer" if self.kinds & _IMPLEMENTS else "consumer"

    def is_touched(self, change: str, *, itself: bool) -> bool:
        """Whether a change below the address is its business too. ``itself`` is false for what a change only reaches."""
        if self.through or self.kinds <= _NARROW or "*" in self.address:
            return False
        below = change[len(self.address) :]
        if not itself and (_ERROR.match(below) or not self.is_led_to):
            return False
        return not (self.kinds <= _IMPLEMENTS and _HANDED_OVER.match(below))

    @property
    def is_led_to(self) -> bool:
        """Whether a change elsewhere is its business because its type leads there: of declared types only where we make the
        value. What is read or called on the way has an address of its own."""
        return not self.address.startswith("ts:") or "write" in self.kinds

    @property
    def name(self) -> str:
        """The last name of the address: of a hook, its key."""
        last = _LAST.search("." + self.address.partition("#")[2])
        found = last[0] if last else ""
        return found[2:-2].replace('\\"', '"').replace("\\\\", "\\") if found.startswith('["') else found[1:]

    @property
    def parent(self) -> str:
        """The address of what the last name is a member of."""
        return self.address[: len(self.address) - len(found[0])] if (found := _LAST.search(self.address)) else ""


def read(facts: Iterable[Fact]) -> tuple[Use, ...]:
    """The uses among facts, in their order; what is both made and read is a use of each kind."""
    return tuple(
        use
        for fact in facts
        if fact.address.kind == "use" and isinstance(fact.value, dict)
        for use in _uses(fact.address, fact.value)
    )


def _uses(address: Address, value: Mapping[str, object]) -> Iterator[Use]:
    listed, lines = value.get("kinds"), value.get("lines")
    kinds = frozenset(map(str, listed)) if isinstance(listed, list) else frozenset()
    places = tuple(map(str, lines)) if isinstance(lines, list) else ()
    flags = {name: value.get(name) is True for name in ("through", "exhaustive", "unsure")}
    for part in (kinds & _IMPLEMENTS, kinds - _IMPLEMENTS):
        if part:
            yield Use(address.subject, address.member, part, places, **flags)


class Uses:
    """Answers which uses a set of addresses touches. Empty when the source was not looked at, or uses nothing."""

    def __init__(self, uses: Sequence[Use]) -> None:
        self.all = tuple(uses)
        self._at: dict[str, list[Use]] = {}
        self._made = [use for use in uses if use.kinds & _IMPLEMENTS]
        self._config = [use for use in uses if use.address.startswith("config:")]
        for use in uses:
            self._at.setdefault(use.address, []).append(use)
            if "hook" in use.kinds:
                self._at.setdefault(f"call:{use.name}", []).append(use)
        # Of an event whose payload is typed, what is read of it has addresses of its own: unless it is taken whole.
        self._whole = {use.file for use in uses if use.address.startswith("event:*#") and not use.through}
        # Of an answer that is typed, what is read of it is known by its name.
        self._read = {use.name for use in uses if "read" in use.kinds}
        self._above = addresses.compile(self._at)
        self._by_kind: dict[str, list[str]] = {}
        for address in self._at:
            self._by_kind.setdefault(address.partition(":")[0], []).append(address)

    def __bool__(self) -> bool:
        return bool(self.all)

    def touched(self, reached: Sequence[str], *, whole: bool = False) -> tuple[Use, ...]:
        """The uses that any of the addresses touches, each once. The first address is where the change is; ``whole``: the
        others stand for everything below them."""
        found: dict[int, Use] = {}
        for number, address in enumerate(reached):
            for use in self._touched(address, itself=whole or number == 0):
                found.setdefault(id(use), use)
        return tuple(found.values())

    def makes(self, address: str) -> bool:
        """Whether the source makes what stands at an address, or a part of it, or what it is a part of."""
        if any(use.kinds & _IMPLEMENTS for pattern in self._above(address) for use in self._at[pattern]):
            return True
        inside = addresses.compile([address])
        return any(inside(use.address) for use in self._made)

    def _touched(self, address: str, *, itself: bool) -> Iterator[Use]:
        kind = address.partition(":")[0]
        if kind == "config":
            yield from (use for use in self._config if same_key(address, use, itself=itself))
            return
        for pattern in self._above(address):
            meant = pattern == address or ("*" in pattern and "#" not in address)
            for use in self._at[pattern]:
                if (itself or use.is_led_to) if meant else self._is_below(use, address, itself=itself):
                    yield use
        # What a change only reaches are names that lead to it: their other parts are none of its business.
        if itself and (others := self._by_kind.get(kind)):
            inside = addresses.compile([address])
            yield from (use for other in others if other.startswith(address) and inside(other) for use in self._at[other])

    def _is_below(self, use: Use, change: str, *, itself: bool) -> bool:
        if use.kinds <= _NAMES and not use.unsure and use.file not in self._whole:
            return False
        answered = _ANSWERED.match(change, len(use.address)) if use.address.startswith("http:") else None
        if answered and not use.unsure and answered[1] not in self._read:
            return False
        return use.is_touched(change, itself=itself)


def same_key(known: str, use: Use, *, itself: bool = True) -> bool:
    """Whether a key of the configuration, or what it is part of, is used. ``known`` may hold ``*`` (any name of the user's),
    ``[]`` (items) and ``(object)`` (one form of a key that has several). Keys below a used one count where they change."""
    one, other = key_path(known), key_path(use.address)
    if len(one) > len(other) and (use.through or not itself):
        return False
    return (itself or len(one) == len(other)) and all("*" in (a, b) or a == b for a, b in zip(one, other, strict=False))


def key_path(address: str) -> list[str]:
    """The names of a ``config`` address, without the segments that no user writes."""
    return [part for part in address.partition(":")[2].split(".") if part != "[]" and not part.startswith("(")]


def places(uses: Iterable[Use]) -> tuple[str, ...]:
    """``file:line`` of every use, each once, in the order of the files and lines."""
    found = {(use.file, int(line.partition(":")[0])) for use in uses for line in use.lines}
    return tuple(f"{file}:{line}" for file, line in sorted(found))
