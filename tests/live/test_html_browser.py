"""The HTML report in a real headless Chromium. Skips when there is none, unless DRIFTWATCH_REQUIRE_LIVE is set."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from driftwatch.model import Json, Report
from driftwatch.render import html, index
from driftwatch.render import json as to_json
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
    "hostile-twice": lambda: reports.everything(size=2),
    "hostile-words": reports.everything_and_our_words,
    "hostile-long": lambda: reports.everything("W" * 5000),
}
WIDTHS = (320, 360, 390, 900, 1280)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[chromium.Browser]:
    with chromium.Browser(tmp_path_factory.mktemp("profile"), deadline=600) as opened:
        yield opened


@pytest.fixture(params=MAKERS)
def page(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Report]:
    report = MAKERS[request.param]()
    return write(tmp_path, html.render(report)), report


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    return write(tmp_path, hostile_index(), "index.html")


def write(folder: Path, text: str, name: str = "report.html") -> Path:
    file = folder / name
    file.write_bytes(text.encode())
    return file


def hostile_index() -> str:
    """The page of reports with hostile text in every field that is not driftwatch's own word."""
    texts = [*reports.NASTY, "W" * 5000]
    documents = [json.loads(to_json.render(reports.everything(text))) for text in texts]
    listed = [
        index.listed(f"r{n}/{text[:200]}", one, ("html", "json"))
        for n, (text, one) in enumerate(zip(texts, documents, strict=True))
    ]
    latest = index.listed("latest", json.loads(to_json.render(reports.drifted())), ("html", "md", "json"))
    lines: list[dict[str, Json]] = [
        {"at": text, "outcome": "broken", "report": text, "upstreams": {text: {"from": text, "to": text, "breaking": 2}}}
        for text in texts
    ]
    return index.render([one for one in (latest, *listed) if one], lines)


def test_nothing_foreign_runs_and_nothing_is_requested(browser: chromium.Browser, page: tuple[Path, Report]) -> None:
    untouched(browser, page[0])


def test_the_page_of_reports_is_as_safe(browser: chromium.Browser, shelf: Path) -> None:
    untouched(browser, shelf)
    links = browser.evaluate("[...document.querySelectorAll('a')].map(one => one.getAttribute('href')).join('\\n')")
    assert all(link.startswith(("./", "#")) for link in links.split("\n"))
    for width in WIDTHS:
        browser.open(shelf, width=width)
        assert browser.evaluate("document.documentElement.scrollWidth") == width


def untouched(browser: chromium.Browser, file: Path) -> None:
    browser.open(file)
    assert browser.evaluate("document.title").startswith(("Compatible:", "Drifted:", "Broken:", "Unverified:"))
    browser.evaluate("document.querySelectorAll('summary').forEach(one => one.click())")
    browser.evaluate("document.querySelectorAll('a[href^=\"#\"]').forEach(one => { one.focus(); one.click() })")
    assert browser.evaluate("document.title").startswith(("Compatible:", "Drifted:", "Broken:", "Unverified:"))
    assert browser.evaluate("document.querySelectorAll('img, iframe, object, embed, link, form, base').length") == 0
    assert browser.evaluate("document.scripts.length") == (1 if file.name == "report.html" else 0)
    requested = [
        event["params"]["request"]["url"] for event in browser.events if event.get("method") == "Network.requestWillBeSent"
    ]
    assert [url.partition("#")[0] for url in requested][:1] == [file.resolve().as_uri()]
    assert {url.partition("#")[0] for url in requested} == {file.resolve().as_uri()}
    assert [event for event in browser.events if event.get("method") == "Runtime.exceptionThrown"] == []
    assert [event for event in browser.events if event.get("method") == "Log.entryAdded"] == []


def test_the_policy_stops_what_an_escaping_mistake_would_let_through(browser: chromium.Browser, tmp_path: Path) -> None:
    hostile = (
        "<script>document.title='owned'</script><style>h1{display:none}</style>"
        "<img src='https://evil.invalid/x' onerror=\"document.title='owned'\">"
    )
    file = write(tmp_path, html.render(reports.broken()).replace("<main", f"{hostile}<main", 1))
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
    file = write(tmp_path, html.render(reports.drifted()))
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
    file = write(tmp_path, html.render(reports.drifted()))
    browser.open(file)
    inside = "document.querySelector('details.file .lines').checkVisibility({contentVisibilityAuto: true})"
    assert browser.evaluate(inside) is False
    browser.call("Emulation.setEmulatedMedia", media="print")
    frames = f"requestAnimationFrame(() => requestAnimationFrame(() => done({inside})))"
    shown = browser.evaluate(f"new Promise(done => {frames})")
    browser.call("Emulation.setEmulatedMedia", media="")
    assert shown is True


# --- the script

SHOWN = "document.querySelectorAll('article:not([hidden])').length"
COUNT = "document.getElementById('filter-count').textContent"


def settle(browser: chromium.Browser) -> None:
    browser.evaluate("new Promise(done => setTimeout(done, 250))")


def type_in(browser: chromium.Browser, words: str) -> None:
    browser.evaluate("document.getElementById('filter-q').focus()")
    browser.call("Input.insertText", text=words)
    settle(browser)


def test_findings_are_narrowed_and_the_address_can_be_shared(browser: chromium.Browser, tmp_path: Path) -> None:
    file = write(tmp_path, html.render(reports.drifted()))
    browser.open(file)
    assert browser.evaluate(SHOWN) == 6
    browser.evaluate("document.querySelector('input[value=risky]').click()")
    settle(browser)
    assert (browser.evaluate(SHOWN), browser.evaluate("location.hash")) == (2, "#severity=risky")
    type_in(browser, "index.ts")
    assert (browser.evaluate(SHOWN), browser.evaluate(COUNT)) == (1, "1 of 6 findings shown")
    shared = browser.evaluate("location.hash")
    browser.open(file)
    browser.evaluate(f"location.hash = {json.dumps(shared)}")
    settle(browser)
    assert (browser.evaluate(SHOWN), browser.evaluate("document.getElementById('filter-q').value")) == (1, "index.ts")
    browser.evaluate("document.getElementById('filter-clear').click()")
    assert (browser.evaluate(SHOWN), browser.evaluate("location.hash"), browser.evaluate(COUNT)) == (6, "", "")


def test_what_is_found_in_a_fold_is_opened(browser: chromium.Browser, tmp_path: Path) -> None:
    browser.open(write(tmp_path, html.render(reports.drifted())))
    assert browser.evaluate("document.querySelector('details.many').open") is False
    type_in(browser, "zod")
    assert browser.evaluate("document.querySelector('details.many').open") is True
    browser.evaluate("document.getElementById('filter-clear').click()")
    assert browser.evaluate("document.querySelector('details.many').open") is False


def test_a_link_to_a_folded_finding_opens_it_and_beats_the_filter(browser: chromium.Browser, tmp_path: Path) -> None:
    report = reports.drifted()
    browser.open(write(tmp_path, html.render(report)))
    folded = f"f-{report.upstreams[0].findings[3].fingerprint}"
    type_in(browser, "nothing is called this")
    assert browser.evaluate(SHOWN) == 0
    browser.evaluate(f"location.hash = '#{folded}'")
    settle(browser)
    assert browser.evaluate(f"document.getElementById('{folded}').checkVisibility()") is True


def test_hostile_addresses_only_choose(browser: chromium.Browser, tmp_path: Path) -> None:
    browser.open(write(tmp_path, html.render(reports.drifted())))
    for hash_ in ("q=<img src=x onerror=document.title=1>&severity=__proto__", "%00=%", "role=constructor&kind=%ff", "f-'\"><b>"):
        browser.evaluate(f"location.hash = {json.dumps(hash_)}")
        settle(browser)
    assert browser.evaluate("document.title").startswith("Drifted:")
    assert [event for event in browser.events if event.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded")] == []


def test_everything_can_be_read_without_the_script(browser: chromium.Browser, tmp_path: Path) -> None:
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.open(write(tmp_path, html.render(reports.drifted())))
        assert browser.evaluate("document.getElementById('filter').checkVisibility()") is False
        assert browser.evaluate(SHOWN) == 6
        shut = "[...document.querySelectorAll('main *')].filter(one => one.hidden && one.id !== 'filter').length"
        assert browser.evaluate(shut) == 0
    finally:
        browser.call("Emulation.setScriptExecutionDisabled", value=False)


def test_tab_goes_through_the_page_in_reading_order(browser: chromium.Browser, tmp_path: Path) -> None:
    browser.open(write(tmp_path, html.render(reports.drifted())))
    assert browser.evaluate("document.querySelectorAll('[tabindex]:not([tabindex=\"0\"])').length") == 0
    places = []
    for _ in range(25):
        for kind in ("keyDown", "keyUp"):
            browser.call("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9)
        places.append(browser.evaluate("[...document.querySelectorAll('*')].indexOf(document.activeElement)"))
        ring = "getComputedStyle(document.activeElement).outlineStyle"
        assert browser.evaluate(ring) == "solid", browser.evaluate("document.activeElement.outerHTML.slice(0, 200)")
    assert places == sorted(set(places))
    assert browser.evaluate(f"document.querySelectorAll('*')[{places[0]}].className") == "skip"


CONTRAST = r"""(() => {
  const parse = (text) => (text.match(/[\d.]+/g) ?? []).map(Number);
  const light = (rgb) => rgb.slice(0, 3).map((part) => part / 255)
    .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, n) => sum + part * [0.2126, 0.7152, 0.0722][n], 0);
  const ground = (one) => {
    for (; one; one = one.parentElement) {
      const colour = parse(getComputedStyle(one).backgroundColor);
      if (colour.length === 3 || colour[3] > 0.99) return colour;
    }
    return [255, 255, 255];
  };
  const bad = [];
  for (const one of document.querySelectorAll("body *")) {
    const own = [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || ["SCRIPT", "STYLE", "OPTION"].includes(one.tagName.toUpperCase()) || !one.checkVisibility()) continue;
    if (one.ownerSVGElement && one.previousElementSibling?.classList.contains("part")) continue;
    const style = getComputedStyle(one);
    const pair = [light(parse(one.ownerSVGElement ? style.fill : style.color)), light(ground(one))].sort((a, b) => b - a);
    if ((pair[0] + 0.05) / (pair[1] + 0.05) < 4.5) bad.push(one.outerHTML.slice(0, 120));
  }
  return bad.join("\n");
})()"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_from_its_ground(browser: chromium.Browser, page: tuple[Path, Report], scheme: str) -> None:
    browser.open(page[0], scheme=scheme)
    browser.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
    assert browser.evaluate(CONTRAST) == ""


def test_a_diff_is_two_columns_on_a_desk_and_one_on_a_phone(browser: chromium.Browser, tmp_path: Path) -> None:
    file = write(tmp_path, html.render(reports.drifted()))
    sides = (
        "JSON.stringify(['old', 'new'].map(side => document.querySelector(`.lines .same td:not(.n).${side}`)"
        ".getBoundingClientRect()).map(box => [Math.round(box.width) > 0, Math.round(box.y)]))"
    )
    for width, both in ((1280, True), (390, False)):
        browser.open(file, width=width)
        browser.evaluate("document.querySelector('details.file').open = true")
        old, new = json.loads(browser.evaluate(sides))
        assert (old[0], new[0]) == (both, True)
        assert not both or old[1] == new[1]


def test_labels_of_the_timeline_stay_inside_their_picture(browser: chromium.Browser, tmp_path: Path) -> None:
    file = write(tmp_path, html.render(reports.drifted()))
    for width in (360, 1280):
        browser.open(file, width=width)
        outside = (
            "(() => { const box = document.querySelector('.timeline').getBoundingClientRect();"
            " return [...document.querySelectorAll('.timeline text')].map(one => one.getBoundingClientRect())"
            ".filter(one => one.left < box.left || one.right > box.right).length })()"
        )
        assert browser.evaluate(outside) == 0


def test_two_thousand_findings_are_a_page_that_answers(browser: chromium.Browser, tmp_path: Path) -> None:
    text = html.render(reports.many(2000))
    assert len(text.encode()) < 3_000_000
    browser.open(write(tmp_path, text))
    assert browser.evaluate("document.querySelectorAll('article').length") == 2000
    took = browser.evaluate(
        "(() => { const start = performance.now(); document.getElementById('filter-relied').click();"
        " return new Promise(done => setTimeout(() => requestAnimationFrame(() => done(performance.now() - start)), 130)) })()"
    )
    assert took < 3000, took
