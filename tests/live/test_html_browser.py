"""The HTML report in a real headless Chromium. Skips when there is none, unless DRIFTWATCH_REQUIRE_LIVE is set."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from driftwatch.model import Report
from driftwatch.render import html
from tests.support import chromium, reports

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(
        chromium.find() is None and not os.environ.get("DRIFTWATCH_REQUIRE_LIVE"),
        reason="no Chromium found on the PATH (or in DRIFTWATCH_CHROMIUM)",
    ),
]

MAKERS: dict[str, Callable[[], Report]] = {
    **reports.SAMPLES,
    "hostile": reports.everything,
    "hostile-words": reports.everything_and_our_words,
    "hostile-long": lambda: reports.everything("W" * 5000),
}
WIDTHS = (320, 390, 1280)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[chromium.Browser]:
    with chromium.Browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(params=MAKERS)
def page(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Report]:
    report = MAKERS[request.param]()
    file = tmp_path / "report.html"
    file.write_bytes(html.render(report).encode())
    return file, report


def test_nothing_runs_and_nothing_is_requested(browser: chromium.Browser, page: tuple[Path, Report]) -> None:
    file, _ = page
    browser.open(file)
    assert browser.evaluate("document.title").startswith(("Compatible:", "Drifted:", "Broken:", "Unverified:"))
    browser.evaluate("document.querySelectorAll('summary').forEach(one => one.click())")
    browser.evaluate("document.querySelectorAll('a').forEach(one => { one.focus(); one.click() })")
    assert browser.evaluate("document.title").startswith(("Compatible:", "Drifted:", "Broken:", "Unverified:"))
    assert browser.evaluate("document.querySelectorAll('script, img, iframe, object, embed, link, form, base').length") == 0
    requested = [
        event["params"]["request"]["url"] for event in browser.events if event.get("method") == "Network.requestWillBeSent"
    ]
    assert [url.partition("#")[0] for url in requested][:1] == [file.resolve().as_uri()]
    assert {url.partition("#")[0] for url in requested} == {file.resolve().as_uri()}
    assert [event for event in browser.events if event.get("method") == "Runtime.exceptionThrown"] == []
    assert [event for event in browser.events if event.get("method") == "Log.entryAdded"] == []


def test_the_policy_stops_what_an_escaping_mistake_would_let_through(browser: chromium.Browser, tmp_path: Path) -> None:
    file = tmp_path / "mistake.html"
    hostile = (
        "<script>document.title='owned'</script><style>h1{display:none}</style>"
        "<img src='https://evil.invalid/x' onerror=\"document.title='owned'\">"
    )
    file.write_text(html.render(reports.broken()).replace("<main", f"{hostile}<main", 1))
    browser.open(file)
    assert browser.evaluate("document.title").startswith("Broken:")
    assert browser.evaluate("getComputedStyle(document.querySelector('h1')).display") == "block"
    assert browser.evaluate("document.querySelector('img').naturalWidth") == 0
    blocked = [event for event in browser.events if event.get("method") == "Log.entryAdded"]
    assert len(blocked) >= 3


def test_the_style_sheet_applies(browser: chromium.Browser, page: tuple[Path, Report]) -> None:
    browser.open(page[0], scheme="light")
    light = browser.evaluate("getComputedStyle(document.body).backgroundColor")
    browser.open(page[0], scheme="dark")
    assert (light, browser.evaluate("getComputedStyle(document.body).backgroundColor")) == (
        "rgb(246, 246, 243)",
        "rgb(18, 21, 24)",
    )


@pytest.mark.parametrize("width", WIDTHS)
def test_no_page_scrolls_sideways(browser: chromium.Browser, page: tuple[Path, Report], width: int) -> None:
    browser.open(page[0], width=width)
    browser.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
    size = json.loads(browser.evaluate("JSON.stringify([document.documentElement.scrollWidth, window.innerWidth])"))
    assert size == [width, width]


def test_what_scrolls_inside_can_be_reached_by_keyboard(browser: chromium.Browser, page: tuple[Path, Report]) -> None:
    browser.open(page[0], width=390)
    browser.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
    unreachable = browser.evaluate(
        "[...document.querySelectorAll('*')].filter(one => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 1"
        " && ['auto', 'scroll'].includes(getComputedStyle(one).overflowX) && one.tabIndex < 0).length"
    )
    assert unreachable == 0


def test_the_accessibility_tree_has_landmarks_headings_and_table_headers(browser: chromium.Browser, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(html.render(reports.drifted()))
    browser.open(file)
    browser.call("Accessibility.enable")
    nodes = [node for node in browser.call("Accessibility.getFullAXTree")["nodes"] if not node.get("ignored")]
    roles = [node["role"]["value"] for node in nodes]
    assert {"banner", "main", "contentinfo", "navigation", "heading", "rowheader", "columnheader", "region"} <= set(roles)
    nameless = [
        node["role"]["value"]
        for node in nodes
        if node["role"]["value"] in ("link", "region", "navigation", "heading")
        and not node.get("name", {}).get("value", "").strip()
    ]
    assert nameless == []


def test_print_shows_what_is_folded(browser: chromium.Browser, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(html.render(reports.drifted()))
    browser.open(file)
    inside = "document.querySelector('details.file .lines').checkVisibility({contentVisibilityAuto: true})"
    assert browser.evaluate(inside) is False
    browser.call("Emulation.setEmulatedMedia", media="print")
    frames = f"requestAnimationFrame(() => requestAnimationFrame(() => done({inside})))"
    shown = browser.evaluate(f"new Promise(done => {frames})")
    browser.call("Emulation.setEmulatedMedia", media="")
    assert shown is True
