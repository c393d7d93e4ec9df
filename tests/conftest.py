"""Offline by default: a test that is not marked ``live`` may open no socket beyond loopback."""

from __future__ import annotations

import ipaddress
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in a shell's background, and everything started would inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("numprocesses", None) and not hasattr(config, "workerinput"):
        return  # who only hands out the tests needs no second of imports
    from hypothesis import settings

    inner_loop = "not slow" in config.getoption("markexpr", "")
    settings.register_profile("steady", deadline=None, max_examples=30 if inner_loop else 100)  # a loaded machine is no failure
    settings.load_profile("steady")


REAL_CONNECT = socket.socket.connect


def _loopback(address: Any) -> bool:
    if not isinstance(address, tuple):
        return True  # a unix socket
    host = address[0]
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@pytest.fixture(autouse=True)
def _offline(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    if request.node.get_closest_marker("live"):
        return

    def connect(self: socket.socket, address: Any) -> None:
        if not _loopback(address):
            raise OSError(f"tests may not reach the network: {address!r} (mark the test `live` if it must)")
        REAL_CONNECT(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect)


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "cache"
    folder.mkdir()
    yield folder
