from __future__ import annotations

import re
from pathlib import Path

import pytest

import driftwatch
from driftwatch.render import page

TEMPLATES = sorted((Path(driftwatch.__file__).parent / "render" / "templates").glob("*.html.j2"))
PAGES = [path for path in TEMPLATES if "<!DOCTYPE" in path.read_text("utf-8")]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_a_page_with_icons_has_their_shapes(path: Path) -> None:
    text = path.read_text("utf-8")
    if re.search(r"import [^%]*\b(icon|chip)\b", text):
        assert text.count("{{ icons() }}") == 1
        assert text.index("{{ icons() }}") < text.index("<header")


def test_every_icon_that_is_used_has_a_shape() -> None:
    text = (TEMPLATES[0].parent / "parts.html.j2").read_text("utf-8")
    shapes = set(re.findall(r'<symbol id="i-(\w+)"', text))
    named = set(re.findall(r'": "(yes|no|ask|care|do|go)"', text)) | {"go"}
    assert named == shapes


@pytest.mark.parametrize(
    ("text", "places"),
    [("1.15.13", 0), ("packages/plugin/src", 2), ("a.b", 1), (">=0.2.11", 0), ("ts:x#Y", 2), ("v1.x", 1)],
)
def test_names_wrap_after_their_signs_and_versions_stay_whole(text: str, places: int) -> None:
    assert str(page.code(text)).count("<wbr>") == places


def test_the_policy_names_what_is_there_and_nothing_else() -> None:
    assert page.policy("a{}") == (
        "default-src 'none'; style-src 'sha256-X1RutGBrXCt9KkSaXMK7tHftWiRscFHOhxsS8tv8hBk='; base-uri 'none'; form-action 'none'"
    )
    assert "script-src 'sha256-" in page.policy("a{}", "1")
