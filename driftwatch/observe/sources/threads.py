"""The same work in several threads at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def in_threads(work: Callable[[], None], count: int) -> None:
    """``work`` in ``count`` threads at once, until all are through. Raises what one of them raised."""
    failures: list[BaseException] = []

    def guarded() -> None:
        try:
            work()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=guarded, daemon=True) for _ in range(max(1, count))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def each(work: Callable[[T], None], items: Sequence[T], most: int) -> None:
    """``work`` with every item, in at most ``most`` threads. Raises what one raised; then no other item is begun."""
    queue = list(reversed(items))

    def drain() -> None:
        try:
            while queue:
                try:
                    item = queue.pop()
                except IndexError:  # another thread was faster
                    return
                work(item)
        except BaseException:
            queue.clear()
            raise

    if len(queue) < 2:
        drain()
        return
    try:
        in_threads(drain, min(most, len(queue)))
    except BaseException:  # an interrupt while waiting
        queue.clear()
        raise
