"""Pages that show the real registry and real hosts, run on them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.pages import ROOT, blocks, pages, replay

LIVE = [page for page in pages() if any(block.live for block in blocks(page))]

pytestmark = pytest.mark.live


@pytest.mark.parametrize("page", LIVE, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_does_what_it_shows(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: Path) -> None:
    monkeypatch.setenv("DRIFTWATCH_CACHE", str(kept))
    monkeypatch.chdir(tmp_path)
    assert list(replay(page, tmp_path, live=True)) == []
