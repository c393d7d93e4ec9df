"""Text that may end up in a CI log must not speak to it: a runner takes ``::warning`` or ``##[error]`` lines as commands."""

from __future__ import annotations

import re

SPACE = "\u200b"  # a zero-width space: not seen, and ends what would be a command, a mention, a reference or a link
_COMMAND = re.compile(r"^([^\S\n]*):(?=:)", re.MULTILINE)


def quiet(text: str) -> str:
    """``text`` without workflow commands (https://docs.github.com/actions/reference/workflow-commands-for-github-actions)."""
    return _COMMAND.sub(rf"\1:{SPACE}", text).replace("##[", f"#{SPACE}#[")
