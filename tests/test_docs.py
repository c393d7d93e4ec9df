"""Pages made from data are what the data says now; commands and links in the docs exist."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from driftwatch.cli import COMMANDS, main

ROOT = Path(__file__).parent.parent
PAGES = {"docs/rules.md": ["rules", "--format", "md"], "docs/watchlist.md": ["schema", "watchlist", "--format", "md"]}
MARKDOWN = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


@pytest.mark.parametrize("page", PAGES)
def test_generated_pages_are_current(page: str) -> None:
    out = io.StringIO()
    assert main(PAGES[page], out, io.StringIO()) == 0
    assert (ROOT / page).read_text("utf-8") == out.getvalue(), f"make it again: driftwatch {' '.join(PAGES[page])} > {page}"


@pytest.mark.parametrize("path", MARKDOWN, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path: Path) -> None:
    prose = re.sub(r"```.*?```|`[^`]*`", "", path.read_text("utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", prose):
        if "://" not in target:
            assert (path.parent / target).exists(), f"{path.name} links to {target}"


@pytest.mark.parametrize("path", MARKDOWN, ids=lambda path: str(path.relative_to(ROOT)))
def test_commands_in_docs_exist(path: Path) -> None:
    for word in re.findall(r"(?:^\$ |`)driftwatch ([a-z][a-z-]+)(?=[ `\n])", path.read_text("utf-8"), re.MULTILINE):
        assert word in COMMANDS, f"{path.name} speaks of `driftwatch {word}`"


def test_every_command_has_help_and_starts_without_heavy_imports() -> None:
    for name in COMMANDS:
        out = io.StringIO()
        assert main([name, "--help"], out, io.StringIO()) == 0, name
