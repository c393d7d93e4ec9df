from __future__ import annotations

from collections.abc import Iterator

import pytest

from driftwatch.publish.api import Api, Limits
from tests.support.github import TOKEN, GitHub


class Clock:
    """Sleeping costs nothing and is remembered."""

    def __init__(self) -> None:
        self.naps: list[float] = []
        self.hooks: list[object] = []

    def sleep(self, seconds: float) -> None:
        self.naps.append(seconds)


@pytest.fixture
def github() -> Iterator[GitHub]:
    with GitHub() as made:
        yield made


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def api(github: GitHub, clock: Clock) -> Iterator[Api]:
    with Api(github.url, TOKEN, limits=Limits(timeout=5), sleep=clock.sleep) as made:
        yield made
