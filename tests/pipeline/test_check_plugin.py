"""Hosts are looked at a few at a time, and who has had enough does not wait for them."""

from __future__ import annotations

import threading
import time
from functools import partial

import pytest

from driftwatch.observe.ending import running
from driftwatch.pipeline.together import together


def test_no_more_at_once_than_asked_for_and_in_order() -> None:
    lock, at_once, seen = threading.Lock(), [0], [0]

    def job(number: int) -> int:
        with lock:
            at_once[0] += 1
            seen[0] = max(seen[0], at_once[0])
        time.sleep(0.02)
        with lock:
            at_once[0] -= 1
        return number

    assert together([partial(job, number) for number in range(6)], 2) == list(range(6))
    assert seen[0] <= 2


def test_an_interrupt_ends_what_runs() -> None:
    ended, begun = threading.Event(), threading.Event()

    def interrupted() -> None:
        begun.wait(10)
        raise KeyboardInterrupt

    def waiting() -> None:
        with running(ended.set):
            begun.set()
            assert ended.wait(10), "it was not made to end"

    with pytest.raises(KeyboardInterrupt):
        together([interrupted, waiting], 2)
    assert ended.is_set()
