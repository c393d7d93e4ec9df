"""What an error suggests."""

from __future__ import annotations

import pytest

from driftwatch.errors import did_you_mean
from driftwatch.progress import counted

NAMES = ("opencode/dispose", "opencode/load", "opencode/run-once", "reports")


@pytest.mark.parametrize(
    ("word", "near"),
    [
        ("opencode/dispos", "opencode/dispose"),
        ("opencode/nope", ""),
        ("opencod/dispose", "opencode/dispose"),
        ("report", "reports"),
        ("x" * 300, ""),
    ],
)
def test_only_what_is_near_is_suggested_whatever_all_names_begin_with(word: str, near: str) -> None:
    assert did_you_mean(word, NAMES) == (f"did you mean {near!r}?" if near else "")


def test_one_is_not_many() -> None:
    assert [counted(number, "version") for number in (0, 1, 2)] == ["0 versions", "1 version", "2 versions"]
