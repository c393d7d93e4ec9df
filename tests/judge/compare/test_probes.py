"""What a difference in behaviour is called."""

from __future__ import annotations

from typing import Any

import pytest

from driftwatch.judge.compare import compare
from driftwatch.model import Address, Fact, Observed, Ref, Snapshot
from driftwatch.rules import by_change


def snapshot(**members: Any) -> Snapshot:
    facts = tuple(Fact(Address.of("probe", "opencode/dispose", name), value) for name, value in members.items())
    return Snapshot.of(Ref("opencode", "1"), Observed(facts))


OUTCOMES = ("holds", "broken", "absent")


@pytest.mark.parametrize(
    "was, now, kind",
    [
        ("holds", "broken", "broke"),
        ("broken", "holds", "revived"),
        ("absent", "holds", "revived"),
        ("holds", "absent", "vanished"),
        ("broken", "absent", "vanished"),
        ("absent", "broken", "appeared"),
    ],
)
def test_a_moved_outcome_has_one_word(was: str, now: str, kind: str) -> None:
    (change,) = compare(snapshot(outcome=was, fired=1), snapshot(outcome=now, fired=2, more=True))
    assert (change.address, change.kind, change.before, change.after) == ("probe:opencode/dispose#outcome", kind, was, now)
    assert change.args["observed"] == {"fired": [1, 2], "more": [None, True]}
    assert ("probe", kind) in by_change()


def test_something_else_that_differs() -> None:
    changes = compare(snapshot(outcome="holds", order=["a", "b"], same=1), snapshot(outcome="holds", order=["b", "a"], same=1))
    assert [(change.address, change.kind) for change in changes] == [("probe:opencode/dispose#order", "changed")]
    assert ("probe", "changed") in by_change()


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_the_same_twice_is_silent(outcome: str) -> None:
    assert compare(snapshot(outcome=outcome, fired=[1]), snapshot(outcome=outcome, fired=[1])) == ()


def test_an_answer_on_one_side_only_is_no_change() -> None:
    nothing = Snapshot(Ref("opencode", "2"))
    assert compare(snapshot(outcome="holds"), nothing) == ()
    assert compare(nothing, snapshot(outcome="holds")) == ()
