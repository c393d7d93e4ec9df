"""The wire under ``http``: requests over kept-alive connections, directly or through a proxy, with errors in our own words."""

from __future__ import annotations

import socket
import ssl
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPException, IncompleteRead, InvalidURL
from urllib.parse import urlsplit

import requests
from urllib3.exceptions import HTTPError

from driftwatch.observe.sources.adapter import Adapter, Attempt, tls
from driftwatch.observe.sources.http import HttpFailure, Network, Passing
from driftwatch.observe.sources.secret import Secret

_WORTH_READING = 64 * 1024  # bytes left of an answer that are read to keep the connection
_ERRORS = (requests.RequestException, HTTPError, OSError, HTTPException, ValueError)


class Transport:
    """``open`` one request; ``abort`` shuts every socket in use; ``close`` drops what is idle."""

    def __init__(self, network: Network, connections: int) -> None:
        self._network, self._connections = network, connections
        self._adapters: dict[bool, Adapter] = {}  # with TLS, and without: a context takes long to make
        self._lock = threading.Lock()
        self._attempts: set[Attempt] = set()

    def open(self, url: str, headers: dict[str, str], timeout: tuple[float, float], deadline: float) -> Reply:
        """Send a GET, give the reply once its headers are there. Raises Passing or HttpFailure."""
        attempt, proxy = Attempt(deadline, timeout[1]), ""
        self._attempts.add(attempt)
        try:
            secure = _scheme(url) == "https"
            proxy = _usable(self._network.proxy_for(url))
            adapter = self._adapter(secure or proxy.startswith("https:"))
            response = _send(adapter, url, headers, proxy, timeout[0], attempt)
        except _ERRORS as error:
            self.done(attempt)
            trouble = _trouble(error, attempt, bool(proxy))
            if isinstance(trouble, Passing):
                trouble.unreached = True
            raise trouble from None
        except BaseException:
            self.done(attempt)
            raise
        return Reply(response, attempt, self)

    def _adapter(self, secure: bool) -> Adapter:
        with self._lock:
            if secure not in self._adapters:
                self._adapters[secure] = Adapter(self._connections, tls(self._network) if secure else None)
            return self._adapters[secure]

    def done(self, attempt: Attempt) -> None:
        self._attempts.discard(attempt)

    def abort(self) -> None:
        for attempt in list(self._attempts):
            if attempt.socket is not None:
                with suppress(OSError):  # TLS within a proxy's TLS has the real socket inside
                    getattr(attempt.socket, "socket", attempt.socket).shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        with self._lock:
            for adapter in self._adapters.values():
                adapter.close()


def _send(adapter: Adapter, url: str, headers: dict[str, str], proxy: str, connect: float, attempt: Attempt) -> requests.Response:
    """On a kept connection when there is one: it may have been closed meanwhile, then on a new one."""
    while True:
        try:
            return adapter.get(url, headers, proxy, connect, attempt)
        except (requests.RequestException, HTTPError) as error:
            hung_up = any(isinstance(cause, ConnectionError | ssl.SSLError) for cause in _causes(error))
            if attempt.fresh or not hung_up:
                raise


def _scheme(url: str) -> str:
    """``http`` or ``https``. Raises InvalidURL for everything else."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InvalidURL("not http")
    return parts.scheme


def _usable(proxy: Secret | None) -> str:
    """The proxy's URL, "" for none. Raises HttpFailure when it is of a kind that cannot be used."""
    if not proxy:
        return ""
    text = proxy.reveal()
    text = text if "://" in text else f"http://{text}"
    parts = urlsplit(text)
    if not parts.hostname or parts.scheme not in ("http", "https"):
        raise HttpFailure(
            f"the configured proxy is of a kind that is not supported ({parts.scheme[:10]}://)",
            "give an http:// proxy, or an https:// one: https-proxy=http://host:port in .npmrc, or HTTPS_PROXY",
        )
    return text


class Reply:
    """A response whose body is still on the wire. A context manager: leaving it keeps the connection or drops it."""

    def __init__(self, response: requests.Response, attempt: Attempt, owner: Transport) -> None:
        self._response, self._attempt, self._owner = response, attempt, owner
        self.status = response.status_code

    def __enter__(self) -> Reply:
        return self

    def __exit__(self, *_: object) -> None:
        left: int | None = self._response.raw.length_remaining
        if left is not None and left <= _WORTH_READING:
            self._response.raw.drain_conn()
        self._response.close()
        self._owner.done(self._attempt)

    def header(self, name: str) -> str:
        """The header's text, "" when missing; capped, as it may end up in a cache."""
        value: str = self._response.raw.headers.get(name, "")
        return value.strip() if len(value) <= 4096 else ""

    def chunks(self, size: int, *, decode: bool = True) -> Iterator[bytes]:
        """The body, decoded unless told otherwise. Raises Passing when the line breaks or time is over, HttpFailure when
        it cannot be decoded."""
        encoding = self.header("Content-Encoding").lower() if decode else ""
        if encoding not in ("", "identity", "gzip", "x-gzip"):
            raise HttpFailure(f"a body that cannot be decoded ({encoding[:20]!r})")
        raw = self._raw(size)
        return _inflated(raw, size) if "gzip" in encoding else raw

    def _raw(self, size: int) -> Iterator[bytes]:
        try:
            while part := self._response.raw.read(size, decode_content=False):
                yield part
        except _ERRORS as error:
            raise _trouble(error, self._attempt, False) from None


def _inflated(raw: Iterator[bytes], size: int) -> Iterator[bytes]:
    """Never more than ``size`` bytes at once, and an error when the end is missing: urllib3's own takes a body that is cut."""
    inflate = zlib.decompressobj(31)
    try:
        for part in raw:
            while part:
                yield inflate.decompress(part, size)
                part = inflate.unconsumed_tail  # noqa: PLW2901
        if not inflate.eof or inflate.unused_data:
            raise zlib.error
    except zlib.error:
        raise HttpFailure("a body that cannot be decoded") from None


def _trouble(error: BaseException, attempt: Attempt, proxied: bool) -> Passing | HttpFailure:
    """Our own words for what went wrong: a library's text may quote a URL or a proxy with its password."""
    causes = list(_causes(error))
    for cause in causes:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return HttpFailure(
                f"the TLS certificate of the server is not trusted: {_untrusted(cause)}",
                "name your own authority with cafile= in .npmrc, SSL_CERT_FILE or NODE_EXTRA_CA_CERTS",
            )
        if str(cause).startswith("Tunnel connection failed"):
            status = "".join(char for char in str(cause)[:40] if char.isdigit())
            return HttpFailure(f"the proxy refuses us (HTTP {status})", "look at the proxy's user and password")
    if time.monotonic() >= attempt.deadline or any(isinstance(cause, TimeoutError) for cause in causes):
        return Passing("no whole answer in time")
    if any(isinstance(cause, InvalidURL | ValueError) and not isinstance(cause, OSError) for cause in causes):
        return HttpFailure("its address is not a URL that can be asked", "look at registry= in .npmrc")
    whose = "the proxy: " if proxied else ""
    found = (reason for kind, reason in _REASONS for cause in causes if isinstance(cause, kind))
    return Passing(whose + next(found, "the connection broke"))


def _causes(error: object, depth: int = 0) -> Iterator[BaseException]:
    """The exception and those it carries: requests and urllib3 nest what happened as an argument, a reason or a cause."""
    if not isinstance(error, BaseException) or depth > 8:
        return
    yield error
    for inner in {id(each): each for each in (*error.args, getattr(error, "reason", None), error.__cause__)}.values():
        yield from _causes(inner, depth + 1)


def _untrusted(error: ssl.SSLCertVerificationError) -> str:
    """OpenSSL's reason, but for the one that names the host."""
    return "it is made out to another host" if "mismatch" in error.verify_message else error.verify_message


_REASONS: tuple[tuple[type[BaseException], str], ...] = (
    (socket.gaierror, "the host's name is not known"),
    (ConnectionRefusedError, "the connection is refused"),
    (ssl.SSLError, "the TLS handshake fails"),
    (IncompleteRead, "the answer is cut short"),
)
