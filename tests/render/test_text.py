from __future__ import annotations

import re

import pytest

from driftwatch import render
from driftwatch.errors import UsageError
from driftwatch.render import text
from tests.support import reports

MAKERS = {**reports.SAMPLES, "everything": reports.everything, "our words": reports.everything_and_our_words}


@pytest.mark.parametrize("name", MAKERS)
def test_nothing_moves_a_cursor_or_speaks_to_a_ci_log(name: str) -> None:
    shown = text.render(MAKERS[name]())
    shown.encode("utf-8")
    assert not re.search(r"^\s*::|##\[", shown, re.M)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff]", shown)


@pytest.mark.parametrize("name", MAKERS)
def test_lines_are_what_is_rendered_and_the_first_is_the_verdict(name: str) -> None:
    lines = list(text.lines(MAKERS[name]()))
    assert "".join(f"{line.text}\n" for line in lines) == text.render(MAKERS[name]())
    assert [line.style for line in lines].index("verdict") == 0
    assert not any("\n" in line.text for line in lines)


def test_each_line_says_what_it_is() -> None:
    styles = {line.style: line.text for line in text.lines(reports.broken())}
    assert styles["bad"] == "  x Hooks.dispose is no longer declared by @opencode-ai/plugin (likely)"
    assert styles["warn"].startswith("  ! dist-tag latest")
    assert styles["command"] == "     $ driftwatch explain tag-moved-backward"


def test_a_long_report_stays_readable() -> None:
    assert len(text.render(reports.everything("y" * 1_000_000))) < 20_000


def test_an_unknown_format_names_the_known_ones() -> None:
    with pytest.raises(UsageError, match="no format 'pdf'") as caught:
        render.render(reports.broken(), "pdf")
    assert all(name in caught.value.remedy for name in render.FORMATS)


@pytest.mark.parametrize("form", render.FORMATS)
def test_every_format_gives_the_same_bytes_again(form: str) -> None:
    assert render.render(reports.drifted(), form).encode() == render.render(reports.drifted(), form).encode()
