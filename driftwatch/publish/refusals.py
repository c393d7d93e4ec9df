"""What GitHub means by a refusal: how long to wait, and what a person can do. Pure.

https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

ELSEWHERE = "look at GITHUB_API_URL: this does not look like GitHub's API"
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")
_REMEDIES: tuple[tuple[int, str, str], ...] = (
    (401, "", "the token is not valid (any more): set GITHUB_TOKEN"),
    (403, "not permitted to create or approve pull requests",
     "allow it under Settings, Actions, General, Workflow permissions, or give a token of an app"),
    (403, "not accessible by integration",
     "the token may not do this: give the job the permission (contents, pull-requests or issues: write)"),
    (403, "locked", "the conversation is locked"),
    (403, "", "the token may not do this"),
    (404, "", "it is not there, or the token may not see it: look at GITHUB_REPOSITORY and the job's permissions"),
    (410, "", "issues are switched off for this repository"),
)  # fmt: skip


def wait(status: int, headers: Mapping[str, str], said: str, attempt: int, now: float) -> float | None:
    """Seconds after which asking again makes sense, None when this is the answer."""
    if status in (403, 429):
        if (asked := _retry_after(headers, now)) is not None:
            return asked
        if headers.get("x-ratelimit-remaining") == "0":
            reset = headers.get("x-ratelimit-reset", "")
            return max(0.0, float(reset) - now) + 1 if reset.isascii() and reset.isdigit() else 60.0
        if status == 429 or re.search(r"secondary rate limit|abuse detection|rate limit exceeded", said, re.IGNORECASE):
            return 60.0 * 2.0**attempt
        return None
    if status in (500, 502, 503, 504):
        asked = _retry_after(headers, now)
        return asked if asked is not None else 2.0 ** float(attempt)
    return None


def said(raw: bytes) -> str:
    """GitHub's own words on one line, with the details of a 422."""
    try:
        data = json.loads(raw)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(data, dict):
        return ""
    parts = [str(data.get("message") or "")]
    errors = data.get("errors")
    for error in errors if isinstance(errors, list) else ():
        if isinstance(error, dict):
            parts.append(str(error.get("message") or " ".join(str(error.get(k, "")) for k in ("resource", "field", "code"))))
        else:
            parts.append(str(error))
    return _UNSEEN.sub(" ", "; ".join(part for part in parts if part))[:400]


def remedy(status: int, said: str) -> str:
    """What to do about it, "" when the words are all there is."""
    return next((advice for code, words, advice in _REMEDIES if code == status and words in said), "")


def _retry_after(headers: Mapping[str, str], now: float) -> float | None:
    given = headers.get("Retry-After", "").strip()
    if given.isascii() and given.isdigit():
        return float(given)
    try:
        return max(0.0, parsedate_to_datetime(given).timestamp() - now) if given else None
    except (ValueError, TypeError):
        return None
