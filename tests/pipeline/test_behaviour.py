"""What two hosts say beside each other: a difference counts only when one host agrees with itself in it."""

from __future__ import annotations

from typing import Any

import pytest

from driftwatch.model import ProbeRow
from driftwatch.observe.facts import behaviour as facts
from driftwatch.observe.probes import load_library
from driftwatch.pipeline import behaviour

DISPOSE, TOOLS = (load_library()[name] for name in ("opencode/dispose", "opencode/tool-ids"))


def told(version: str, **values: Any) -> tuple[ProbeRow, ...]:
    """A row for each probe: ``NAME=value`` is its one fact."""
    return tuple(
        ProbeRow(f"opencode/{name.replace('_', '-')}", version, "holds", {"seen": value}) for name, value in values.items()
    )


def test_only_what_differs_is_asked_again_on_both_hosts() -> None:
    asked: list[tuple[Any, tuple[str, ...]]] = []

    def again(version: Any, probes: Any) -> tuple[ProbeRow, ...]:
        asked.append((version, tuple(probe.id for probe in probes)))
        return tuple(ProbeRow(p.id, version, "holds", {"seen": 1}, runs=2, unstable=("seen",)) for p in probes)

    first = {"1": told("1", dispose=1, tool_ids=5), "2": told("2", dispose=2, tool_ids=5)}
    rows = behaviour.confirmed(first, [DISPOSE, TOOLS], again)
    assert sorted(asked) == [("1", ("opencode/dispose",)), ("2", ("opencode/dispose",))]
    assert [(row.id, row.runs) for row in rows["2"]] == [("opencode/dispose", 2), ("opencode/tool-ids", 1)]
    seen = facts.observe(rows["2"])
    assert "probe:opencode/dispose#seen" not in {fact.address for fact in seen.facts}
    [gap] = seen.gaps
    assert gap.address == "probe:opencode/dispose#seen"
    assert gap.reason.startswith("unstable: 2 runs of host 2 do not agree in it")


def test_what_a_neighbour_saw_too_is_not_asked_again() -> None:
    row = [told(str(number), dispose=value) for number, value in enumerate((1, 1, 2, 2, 3, 1, 1))]
    assert behaviour.doubtful(dict(enumerate(row))) == {
        **{number: set() for number in (0, 1, 2, 3, 5, 6)},
        4: {"opencode/dispose"},
    }, "only the one that stands alone"
    ends = {key: told(key, dispose=value) for key, value in (("1", 1), ("2", 2), ("3", 2))}
    assert behaviour.doubtful(ends) == {"1": {"opencode/dispose"}, "2": set(), "3": set()}


def test_every_fact_needs_a_neighbour_of_its_own() -> None:
    """The one on the left agrees in one fact and the one on the right in the other: each has been seen twice."""
    facts = [{"a": 1, "b": 1}, {"a": 1, "b": 2}, {"a": 2, "b": 2}]
    rows = {n: (ProbeRow("opencode/dispose", str(n), "holds", each),) for n, each in enumerate(facts)}
    assert behaviour.doubtful(rows) == {0: {"opencode/dispose"}, 1: set(), 2: {"opencode/dispose"}}
    gap = {**rows, 1: behaviour.unverified([DISPOSE], "1", "no host")}
    assert behaviour.doubtful(gap) == {0: set(), 1: set(), 2: set()}
    broken = {**rows, 1: (ProbeRow("opencode/dispose", "1", "broken", facts[0]),)}
    assert behaviour.doubtful(broken)[1] == {"opencode/dispose"}, "nobody else says that it is broken"


def test_what_agrees_is_not_asked_again() -> None:
    same = {"1": told("1", dispose=1), "2": told("2", dispose=1)}
    assert behaviour.confirmed(same, [DISPOSE], lambda *_: pytest.fail("nothing differs")) == same
    one_sided = {"1": told("1", dispose=1), "2": behaviour.unverified([DISPOSE], "2", "no host")}
    assert behaviour.confirmed(one_sided, [DISPOSE], lambda *_: pytest.fail("nothing differs")) == one_sided
