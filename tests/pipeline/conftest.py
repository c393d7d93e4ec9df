from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.scene import Scene
from tests.support.scene import scene as make_scene


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    root = tmp_path / "project"
    root.mkdir()
    with make_scene(root) as made:
        yield made
