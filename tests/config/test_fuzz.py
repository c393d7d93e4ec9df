"""Whatever the bytes are: a watchlist or a ConfigError, never another exception."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftwatch.config import load
from driftwatch.config.model import Watchlist
from driftwatch.errors import ConfigError
from tests.config.test_bad_watchlists import BASE

LINES = BASE.splitlines()
PIECES = st.sampled_from(
    [
        "",
        ":",
        "- ",
        "{",
        "}",
        "[",
        "]",
        "&a",
        "*a",
        "!!x ",
        "<<",
        "? ",
        "| ",
        "> ",
        "\t",
        "\x00",
        "\ufeff",
        '"',
        "'",
        "#",
        "%",
        "---",
        "...",
    ]
)
EDITS = st.lists(
    st.tuples(st.integers(0, len(LINES) - 1), st.integers(0, 30), PIECES | st.text(max_size=4)), min_size=1, max_size=4
)


def outcome(path: Path) -> object:
    try:
        return load(path, rules={"tag-moved"}, probes=(), drivers=())
    except ConfigError as error:
        assert error.problems
        return str(error)


@settings(max_examples=150)
@given(EDITS)
@pytest.mark.slow
def test_edited_watchlists(tmp_path_factory: pytest.TempPathFactory, edits: list[tuple[int, int, str]]) -> None:
    lines = list(LINES)
    for line, column, piece in edits:
        lines[line] = lines[line][:column] + piece + lines[line][column + len(piece) // 2 :]
    path = tmp_path_factory.getbasetemp() / "edited.yaml"
    path.write_bytes("\n".join(lines).encode("utf-8", "surrogatepass"))
    assert isinstance(outcome(path), Watchlist | str)


@given(st.binary(max_size=60) | st.text("ab:-#&*!|>%@`{}[],? \n\t\"'", max_size=60).map(str.encode))
def test_any_bytes(tmp_path_factory: pytest.TempPathFactory, raw: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    path.write_bytes(raw)
    assert isinstance(outcome(path), str)
