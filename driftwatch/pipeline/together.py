"""Doing several things at once without anything being left behind when one fails or the user has had enough."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def together(jobs: Sequence[Callable[[], T]], most: int = 0) -> list[T]:
    """The results of ``jobs``, run side by side (``most`` at once; 0: all), in their order.

    When one raises, or on an interrupt, all that runs is ended at once and nothing new begins, so that nobody waits for a
    host that nobody wants any more; what was raised is raised.
    """
    if len(jobs) == 1:
        return [jobs[0]()]
    pool = ThreadPoolExecutor(max(1, min(len(jobs), most or len(jobs))))
    futures = [pool.submit(job) for job in jobs]
    try:
        return [future.result() for future in futures]
    except BaseException:
        from driftwatch.observe.ending import ending

        with ending():
            pool.shutdown(wait=True, cancel_futures=True)
        raise
    finally:
        pool.shutdown(wait=True)
