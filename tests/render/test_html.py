from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from driftwatch.model import Gap, RelianceRow, Report
from driftwatch.render import html, render
from driftwatch.render.grid import grid
from tests.support import reports

_TAGS = (
    "html head meta title style body a header div p span strong svg circle path rect h1 h2 h3 h4 ul ol li small code wbr main "
    "section em nav table thead tbody tr th td article dl dt dd details summary footer symbol use line text tspan g figure "
    "figcaption br search label input fieldset legend select option button pre col colgroup script"
)
_ATTRIBUTES = (
    "lang charset http-equiv content name class href id viewbox aria-hidden aria-label aria-labelledby focusable fill stroke "
    "stroke-width stroke-linecap stroke-linejoin cx cy r d x width height scope role tabindex colspan title data-label data-find "
    "x1 x2 y y1 y2 dx rx text-anchor hidden type name value autocomplete spellcheck"
)
TAGS, ATTRIBUTES = set(_TAGS.split()), set(_ATTRIBUTES.split())
VOID = {"meta", "wbr", "br", "input", "col"}
MAKERS: dict[str, Callable[[], Report]] = {
    **reports.SAMPLES,
    "everything": reports.everything,
    "twice": lambda: reports.everything(size=2),
    "our words": reports.everything_and_our_words,
    **{f"only {number}": (lambda text=text: reports.everything(text, 2)) for number, text in enumerate(reports.NASTY)},  # type: ignore[misc]
}


class Page(HTMLParser):
    """What a browser would see: tags in order, attributes, ids, and whether every tag is closed where it should be."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.texts: dict[str, str] = {}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, tag
        assert self.open[-1] == tag, (tag, self.open)
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.open:
            self.texts[self.open[-1]] = self.texts.get(self.open[-1], "") + data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.tags if name == tag]


@cache
def page(name: str) -> Page:
    return Page(html.render(MAKERS[name]()))


each = pytest.mark.parametrize("name", MAKERS)


@each
@pytest.mark.slow
def test_only_our_tags_and_attributes_are_there_and_closed(name: str) -> None:
    seen = page(name)
    assert seen.open == []
    assert {tag for tag, _ in seen.tags} <= TAGS
    assert {attribute for _, attributes in seen.tags for attribute in attributes} <= ATTRIBUTES


@each
def test_the_page_has_the_same_skeleton_whatever_the_fields_hold(name: str) -> None:
    seen = page(name)
    for once in ("html", "head", "title", "style", "script", "body", "main", "header", "footer", "h1", "search"):
        assert len(seen.all(once)) == 1, once
    levels = [int(tag[1]) for tag, _ in seen.tags if re.fullmatch(r"h[1-6]", tag)]
    assert all(after <= before + 1 for before, after in pairwise(levels)), levels
    assert [tag for tag, _ in seen.tags[:3]] == ["html", "head", "meta"]


@each
def test_nothing_is_loaded_and_links_stay_on_the_page(name: str) -> None:
    seen = page(name)
    ids = [attributes["id"] for _, attributes in seen.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert all(re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", given) for given in ids)
    for link in seen.all("a"):
        assert link["href"][:1] == "#"
        assert link["href"][1:] in ids
    for _, attributes in seen.tags:
        for reference in attributes.get("aria-labelledby", "").split():
            assert reference in ids
    assert "url(" not in seen.texts["style"]
    assert "@import" not in seen.texts["style"]


@each
def test_the_policy_allows_only_the_style_sheet_and_the_script_that_are_there(name: str) -> None:
    seen = page(name)
    policy = next(meta["content"] for meta in seen.all("meta") if meta.get("http-equiv") == "Content-Security-Policy")
    digest = base64.b64encode(hashlib.sha256(seen.texts["style"].encode()).digest()).decode()
    script = base64.b64encode(hashlib.sha256(seen.texts["script"].encode()).digest()).decode()
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{digest}'; script-src 'sha256-{script}'; base-uri 'none'; form-action 'none'"
    )


@each
@pytest.mark.slow
def test_bytes_are_utf8_and_show_nothing_unseen(name: str) -> None:
    raw = page(name).text.encode("utf-8")
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u2028-\u202e\u2066-\u2069\ufeff]", raw.decode("utf-8"))


@each
def test_tables_and_regions_can_be_used_by_keyboard_and_ear(name: str) -> None:
    seen = page(name)
    assert all(head.get("scope") in ("col", "row") for head in seen.all("th"))
    assert all(svg.get("aria-hidden") == "true" or " i " in f" {svg.get('class')} " for svg in seen.all("svg"))
    for attributes in seen.all("div"):
        if attributes.get("role") == "region":
            assert attributes["tabindex"] == "0"
            assert attributes.get("aria-labelledby") or attributes.get("aria-label")
    assert all(nav.get("aria-label") for nav in seen.all("nav"))
    assert all(section.get("aria-labelledby") for section in seen.all("section"))


def test_the_verdict_is_said_in_words_at_the_top() -> None:
    text = html.render(reports.broken())
    assert "<title>Broken: 2 things relied on no longer hold · overclock</title>" in text
    assert "<h1>Broken: 2 things relied on no longer hold</h1>" in text
    assert text.index("<h1>") < text.index("1.15.13") < text.index("What breaks") < text.index("Findings")


def test_a_finding_can_be_linked_by_its_fingerprint() -> None:
    report = reports.broken()
    seen = page("broken")
    assert {f"f-{finding.fingerprint}" for finding in report.upstreams[0].findings} <= {
        attributes.get("id", "") for _, attributes in seen.tags
    }


def test_findings_with_one_fingerprint_get_ids_of_their_own() -> None:
    upstream = reports.broken().upstreams[0]
    twins = tuple(replace(finding, fingerprint="same") for finding in upstream.findings)
    seen = Page(html.render(replace(reports.broken(), upstreams=(replace(upstream, findings=twins), upstream))))
    ids = [attributes["id"] for _, attributes in seen.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {"f-same", "f-same-2", "u-opencode", "u-opencode-2"} <= set(ids)


def test_diff_lines_are_numbered_and_told_without_colour() -> None:
    text = html.render(reports.drifted())
    gone = '<td class="n old"></td><td class="old void"></td>'
    added = f'{gone}<td class="n new">189</td><td class="new"><span class="hidden">added: </span>'
    assert f'<tr class="come">{added}  dispose?: () =&gt; <span class="t">Promise</span>&lt;' in text
    hook = '<span class="t">AuthHook</span>'
    before = f'<td class="n old">191</td><td class="old"><span class="hidden">removed: </span>  auth?: {hook}</td>'
    after = '<td class="n new">193</td><td class="new"><span class="hidden">added: </span>  auth?: ' + hook
    assert f'{before}{after}<span class="m"> | </span><span class="k m">undefined</span></td></tr>' in text


def test_megabytes_make_a_page_of_bounded_size() -> None:
    assert len(html.render(reports.everything("y" * 1_000_000))) < 300_000


# --- colours --------------------------------------------------------------------------------------------------------


def _colours(style: str) -> list[dict[str, str]]:
    """The custom properties of the light and of the dark theme."""
    light, dark = re.findall(r":root \{(.*?)\}", style, re.S)[:2]
    found = [dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", block)) for block in (light, dark)]
    return [found[0], {**found[0], **found[1]}]


def _luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


PAIRS = [
    *((ink, ground) for ink in ("ink", "soft", "link") for ground in ("paper", "card", "sunk")),
    *((tone, f"{tone}-bg") for tone in ("good", "note", "bad", "wonder", "warn")),
    *((tone, "card") for tone in ("good", "note", "bad", "wonder", "warn", "add-ink", "del-ink")),
    *((ink, f"{tone}-bg") for ink in ("ink", "soft") for tone in ("good", "note", "bad", "wonder")),
    *((ink, ground) for ink in ("ink", "soft", "kw", "str", "num", "com", "typ") for ground in ("card", "sunk", "add", "del")),
    *((ink, ground) for ink in ("ink", "kw", "str", "num", "com", "typ") for ground in ("add-mark", "del-mark")),
]


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("ink", "ground"), PAIRS)
def test_contrast_is_at_least_four_and_a_half(theme: int, ink: str, ground: str) -> None:
    colours = _colours(page("broken").texts["style"])[theme]
    bright, dim = sorted((_luminance(colours[ink]), _luminance(colours[ground])), reverse=True)
    assert (bright + 0.05) / (dim + 0.05) >= 4.5


def test_both_sides_are_counted_and_what_is_not_known_is_not_made_up() -> None:
    rows = (
        RelianceRow("event:a", "", "changed", facts=31, facts_before=0),
        RelianceRow("event:b", "", "changed", facts=4, facts_before=3),
        RelianceRow("event:c", "", "changed", facts=5),
    )
    upstream = replace(reports.drifted().upstreams[0], reliances=rows)
    report = replace(reports.drifted(), upstreams=(upstream,))
    cells = [[cell.facts for cell in row.cells] for row in grid(replace(upstream, early=())).rows]
    assert cells == [[0, 31], [3, 4], [0, 5]]
    text = render(report, "md")
    assert "| — | 31 facts |" in text and "| 3 facts | 4 facts |" in text and "| — | 5 facts |" in text


def test_many_steps_are_folded_and_go_on_counting() -> None:
    gaps = tuple(Gap(f"probe:p{number}", "no host", f"remedy {number}") for number in range(20))
    upstream = replace(reports.unverified().upstreams[0], gaps=gaps)
    page = html.render(replace(reports.unverified(), upstreams=(upstream,)))
    shown, _, folded = page.partition("more steps</summary>")
    assert "remedy 7" in shown and "remedy 8" not in shown.partition("What to do</h2>")[2].partition("</section>")[0]
    assert "remedy 19" in folded
    assert ".card details ol { counter-reset: none;" in page
