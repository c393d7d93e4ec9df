"""Who has had enough of a check does not wait for what nobody wants any more."""

from __future__ import annotations

import threading
from typing import Any, cast

import pytest

from driftwatch.model import PluginRow
from driftwatch.observe.ending import running
from driftwatch.pipeline.check_plugin import _rows


class Waiting:
    """Rows that take until they are made to end; the first is interrupted."""

    def __init__(self) -> None:
        self.ended = threading.Event()
        self.second = threading.Event()

    def row(self, version: str) -> PluginRow:
        if version == "1":
            self.second.wait(10)
            raise KeyboardInterrupt
        with running(self.ended.set):
            self.second.set()
            assert self.ended.wait(10), "it was not made to end"
        return PluginRow(version, "unverified")


def test_an_interrupt_ends_what_runs() -> None:
    checking = Waiting()
    with pytest.raises(KeyboardInterrupt):
        _rows(cast(Any, checking), ["1", "2"], 2)
    assert checking.ended.is_set()


def test_rows_come_in_the_order_asked_for() -> None:
    class Quick:
        def row(self, version: str) -> PluginRow:
            return PluginRow(version, "works")

    assert [row.version for row in _rows(cast(Any, Quick()), ["2", "1"], 2)] == ["2", "1"]
