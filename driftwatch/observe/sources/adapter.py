"""requests' pooled adapter, made to keep a deadline and to trust nothing but what it is given.

No session: that one reads netrc, proxies and authorities from the environment, keeps cookies and follows redirects, each of
which could carry a secret to the wrong place. Of requests' adapter only the choice of trust, of proxy headers and of what a
response carries is replaced; connections, pools, proxies and tunnels are urllib3's.
"""

from __future__ import annotations

import base64
import io
import ssl
import threading
import time
from http.client import HTTPResponse
from typing import Any
from urllib.parse import unquote, urlsplit

import requests
import urllib3
from requests.adapters import HTTPAdapter
from requests.utils import DEFAULT_CA_BUNDLE_PATH
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import InsecureRequestWarning

from driftwatch.observe.sources.http import HttpFailure, Network

_CURRENT = threading.local()  # .attempt: the Attempt this thread is making


class Attempt:
    """One request under way: when it must be over, its socket once there is one, and whether that was opened for it."""

    __slots__ = ("deadline", "fresh", "read", "socket")

    def __init__(self, deadline: float, read: float) -> None:
        self.deadline, self.read, self.fresh = deadline, read, False
        self.socket: Any = None

    def left(self) -> float:
        """Seconds for the next step. Raises TimeoutError when there are none."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("deadline")
        return min(left, self.read)


class _Timed(io.RawIOBase):
    """A socket's raw stream whose every read is bounded by what is left of the attempt, also while headers drip in."""

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
    """What a connection reads an answer with, a proxy's answer to CONNECT too."""

    def __init__(self, sock: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(sock, *args, **kwargs)
        attempt: Attempt = _CURRENT.attempt
        attempt.socket = sock
        self.fp = io.BufferedReader(_Timed(self.fp.detach(), sock, attempt), 64 * 1024)


class _Plain(HTTPConnection):
    response_class = _Response

    def connect(self) -> None:
        _CURRENT.attempt.fresh = True
        super().connect()


class _Secure(HTTPSConnection):
    response_class = _Response

    def connect(self) -> None:
        _CURRENT.attempt.fresh = True
        super().connect()


class _PlainPool(HTTPConnectionPool):
    ConnectionCls = _Plain


class _SecurePool(HTTPSConnectionPool):
    ConnectionCls = _Secure


_POOLS = {"http": _PlainPool, "https": _SecurePool}


class Adapter(HTTPAdapter):
    """Kept-alive connections, ``connections`` for each host. ``context`` is all that decides which server is trusted; without
    one nothing can be asked over TLS."""

    def __init__(self, connections: int, context: ssl.SSLContext | None = None) -> None:
        self._tls: dict[str, Any] = {"ssl_context": context} if context else {}
        super().__init__(pool_connections=connections, pool_maxsize=connections, max_retries=0)

    def get(self, url: str, headers: dict[str, str], proxy: str, connect: float, attempt: Attempt) -> requests.Response:
        """Ask for ``url``, through ``proxy`` if it is not "". Gives the response once its headers are there, the body still
        on the wire. Raises requests' and urllib3's errors, or OSError, HTTPException, ValueError from below them."""
        request = requests.PreparedRequest()  # not ``prepare``d: that is where netrc and cookies come in
        request.method, request.url, request.headers = "GET", url, headers  # type: ignore[assignment]  # nobody looks one up
        _CURRENT.attempt = attempt
        left = attempt.left()
        return self.send(request, stream=True, timeout=(min(connect, left), left), proxies={"all": proxy} if proxy else None)

    def init_poolmanager(self, connections: int, maxsize: int, block: bool = False, **more: Any) -> None:
        super().init_poolmanager(connections, maxsize, block, **self._tls, **more)
        self.poolmanager.pool_classes_by_scheme = _POOLS

    def proxy_manager_for(self, proxy: str, **more: Any) -> Any:
        outer = {"proxy_ssl_context": context} if (context := self._tls.get("ssl_context")) else {}
        manager = super().proxy_manager_for(proxy, **self._tls, **outer, **more)
        manager.pool_classes_by_scheme = _POOLS
        return manager

    def get_connection_with_tls_context(self, request: Any, verify: Any, proxies: Any = None, cert: Any = None) -> Any:
        """The pool of a request. requests' own puts its authorities beside those of the context."""
        manager = self.proxy_manager_for(proxies["all"]) if proxies else self.poolmanager
        return manager.connection_from_url(request.url)

    def cert_verify(self, conn: Any, url: Any, verify: Any, cert: Any) -> None:
        """Done by the context."""

    def proxy_headers(self, proxy: str) -> dict[str, str]:
        """As requests does it, but for names and passwords that are not Latin."""
        parts = urlsplit(proxy)
        if parts.username is None:
            return {}
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        return {"Proxy-Authorization": "Basic " + base64.b64encode(pair.encode()).decode("ascii")}

    def build_response(self, req: Any, resp: Any) -> requests.Response:
        """Status and stream alone: no cookies are taken."""
        response = requests.Response()
        response.status_code, response.raw = resp.status, resp
        return response


def tls(network: Network) -> ssl.SSLContext:
    """npm's rule: ``cafile`` and ``ca`` replace the built-in authorities, NODE_EXTRA_CA_CERTS adds to them.
    Raises HttpFailure when they cannot be read."""
    try:
        if network.ca_file or network.ca:
            context = ssl.create_default_context(cafile=network.ca_file or None, cadata="\n".join(network.ca) or None)
        else:
            context = ssl.create_default_context(cafile=DEFAULT_CA_BUNDLE_PATH)
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
