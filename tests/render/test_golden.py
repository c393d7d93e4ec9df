"""Golden files: the exact bytes of every sample in the formats people keep. They are written only by hand
(``python -m tests.render.write_golden``); a missing one is a failure."""

from __future__ import annotations

from functools import cache

import pytest

from tests.render.write_golden import EXTENSIONS, FOLDER, MAKERS, expected


@cache
def _expected() -> dict[str, str]:
    return dict(expected())


@pytest.mark.parametrize("name", [f"{sample}.{extension}" for sample in MAKERS for extension in EXTENSIONS.values()])
def test_bytes_are_the_golden_ones(name: str) -> None:
    text = _expected()[name]
    assert (FOLDER / name).is_file(), f"{name} is missing: write it with python -m tests.render.write_golden"
    assert text.encode() == (FOLDER / name).read_bytes()


def test_no_golden_file_is_left_over() -> None:
    assert {file.name for file in FOLDER.iterdir()} == set(_expected())
