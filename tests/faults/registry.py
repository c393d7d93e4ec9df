"""The registry goes wrong: on the wire, at the door, or it is not the registry at all."""

from __future__ import annotations

import gzip
import subprocess
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

from tests.faults.bench import PATH, TOKEN, Answer, Bench, Case
from tests.support.fault_registry import FaultRegistry, Reply

WAIT = "try again later, or check the network"
HTML = b"<!doctype html><title>Sign in to Airport Wi-Fi</title>"
GZIP = {"Content-Encoding": "gzip"}


def answers(*replies: Reply, **reply: object) -> Callable[[Bench], None]:
    """The package is answered like this: so often, or always."""

    def fault(made: Bench) -> None:
        made.registry.at(PATH, *replies)
        if reply:
            made.registry.always(PATH, Reply(**reply))  # type: ignore[arg-type]

    return fault


def nobody_listens(made: Bench) -> None:
    with FaultRegistry() as gone:
        pass
    made.edit(made.registry.url, gone.url)


def token_unset(made: Bench) -> None:
    made.npmrc(f"//{made.registry.host}/:_authToken=${{NOT_SET_ANYWHERE}}")
    made.registry.always(PATH, Reply(401))


def elsewhere(made: Bench) -> None:
    """Redirected to another host, which has it all: that is fine, but our token is not for it."""
    other = made.enter(FaultRegistry())
    other.packages = made.registry.packages
    made.registry.always(PATH, Reply(302, headers={"Location": f"{other.url}{PATH[1:]}"}))
    made.stack.callback(lambda: _never_told(other))


def _never_told(other: FaultRegistry) -> None:
    assert other.requests
    assert not any(request.authorization for request in other.requests), "the token went to another host"


def token_goes_home(made: Bench, _: Answer) -> None:
    assert made.registry.asked(PATH)[0].authorization == f"Bearer {TOKEN}"


def secure(made: Bench, *, trusted: bool = True, name: str = "IP:127.0.0.1") -> FaultRegistry:
    certificate = made.write("certificate.pem", _certificate(name))
    registry = made.enter(FaultRegistry(certificate))
    made.asks(registry)
    if trusted:
        made.npmrc(f"cafile={certificate}")
    return registry


def downgrade(made: Bench) -> None:
    plain = made.registry
    secure(made).always(PATH, Reply(302, headers={"Location": f"{plain.url}{PATH[1:]}"}))
    plain.requests.clear()


def never_plain(made: Bench, _: Answer) -> None:
    assert not made.registry.requests


@cache
def _certificate(name: str) -> bytes:
    request = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    names = ["-subj", "/CN=loopback", "-addext", f"subjectAltName={name}"]
    made = subprocess.run([*request, *names, "-keyout", "-", "-out", "-"], check=True, capture_output=True)
    return made.stdout


def bomb(made: Bench) -> None:
    made.npmrc("fetch-timeout=30000")  # so that its size ends it, not the clock
    made.registry.always(PATH, Reply(body=gzip.compress(bytes(150_000_000), 1), headers=GZIP))


def dead_proxy(made: Bench) -> None:
    made.npmrc("proxy=http://me:hunter2@127.0.0.1:9", "noproxy=")
    made.env(no_proxy=None, NO_PROXY=None)


def says_no_password(_: Bench, answer: Answer) -> None:
    assert "hunter2" not in answer.out + answer.err


def passes_after_one(made: Bench) -> None:
    made.npmrc("fetch-retries=2")
    made.registry.at(PATH, Reply(503, headers={"Retry-After": "0"}), Reply(429, headers={"Retry-After": "0"}))


def no_authority(made: Bench) -> None:
    secure(made, trusted=False)
    made.npmrc(f"cafile={Path('/nowhere/authority.pem')}")


ONCE = [
    Case("nobody listens", nobody_listens, "the connection is refused", WAIT),
    Case("401", answers(status=401), "the registry refuses us .HTTP 401", "give a token"),
    Case("401, and the token's variable is not set", token_unset, "refuses us .HTTP 401", "NOT_SET_ANYWHERE.*is not set"),
    Case("403", answers(status=403), "the registry refuses us .HTTP 403", "give a token"),
    Case("404", answers(status=404), "is not on the registry .HTTP 404", "look at the name"),
    Case("410", answers(status=410), "HTTP 410", "doctor"),
    Case("429", answers(status=429), "HTTP 429 after 1 try", WAIT),
    Case("429, come back in an hour", answers(status=429, headers={"Retry-After": "3600"}), "asks to wait 3600 s", WAIT),
    Case("500", answers(status=500), "HTTP 500 after 1 try", WAIT),
    Case("503, come back tomorrow", answers(status=503, headers={"Retry-After": "86400"}), "HTTP 503 after 1 try", WAIT),
    Case("204", answers(status=204), "HTTP 204", "doctor"),
    Case("drips its body", answers(body=b'{"name":"' + b"x" * 5000, drip=0.01), "no whole answer in time", WAIT),
    Case("drips its head", answers(raw=b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 999, drip=0.01), "no whole answer in time", WAIT),
    Case("hangs", answers(hang=30.0), "no whole answer in time", WAIT),
    Case("resets the connection", answers(reset=True), "the connection broke", WAIT),
    Case("closes without a word", answers(raw=b""), "the connection broke", WAIT),
    Case("cut body", answers(body=b'{"name": "@acme/plugin"}', cut=9), "the answer is cut short", WAIT),
    Case("length too long", answers(body=b"{}", announce=99), "cut short|no whole answer", WAIT),
    Case("length too short", answers(body=b'{"name": "@acme/plugin"}', announce=9), "cut short: not whole JSON", "doctor"),
    Case("length of a petabyte", answers(body=b"{}", announce=10**15), "an answer of more than 128 MiB", "doctor"),
    Case("says gzip, is not", answers(body=b"{}", headers=GZIP), "cannot be decoded", "doctor"),
    Case("redirects in circles", answers(status=302, headers={"Location": PATH}), "more than 5 redirects", "doctor"),
    Case("redirects nowhere", answers(status=302), "HTTP 302 without a usable Location", "doctor"),
    Case("redirects to a file", answers(status=302, headers={"Location": "file:///etc/passwd"}), "usable Location", "doctor"),
    Case("captive portal", answers(body=HTML, headers={"Content-Type": "text/html"}), "a web page, not JSON", "doctor"),
    Case("empty body", answers(body=b""), "is empty", "doctor"),
    Case("speaks something else", answers(raw=b"SSH-2.0-OpenSSH_9.0\r\n"), "the connection broke", WAIT),
    Case("TLS of an unknown authority", lambda b: secure(b, trusted=False), "certificate .* is not trusted", "cafile="),
    Case("TLS made out to another host", lambda b: secure(b, name="DNS:other.example"), "made out to another", "cafile="),
    Case("no such authority file", no_authority, "cannot read the certificate authorities", "look at cafile"),
    Case("https down to http", downgrade, "from https to http, which is not followed", "doctor", then=never_plain),
    Case("proxy that refuses", dead_proxy, "proxy|refused", WAIT, then=says_no_password),
]

CASES = [
    *ONCE,
    # A good answer of yesterday never stands in for one of today.
    *(replace(case, warm=True, slow=True) for case in ONCE),
    Case("not modified, unasked", answers(status=304), "HTTP 304 .* without validators", "doctor"),
    Case("gzip bomb", bomb, "an answer of more than 128 MiB", "doctor"),
    Case("redirected to another host", elsewhere, exit=0, then=token_goes_home),
    Case("trouble that passes", passes_after_one, exit=0),
    Case("JSON called text", lambda b: b.registry.always(PATH, _as_text(b)), exit=0),
    Case("an own authority", secure, exit=0),
]


def _as_text(made: Bench) -> Reply:
    import json

    return Reply(body=json.dumps(made.document).encode(), headers={"Content-Type": "text/plain"})
