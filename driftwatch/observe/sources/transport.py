"""The wire under ``http``: kept-alive connections of the standard library, proxies and one TLS context included.

Why not a library: a poll is hundreds of tiny requests in a fresh process, and requests costs a quarter of a second to import
and four times as much a request. Nothing here reads the environment, netrc or cookies or follows a redirect, each of which
could carry a secret to the wrong place. Every read stops at the request's deadline, also while headers drip in.
"""

from __future__ import annotations

import base64
import io
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection, InvalidURL, RemoteDisconnected
from typing import Any
from urllib.parse import SplitResult, quote, unquote, urlsplit

from driftwatch.observe.sources.http import HttpFailure, Network, Passing
from driftwatch.observe.sources.secret import host_of

_WORTH_READING = 64 * 1024  # bytes left of an answer that are read to keep the connection
_CURRENT = threading.local()  # .attempt: the Attempt this thread is making
_Key = tuple[str, str, int, str]  # scheme, host, port, proxy


class Attempt:
    """One request under way: when it must be over, and its socket once there is one."""

    __slots__ = ("deadline", "read", "socket")

    def __init__(self, deadline: float, read: float) -> None:
        self.deadline, self.read = deadline, read
        self.socket: Any = None

    def left(self) -> float:
        """Seconds for the next step. Raises TimeoutError when there are none."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("deadline")
        return min(left, self.read)


class _Timed(io.RawIOBase):
    """A socket's raw stream whose every read is bounded by what is left of the attempt."""

    def __init__(self, raw: Any, sock: Any, attempt: Attempt) -> None:
        self._raw, self._sock, self._attempt = raw, sock, attempt

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._sock.settimeout(self._attempt.left())
        count: int | None = self._raw.readinto(buffer)
        return count

    def close(self) -> None:
        if not self.closed:
            self._raw.close()
        super().close()


class _Response(HTTPResponse):
    def __init__(self, sock: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(sock, *args, **kwargs)
        attempt: Attempt = _CURRENT.attempt
        attempt.socket = sock
        self.fp = io.BufferedReader(_Timed(self.fp.detach(), sock, attempt), 64 * 1024)


class _Plain(HTTPConnection):
    response_class = _Response


class _Secure(HTTPSConnection):
    response_class = _Response


class Transport:
    """``open`` one request; ``abort`` shuts every socket in use; ``close`` drops what is idle."""

    def __init__(self, network: Network, connections: int) -> None:
        self._network, self._most = network, connections
        self._idle: dict[_Key, list[HTTPConnection]] = {}
        self._lock = threading.Lock()
        self._attempts: set[Attempt] = set()
        self._context: ssl.SSLContext | None = None

    def open(self, url: str, headers: dict[str, str], timeout: tuple[float, float], deadline: float) -> Reply:
        """Send a GET, give the reply once its headers are there. Raises Passing or HttpFailure."""
        attempt = Attempt(deadline, timeout[1])
        self._attempts.add(attempt)
        _CURRENT.attempt = attempt
        proxied = ""
        try:
            route = _Route.of(url, self._network)
            proxied = route.proxy.hostname or ""
            connection, response = self._send(route, headers, timeout[0], attempt)
        except (OSError, HTTPException, ValueError) as error:
            self._attempts.discard(attempt)
            trouble = _trouble(error, attempt, bool(proxied))
            if isinstance(trouble, Passing):
                trouble.unreached = True
            raise trouble from None
        except BaseException:
            self._attempts.discard(attempt)
            raise
        return Reply(connection, response, attempt, self, route.key)

    def _send(
        self, route: _Route, headers: dict[str, str], connect: float, attempt: Attempt
    ) -> tuple[HTTPConnection, HTTPResponse]:
        """On an idle connection when there is one: it may have been closed meanwhile, then on a new one."""
        while idle := self._take(route.key):
            try:
                return idle, _exchange(idle, route, headers, attempt)
            except (RemoteDisconnected, ConnectionError, ssl.SSLError):
                idle.close()
            except BaseException:
                idle.close()
                raise
        fresh = route.connect(min(connect, attempt.left()), self.context)
        try:
            return fresh, _exchange(fresh, route, headers, attempt)
        except BaseException:
            fresh.close()
            raise

    def _take(self, key: _Key) -> HTTPConnection | None:
        with self._lock:
            idle = self._idle.get(key)
            return idle.pop() if idle else None

    def done(self, attempt: Attempt, key: _Key, connection: HTTPConnection, keep: bool) -> None:
        """A reply was read: its connection waits for the next request, or is closed."""
        self._attempts.discard(attempt)
        with self._lock:
            idle = self._idle.setdefault(key, [])
            if keep and len(idle) < self._most:
                idle.append(connection)
                return
        connection.close()

    def context(self) -> ssl.SSLContext:
        with self._lock:
            if self._context is None:
                self._context = _context(self._network)
            return self._context

    def abort(self) -> None:
        for attempt in list(self._attempts):
            if attempt.socket is not None:
                with suppress(OSError):
                    attempt.socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        with self._lock:
            connections = [connection for idle in self._idle.values() for connection in idle]
            self._idle.clear()
        for connection in connections:
            connection.close()


class _Route:
    """How a URL is reached: directly, by asking a proxy for it, or through a tunnel of a proxy."""

    def __init__(self, parts: SplitResult, proxy: SplitResult) -> None:
        self.parts, self.proxy = parts, proxy
        self.secure = parts.scheme == "https"
        host, port = parts.hostname or "", parts.port or (443 if self.secure else 80)
        self.host, self.port = host.encode("idna").decode("ascii") if not host.isascii() else host, port
        self.key: _Key = (parts.scheme, self.host, port, proxy.geturl())

    @classmethod
    def of(cls, url: str, network: Network) -> _Route:
        proxy = network.proxy_for(url)
        parts, through = urlsplit(url), urlsplit(_with_scheme(proxy.reveal()) if proxy else "")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InvalidURL("not http")
        tunnel = parts.scheme == "https"
        if proxy and (not through.hostname or through.scheme not in (("http",) if tunnel else ("http", "https"))):
            raise HttpFailure(
                f"the configured proxy is of a kind that is not supported ({through.scheme[:10]}://)",
                "give an http:// proxy: https-proxy=http://host:port in .npmrc, or HTTPS_PROXY",
            )
        return cls(parts, through)

    def connect(self, timeout: float, context: Any) -> HTTPConnection:
        """A connection that is not open yet."""
        if not self.proxy.hostname:
            host, port, secure = self.host, self.port, self.secure
        else:
            secure = self.secure or self.proxy.scheme == "https"
            host, port = self.proxy.hostname, self.proxy.port or (443 if self.proxy.scheme == "https" else 80)
        if not secure:
            return _Plain(host, port, timeout=timeout)
        connection = _Secure(host, port, timeout=timeout, context=context())
        if self.proxy.hostname and self.secure:
            connection.set_tunnel(self.host, self.port, self._authorization())
        return connection

    def target(self) -> str:
        """What stands in the request line."""
        path = quote(self.parts.path or "/", safe="/%:=&~+!$,;'@()*[]")
        query = "?" + quote(self.parts.query, safe="/%:=&~+!$,;'@()*[]?") if self.parts.query else ""
        return f"http://{self._host()}{path}{query}" if self._asks_proxy() else path + query

    def headers(self, given: dict[str, str]) -> dict[str, str]:
        return {"Host": self._host(), **given, **(self._authorization() if self._asks_proxy() else {})}

    def _asks_proxy(self) -> bool:
        return bool(self.proxy.hostname) and not self.secure

    def _host(self) -> str:
        return host_of(self.parts.scheme, self.host, self.port)

    def _authorization(self) -> dict[str, str]:
        if self.proxy.username is None:
            return {}
        pair = f"{unquote(self.proxy.username)}:{unquote(self.proxy.password or '')}"
        return {"Proxy-Authorization": "Basic " + base64.b64encode(pair.encode()).decode("ascii")}


def _with_scheme(proxy: str) -> str:
    return proxy if "://" in proxy else f"http://{proxy}"


def _exchange(connection: HTTPConnection, route: _Route, headers: dict[str, str], attempt: Attempt) -> HTTPResponse:
    if connection.sock is not None:
        connection.sock.settimeout(attempt.left())
    connection.request("GET", route.target(), headers=route.headers(headers))
    return connection.getresponse()


def _context(network: Network) -> ssl.SSLContext:
    """npm's rule: ``cafile`` and ``ca`` replace the built-in authorities, NODE_EXTRA_CA_CERTS adds to them."""
    try:
        if network.ca_file or network.ca:
            context = ssl.create_default_context(cafile=network.ca_file or None, cadata="\n".join(network.ca) or None)
        else:
            import certifi

            context = ssl.create_default_context(cafile=certifi.where())
        if network.extra_ca_file:
            context.load_verify_locations(cafile=network.extra_ca_file)
    except (OSError, ValueError) as error:
        named = network.ca_file or network.extra_ca_file or "ca"
        raise HttpFailure(f"cannot read the certificate authorities in {named}", "look at cafile, ca, SSL_CERT_FILE") from error
    if not network.strict_ssl:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


class Reply:
    """A response whose body is still on the wire. A context manager: leaving it keeps the connection or drops it."""

    def __init__(self, connection: HTTPConnection, response: HTTPResponse, attempt: Attempt, owner: Transport, key: _Key) -> None:
        self._connection, self._response = connection, response
        self._attempt, self._owner, self._key = attempt, owner, key
        self.status = response.status

    def __enter__(self) -> Reply:
        return self

    def __exit__(self, *_: object) -> None:
        response = self._response
        if not response.isclosed() and response.length is not None and response.length <= _WORTH_READING:
            with suppress(OSError, HTTPException, ValueError):
                response.read()
        self._owner.done(self._attempt, self._key, self._connection, response.isclosed() and not response.will_close)

    def header(self, name: str) -> str:
        """The header's text, "" when missing; capped, as it may end up in a cache."""
        value = self._response.headers.get(name, "")
        return value.strip() if len(value) <= 4096 else ""

    def chunks(self, size: int, *, decode: bool = True) -> Iterator[bytes]:
        """The body, decoded unless told otherwise. Raises Passing when the line breaks or time is over, HttpFailure when
        it cannot be decoded."""
        encoding = self.header("Content-Encoding").lower() if decode else ""
        if encoding not in ("", "identity", "gzip", "x-gzip"):
            raise HttpFailure(f"a body that cannot be decoded ({encoding[:20]!r})")
        raw = self._raw(size)
        return self._inflated(raw, size) if "gzip" in encoding else raw

    def _raw(self, size: int) -> Iterator[bytes]:
        _CURRENT.attempt = self._attempt
        try:
            while part := self._response.read(size):
                yield part
        except (OSError, HTTPException, ValueError) as error:
            raise _trouble(error, self._attempt, False) from None
        if self._response.length:
            raise Passing("the answer is cut short")

    def _inflated(self, raw: Iterator[bytes], size: int) -> Iterator[bytes]:
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
    if isinstance(error, ssl.SSLCertVerificationError):
        return HttpFailure(
            f"the TLS certificate of the server is not trusted: {_untrusted(error)}",
            "name your own authority with cafile= in .npmrc, SSL_CERT_FILE or NODE_EXTRA_CA_CERTS",
        )
    if "Tunnel connection failed" in str(error):
        status = "".join(char for char in str(error)[:40] if char.isdigit())
        return HttpFailure(f"the proxy refuses us (HTTP {status})", "look at the proxy's user and password")
    if time.monotonic() >= attempt.deadline or isinstance(error, TimeoutError):
        return Passing("no whole answer in time")
    if isinstance(error, InvalidURL) or (isinstance(error, ValueError) and not isinstance(error, OSError)):
        return HttpFailure("its address is not a URL that can be asked", "look at registry= in .npmrc")
    whose = "the proxy: " if proxied else ""
    return Passing(whose + next((reason for kind, reason in _REASONS if isinstance(error, kind)), "the connection broke"))


def _untrusted(error: ssl.SSLCertVerificationError) -> str:
    """OpenSSL's reason, but for the one that names the host."""
    return "it is made out to another host" if "mismatch" in error.verify_message else error.verify_message


_REASONS: tuple[tuple[type[BaseException], str], ...] = (
    (socket.gaierror, "the host's name is not known"),
    (ConnectionRefusedError, "the connection is refused"),
    (ssl.SSLError, "the TLS handshake fails"),
)
