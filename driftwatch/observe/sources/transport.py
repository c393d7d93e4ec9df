"""The wire under ``http``: the requests adapter without its session.

No environment, no netrc, no cookies, no automatic redirects: each could carry a secret to the wrong place, and a session
reads the body of a redirect without a cap. One TLS context
for all connections. Every single read stops at the request's deadline, also while headers drip in.
"""

from __future__ import annotations

import io
import ssl
import threading
import time
from collections.abc import Iterator
from http.client import HTTPException, HTTPResponse
from typing import Any

import certifi
import requests
import urllib3
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import DecodeError, HTTPError, InsecureRequestWarning

from driftwatch.observe.sources.http import HttpFailure, Network, Passing

_WORTH_READING = 64 * 1024
_CURRENT = threading.local()  # .attempt: the _Attempt this thread is making


class _Attempt:
    """One request under way: when it must be over, and its socket once there is one."""

    __slots__ = ("deadline", "read", "socket")

    def __init__(self, deadline: float, read: float) -> None:
        self.deadline, self.read = deadline, read
        self.socket: Any = None

    def left(self) -> float:
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("deadline")
        return left


class _Timed(io.RawIOBase):
    """A socket's raw stream whose every read is bounded by what is left of the attempt."""

    def __init__(self, raw: io.RawIOBase, sock: Any, attempt: _Attempt) -> None:
        self._raw, self._sock, self._attempt = raw, sock, attempt

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._sock.settimeout(min(self._attempt.left(), self._attempt.read))
        count: int | None = self._raw.readinto(buffer)
        return count

    def close(self) -> None:
        if not self.closed:
            self._raw.close()
        super().close()


class _Response(HTTPResponse):
    def __init__(self, sock: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(sock, *args, **kwargs)
        attempt: _Attempt | None = getattr(_CURRENT, "attempt", None)
        if attempt is not None:
            attempt.socket = sock
            self.fp = io.BufferedReader(_Timed(self.fp.detach(), sock, attempt), 64 * 1024)


class _Plain(HTTPConnection):
    response_class = _Response


class _Secure(HTTPSConnection):
    response_class = _Response


class _PlainPool(HTTPConnectionPool):
    ConnectionCls = _Plain


class _SecurePool(HTTPSConnectionPool):
    ConnectionCls = _Secure


_POOLS = {"http": _PlainPool, "https": _SecurePool}


class _Adapter(HTTPAdapter):
    """requests' adapter with our pools and one TLS context (its own would read the CA bundle once a connection)."""

    def __init__(self, network: Network, connections: int) -> None:
        self._network, self._context = network, None  # type: Network, ssl.SSLContext | None
        super().__init__(pool_connections=connections, pool_maxsize=connections, max_retries=0)

    def get_connection_with_tls_context(self, request: Any, verify: Any, proxies: Any = None, cert: Any = None) -> Any:
        secure = request.url.startswith("https:")
        extra = {"ssl_context": self._tls()} if secure else {}
        if proxy := (proxies or {}).get("https" if secure else "http"):
            manager = self.proxy_manager_for(proxy, **({"proxy_ssl_context": self._tls()} if proxy.startswith("https:") else {}))
        else:
            manager = self.poolmanager
        manager.pool_classes_by_scheme = _POOLS
        return manager.connection_from_url(request.url, pool_kwargs={**manager.connection_pool_kw, **extra})

    def cert_verify(self, conn: Any, url: Any, verify: Any, cert: Any) -> None:
        """Done by the context."""

    def _tls(self) -> ssl.SSLContext:
        if self._context is None:
            self._context = _context(self._network)
        return self._context


def _context(network: Network) -> ssl.SSLContext:
    """npm's rule: ``cafile`` and ``ca`` replace the built-in authorities, NODE_EXTRA_CA_CERTS adds to them."""
    try:
        if network.ca_file or network.ca:
            context = ssl.create_default_context(cafile=network.ca_file or None, cadata="\n".join(network.ca) or None)
        else:
            context = ssl.create_default_context(cafile=certifi.where())
        if network.extra_ca_file:
            context.load_verify_locations(cafile=network.extra_ca_file)
    except (OSError, ValueError) as error:
        named = network.ca_file or network.extra_ca_file or "ca"
        raise HttpFailure(f"cannot read the certificate authorities in {named}", "look at cafile, ca, SSL_CERT_FILE") from error
    if not network.strict_ssl:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        urllib3.disable_warnings(InsecureRequestWarning)  # asked for in so many words
    return context


class Reply:
    """A response whose body is still on the wire. A context manager: closing gives the connection back or drops it."""

    def __init__(self, response: requests.Response, attempt: _Attempt, owner: Transport) -> None:
        self._response, self._attempt, self._owner = response, attempt, owner
        self.status = response.status_code

    def __enter__(self) -> Reply:
        return self

    def __exit__(self, *_: object) -> None:
        self._owner.forget(self._attempt)
        length = self.header("Content-Length")
        if self.status == 304 or (length.isascii() and length.isdigit() and int(length[:9]) <= _WORTH_READING):
            self._response.raw.drain_conn()  # a little left over: reading it keeps the connection
        self._response.close()

    def header(self, name: str) -> str:
        """The header's text, "" when missing; capped, as it may end up in a cache."""
        value: str = self._response.headers.get(name, "")
        return value.strip() if len(value) <= 4096 else ""

    def chunks(self, size: int) -> Iterator[bytes]:
        """The decoded body. Raises Passing when the line breaks or time is over, HttpFailure when it can't be decoded."""
        try:
            yield from self._response.raw.stream(size, decode_content=True)
        except (HTTPError, OSError, HTTPException, ValueError) as error:
            raise _trouble(error, self._attempt) from None


class Transport:
    """Kept-alive connections. ``open`` one request; ``abort`` shuts every socket in use."""

    def __init__(self, network: Network, connections: int) -> None:
        self._network = network
        self._adapter = _Adapter(network, connections)
        self._attempts: set[_Attempt] = set()

    def open(self, url: str, headers: dict[str, str], timeout: tuple[float, float], deadline: float) -> Reply:
        """Send a GET, give the reply once its headers are there. Raises Passing or HttpFailure."""
        proxy = self._network.proxy_for(url)
        proxies = {url.partition(":")[0]: proxy.reveal()} if proxy else {}
        attempt = _Attempt(deadline, timeout[1])
        self._attempts.add(attempt)
        _CURRENT.attempt = attempt
        try:
            left = attempt.left()
            response = self._adapter.send(
                requests.Request("GET", url, headers).prepare(),
                stream=True,
                timeout=(min(timeout[0], left), min(timeout[1], left)),
                proxies=proxies,
            )
        except (requests.RequestException, HTTPError, OSError, HTTPException, ValueError) as error:
            self.forget(attempt)
            raise _trouble(error, attempt) from None
        except BaseException:
            self.forget(attempt)
            raise
        finally:
            _CURRENT.attempt = None
        return Reply(response, attempt, self)

    def forget(self, attempt: _Attempt) -> None:
        self._attempts.discard(attempt)

    def abort(self) -> None:
        for attempt in list(self._attempts):
            try:
                if attempt.socket is not None:
                    attempt.socket.shutdown(2)
            except OSError:
                pass

    def close(self) -> None:
        self._adapter.close()


def _trouble(error: BaseException, attempt: _Attempt) -> Passing | HttpFailure:
    """Our own words for what went wrong: a library's text may quote a URL or a proxy with its password."""
    chain = list(_causes(error))
    for cause in chain:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return HttpFailure(
                f"the TLS certificate of the server is not trusted: {_untrusted(cause)}",
                "name your own authority with cafile= in .npmrc, SSL_CERT_FILE or NODE_EXTRA_CA_CERTS",
            )
    names = {type(cause).__name__ for cause in chain}
    if time.monotonic() >= attempt.deadline:
        return Passing("no whole answer in time")
    if any(isinstance(cause, DecodeError) for cause in chain):
        return HttpFailure("a body that cannot be decoded")
    if names & {"InvalidURL", "LocationParseError", "InvalidSchema", "MissingSchema", "InvalidHeader", "UnicodeError"}:
        return HttpFailure("its address is not a URL that can be asked", "look at registry= in .npmrc")
    for kind, reason in _REASONS:
        if names & kind:
            return Passing(reason)
    return Passing("the connection broke")


def _untrusted(error: ssl.SSLCertVerificationError) -> str:
    """OpenSSL's reason, but for the one that names the host."""
    return "it is made out to another host" if "mismatch" in error.verify_message else error.verify_message


_REASONS: tuple[tuple[set[str], str], ...] = (
    ({"ProxyError", "InvalidProxyURL"}, "the proxy does not let us through"),
    ({"NameResolutionError", "gaierror"}, "the host's name is not known"),
    ({"ConnectTimeoutError", "ConnectTimeout"}, "no connection in time"),
    ({"ConnectionRefusedError"}, "the connection is refused"),
    ({"ReadTimeoutError", "ReadTimeout", "TimeoutError"}, "no whole answer in time"),
    ({"SSLError"}, "the TLS handshake fails"),
    ({"IncompleteRead"}, "the answer is cut short"),
)


def _causes(error: BaseException | None, depth: int = 0) -> Iterator[BaseException]:
    """The exception and everything it carries: causes, contexts and urllib3's nested reasons."""
    if error is None or depth > 8:
        return
    yield error
    nested = [getattr(error, "reason", None), error.__cause__ or error.__context__, *error.args]
    for inner in nested:
        if isinstance(inner, BaseException):
            yield from _causes(inner, depth + 1)
