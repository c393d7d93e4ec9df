"""JSON as people write it."""

from __future__ import annotations

import pytest

from driftwatch import jsonc

TEXT = '\ufeff{ // a comment\n  "a": ["b//c", 1,], /* and\n another */ "d": {"e": "x, }"},\n}\n'


def test_comments_last_commas_and_a_byte_order_mark_mean_nothing() -> None:
    assert jsonc.loads(TEXT) == {"a": ["b//c", 1], "d": {"e": "x, }"}}
    assert jsonc.loads(" // nothing\n") is None


def test_words_are_told_where_they_stand() -> None:
    places = {word: at for word, at in jsonc.tokens(TEXT) if word.startswith('"')}
    assert all(TEXT[at:].startswith(word) for word, at in places.items())
    assert jsonc.line(TEXT, places['"e"']) == 3


@pytest.mark.parametrize("text", ['{"a": "b\n"}', '{"a": 1 2}', '{"a" 1}', "{,}", "[1"])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        jsonc.loads(text)


def test_the_line_of_what_is_no_json_is_named() -> None:
    with pytest.raises(ValueError, match="in line 2"):
        list(jsonc.tokens('{"a": 1,\n"b": "c'))
