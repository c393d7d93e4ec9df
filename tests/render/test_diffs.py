from __future__ import annotations

from driftwatch.render.diffs import Line, lines


def test_lines_have_their_numbers_on_both_sides() -> None:
    text = "--- a/f\n+++ b/f\n@@ -3,3 +3,3 @@ def f():\n same\n-old\n+new\n\n\\ No newline at end of file\n@@ -9 +9,2 @@\n+x\n"
    assert list(lines(text)) == [
        Line("head", "--- a/f"),
        Line("head", "+++ b/f"),
        Line("hunk", "@@ -3,3 +3,3 @@ def f():"),
        Line("same", "same", 3, 3),
        Line("del", "old", 4, 0),
        Line("add", "new", 0, 4),
        Line("same", "", 5, 5),
        Line("head", "\\ No newline at end of file"),
        Line("hunk", "@@ -9 +9,2 @@"),
        Line("add", "x", 0, 9),
    ]


def test_hostile_lines_are_lines() -> None:
    assert list(lines("")) == []
    assert list(lines("@@ -99999999999999999999 +1 @@\n+a")) == [
        Line("head", "@@ -99999999999999999999 +1 @@"),
        Line("head", "+a"),
    ]
    assert list(lines("@@ -1 +1 @@\n+\x1b[31m\u202ea\x00", width=10)) == [
        Line("hunk", "@@ -1 +1 @@"),
        Line("add", "\\x1b[31m\\u…", 0, 1),
    ]


def test_a_line_that_begins_like_a_file_header_inside_a_hunk_is_a_change() -> None:
    kinds = [line.kind for line in lines("--- a/f\n+++ b/f\n@@ -1 +1 @@\n--- a\n+++ b\n")]
    assert kinds == ["head", "head", "hunk", "del", "add"]
