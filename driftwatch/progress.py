"""Telling a waiting person what is going on: one verb, ``task``. The cli chooses who listens."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol


class Task(Protocol):
    def advance(self, amount: int = 1) -> None:
        """``amount`` more units (bytes, files, probes) are done."""


class Progress(Protocol):
    def task(self, title: str, total: int | None = None, unit: str = "") -> AbstractContextManager[Task]:
        """A piece of work with a title. ``total`` is None when unknown; ``unit`` is "bytes" or "" (things)."""

    def note(self, message: str) -> None:
        """A line worth telling once (a retry, a fallback)."""


class _SilentTask:
    def advance(self, amount: int = 1) -> None:
        pass


class Silent:
    """Nobody listens. The default everywhere."""

    @contextmanager
    def task(self, title: str, total: int | None = None, unit: str = "") -> Iterator[Task]:
        yield _SilentTask()

    def note(self, message: str) -> None:
        pass


SILENT: Progress = Silent()


def counted(number: int, noun: str) -> str:
    """``1 version``, ``2 versions``."""
    return f"{number} {noun}" + ("" if number == 1 else "s")
