"""A child process as driftwatch holds it: ``start`` gives a ``Child`` inside a ``with``, and after it nothing is left.

Between the two stands a supervisor (``supervisor.py``), so that the same is true when driftwatch is killed at any moment.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from driftwatch.errors import Unobservable
from driftwatch.observe.ending import running
from driftwatch.observe.process import supervisor
from driftwatch.observe.process.scratch import kill_marked

MARK = "DRIFTWATCH_CHILD"
OUTPUT_LIMIT = 32 * 1024 * 1024
SIZE_LIMIT = 1024 * 1024 * 1024
FILES_LIMIT = 4096
STARTED_IN = 10.0


How = Literal["exited", "signalled", "ended", "flooded", "deadline", "lost"]


class ProcessError(Unobservable):
    """A program could not be started: the system's own reason."""


@dataclass(frozen=True, slots=True)
class Exit:
    """How a child ended. ``how``: exited (by itself), signalled, ended (by us), flooded, deadline, lost (its supervisor
    died). ``code`` is the exit code, or minus the signal's number."""

    how: How
    code: int

    def __str__(self) -> str:
        name = _signal_name(-self.code) if self.code < 0 else ""
        return {
            "exited": f"exited with code {self.code}",
            "signalled": f"was killed by {name}",
            "ended": "was ended by driftwatch",
            "flooded": "flooded its output and was ended",
            "deadline": "ran past its deadline and was ended",
            "lost": "lost its supervisor and was ended",
        }[self.how]


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


class Child:
    """One running program. Made by ``start``."""

    def __init__(self, process: subprocess.Popen[bytes], mark: str, scratch: Path | None) -> None:
        self._process = process
        self._mark = mark
        self._scratch = scratch
        self._changed = threading.Condition()
        self._first: dict[str, Any] | None = None
        self._exit: Exit | None = None
        self._closing = False
        self.pid = 0
        threading.Thread(target=self._listen, daemon=True, name="driftwatch-child").start()

    # --- what the supervisor says ---

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._heard(json.loads(line))
        self._heard({})

    def _heard(self, message: dict[str, Any]) -> None:
        with self._changed:
            if "exit" in message:
                self._exit = _exit(message["exit"], message["why"])
            elif self._first is None:
                self._first = message
            elif not message and self._exit is None:
                self._exit = Exit("lost", -signal.SIGKILL)
            self._changed.notify_all()
        if not message and self._exit is not None and self._exit.how == "lost":
            self._sweep()

    def _sweep(self) -> None:
        """The supervisor is gone without a word: end the group and whatever carries our mark, remove the scratch."""
        if self.pid:
            with contextlib.suppress(OSError):
                os.killpg(self.pid, signal.SIGKILL)
        kill_marked(self._mark)
        if self._scratch is not None:
            supervisor.clean(str(self._scratch))

    def _started(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._first is not None, STARTED_IN)
            first = self._first or {}
        if "pid" not in first:
            reason = first.get("error") or "its supervisor did not answer"
            raise ProcessError(str(reason))
        self.pid = int(first["pid"])

    # --- what one can ask of it ---

    @property
    def exit(self) -> Exit | None:
        """How it ended, None while it runs."""
        return self._exit

    @property
    def reason(self) -> str:
        """How it ended, in words; "" while it runs."""
        return str(self._exit) if self._exit else ""

    def alive(self) -> bool:
        return self._exit is None

    def signal(self, number: int) -> None:
        """Send a signal to the child itself (not to its group). Nothing happens when it has ended."""
        self._order(f"signal {int(number)}")

    def wait(self, seconds: float) -> Exit | None:
        """Wait for its end, at most so long."""
        with self._changed:
            self._changed.wait_for(lambda: self._exit is not None, seconds)
            return self._exit

    def end(self) -> None:
        """SIGTERM, grace, SIGKILL, to the child and everything it started; returns when it is gone."""
        self._order("end")
        self.wait(15)

    def _order(self, text: str) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            self._process.stdin.write(f"{text}\n".encode())
            self._process.stdin.flush()

    def _close(self) -> None:
        """Let go: the supervisor ends what is left, removes the scratch and exits."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self.wait(1)
        if self._process.returncode != 0:
            self._sweep()


def _exit(code: int, why: str) -> Exit:
    if why:
        return Exit(cast(How, why), code)
    return Exit("signalled" if code < 0 else "exited", code)


@contextmanager
def start(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    output: Path,
    deadline: float,
    scratch: Path | None = None,
    grace: float = 2.0,
    output_limit: int = OUTPUT_LIMIT,
    size_limit: int = SIZE_LIMIT,
    errors: Path | None = None,
    given: Path | None = None,
    spare: bool = False,
) -> Iterator[Child]:
    """Run ``argv`` (no shell) until the ``with`` ends, in a session of its own, with ``env`` as its whole environment.

    stdout and stderr go to the file ``output``; a child that writes more than ``output_limit`` bytes, or runs longer than
    ``deadline`` seconds, is ended and says so in ``exit``. ``scratch`` is a folder (made by ``scratch_folder``) that is
    removed at the end, whoever dies. ``errors`` is a file of its own for stderr, ``given`` one for stdin; no file may grow
    beyond ``size_limit`` bytes (0: any size). With ``spare`` what the child started may stay when the child ends by itself.

    Raises ProcessError with the system's reason when the program cannot be started.
    """
    mark = f"{MARK}={secrets.token_hex(8)}"
    name, _, value = mark.partition("=")
    spec: dict[str, Any] = {
        "argv": [str(part) for part in argv],
        "cwd": str(cwd),
        "env": {**env, name: value},
        "input": str(given or ""),
        "output": str(output),
        "errors": str(errors or output),
        "output_limit": output_limit,
        "deadline": deadline,
        "grace": grace,
        "scratch": str(scratch) if scratch else "",
        "files_limit": FILES_LIMIT,
        "size_limit": max(size_limit, output_limit) if size_limit else 0,
        "mark": mark,
        "spare": spare,
    }
    try:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", supervisor.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"PATH": os.defpath},
            start_new_session=True,
        )
    except BaseException as error:
        if scratch is not None:
            supervisor.clean(str(scratch))
        if isinstance(error, OSError):
            raise ProcessError(f"cannot start {argv[0]}: {error.strerror or error}") from error
        raise
    child = Child(process, mark, scratch)
    try:
        child._order(json.dumps(spec))
        with running(lambda: child._order("end")):
            try:
                child._started()
            except ProcessError as error:
                raise ProcessError(f"cannot start {argv[0]}: {error.message}") from None
            yield child
    finally:
        child._close()
