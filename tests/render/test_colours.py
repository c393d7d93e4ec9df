from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftwatch.render.colours import Colours, language


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/a.ts", "ts"),
        ("a.d.MTS", "ts"),
        ("x.json", "json"),
        (".github/a.yml", "yaml"),
        ("a.md", ""),
        ("Makefile", ""),
        ("", ""),
    ],
)
def test_the_language_is_told_by_the_ending(path: str, expected: str) -> None:
    assert language(path) == expected


@pytest.mark.parametrize(
    ("written_in", "line", "expected"),
    [
        (
            "ts",
            'export const a: Promise<"x"> = 12 // done',
            [("k", "export"), ("k", "const"), ("t", "Promise"), ("s", '"x"'), ("n", "12"), ("c", "// done")],
        ),
        ("ts", "informal(typeofs, newer)", []),
        ("ts", 'a("// no comment")', [("s", '"// no comment"')]),
        ("ts", "/* a */ if (b)", [("c", "/* a */"), ("k", "if")]),
        ("json", '  "key": "value", "n": -1.5, "b": true', [
            ("t", '"key"'), ("s", '"value"'), ("t", '"n"'), ("n", "-1.5"), ("t", '"b"'), ("k", "true")]),
        ("yaml", "  - name: 'x' # why", [("t", "  - name"), ("s", "'x'"), ("c", "# why")]),
        ("yaml", "url: a#b", [("t", "url")]),
        ("", "const a = 1", []),
    ],
)  # fmt: skip
def test_what_a_line_shows_is_coloured(written_in: str, line: str, expected: list[tuple[str, str]]) -> None:
    assert [piece for piece in Colours(written_in).line(line) if piece[0]] == expected


def test_a_block_comment_goes_on_over_lines_and_ends() -> None:
    colours = Colours("ts")
    lines = ["a /* one", "two", "three */ const b", "const c"]
    found = [[kind for kind, _ in colours.line(line)] for line in lines]
    assert found == [["", "c"], ["c"], ["c", "", "k", ""], ["k", ""]]


def test_a_line_out_of_a_comment_is_known_by_its_star_and_a_hunk_begins_anew() -> None:
    colours = Colours("ts")
    assert colours.line("   * Called when the instance is disposed.") == [("c", "   * Called when the instance is disposed.")]
    assert colours.line("  dispose?: never")[-1] == ("k", "never")
    colours.line("/* never ended")
    colours.jump()
    assert colours.line("const")[0] == ("k", "const")


@given(st.text(), st.sampled_from(["ts", "json", "yaml", ""]))
def test_nothing_is_lost_or_added(line: str, written_in: str) -> None:
    flat = line.replace("\n", " ")
    assert "".join(text for _, text in Colours(written_in).line(flat)) == flat


@settings(max_examples=5)
@given(st.sampled_from(['"\\', "/*", "`", "'", "- ", "a:", "*", "((", "$"]))
def test_hostile_lines_cost_no_more_than_their_length(piece: str) -> None:
    start = time.process_time()
    for written_in in ("ts", "json", "yaml"):
        Colours(written_in).line(piece * 20_000)
    assert time.process_time() - start < 2
