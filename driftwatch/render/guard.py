"""The guard's module: a host's own text with the list of what is relied on put in. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

MARK = "/* driftwatch:relied */ {}"
HEAD = "// Made by `driftwatch guard`"


def render(template: str, relied: Mapping[str, str | Sequence[str]]) -> str:
    """The text of the module. Names from upstream and from the project are JSON strings in ASCII: no text can end one early."""
    told = {key: value if isinstance(value, str) else sorted(value) for key, value in relied.items() if value}
    before, mark, after = template.partition(MARK)
    if not mark:
        raise ValueError("the guard's template has no place for what is relied on")
    return before + json.dumps(told, indent=2, ensure_ascii=True) + after


def ours(text: str) -> bool:
    """Whether a file is one that was made here, and may be made again."""
    return text.startswith(HEAD)
