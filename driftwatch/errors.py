"""The error tree and the exit codes. Every message says what happened, where, and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

EXIT_CLEAN = 0
EXIT_CRASH = 1
EXIT_USAGE = 2
EXIT_FINDINGS = 10
EXIT_UNVERIFIED = 11


class DriftwatchError(Exception):
    """Any error driftwatch raises on purpose.

    ``message`` says what happened and where; ``remedy`` says what to do about it ("" when there is nothing to add).
    """

    exit_code: ClassVar[int] = EXIT_USAGE

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message}\n  {self.remedy}" if self.remedy else self.message


class UsageError(DriftwatchError):
    """The command line asks for something that cannot be (exit 2)."""


class Refused(DriftwatchError):
    """What was found forbids what was asked for (exit 10); nothing was changed."""

    exit_code = EXIT_FINDINGS


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong in a file the user wrote. ``line`` and ``column`` count from 1; 0 means the file as a whole."""

    file: str
    line: int
    column: int
    message: str
    remedy: str = ""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        return f"{place}: {self.message}" + (f" ({self.remedy})" if self.remedy else "")


class ConfigError(DriftwatchError):
    """A file the user wrote is not right (exit 2). All problems found are carried, not only the first."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class StoreError(DriftwatchError):
    """State on disk (lock, observed state, history, cache) cannot be read or written (exit 2)."""


class Unobservable(DriftwatchError):
    """Something could not be looked at. Observers turn it into a Gap; it never becomes "no change".

    Raised by sources (registry, git, host) with the source's own reason; exit 11 when nothing catches it earlier.
    """

    exit_code = EXIT_UNVERIFIED


class NotCached(Unobservable):
    """``--offline`` asked for something the cache does not hold."""


class PublishError(DriftwatchError):
    """A comment, pull request or issue could not be read or written (exit 2): what was found stands, nobody was told."""


class IntegrityError(Unobservable):
    """Bytes differ from the integrity the registry promised; nothing of them was used."""


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """``did you mean 'x'?`` for the nearest right name, or "" when none is near."""
    from difflib import get_close_matches

    if len(word) >= 200:
        return ""
    head = word.rpartition("/")[0]
    below = {choice.removeprefix(f"{head}/"): choice for choice in choices if head and choice.startswith(f"{head}/")}
    # What all names of a folder begin with makes none of them near.
    asked, names = (word.removeprefix(f"{head}/"), below) if below else (word, {choice: choice for choice in choices})
    near = get_close_matches(asked, sorted(names), n=1, cutoff=0.6)
    return f"did you mean {names[near[0]]!r}?" if near else ""
