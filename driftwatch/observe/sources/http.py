"""One careful GET. Deadlines, caps, retries, redirects by hand, and a token that goes only where it belongs.

The server is not trusted: it may drip, bomb, redirect in circles, lie about lengths or say 200 with nonsense. What comes
out is either an ``Answer`` (200, 304) or ``HttpFailure`` with a reason of our own wording, so that no URL with a password,
no header and no proxy's secret ever reaches a message. A reason names no host either: it ends up in reports, which read the
same whichever mirror served them. Whoever asked says what was asked for, and of whom.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, Protocol
from urllib.parse import urljoin, urlsplit

from driftwatch.errors import Unobservable
from driftwatch.observe.ending import running
from driftwatch.observe.sources.secret import Secret, redact
from driftwatch.progress import SILENT, Progress

if TYPE_CHECKING:
    from driftwatch.observe.sources.transport import Reply, Transport

MIB = 1024 * 1024
_RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_CHUNK = 256 * 1024
_HOPELESS = 3  # requests in a row that never got through: from then on one try each


class Network(Protocol):
    """How to reach the outside: proxies, certificate authorities. npm's configuration is one."""

    @property
    def ca_file(self) -> str: ...
    @property
    def ca(self) -> tuple[str, ...]: ...
    @property
    def extra_ca_file(self) -> str: ...
    @property
    def strict_ssl(self) -> bool: ...
    def proxy_for(self, url: str) -> Secret | None: ...


class Limits(NamedTuple):
    """How long and how much. Seconds and bytes; ``total`` is for one try, ``wait`` for all waiting between tries."""

    connect: float = 10.0
    read: float = 30.0
    total: float = 120.0
    wait: float = 60.0
    retries: int = 3
    backoff: float = 0.5
    redirects: int = 5
    size: int = 128 * MIB


class Answer(NamedTuple):
    """What a server said. ``status`` is 200 or 304 (then ``body`` is empty); ``body`` is empty too when it went to a file."""

    status: int
    body: bytes = b""
    etag: str = ""
    last_modified: str = ""
    content_type: str = ""


class HttpFailure(Unobservable):
    """A request that gave nothing. ``status`` is the last HTTP status, 0 when there was none."""

    def __init__(self, message: str, remedy: str = "", status: int = 0) -> None:
        super().__init__(message, remedy)
        self.status = status


class Passing(Exception):
    """Something that may go away by itself: worth another try. Ours only; never leaves this room. ``unreached``: there was
    no answer at all."""

    def __init__(self, reason: str, status: int = 0, after: float | None = None, unreached: bool = False) -> None:
        super().__init__(reason)
        self.reason, self.status, self.after, self.unreached = reason, status, after, unreached


class Client:
    """Requests over kept-alive connections; one may serve many threads. ``close`` it at the end."""

    def __init__(
        self,
        network: Network,
        *,
        limits: Limits | None = None,
        connections: int = 16,
        progress: Progress = SILENT,
        jitter: Callable[[], float] | None = None,
    ) -> None:
        self.network, self.limits, self.progress = network, limits or Limits(), progress
        self._connections, self._jitter = connections, jitter or _random
        self._transport: Transport | None = None
        self._lock, self._stopped = threading.Lock(), threading.Event()
        self._unreached: dict[tuple[str, str, int], int] = {}  # origin -> requests in a row that never got through

    def get(
        self,
        url: str,
        *,
        accept: str = "application/json",
        etag: str = "",
        last_modified: str = "",
        authorization: Secret | None = None,
        into: BinaryIO | None = None,
        title: str = "",
        size: int | None = None,
    ) -> Answer:
        """GET ``url``. ``etag`` and ``last_modified`` make it conditional; ``into`` takes the body (rewound before each
        try); ``title`` names it to a waiting person; ``size`` is the most bytes after decoding.

        Raises HttpFailure with the reason ("HTTP 503 after 4 tries") when there is no 200 and no 304.
        """
        headers = {"Accept": accept, "Accept-Encoding": "identity" if into else "gzip", "User-Agent": "driftwatch"}
        if etag:
            headers["If-None-Match"] = etag
        if last_modified:
            headers["If-Modified-Since"] = last_modified
        most = self.limits.size if size is None else size
        job = _Job(url, headers, authorization, into, title, most)
        with running(self.stop):
            return self._patiently(job)

    def _patiently(self, job: _Job) -> Answer:
        """As many tries as the limits and the server allow. A server that nobody gets through to is not waited for again
        and again: two hundred packages of a dead registry are given up together."""
        origin = _origin(job.url)
        waited, tries = 0.0, 0
        while True:
            tries += 1
            try:
                answer = self._follow(job)
                self._unreached.pop(origin, None)
                return answer
            except Passing as trouble:
                pause = self._pause(trouble, tries)
                ended = tries > self.limits.retries or waited + pause > self.limits.wait or self._stopped.is_set()
                if ended or (trouble.unreached and self._unreached.get(origin, 0) >= _HOPELESS):
                    if trouble.unreached:
                        self._unreached[origin] = self._unreached.get(origin, 0) + 1
                    raise _given_up(trouble, tries) from None
                self.progress.note(f"{_path(job.url)}: {trouble.reason}; trying again in {pause:.1f} s")
                waited += pause
                self._stopped.wait(pause)

    def stop(self) -> None:
        """Make everything in flight end soon: no more waiting, no more tries, open sockets shut."""
        self._stopped.set()
        if self._transport:
            self._transport.abort()

    def close(self) -> None:
        if self._transport:
            self._transport.close()

    def _pause(self, trouble: Passing, tries: int) -> float:
        backoff = min(self.limits.backoff * 2.0 ** (tries - 1), 8.0) * (0.5 + self._jitter())
        return backoff if trouble.after is None else max(trouble.after, 0.0)

    def _follow(self, job: _Job) -> Answer:
        """One try: as many hops as the limits allow. The token leaves at the first change of scheme, host or port."""
        url, token, transport = job.url, job.authorization, self._connected()
        deadline = time.monotonic() + self.limits.total
        for _ in range(self.limits.redirects + 1):
            headers = dict(job.headers)
            if token:
                headers["Authorization"] = token.reveal()
            with transport.open(url, headers, (self.limits.connect, self.limits.read), deadline) as reply:
                if reply.status not in _REDIRECTS:
                    return self._answer(job, reply)
                target = _target(url, reply.header("Location"), reply.status)
            if _origin(target) != _origin(url):
                token = None
            url = target
        raise HttpFailure(f"more than {self.limits.redirects} redirects")

    def _connected(self) -> Transport:
        """Before the clock of a try starts: what is imported here takes a while on a busy machine."""
        with self._lock:
            if self._transport is None:
                from driftwatch.observe.sources.transport import Transport

                self._transport = Transport(self.network, self._connections)
            return self._transport

    def _answer(self, job: _Job, reply: Reply) -> Answer:
        if reply.status in _RETRIED:
            raise Passing(f"HTTP {reply.status}", reply.status, _retry_after(reply.header("Retry-After")))
        if reply.status not in (200, 304):
            raise HttpFailure(f"HTTP {reply.status}", status=reply.status)
        body = b"" if reply.status == 304 else self._body(job, reply)
        return Answer(
            reply.status, body, reply.header("ETag"), reply.header("Last-Modified"), reply.header("Content-Type").lower()
        )

    def _body(self, job: _Job, reply: Reply) -> bytes:
        length = reply.header("Content-Length")
        declared = int(length) if length.isascii() and length.isdigit() and len(length) < 19 else None
        if declared is not None and declared > job.size:
            raise _too_big(job)
        progress = self.progress if job.title else SILENT
        parts: list[bytes] = []
        if job.into:
            job.into.seek(0)
            job.into.truncate()
        with progress.task(job.title, declared, "bytes") as task:
            got = 0
            for chunk in reply.chunks(_CHUNK, decode=job.into is None):
                got += len(chunk)
                if got > job.size:
                    raise _too_big(job)
                job.into.write(chunk) if job.into else parts.append(chunk)
                task.advance(len(chunk))
        return b"".join(parts)


def _random() -> float:
    import random  # seldom needed: only between tries

    return random.random()  # noqa: S311 - not a secret


class _Job(NamedTuple):
    url: str
    headers: dict[str, str]
    authorization: Secret | None
    into: BinaryIO | None
    title: str
    size: int


def _too_big(job: _Job) -> HttpFailure:
    return HttpFailure(f"an answer of more than {job.size / MIB:.0f} MiB", status=200)


def _given_up(trouble: Passing, tries: int) -> HttpFailure:
    """How often a dead server was tried depends on who else tried it, so only an answer is counted: the same state of the
    world gives the same words."""
    many = f" after {tries} {'try' if tries == 1 else 'tries'}" if trouble.status else ""
    asked = f"; the server asks to wait {trouble.after:.0f} s" if trouble.after else ""
    return HttpFailure(f"{trouble.reason}{many}{asked}", "try again later, or check the network", trouble.status)


def _path(url: str) -> str:
    """What of a URL a line of talk may show."""
    return redact(url).partition("://")[2].partition("/")[2]


def _origin(url: str) -> tuple[str, str, int]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)


def _target(url: str, location: str, status: int) -> str:
    """Where a redirect leads. Only http and https, never from https down to http, never with a user in it."""
    try:
        target = urljoin(url, location)
        parts = urlsplit(target)
        secure = _origin(url)[0] != "https" or parts.scheme == "https"
        usable = bool(location) and parts.scheme in ("http", "https") and bool(parts.hostname) and parts.username is None
        _origin(target)
    except ValueError:
        usable, secure = False, True
    if not usable:
        raise HttpFailure(f"HTTP {status} without a usable Location", status=status)
    if not secure:
        raise HttpFailure("a redirect from https to http, which is not followed", status=status)
    return target


def _retry_after(text: str) -> float | None:
    """Seconds from a Retry-After header (a number of seconds or an HTTP date), None when it says nothing."""
    if text.isascii() and text.isdigit() and len(text) < 10:
        return float(text)
    from email.utils import parsedate_to_datetime

    try:
        return max(parsedate_to_datetime(text).timestamp() - time.time(), 0.0)
    except (ValueError, TypeError, OverflowError):
        return None
