"""Live tests reach the real npm registry and boot real hosts. They skip, and say so, only where the network is truly absent."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

from driftwatch.errors import Unobservable
from driftwatch.observe.sources.npm import Registry, configure

LOCAL_ONLY = {"test_html_browser.py"}  # needs a browser, not the network


@cache
def _unreachable(folder: Path) -> str:
    """Why the registry cannot be reached, or ""."""
    try:
        with Registry(configure(Path(), folder), folder) as registry:
            registry.packument("@opencode-ai/plugin")
    except Unobservable as error:
        return error.message
    return ""


@pytest.fixture(autouse=True)
def _network(request: pytest.FixtureRequest, kept: Path) -> None:
    if request.path.name in LOCAL_ONLY:
        return
    if reason := _unreachable(kept):
        if os.environ.get("DRIFTWATCH_REQUIRE_LIVE"):
            pytest.fail(f"live tests must run here, and the registry cannot be reached: {reason}")
        pytest.skip(f"no network: {reason}")


@pytest.fixture(scope="session")
def kept(request: pytest.FixtureRequest) -> Path:
    """A cache that outlives the run: a host is 50 MB to fetch, the compiler and its runtime 56 MB."""
    store = request.config.cache
    assert store is not None
    return Path(store.mkdir("driftwatch-live"))
