"""Who has had enough does not wait for what nobody wants any more.

Whatever may take long (a child, a request, a git command) says with ``running`` how it is made to end. ``ending`` makes all of
it end, and lets nothing new begin while it lasts: an interrupt reaches the main thread only, the others must be told.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from driftwatch.errors import Unobservable

_STOPS: dict[object, Callable[[], object]] = {}
_LOCK = threading.Lock()
_ENDING = 0


@contextmanager
def running(stop: Callable[[], object]) -> Iterator[None]:
    """While inside, ``stop`` is called when everything is to end. Raises Unobservable when everything already is."""
    token = object()
    with _LOCK:
        if _ENDING:
            raise Unobservable("driftwatch is being stopped", "run it again")
        _STOPS[token] = stop
    try:
        yield
    finally:
        _STOPS.pop(token, None)


@contextmanager
def ending() -> Iterator[None]:
    """Make all that runs end now; until the ``with`` ends nothing new begins. For who then waits for the threads."""
    global _ENDING  # noqa: PLW0603 - the one fact that all threads share
    with _LOCK:
        _ENDING += 1
    try:
        end_all()
        yield
    finally:
        with _LOCK:
            _ENDING -= 1


def end_all() -> None:
    """Make all that runs end now."""
    for stop in list(_STOPS.values()):
        with suppress(OSError):
            stop()
