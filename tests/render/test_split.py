from __future__ import annotations

import re

import pytest

from driftwatch.render.diffs import lines
from driftwatch.render.split import Pair, changed, pairs, table

DIFF = "--- a/f.ts\n+++ b/f.ts\n@@ -3,4 +3,3 @@ class A\n same\n-const a = 1\n-const gone = 2\n+const a = 3\n more\n"


def kinds(diff: str) -> list[str]:
    return [pair.kind for pair in pairs(lines(diff))]


def test_removed_lines_face_the_added_ones_that_follow_them() -> None:
    assert kinds(DIFF) == ["hunk", "same", "both", "gone", "same"]
    both = list(pairs(lines(DIFF)))[2]
    assert (both.old and both.old.text, both.new and both.new.text) == ("const a = 1", "const a = 3")


def test_what_is_only_added_has_nothing_on_the_left() -> None:
    assert list(pairs(lines("@@ -0,0 +1 @@\n+x")))[1:] == [
        Pair(None, next(line for line in lines("@@ -0,0 +1 @@\n+x") if line.new))
    ]


def test_lines_that_begin_like_a_heading_are_lines() -> None:
    assert kinds("--- a/f\n+++ b/f\n@@ -1 +1 @@\n--- a\n+++ b\n") == ["hunk", "both"]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("const a = 1", "const a = 3", ("1", "3")),
        ("auth?: AuthHook", "auth?: AuthHook | undefined", ("", " | undefined")),
        ("fired: string", "fired: strong", ("string", "strong")),
        ("a(b, c)", "a(c)", ("b, ", "")),
        ("aXa", "aXaXa", None),
        ("const x = 1", "return y", None),
    ],
)
def test_whole_words_that_differ_are_marked(old: str, new: str, expected: tuple[str, str] | None) -> None:
    spans = changed(old, new)
    found = spans and (old[slice(*spans[0])], new[slice(*spans[1])])
    assert found == expected or (expected is None and spans is None)


def test_the_table_says_everything_once_and_in_words() -> None:
    body, left = table(DIFF, "f.ts")
    assert left == 0
    text = re.sub(r"<[^>]*>", "", body)
    assert text.splitlines() == [
        "@@ -3,4 +3,3 @@ class A",
        "3same3same",
        "4removed: const a = 14added: const a = 3",
        "5removed: const gone = 2",
        "6more5more",
    ]
    assert '<span class="n m">1</span>' in body


def test_hostile_lines_stay_text() -> None:
    body, _ = table("@@ -1 +1 @@\n-</td></table><script>x</script>\n+\u202e\x00<!--", "</td>.ts")
    assert "<script>" not in body
    assert "<!--" not in body
    assert "\\u202e\\x00&lt;!--" in re.sub(r"</?span[^>]*>", "", body)


def test_what_is_too_long_is_left_out_and_counted() -> None:
    body, left = table("@@ -1 +1 @@\n" + "+x\n" * 2500, "f.ts")
    assert left == 501
    assert body.count("<tr") == 2000
