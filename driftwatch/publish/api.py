"""GitHub's REST API: pages, limits, refusals and retries in one place. https://docs.github.com/rest

What may be asked again after trouble is asked again, within a patience. A creation whose answer was lost raises Uncertain:
only looking tells whether it happened.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from driftwatch.errors import PublishError, UsageError
from driftwatch.progress import SILENT, Progress
from driftwatch.publish import refusals

if TYPE_CHECKING:
    import requests

VERSION = "2022-11-28"


class Refused(PublishError):
    """GitHub's answer is no. ``status`` is the HTTP status, ``said`` its own words."""

    def __init__(self, message: str, remedy: str, status: int, said: str) -> None:
        super().__init__(message, remedy)
        self.status, self.said = status, said


class Uncertain(PublishError):
    """Something was to be created, and whether it was is not known."""


@dataclass(frozen=True, slots=True)
class Limits:
    """``timeout``: seconds for one answer; ``patience``: seconds spent waiting in all; ``pages`` of one list at most."""

    timeout: float = 30
    tries: int = 4
    patience: float = 900
    largest: int = 16 * 1024 * 1024
    pages: int = 100


class Api:
    """A context manager. ``base`` is where the API lives; the token is sent there and nowhere else, and shown nowhere.

    With ``dry`` nothing is changed: ``send`` tells ``log`` what it would do and answers {}. All errors are PublishError.
    """

    def __init__(
        self,
        base: str,
        token: str,
        *,
        dry: bool = False,
        progress: Progress = SILENT,
        limits: Limits | None = None,
        sleep: Callable[[float], None] = time.sleep,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.base, self.dry, self.log = base.rstrip("/"), dry, list[str]()
        self._token, self._progress, self._limits = token, progress, limits or Limits()
        self._sleep, self._now = sleep, now
        self._waited = 0.0
        parts = urlsplit(self.base)
        if parts.scheme != "https" and parts.hostname not in ("127.0.0.1", "::1", "localhost"):
            raise UsageError(f"{parts.scheme}://{parts.hostname} would be told the token in the clear", "use an https address")

    def __enter__(self) -> Api:
        import requests

        self._session = requests.Session()
        self._session.auth = self._sign  # set as a function, so that no .netrc takes its place
        return self

    def __exit__(self, *_: object) -> None:
        self._session.close()

    def get(self, path: str, **parameters: str) -> Any:
        """One object. Raises Refused (with ``status`` 404 when it is not there)."""
        return self._answer("GET", self.base + path, parameters=parameters)[0]

    def each(self, path: str, **parameters: str) -> Iterator[dict[str, Any]]:
        """Every entry of a list, page after page."""
        url, asked = self.base + path, {"per_page": "100", **parameters}
        for _ in range(self._limits.pages):
            entries, response = self._answer("GET", url, parameters=asked)
            if not isinstance(entries, list):
                raise PublishError(f"{self._shown(url)} is not a list", refusals.ELSEWHERE)
            yield from (entry for entry in entries if isinstance(entry, dict))
            url, asked = response.links.get("next", {}).get("url", ""), {}
            if not url:
                return
            if urlsplit(url)[:2] != urlsplit(self.base)[:2]:
                raise PublishError("the next page is on another server, which is not asked", refusals.ELSEWHERE)
        raise PublishError(f"{self._shown(self.base + path)} has more than {self._limits.pages} pages")

    def send(self, method: str, path: str, body: Mapping[str, Any], *, again: bool | None = None) -> dict[str, Any]:
        """Change something. ``again``: whether doing it twice is the same as once (all but POST, unless it is said)."""
        if self.dry:
            self.log.append(f"would {method} {path}{_brief(body)}")
            return {}
        repeatable = method != "POST" if again is None else again
        answer, _ = self._answer(method, self.base + path, body=body, repeatable=repeatable)
        return answer if isinstance(answer, dict) else {}

    # --- one request, as often as it takes

    def _answer(
        self,
        method: str,
        url: str,
        *,
        parameters: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
        repeatable: bool = True,
    ) -> tuple[Any, requests.Response]:
        what = f"{method} {self._shown(url)}"
        for attempt in range(self._limits.tries):
            last = attempt + 1 == self._limits.tries
            try:
                response, raw = self._once(method, url, parameters, body)
            except OSError as error:  # what requests raises is one
                reason = self._hidden(str(error) or type(error).__name__)
                self._pause(what, reason, 2.0**attempt, repeatable=repeatable or _unsent(error), last=last)
                continue
            said = self._hidden(refusals.said(raw))
            wait = refusals.wait(response.status_code, response.headers, said, attempt, self._now())
            if wait is None:
                return self._read(what, response, raw, said), response
            limited = response.status_code in (403, 429)  # not done for certain
            reason = f"HTTP {response.status_code}{f': {said}' if said else ''}"
            self._pause(what, reason, wait, repeatable=repeatable or limited, last=last)
        raise AssertionError("the last try ends in an answer or an error")

    def _once(
        self, method: str, url: str, parameters: Mapping[str, str] | None, body: Mapping[str, Any] | None
    ) -> tuple[requests.Response, bytes]:
        data = None if body is None else json.dumps(body).encode()
        headers = {
            "Accept": "application/vnd.github+json",
            "X-GitHub-Api-Version": VERSION,
            "User-Agent": "driftwatch",
            **({"Content-Type": "application/json"} if data else {}),
        }
        end = time.monotonic() + self._limits.timeout
        with self._session.request(
            method, url, params=parameters, data=data, headers=headers, timeout=self._limits.timeout,
            allow_redirects=False, stream=True,
        ) as response:  # fmt: skip
            raw = b""
            for piece in response.iter_content(65536):
                raw += piece
                if len(raw) > self._limits.largest or time.monotonic() > end:
                    raise OSError("the answer is too large or too slow")
            return response, raw

    def _read(self, what: str, response: requests.Response, raw: bytes, said: str) -> Any:
        status = response.status_code
        if not 200 <= status < 300:
            told = f"{what}: HTTP {status}{f': {said}' if said else ''}"
            raise Refused(told, refusals.remedy(status, said), status, said)
        try:
            return json.loads(raw) if raw.strip() else {}
        except (ValueError, RecursionError):
            raise PublishError(f"{what}: the answer is not JSON", refusals.ELSEWHERE) from None

    def _pause(self, what: str, reason: str, wait: float, *, repeatable: bool, last: bool) -> None:
        if not repeatable:
            raise Uncertain(f"{what}: {reason}", "look whether it is there, then run again")
        if last or self._waited + wait > self._limits.patience:
            raise PublishError(f"{what}: {reason}", f"try again later{f', in {wait:.0f} s or more' if wait > 60 else ''}")
        self._progress.note(f"GitHub: {reason}; waiting {wait:.0f} s")
        self._waited += wait
        self._sleep(wait)

    def _sign(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {self._token}"
        return request

    def _shown(self, url: str) -> str:
        return urlsplit(url).path.removeprefix(urlsplit(self.base).path)

    def _hidden(self, text: str) -> str:
        return text.replace(self._token, "***") if self._token else text


def _unsent(error: OSError) -> bool:
    """Nothing left this machine."""
    import requests

    return isinstance(error, requests.exceptions.ConnectTimeout) or "Connection refused" in str(error)


def _brief(body: Mapping[str, Any]) -> str:
    """A body in one line: names, and values where they are short."""
    told = [
        f"{name}={value!r}" if len(str(value)) <= 80 else f"{name}=({len(str(value))} characters)" for name, value in body.items()
    ]
    return f": {', '.join(told)}" if told else ""
