"""Edits of real declarations whose effect is known by construction: a seeded part of what ``bench/mutations.py`` tries."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.live
BENCH = Path(__file__).parents[2] / "bench"


@pytest.mark.timeout(1200)
def test_edits_are_judged_right_and_what_means_nothing_is_silent(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path, str(BENCH)])
    import mutations  # type: ignore[import-not-found,unused-ignore]

    cache = request.config.cache
    assert cache is not None
    results = mutations.run(150, 7, Path(cache.mkdir("driftwatch-types")))
    assert len(results) >= 150
    assert len({edit.name for edit, _ in results}) == len(mutations.MAKERS)
    assert [(edit.name, wrong) for edit, wrong in results if wrong] == []
