"""One request to a server on the loopback: capped in time as a whole and in size, told apart by content type."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Mapping

from driftwatch.model import Json
from driftwatch.observe.hosts.driver import Answer, HostError

BODY_LIMIT = 32 * 1024 * 1024


def request(
    address: tuple[str, int], method: str, target: str, body: Json, *, headers: Mapping[str, str], timeout: float
) -> Answer:
    """Raises TimeoutError when the whole answer is not there in ``timeout`` seconds, HostError when the connection fails
    or the answer is too big."""
    until = time.monotonic() + timeout
    connection = http.client.HTTPConnection(*address, timeout=timeout)
    raw = None if body is None and method in {"GET", "HEAD", "DELETE"} else json.dumps({} if body is None else body).encode()
    try:
        connection.request(method, target, raw, {**headers, **({"Content-Type": "application/json"} if raw else {})})
        response = connection.getresponse()
        data = _read(connection, response, until)
    except TimeoutError:
        raise TimeoutError(f"no answer to {method} {target} in {timeout:g} s") from None
    except (OSError, http.client.HTTPException) as error:
        raise HostError(f"no answer to {method} {target}: {error or type(error).__name__}") from error
    finally:
        connection.close()
    return answer(response.status, response.headers.get("Content-Type", ""), data)


def _read(connection: http.client.HTTPConnection, response: http.client.HTTPResponse, until: float) -> bytes:
    data = bytearray()
    while True:
        left = until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        if connection.sock is not None:  # None once the server closed: what is left is already here
            connection.sock.settimeout(left)
        piece = response.read1(65536)
        if not piece and response.length:
            raise HostError(f"the answer is cut short, {response.length} bytes are missing")
        if not piece:
            return bytes(data)
        data += piece
        if len(data) > BODY_LIMIT:
            raise HostError(f"the answer is bigger than {BODY_LIMIT} bytes")


def answer(status: int, content_type: str, data: bytes) -> Answer:
    kind = content_type.partition(";")[0].strip().lower()
    text = data.decode("utf-8", "replace")
    if kind == "application/json" or kind.endswith("+json"):
        try:
            return Answer(status, kind, text, True, json.loads(data) if data else None)
        except ValueError:
            pass
    return Answer(status, kind, text)
