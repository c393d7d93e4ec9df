"""What the verbs share: who we are there, and when two texts say the same."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from driftwatch.publish.api import Api, Refused

LONGEST = 65_536  # characters of a comment's, an issue's or a pull request's body
BOT = "github-actions[bot]"
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")


@dataclass(frozen=True, slots=True)
class Done:
    """``action``: created, updated, same, closed, withdrawn, left-alone or none; ``why`` where it is not plain."""

    action: str
    url: str = ""
    why: str = ""


def me(api: Api) -> str:
    """The login our comments carry. A workflow's own token may not ask; its comments are the bot's."""
    try:
        return str(api.get("/user").get("login") or BOT)
    except Refused as error:
        if error.status not in (403, 404):
            raise
        return BOT


def ours(entry: Mapping[str, Any], mark: str, author: str) -> bool:
    """Whether we wrote it: anybody can write the mark, so the author counts too."""
    user = entry.get("user")
    login = user.get("login") if isinstance(user, dict) else None
    return login == author and str(entry.get("body") or "").startswith(mark)


def same(one: str, other: str) -> bool:
    """Whether two bodies say the same: line ends, blank ends and times aside."""
    return _plain(one) == _plain(other)


def _plain(text: str) -> str:
    return _TIME.sub("", text.replace("\r\n", "\n")).strip()
