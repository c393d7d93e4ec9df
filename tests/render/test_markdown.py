from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from driftwatch.model import FileRow, Report
from driftwatch.render import markdown
from tests.support import reports

HTML = re.compile(r"</?(details|summary|br|code)>")
MAKERS: dict[str, Callable[[], Report]] = {
    **reports.SAMPLES,
    "everything": reports.everything,
    "our words": reports.everything_and_our_words,
    **{f"only {number}": (lambda text=text: reports.everything(text, 2)) for number, text in enumerate(reports.NASTY)},  # type: ignore[misc]
}


@cache
def rendered(name: str) -> str:
    return markdown.render(MAKERS[name]())


@cache
def read(name: str) -> tuple[Token, ...]:
    return tuple(tokens(rendered(name)))


def tokens(text: str) -> Iterator[Token]:
    reader = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    for token in reader.parse(text):
        yield token
        yield from token.children or ()


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.slow
def test_upstream_text_stays_text(name: str) -> None:
    found = read(name)
    kinds = {token.type for token in found}
    assert not kinds & {"link_open", "image", "s_open", "strong_open", "blockquote_open", "code_block"}
    assert all(found[index + 1].content.startswith("(likely") for index, token in enumerate(found) if token.type == "em_open")
    for token in found:
        if token.type in ("html_block", "html_inline"):
            left = HTML.sub("", token.content)
            assert "<" not in left, token.content


@pytest.mark.parametrize("name", MAKERS)
def test_the_structure_is_ours_alone(name: str) -> None:
    """Headings, table cells and folds are those of the template, whatever the fields hold."""
    text = rendered(name)
    found = read(name)
    headings = [found[index + 1].content for index, token in enumerate(found) if token.type == "heading_open"]
    assert headings[0].startswith(tuple(markdown.ICONS.values()))
    first = [re.sub(r" \(\d+( changes?)?\)$", "", heading) for heading in headings[1:4]]
    assert first == ["What breaks", "What could not be looked at", "What to do"]
    assert sum(token.type == "heading_open" and token.tag == "h1" for token in found) == 1
    assert text.count("<details>") == text.count("</details>") - _in_code(name, "</details>")
    rows: list[int] = []
    for token in found:
        if token.type == "thead_open":
            rows = []
        if token.type == "tr_open":
            rows.append(0)
        if token.type in ("td_open", "th_open"):
            rows[-1] += 1
        if token.type == "table_close":
            assert len(set(rows)) == 1, rows


def _in_code(name: str, wanted: str) -> int:
    return sum(token.content.count(wanted) for token in read(name) if token.type in ("code_inline", "fence"))


@pytest.mark.parametrize("name", MAKERS)
def test_no_table_row_has_more_cells_than_its_head(name: str) -> None:
    """The reader drops what is too much, so count the unescaped pipes in the text itself."""
    width = 0
    for line in rendered(name).split("\n"):
        if not line.startswith("|"):
            width = 0
            continue
        pipes = len(re.findall(r"(?<!\\)(?:\\\\)*\|", line))
        width = width or pipes
        assert pipes == width, line


@pytest.mark.parametrize("name", MAKERS)
def test_nobody_is_called_and_nothing_is_referenced(name: str) -> None:
    """Outside of code no mention, issue reference or bare link is left for a forge to find."""
    in_code = 0
    for token in read(name):
        in_code += (token.content == "<code>") - (token.content == "</code>") if token.type == "html_inline" else 0
        if token.type == "text" and not in_code:
            assert not re.search(r"@\w|#\d|\bGH-\d|://|\bwww\.", token.content, re.I), token.content


@pytest.mark.parametrize("name", MAKERS)
def test_no_line_is_a_command_of_a_ci_log(name: str) -> None:
    text = rendered(name)
    text.encode("utf-8")
    assert not re.search(r"^\s*::|##\[", text, re.M)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff]", text)


def test_a_fence_is_longer_than_any_run_of_backticks_inside() -> None:
    diff = "@@ -1 +1 @@\n-a\n+```` b\n ```\n</details>\n"
    fenced = markdown.diff(diff)
    assert fenced.startswith("`````diff\n") and fenced.endswith("\n`````")
    assert [token.type for token in tokens(fenced)] == ["fence"]


def test_a_very_long_diff_is_shortened_and_says_so() -> None:
    shown = markdown.diff("@@ -0,0 +1,9000 @@\n" + "+x\n" * 9000)
    assert shown.count("\n+x") == markdown.DIFF_LINES - 1
    assert shown.endswith("8,601 more lines are in the JSON report.")


def test_megabytes_make_a_page_of_bounded_size_with_the_verdict_whole() -> None:
    text = markdown.render(reports.everything("y" * 1_000_000))
    assert len(text) < 150_000
    assert text.startswith("# ❌ Broken: 1 thing relied on no longer holds\n")


def test_many_rows_are_folded_not_cut() -> None:
    upstream = reports.broken().upstreams[0]
    many = tuple(reports.finding("ts-removed", f"ts:p#M{n}", severity="breaking", counts=True) for n in range(60))
    files = tuple(FileRow(f"f{n}", "**", "b", "same") for n in range(500))
    text = markdown.render(replace(reports.broken(), upstreams=(replace(upstream, findings=many, files=files),)))
    assert "<details><summary>60 breaking findings</summary>" in text
    assert "`M59` is no longer declared by `p`" in text
    assert "<details><summary>500 watched files did not change</summary>" in text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("- a", "\\- a"),
        ("1. a", "1\\. a"),
        ("1.15.4", "1.15.4"),
        ("# a", "\\# a"),
        ("a_b*c", "a\\_b\\*c"),
        ("a & b < c", "a &amp; b &lt; c"),
    ],
)
def test_prose(text: str, shown: str) -> None:
    assert markdown.escape(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", "—"),
        ("a", "`a`"),
        ("a`b", "``a`b``"),
        ("`a", "`` `a ``"),
        ("a|b", "<code>a&#124;b</code>"),
        ("a\nb", "`a b`"),
        ("\\|", "<code>&#92;&#124;</code>"),
    ],
)
def test_code(text: str, shown: str) -> None:
    assert markdown.code(text) == shown


def test_two_long_values_in_a_row_are_told_apart() -> None:
    old = {f"answer_{number:03}": 200 for number in range(60)}
    found = reports.finding("probe-changed", "probe:a/b#c", before=old, after={**old, "answer_059": 404})
    assert (markdown.before(found), markdown.after(found)) == (
        '`{"answer_059": 200} and 59 the same`',
        '`{"answer_059": 404} and 59 the same`',
    )
