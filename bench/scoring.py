"""What of the changes told of a pair the compiler confirms, and what of its breaks they speak of. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from driftwatch.model import Change
from driftwatch.rules import by_change

BREAKS = ("breaking", "risky")
_TOP = re.compile(r"""ts:([^#]*)(?:#([^.\[(]+)((?:\.[^.\[(]+)|(?:\["(?:[^"\\]|\\.)*"\]))?)?""")

Verdicts = Mapping[str, Mapping[str, bool]]  # of the oracle: item -> read, write, differs, self


@dataclass
class Score:
    """Counts over pairs, and the disagreements in words."""

    pairs: int = 0
    same: int = 0
    changes: int = 0
    proven: int = 0
    wrong: list[str] = field(default_factory=list)
    broken: int = 0
    missed: list[str] = field(default_factory=list)
    blind: int = 0

    @property
    def precision(self) -> float:
        return 1.0 if not self.proven else 1 - len(self.wrong) / self.proven

    @property
    def recall(self) -> float:
        return 1.0 if not self.broken else 1 - len(self.missed) / self.broken

    def add(self, other: Score) -> None:
        for name in ("pairs", "same", "proven", "changes", "broken", "blind"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.wrong += other.wrong
        self.missed += other.missed

    def row(self, name: str) -> str:
        """A line of the table in docs/accuracy.md."""
        precision = f"{self.precision:.2%}" if self.proven else "-"
        recall = f"{self.recall:.2%}" if self.broken else "-"
        return (
            f"| {name} | {self.pairs} | {self.same} | {self.changes} | {self.proven} | {len(self.wrong)} | {precision} "
            f"| {self.broken} | {len(self.missed)} | {recall} | {self.blind} |"
        )


HEAD = (
    "| package | pairs | same types | changes | proven | false alarms | precision | broken members | missed | recall | unseen |\n"
    "|---|---|---|---|---|---|---|---|---|---|---|"
)


def item(address: str) -> str:
    """The exported name or its direct member an address belongs to: what the oracle speaks of."""
    match = _TOP.match(address)
    assert match is not None
    subject, name, member = match.groups()
    return f"{subject}#{name}{member or ''}" if name else subject


def above(name: str) -> str:
    """The exported name of a member."""
    return re.sub(r"""(#[^.\[(]+).*""", r"\1", name)


@dataclass(frozen=True)
class Told:
    """One change as the score sees it: the members it stands at, those it only reaches, and whom it breaks."""

    change: Change
    at: set[str]
    reaches: set[str]
    read: bool
    write: bool

    def speaks_of(self, name: str, use: str) -> bool:
        """Whether it says that this member breaks for this use. Where it is only reached, a type that is taken in breaks the
        other side than one that is given out: either role counts."""
        here = self.read if use == "read" else self.write
        return (here and covers(self.at, name)) or ((self.read or self.write) and covers(self.reaches, name))


def told(change: Change) -> Told:
    rule = by_change()[change.address.kind, change.kind]
    writers = {"handed": {rule.consumer}, "given": {rule.consumer, rule.implementer}}
    write = writers.get(str(change.args.get("direction")), {rule.implementer}) & {*BREAKS}
    return Told(change, {item(str(change.address))}, touched(change), rule.consumer in BREAKS, bool(write))


def touched(change: Change) -> set[str]:
    reaches = change.args.get("reaches")
    found = {item(str(one)) for one in [change.address, *(reaches if isinstance(reaches, list) else [])]}
    if change.kind in ("entry-removed", "entry-added"):
        found.add(str(change.address)[3:])
    return found


def covers(items: set[str], name: str) -> bool:
    return name in items or above(name) in items or any(one.startswith(name) for one in items)


def confirmed(one: Told, oracle: Verdicts) -> bool:
    """Whether the compiler sees a difference where the change shows; one that breaks, if the change is said to break."""
    shows = one.at | one.reaches
    rows = [verdict for name, verdict in oracle.items() if covers(shows, name) or above(name) in shows]
    if one.read or one.write:
        return any(row.get("read") or row.get("write") for row in rows)
    return any(row.get("differs") for row in rows)


def score(pair: str, changes: Sequence[Change], oracle: Verdicts) -> Score:
    result = Score(pairs=1, changes=len(changes))
    rows = [told(change) for change in changes]
    for one in rows:
        if one.change.confidence == "proven":
            result.proven += 1
            if not confirmed(one, oracle):
                result.wrong.append(f"{pair}: {one.change.kind} {one.change.address}")
    for name, verdict in sorted(oracle.items()):
        for use in ("read", "write"):
            if verdict.get(use):
                result.broken += 1
                near = above(name) if verdict.get("self") else name
                if not any(one.speaks_of(near, use) for one in rows):
                    result.missed.append(f"{pair}: {use} {name}")
    return result
