"""stdout is data, stderr is talk: progress bars when a person watches, plain lines otherwise, nothing with --quiet."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING, Any, TextIO

from driftwatch.errors import StoreError
from driftwatch.progress import SILENT, Progress, Task

if TYPE_CHECKING:
    from driftwatch.model import Report


@dataclass(frozen=True, slots=True)
class Streams:
    """Where this call of ``main`` talks."""

    stdout: TextIO | None  # None when the process was started without one
    stderr: TextIO | None

    def write(self, text: str) -> None:
        """Data, exactly. A text stream that cannot say a character says a replacement instead of crashing.

        When whoever read it went away (``driftwatch run | head``) the rest is dropped: what was found, and so the exit
        code, stands all the same. Raises StoreError when it cannot be written.
        """
        if self.stdout is None:
            raise StoreError("standard output is closed", "send it somewhere, if only to /dev/null")
        encoding = getattr(self.stdout, "encoding", None) or "utf-8"
        try:
            self.stdout.write(text.encode(encoding, "replace").decode(encoding))
            self.stdout.flush()
        except BrokenPipeError:
            _deafen(self.stdout)
        except OSError as error:
            _deafen(self.stdout)
            reason = error.strerror or str(error)
            raise StoreError(f"cannot write to standard output: {reason}", "free space, or send it somewhere else") from error

    def report(self, report: Report, form: str) -> None:
        """A report on stdout, in colour when it is text, a person watches and NO_COLOR does not forbid it."""
        from driftwatch.render import render

        watched = self.stdout is not None and self.stdout is sys.stdout and self.stdout.isatty()
        if form == "text" and watched and not os.environ.get("NO_COLOR"):
            self.write(_coloured(report))
        else:
            self.write(render(report, form))

    def say(self, line: str) -> None:
        """Talk. Nobody there to hear it is no error."""
        if self.stderr is None:
            return
        try:
            print(_printable(line), file=self.stderr, flush=True)
        except OSError:
            _deafen(self.stderr)

    def complain(self, message: str) -> None:
        self.say(f"driftwatch: {message}")


STYLES = {
    "verdict": "bold",
    "heading": "bold",
    "bad": "red",
    "warn": "yellow",
    "wonder": "yellow",
    "good": "green",
    "command": "cyan",
}


def _deafen(stream: TextIO) -> None:
    """Whatever is still written to it, or buffered in it, goes nowhere: else the interpreter complains of it at its end."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def _coloured(report: Report) -> str:
    from rich.console import Console
    from rich.text import Text

    from driftwatch.render.text import lines

    console = Console(file=StringIO(), force_terminal=True, highlight=False, markup=False, soft_wrap=True)
    with console.capture() as captured:
        for line in lines(report):
            console.print(Text(line.text, style=STYLES.get(line.style, "")))
    return captured.get()


def _printable(line: str) -> str:
    """No terminal control reaches the person's terminal from upstream text."""
    return "".join(char if char in "\n\t" or char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in line)


def progress(streams: Streams, quiet: bool) -> AbstractContextManager[Progress]:
    """The listener that fits: bars on a terminal, lines elsewhere, silence when quiet."""
    if quiet:
        return nullcontext(SILENT)
    watched = streams.stderr is not None and streams.stderr is sys.stderr and streams.stderr.isatty()
    if watched and os.environ.get("TERM") != "dumb":
        return _bars(streams)
    return nullcontext(Lines(streams))


class _LineTask:
    def advance(self, amount: int = 1) -> None:
        pass


class Lines:
    """One plain line when a piece of work starts; for logs and pipes."""

    def __init__(self, streams: Streams) -> None:
        self._streams = streams
        self._lock = threading.Lock()

    @contextmanager
    def task(self, title: str, total: int | None = None, unit: str = "") -> Iterator[Task]:
        size = f" ({total / 1e6:.1f} MB)" if total and unit == "bytes" else ""
        self.note(f"{title}{size}")
        yield _LineTask()

    def note(self, message: str) -> None:
        with self._lock:
            self._streams.say(message)


@contextmanager
def _bars(streams: Streams) -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as RichProgress

    console = Console(file=streams.stderr, highlight=False, markup=False)
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        TextColumn("{task.fields[amount]}", markup=False),
        TimeElapsedColumn(),
    )
    with RichProgress(*columns, console=console, transient=True) as bars:
        yield _Bars(bars)


class _Bars:
    def __init__(self, bars: Any) -> None:
        self._bars = bars

    @contextmanager
    def task(self, title: str, total: int | None = None, unit: str = "") -> Iterator[Task]:
        row = self._bars.add_task(_printable(title), total=total, amount="")
        try:
            yield _BarTask(self._bars, row, unit)
        finally:
            self._bars.remove_task(row)

    def note(self, message: str) -> None:
        self._bars.console.print(_printable(message))


class _BarTask:
    def __init__(self, bars: Any, row: Any, unit: str) -> None:
        self._bars, self._row, self._unit, self._done = bars, row, unit, 0

    def advance(self, amount: int = 1) -> None:
        self._done += amount
        shown = f"{self._done / 1e6:.1f} MB" if self._unit == "bytes" else str(self._done)
        self._bars.update(self._row, advance=amount, amount=shown)
