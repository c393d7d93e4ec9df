"""The same work in several threads at once."""

from __future__ import annotations

import threading
import time

import pytest

from driftwatch.observe.sources.threads import each


def test_every_item_is_worked_on_once_and_several_at_a_time() -> None:
    done: list[int] = []
    together = threading.Barrier(3, timeout=10)

    def work(item: int) -> None:
        if item < 3:
            together.wait()
        done.append(item)

    each(work, list(range(10)), 3)
    assert sorted(done) == list(range(10))


def test_one_item_needs_no_thread() -> None:
    seen: list[int] = []
    each(lambda _: seen.append(threading.get_ident()), [1], 8)
    assert seen == [threading.get_ident()]


def test_what_fails_is_raised_and_nothing_more_is_begun() -> None:
    done: list[int] = []

    def work(item: int) -> None:
        if item == 0:
            raise OSError("no")
        done.append(item)

    with pytest.raises(OSError, match="no"):
        each(work, [0], 1)
    with pytest.raises(OSError, match="no"):
        each(work, [0, 1, 2], 1)
    assert done == []


def test_one_that_fails_stops_the_others_before_their_next() -> None:
    begun: list[int] = []
    failed = threading.Event()

    def work(item: int) -> None:
        begun.append(item)
        if item == 0:
            failed.set()
            raise OSError("no")
        failed.wait(10)
        time.sleep(0.05)

    with pytest.raises(OSError, match="no"):
        each(work, list(range(50)), 2)
    assert len(begun) < 5
