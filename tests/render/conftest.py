from __future__ import annotations

import pytest

from driftwatch import rules
from tests.support.catalogue import SAMPLE


@pytest.fixture(autouse=True)
def sample_catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    """The real catalogue's wording may change any day; what renderers do with it must not."""
    rules.by_change()  # kept for the whole process: it must not be made of the sample
    monkeypatch.setattr(rules, "catalogue", lambda: SAMPLE)
