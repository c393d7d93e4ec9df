"""Does what a project relies on hold at one version? Facts and gaps of that version in, yes, no or "could not be told" out.

What "holds" means, by the kind of address:

- a value that is demanded: some fact there has it; a range or a number that must begin at least somewhere: it does
- ``manifest:`` ranges the project itself declares something about: the lowest version upstream's range allows fits ours
- ``probe:X#member``: the outcome is ``holds``, any other member is true, not zero and not empty; ``probe:X`` means its outcome
- ``call:``: the host has at least one such call
- everything else: there is a fact (the member is declared, the operation exists)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from driftwatch import addresses
from driftwatch.judge.compare import ranges
from driftwatch.model import Address, Fact, Gap, Json, Observed

if TYPE_CHECKING:
    from driftwatch.judge.floor import Answer

OUTCOME = "outcome"


@dataclass(frozen=True, slots=True)
class Demand:
    """What must be so at an address (a pattern). At most one of the others is set: ``value`` (equal), ``at_least`` (a range
    begins there or above, a number is as high), ``ours`` (the range this project declares for the same thing)."""

    address: str
    value: Json = None
    at_least: str = ""
    ours: str = ""

    @property
    def words(self) -> str:
        """What it asks for beyond being there, "" for nothing."""
        if self.value is not None:
            return f"is {self.value}" if not isinstance(self.value, bool) else f"is {str(self.value).lower()}"
        if self.at_least:
            return f"at least {self.at_least}"
        return f"fits our {self.ours}" if self.ours else ""


def holding(demands: Sequence[Demand], observed: Observed) -> Mapping[str, Answer]:
    """The answer for each demand, by its address."""
    match = addresses.compile(demand.address for demand in demands)
    seen: dict[str, list[Fact]] = {}
    for fact in observed.facts:
        for pattern in match(fact.address):
            seen.setdefault(pattern, []).append(fact)
    return {demand.address: _answer(demand, seen.get(demand.address, []), observed.gaps) for demand in demands}


def _answer(demand: Demand, facts: Sequence[Fact], gaps: Iterable[Gap]) -> Answer:
    if facts and _holds(demand, facts):
        return True, ""
    if not any(fact.address == demand.address for fact in facts):  # what is asked for may be behind what was not seen
        for gap in gaps:
            if addresses.overlap(gap.address, demand.address):
                return None, gap.reason
    return False, ""


def _holds(demand: Demand, facts: Sequence[Fact]) -> bool:
    kind = demand.address.partition(":")[0]
    if demand.value is not None:
        return any(same(fact.value, demand.value) for fact in facts)
    if demand.at_least or demand.ours:
        reaches: Callable[[Json], bool] = lambda value: _reaches(demand, value)  # noqa: E731
        return any(reaches(fact.value) for fact in facts)
    if kind == "probe":
        return _probes(demand, facts)
    if kind == "call":
        return any(fact.value for fact in facts)
    return True


def _probes(demand: Demand, facts: Sequence[Fact]) -> bool:
    outcomes = [fact for fact in facts if fact.address.member == OUTCOME]
    asked = facts if Address(demand.address).member else outcomes
    return bool(asked) and all(fact.value == "holds" if fact.address.member == OUTCOME else bool(fact.value) for fact in asked)


def same(value: Json, wanted: Json) -> bool:
    """JSON equality: to Python ``1`` and ``True`` are one."""
    return value == wanted and isinstance(value, bool) == isinstance(wanted, bool)


def _reaches(demand: Demand, value: Json) -> bool:
    """Whether what upstream says begins high enough."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return bool(demand.at_least) and value >= float(demand.at_least)
        except ValueError:
            return False
    theirs = ranges.parse(value) if isinstance(value, str) else None
    allowed = ranges.parse(f">={demand.at_least}" if demand.at_least else demand.ours)
    if theirs is None or allowed is None or not theirs.intervals:
        return False
    low = theirs.intervals[0][0]
    return any(start <= low < end for start, end in allowed.intervals)
