"""Text that may end up in a CI log must not speak to it: a runner takes ``::warning`` or ``##[error]`` lines as commands."""

from __future__ import annotations

import re
from collections.abc import Iterable

from driftwatch.render import clean

SPACE = "\u200b"  # a zero-width space: not seen, and ends what would be a command, a mention, a reference or a link
_COMMAND = re.compile(r"^([^\S\n]*):(?=:)", re.MULTILINE)


def quiet(text: str) -> str:
    """``text`` without workflow commands (https://docs.github.com/actions/reference/workflow-commands-for-github-actions)."""
    return _COMMAND.sub(rf"\1:{SPACE}", text).replace("##[", f"#{SPACE}#[")


def indented(lines: Iterable[tuple[int, str]]) -> str:
    """Lines of text, each with how many spaces it stands in: cleaned, quiet, one line each."""
    return "".join(f"{' ' * deep}{quiet(clean.line(line))}\n" for deep, line in lines)
