"""What the documentation shows is run, and is what it shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.pages import ROOT, blocks, fits, pages, replay

RUN = [page for page in pages() if any(block.runs and not block.live for block in blocks(page))]


@pytest.mark.parametrize("page", RUN, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_does_what_it_shows(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert list(replay(page, tmp_path, live=False)) == []


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_every_shown_session_is_run_or_says_why_not(page: Path) -> None:
    for block in blocks(page):
        if block.kind == "console":
            assert block.runs or block.note.startswith("not run: "), f"{page.name}:{block.line} is neither run nor excused"


def test_the_comparison_can_fail() -> None:
    assert fits("one\n...\nthree", "one\ntwo\n  three\n")
    assert fits("so ... much", "so very much")
    assert not fits("one\nthree", "one\ntwo\nthree\n")
    assert not fits("one", "one more")
    assert not fits("...\nend", "end of it")
