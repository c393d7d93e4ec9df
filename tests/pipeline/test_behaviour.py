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


def test_what_agrees_is_not_asked_again() -> None:
    same = {"1": told("1", dispose=1), "2": told("2", dispose=1)}
    assert behaviour.confirmed(same, [DISPOSE], lambda *_: pytest.fail("nothing differs")) == same
    one_sided = {"1": told("1", dispose=1), "2": behaviour.unverified([DISPOSE], "2", "no host")}
    assert behaviour.confirmed(one_sided, [DISPOSE], lambda *_: pytest.fail("nothing differs")) == one_sided
