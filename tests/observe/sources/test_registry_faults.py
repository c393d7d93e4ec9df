"""Everything a registry does wrong ends in a reason, never in a crash, and never in "nothing changed"."""

from __future__ import annotations

import gzip
import json
import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from driftwatch.errors import IntegrityError, Unobservable
from driftwatch.observe.facts import tags
from driftwatch.observe.sources import transport
from driftwatch.observe.sources.adapter import Adapter, Attempt, tls
from driftwatch.observe.sources.http import Client, HttpFailure, Limits
from driftwatch.observe.sources.npm import NpmConfig, Registry
from driftwatch.observe.sources.secret import Secret
from tests.support.fault_registry import FaultRegistry, Reply, http_date, sri, tgz

QUICK = Limits(connect=1, read=0.3, total=0.4, wait=1, retries=2, backoff=0.01, size=200_000)
TARBALL = tgz({"package.json": b"{}"})
TOKEN = "npm_S3cretS3cretS3cret"


@pytest.fixture
def server() -> Iterator[FaultRegistry]:
    with FaultRegistry() as registry:
        registry.publish("thing", {"1.0.0": TARBALL})
        yield registry


def opened(server: FaultRegistry, cache: Path, **config: Any) -> Registry:
    return Registry(NpmConfig(registry=server.url, **config), cache, limits=QUICK)


def document(**changes: Any) -> bytes:
    whole = {
        "name": "thing",
        "dist-tags": {"latest": "1.0.0"},
        "versions": {"1.0.0": {"name": "thing", "version": "1.0.0", "dist": {"integrity": sri(TARBALL)}}},
        "time": {"1.0.0": "2026-01-01T00:00:00.000Z"},
    }
    whole.update(changes)
    return json.dumps({key: value for key, value in whole.items() if value is not ...}).encode()


GOOD = document()
BOMB = gzip.compress(b" " * 50_000_000, 9)

# What is answered (every time), and what the reason must say.
UNREADABLE: dict[str, tuple[Reply, str]] = {
    "not found": (Reply(404, b"{}"), "is not on .*HTTP 404"),
    "gone": (Reply(410, b"{}"), "HTTP 410"),
    "unauthorized": (Reply(401, b"{}"), "refuses us .*401"),
    "forbidden": (Reply(403, b"{}"), "refuses us .*403"),
    "teapot": (Reply(418), "HTTP 418"),
    "no content": (Reply(204), "HTTP 204"),
    "partial content": (Reply(206, GOOD), "HTTP 206"),
    "not modified, unasked": (Reply(304), "HTTP 304 .*without validators"),
    "server error for ever": (Reply(500), "HTTP 500 after 3 tries"),
    "unavailable for ever": (Reply(503), "HTTP 503 after 3 tries"),
    "too many requests for ever": (Reply(429), "HTTP 429 after 3 tries"),
    "too many requests, come back in an hour": (Reply(429, headers={"Retry-After": "3600"}), "HTTP 429 after 1 try.*wait 3600 s"),
    "unavailable until tomorrow": (Reply(503, headers={"Retry-After": http_date(86400)}), "HTTP 503 after 1 try"),
    "reset": (Reply(reset=True), "broke"),
    "hangs": (Reply(hang=5), "no whole answer in time"),
    "drips its body": (Reply(body=GOOD, drip=0.1, chunked=True), "no whole answer in time"),
    "drips its headers": (Reply(raw=b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 1000, drip=0.05), "no whole answer in time"),
    "cut in the body": (Reply(body=GOOD, cut=20), "cut short"),
    "chunked, cut": (Reply(body=GOOD, chunked=True, cut=20), "cut short|broke"),
    "announces more": (Reply(body=GOOD, announce=len(GOOD) + 10), "cut short|no whole answer|broke"),
    "announces terabytes": (Reply(body=GOOD, announce=10**13), "more than 0 MiB"),
    "announces less": (Reply(body=GOOD, announce=20), "cut short: not whole JSON"),
    "too big": (Reply(body=b" " * 300_000, chunked=True), "more than"),
    "gzip bomb": (Reply(body=BOMB, headers={"Content-Encoding": "gzip"}), "more than"),
    "says gzip, is not": (Reply(body=GOOD, headers={"Content-Encoding": "gzip"}), "cannot be decoded"),
    "not http": (Reply(raw=b"SSH-2.0-OpenSSH_9.0\r\n"), "broke"),
    "nothing at all": (Reply(raw=b""), "broke"),
    "endless header": (Reply(raw=b"HTTP/1.1 200 OK\r\nX: " + b"y" * 200_000 + b"\r\n\r\n"), "broke"),
    "redirect without location": (Reply(302), "without a usable Location"),
    "redirect to a file": (Reply(302, headers={"Location": "file:///etc/passwd"}), "without a usable Location"),
    "redirect to a user": (Reply(302, headers={"Location": "http://me:pw@127.0.0.1/"}), "without a usable Location"),
    "redirect to nonsense": (Reply(302, headers={"Location": "http://[::1"}), "without a usable Location"),
    "redirect in circles": (Reply(302, headers={"Location": "/thing"}), "more than 5 redirects"),
    "empty": (Reply(body=b""), "is empty"),
    "blank": (Reply(body=b"  \n "), "is empty"),
    "a web page": (Reply(body=b"<!doctype html><title>Sign in</title>"), "a web page, not JSON"),
    "not json": (Reply(body=b"it works"), "not JSON"),
    "not whole json": (Reply(body=GOOD[:-20]), "cut short: not whole JSON"),
    "not utf-8": (Reply(body=b'{"name":"\xff"}'), "not JSON"),
    "nan": (Reply(body=b'{"name":"thing","x":NaN}'), "not JSON"),
    "infinite": (Reply(body=b'{"name":"thing","x":1e999}'), "not JSON"),
    "absurd number": (Reply(body=b'{"name":"thing","x":' + b"9" * 5000 + b"}"), "not JSON"),
    "bottomless": (Reply(body=b"[" * 100_000), "not JSON"),
    "lone surrogate": (Reply(body=b'{"name":"thing","x":"\\ud800"}'), "not JSON"),
    "a list": (Reply(body=b"[]"), "is not an object"),
    "null": (Reply(body=b"null"), "is not an object"),
    "an error with 200": (Reply(body=b'{"error":"not_found"}'), "does not describe a package .not_found"),
    "another package": (Reply(body=document(name="other")), "another package: 'other'"),
    "a name of another type": (Reply(body=document(name=["thing"])), "another package"),
}


@pytest.mark.parametrize("case", UNREADABLE)
@pytest.mark.slow
def test_an_answer_that_is_none(case: str, server: FaultRegistry, cache: Path) -> None:
    reply, reason = UNREADABLE[case]
    server.always("/thing", reply)
    started = time.monotonic()
    with opened(server, cache) as registry, pytest.raises(Unobservable, match=reason) as caught:
        registry.packument("thing")
    assert time.monotonic() - started < 5
    assert "127.0.0.1" not in str(caught.value), "a report reads the same whichever mirror served it"


@pytest.mark.parametrize("case", ["server error for ever", "a web page", "not whole json", "empty", "another package"])
def test_a_good_cache_does_not_hide_a_bad_answer(case: str, server: FaultRegistry, cache: Path) -> None:
    with opened(server, cache) as registry:
        good = registry.packument("thing")
    server.always("/thing", UNREADABLE[case][0])
    with opened(server, cache) as registry, pytest.raises(Unobservable):
        registry.packument("thing")
    server.always("/thing", Reply(304))
    with opened(server, cache) as registry:
        assert registry.packument("thing") == good


# What is changed in a good packument, the gap that must say so, and the facts that must still be there.
TAG, VERSION = "tag:thing#latest", "version:thing#1.0.0"
ODD: dict[str, tuple[dict[str, Any], str, str, list[str]]] = {
    "no dist-tags": ({"dist-tags": ...}, "tag:thing#**", "dist-tags is missing", [VERSION]),
    "dist-tags a list": ({"dist-tags": []}, "tag:thing#**", "dist-tags is a list", [VERSION]),
    "dist-tags null": ({"dist-tags": None}, "tag:thing#**", "missing", [VERSION]),
    "a tag is a number": ({"dist-tags": {"latest": "1.0.0", "b": 2}}, "tag:thing#b", "a number", [TAG, VERSION]),
    "a tag is an object": ({"dist-tags": {"b": {}}}, "tag:thing#b", "an object", [VERSION]),
    "a tag without a version": ({"dist-tags": {"b": ""}}, "tag:thing#b", "a text", [VERSION]),
    "a tag with control characters": ({"dist-tags": {"a\nb\x1b": "1.0.0"}}, "tag:thing#a b\ufffd", "not usable", [VERSION]),
    "an endless tag": ({"dist-tags": {"x" * 5000: "1.0.0"}}, "tag:thing#" + "x" * 80, "not usable", [VERSION]),
    "no versions": ({"versions": ...}, "version:thing#**", "versions is missing", [TAG]),
    "versions a list": ({"versions": ["1.0.0"]}, "version:thing#**", "a list", [TAG]),
    "unpublished": (
        {"versions": ..., "time": {"unpublished": {"time": "2026-02-02"}}},
        "version:thing#**",
        "unpublished .2026-02-02",
        [TAG],
    ),
    "a version that is none": ({"versions": {"latest": {}}}, "version:thing#latest", "not semantic", [TAG]),
    "a version with a v": ({"versions": {"v1.0.0": {}}}, "version:thing#v1.0.0", "not semantic", [TAG]),
    "a version with an escape": ({"versions": {"1.0.0\x1b[2J": {}}}, "version:thing#1.0.0\ufffd[2J", "not semantic", [TAG]),
    "an endless version": ({"versions": {"1.0.0-" + "a" * 5000: {}}}, "version:thing#1.0.0-" + "a" * 74, "not semantic", [TAG]),
    "a manifest is null": ({"versions": {"1.0.0": None}}, VERSION, "manifest is missing", [TAG]),
    "a manifest is a text": ({"versions": {"1.0.0": "x"}}, VERSION, "a text", [TAG]),
    "a manifest of another version": ({"versions": {"1.0.0": {"version": "2.0.0"}}}, VERSION, "names another", [TAG]),
    "a manifest of another package": ({"versions": {"1.0.0": {"name": "evil"}}}, VERSION, "names another", [TAG]),
    "no dist": ({"versions": {"1.0.0": {}}}, VERSION, "dist is missing", [TAG, VERSION]),
    "dist a list": ({"versions": {"1.0.0": {"dist": []}}}, VERSION, "dist is a list", [TAG, VERSION]),
}


@pytest.mark.parametrize("case", ODD)
def test_an_odd_packument_gives_facts_and_gaps(case: str, server: FaultRegistry, cache: Path) -> None:
    changes, pattern, reason, facts = ODD[case]
    server.always("/thing", Reply(body=document(**changes)))
    with opened(server, cache) as registry:
        observed = tags.observe("thing", registry.packument("thing"))
    gaps = {gap.address: gap.reason for gap in observed.gaps}
    assert pattern in gaps, gaps
    assert all(word in gaps[pattern] for word in reason.split(" ."))
    assert sorted(fact.address for fact in observed.facts) == sorted(facts)
    with Registry(NpmConfig(registry=server.url), cache, offline=True) as registry:
        assert tags.observe("thing", registry.packument("thing")) == observed, "the cache says the same"


# Oddities that hide nothing: no gap.
@pytest.mark.parametrize(
    "changes",
    [
        {"time": ...},
        {"time": []},
        {"time": {"1.0.0": 5}},
        {"dist-tags": {}},
        {"versions": {}, "dist-tags": {}},
        {"readme": "x" * 1000},
        {"maintainers": "nobody"},
        {"_id": 5},
    ],
    ids=str,
)
def test_an_oddity_that_hides_nothing(changes: dict[str, Any], server: FaultRegistry, cache: Path) -> None:
    server.always("/thing", Reply(body=document(**changes)))
    with opened(server, cache) as registry:
        assert registry.packument("thing").gaps == ()


@pytest.mark.parametrize(
    ("note", "shown"),
    [
        ("use 2", "use 2"),
        ("", None),
        (False, None),
        (None, None),
        (True, "deprecated"),
        (5, "deprecated"),
        ("a\nb\x07", "a b\ufffd"),
    ],
    ids=repr,
)
def test_deprecation_notes(note: Any, shown: str | None, server: FaultRegistry, cache: Path) -> None:
    server.packages["thing"]["versions"]["1.0.0"]["deprecated"] = note
    with opened(server, cache) as registry:
        assert registry.version("thing", "1.0.0").deprecated == shown


def test_trouble_that_passes_is_waited_out(server: FaultRegistry, cache: Path) -> None:
    server.at("/thing", Reply(503, headers={"Retry-After": "0"}), Reply(reset=True))
    with opened(server, cache) as registry:
        assert registry.packument("thing").dist_tags == {"latest": "1.0.0"}
    assert len(server.requests) == 3


@pytest.mark.parametrize("after", [lambda: "1", lambda: http_date(2)], ids=["seconds", "date"])
@pytest.mark.slow
def test_retry_after_is_heeded(after: Callable[[], str], server: FaultRegistry, cache: Path) -> None:
    server.at("/thing", Reply(429, headers={"Retry-After": after()}))
    started = time.monotonic()
    with Registry(NpmConfig(registry=server.url), cache, limits=Limits(wait=3, backoff=0.01)) as registry:
        registry.packument("thing")
    assert time.monotonic() - started >= 0.8


@pytest.mark.parametrize("after", ["soon", "-5", "1e9", "99999999999999", "Mon, 99 Foo 2026"])
def test_a_retry_after_that_says_nothing(after: str, server: FaultRegistry, cache: Path) -> None:
    server.at("/thing", Reply(429, headers={"Retry-After": after}))
    with opened(server, cache) as registry:
        assert registry.packument("thing").dist_tags


@pytest.mark.slow
def test_a_dead_registry_is_given_up_for_all_packages_together(cache: Path) -> None:
    names = [f"p{number}" for number in range(60)]
    started = time.monotonic()
    limits = Limits(connect=1, retries=3, backoff=0.1)
    with Registry(NpmConfig(registry="http://127.0.0.1:1/"), cache, limits=limits, jobs=4) as registry:
        told = registry.packuments(names)
    assert time.monotonic() - started < 5, "60 packages, 4 at once, 0.7 s of waiting each would be 10 s"
    reasons = {str(each).replace(name, "NAME") for name, each in told.items() if isinstance(each, Unobservable)}
    assert len(told) == 60 and len(reasons) == 1, "and all for the same reason"


def test_a_registry_that_comes_back_is_waited_for_again(server: FaultRegistry, cache: Path) -> None:
    client = Client(NpmConfig(), limits=QUICK)
    for _ in range(4):
        server.at("/thing", *[Reply(reset=True)] * 3)
        with pytest.raises(HttpFailure, match="broke"):
            client.get(f"{server.url}thing")
    assert len(server.requests) == 3 * 3 + 1
    for reply in [Reply(reset=True)] * 2:
        server._queued["/thing"] = []
        assert client.get(f"{server.url}thing").status == 200
        server.at("/thing", reply)
        assert client.get(f"{server.url}thing").status == 200


def test_a_404_is_not_asked_again(server: FaultRegistry, cache: Path) -> None:
    with opened(server, cache) as registry, pytest.raises(Unobservable):
        registry.packument("nobody")
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "name", ["", "..", "a/b", "@scope", "@scope/a/b", "A B", "a%2fb", "-" * 215, "node_modules", "a\n", "?", "#x"]
)
def test_a_name_that_is_none_is_never_asked(name: str, server: FaultRegistry, cache: Path) -> None:
    with opened(server, cache) as registry, pytest.raises(Unobservable, match="is not a package name"):
        registry.packument(name)
    assert not server.requests


def test_refused_connection(cache: Path) -> None:
    config = NpmConfig(registry="http://127.0.0.1:1/")
    with Registry(config, cache, limits=QUICK) as registry, pytest.raises(Unobservable, match="refused"):
        registry.packument("thing")


@pytest.mark.parametrize("registry", ["ftp://127.0.0.1/", "nonsense", "http://", "http://127.0.0.1:99999/", "http://[::1/"])
def test_a_registry_that_is_no_url(registry: str, cache: Path) -> None:
    with Registry(NpmConfig(registry=registry), cache, limits=QUICK) as source, pytest.raises(Unobservable, match="not a URL"):
        source.packument("thing")


# --- tarballs


def _dist(server: FaultRegistry) -> dict[str, Any]:
    found: dict[str, Any] = server.packages["thing"]["versions"]["1.0.0"]["dist"]
    return found


TAMPERED: dict[str, tuple[Callable[[FaultRegistry], object], type[Unobservable], str]] = {
    "other bytes": (lambda s: s.always("/thing/-/thing-1.0.0.tgz", Reply(body=b"evil")), IntegrityError, "sha512 differs"),
    "cut": (lambda s: s.always("/thing/-/thing-1.0.0.tgz", Reply(body=TARBALL, cut=50)), Unobservable, "cut short"),
    "short": (lambda s: s.always("/thing/-/thing-1.0.0.tgz", Reply(body=TARBALL[:50])), IntegrityError, "differs"),
    "longer": (lambda s: s.always("/thing/-/thing-1.0.0.tgz", Reply(body=TARBALL + b"x")), IntegrityError, "differs"),
    "missing": (lambda s: s.always("/thing/-/thing-1.0.0.tgz", Reply(404)), Unobservable, "HTTP 404"),
    "a web page": (lambda s: s.always("/thing/-/thing-1.0.0.tgz", Reply(body=b"<html>")), IntegrityError, "differs"),
    "other integrity": (lambda s: _dist(s).update(integrity=sri(b"x")), IntegrityError, "differs"),
    "no integrity": (lambda s: [_dist(s).pop("integrity"), _dist(s).pop("shasum")], IntegrityError, "promises no integrity"),
    "unreadable integrity": (lambda s: _dist(s).update(integrity="sha512-???"), IntegrityError, "cannot be read"),
    "short integrity": (lambda s: _dist(s).update(integrity="sha512-AAAA"), IntegrityError, "cannot be read"),
    "only md5": (lambda s: _dist(s).update(integrity="md5-XUFAKrxLKna5cZ2REBfFkg=="), IntegrityError, "cannot be read"),
    "strong lie, weak truth": (
        lambda s: _dist(s).update(integrity=f"{sri(TARBALL, 'sha1')} {sri(b'x')}"),
        IntegrityError,
        "sha512",
    ),
    "other sha1": (lambda s: [_dist(s).pop("integrity"), _dist(s).update(shasum="0" * 40)], IntegrityError, "sha1 differs"),
    "link to a file": (lambda s: _dist(s).update(tarball="file:///etc/passwd"), Unobservable, "cannot be followed|not one that"),
    "no link": (lambda s: _dist(s).pop("tarball"), Unobservable, "not one that can be followed"),
    "link unreadable": (lambda s: _dist(s).update(tarball="http://[::1"), Unobservable, "cannot be read"),
    "link a number": (lambda s: _dist(s).update(tarball=5), Unobservable, "not one that can be followed"),
}


@pytest.mark.parametrize("case", TAMPERED)
def test_a_tarball_that_is_not_what_was_promised(case: str, server: FaultRegistry, cache: Path) -> None:
    tamper, error, reason = TAMPERED[case]
    tamper(server)
    with opened(server, cache) as registry, pytest.raises(error, match=reason):
        registry.tarball("thing", "1.0.0")
    kept = [path for path in cache.rglob("*") if path.is_file() and "sha256" not in path.parts and path.suffix != ".json"]
    assert not kept, "nothing of it stays"


def test_the_strongest_of_several_digests_counts(server: FaultRegistry, cache: Path) -> None:
    _dist(server)["integrity"] = f"{sri(b'x', 'sha1')} {sri(b'y')} {sri(TARBALL)}?x"
    with opened(server, cache) as registry:
        assert registry.tarball("thing", "1.0.0").read_bytes() == TARBALL


# --- tokens


def credentials(server: FaultRegistry) -> dict[str, Any]:
    return {"credentials": {f"//{server.host}/": Secret(f"Bearer {TOKEN}")}}


def test_the_token_goes_to_its_registry(server: FaultRegistry, cache: Path) -> None:
    with opened(server, cache, **credentials(server)) as registry:
        registry.tarball("thing", "1.0.0")
    assert [request.authorization for request in server.requests] == [f"Bearer {TOKEN}"] * 2


def test_the_token_stays_on_a_redirect_within_its_registry(server: FaultRegistry, cache: Path) -> None:
    server.at("/thing", Reply(301, headers={"Location": "/moved"}))
    server.always("/moved", Reply(body=GOOD))
    with opened(server, cache, **credentials(server)) as registry:
        registry.packument("thing")
    assert server.requests[1].authorization == f"Bearer {TOKEN}"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_the_token_never_goes_along_to_another_place(status: int, server: FaultRegistry, cache: Path) -> None:
    with FaultRegistry() as other:
        other.always("/thing", Reply(302, headers={"Location": f"{server.url}back"}))
        server.always("/thing", Reply(status, headers={"Location": f"{other.url}thing"}))
        server.always("/back", Reply(body=GOOD))
        with opened(server, cache, **credentials(server)) as registry:
            registry.packument("thing")
        assert [request.authorization for request in other.requests] == [""], "another port is another place"
        assert server.asked("/back")[0].authorization == "", "what was dropped does not come back"


def test_another_host_name_of_the_same_machine_gets_no_token(server: FaultRegistry, cache: Path) -> None:
    port = server.host.partition(":")[2]
    server.at("/thing", Reply(302, headers={"Location": f"http://localhost:{port}/thing"}))
    with opened(server, cache, **credentials(server)) as registry:
        registry.packument("thing")
    assert [bool(request.authorization) for request in server.requests] == [True, False]


def test_a_tarball_elsewhere_gets_no_token(server: FaultRegistry, cache: Path) -> None:
    with FaultRegistry() as other:
        other.always("/x.tgz", Reply(body=TARBALL))
        _dist(server)["tarball"] = f"{other.url}x.tgz"
        with opened(server, cache, **credentials(server)) as registry:
            assert registry.tarball("thing", "1.0.0").read_bytes() == TARBALL
        assert [request.authorization for request in other.requests] == [""]


def test_netrc_and_cookies_are_left_alone(
    server: FaultRegistry, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password hunter2\n")
    monkeypatch.setenv("NETRC", str(netrc))
    server.at("/thing", Reply(302, headers={"Location": "/again", "Set-Cookie": "id=1"}))
    server.always("/again", Reply(body=GOOD))
    with opened(server, cache) as registry:
        registry.packument("thing")
    assert all("cookie" not in request.headers and not request.authorization for request in server.requests)


def test_what_requests_reads_from_the_environment_is_left_alone(
    server: FaultRegistry, secure: FaultRegistry, certificate: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Proxies and authorities are npm's to choose; its configuration has read the environment already."""
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificate))
    monkeypatch.setenv("CURL_CA_BUNDLE", str(certificate))
    with opened(server, cache) as registry:
        assert registry.packument("thing").dist_tags
    with opened(secure, cache) as registry, pytest.raises(Unobservable, match=r"TLS certificate .* is not trusted"):
        registry.packument("thing")


def test_own_authorities_replace_the_built_in_ones(certificate: Path) -> None:
    """What requests would do by itself: add its own bundle to the context of every connection."""
    context = tls(NpmConfig(ca_file=str(certificate)))
    known = context.cert_store_stats()
    assert known["x509"] == 1
    with FaultRegistry(certificate) as server:
        adapter = Adapter(1, context)
        adapter.get(f"{server.url}nothing", {}, "", 1, Attempt(time.monotonic() + 5, 5)).close()
        adapter.close()
    assert context.cert_store_stats() == known and context.verify_mode == ssl.CERT_REQUIRED


FAILING = ["unauthorized", "not found", "unavailable for ever", "a web page", "hangs", "reset", "redirect in circles", "too big"]


@pytest.mark.parametrize("case", FAILING)
@pytest.mark.slow
def test_no_message_and_no_file_holds_the_token(case: str, server: FaultRegistry, cache: Path) -> None:
    server.always("/thing", UNREADABLE[case][0])
    notes: list[str] = []

    class Notes:
        def note(self, message: str) -> None:
            notes.append(message)

    config = NpmConfig(registry=server.url, **credentials(server))
    registry = Registry(config, cache, limits=QUICK)
    registry.http.progress = Notes()  # type: ignore[assignment]
    with registry, pytest.raises(Unobservable) as caught:
        registry.packument("thing")
    shown = f"{caught.value} {caught.value!r} {caught.value.remedy} {caught.getrepr(style='long')} {notes} {config!r}"
    assert TOKEN not in shown.replace("TOKEN", "")
    assert not [path for path in cache.rglob("*") if path.is_file() and TOKEN.encode() in path.read_bytes()]
    assert all(TOKEN not in str(path) for path in cache.rglob("*"))


def test_a_token_whose_variable_is_unset_is_named(server: FaultRegistry, cache: Path) -> None:
    server.always("/thing", Reply(401))
    with opened(server, cache, unset={f"//{server.host}/": "NPM_TOKEN"}) as registry, pytest.raises(Unobservable) as caught:
        registry.packument("thing")
    assert "${NPM_TOKEN}, which is not set" in caught.value.remedy


# --- proxies and TLS


@pytest.mark.slow
def test_a_proxy_is_used_and_its_password_not_shown(server: FaultRegistry, cache: Path) -> None:
    with FaultRegistry() as proxy:
        proxy.always("http://registry.invalid/thing", Reply(body=GOOD))
        secret = Secret(f"http://me:hunter2@{proxy.host}")
        with Registry(NpmConfig(registry="http://registry.invalid/", http_proxy=secret), cache, limits=QUICK) as registry:
            assert registry.packument("thing").dist_tags == {"latest": "1.0.0"}
        assert proxy.requests[0].headers["proxy-authorization"].startswith("Basic ")
    dead = NpmConfig(registry="http://registry.invalid/", http_proxy=Secret("http://me:hunter2@127.0.0.1:1"))
    with Registry(dead, cache, limits=QUICK) as registry, pytest.raises(Unobservable, match=r"proxy|refused") as caught:
        registry.packument("thing")
    assert "hunter2" not in str(caught.value) + str(caught.getrepr(style="short"))


def test_no_proxy(server: FaultRegistry, cache: Path) -> None:
    config = NpmConfig(registry=server.url, http_proxy=Secret("http://127.0.0.1:1"), no_proxy=("127.0.0.1",))
    with Registry(config, cache, limits=QUICK) as registry:
        assert registry.packument("thing").dist_tags


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not shutil.which("openssl"):
        pytest.skip("openssl is not installed")
    folder = tmp_path_factory.mktemp("tls")
    path = folder / "both.pem"
    request = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    names = ["-subj", "/CN=loopback", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run(
        [*request, *names, "-keyout", str(folder / "key"), "-out", str(folder / "cert")], check=True, capture_output=True
    )
    path.write_bytes((folder / "key").read_bytes() + (folder / "cert").read_bytes())
    return path


@pytest.fixture
def secure(certificate: Path) -> Iterator[FaultRegistry]:
    with FaultRegistry(certificate) as registry:
        registry.publish("thing", {"1.0.0": TARBALL})
        yield registry


def test_an_unknown_authority_is_refused_with_a_remedy(secure: FaultRegistry, cache: Path) -> None:
    with opened(secure, cache) as registry, pytest.raises(Unobservable, match=r"TLS certificate .* is not trusted") as caught:
        registry.packument("thing")
    assert "cafile=" in caught.value.remedy
    assert not secure.requests


@pytest.mark.parametrize("how", ["ca_file", "extra_ca_file", "ca", "strict_ssl"])
def test_own_authorities(how: str, secure: FaultRegistry, certificate: Path, cache: Path) -> None:
    pem = certificate.read_text()
    given: dict[str, Any] = {
        "ca_file": str(certificate),
        "extra_ca_file": str(certificate),
        "ca": (pem[pem.index("-----BEGIN CERTIFICATE") :],),
        "strict_ssl": False,
    }
    with opened(secure, cache, **{how: given[how]}) as registry:
        assert registry.tarball("thing", "1.0.0").read_bytes() == TARBALL


def test_an_authority_file_that_is_not_there(secure: FaultRegistry, cache: Path) -> None:
    with (
        opened(secure, cache, ca_file="/nowhere.pem") as registry,
        pytest.raises(Unobservable, match=r"authorities in /nowhere\.pem"),
    ):
        registry.packument("thing")


def test_never_down_from_https_to_http(secure: FaultRegistry, server: FaultRegistry, certificate: Path, cache: Path) -> None:
    secure.always("/thing", Reply(302, headers={"Location": f"{server.url}thing"}))
    with opened(secure, cache, ca_file=str(certificate)) as registry, pytest.raises(Unobservable, match="from https to http"):
        registry.packument("thing")
    assert not server.requests


def test_never_a_plain_tarball_for_an_https_registry(
    secure: FaultRegistry, server: FaultRegistry, certificate: Path, cache: Path
) -> None:
    _dist(secure)["tarball"] = f"{server.url}thing/-/thing-1.0.0.tgz"
    with opened(secure, cache, ca_file=str(certificate)) as registry:
        assert registry.tarball("thing", "1.0.0").read_bytes() == TARBALL
    assert not server.requests, "the same path on the registry itself was taken"


def test_plain_http_to_a_tls_port(secure: FaultRegistry, cache: Path) -> None:
    config = NpmConfig(registry=secure.url.replace("https", "http"))
    with Registry(config, cache, limits=QUICK) as registry, pytest.raises(Unobservable):
        registry.packument("thing")


# --- the client itself


def test_stop_ends_what_is_in_flight(server: FaultRegistry) -> None:
    server.always("/slow", Reply(hang=20))
    client = Client(NpmConfig(), limits=Limits(read=15, total=15))
    failures: list[BaseException] = []

    def ask() -> None:
        try:
            client.get(f"{server.url}slow")
        except HttpFailure as failure:
            failures.append(failure)

    thread = threading.Thread(target=ask)
    thread.start()
    while not server.requests:
        time.sleep(0.01)
    time.sleep(0.05)
    client.stop()
    thread.join(2)
    assert not thread.is_alive()
    assert failures


@pytest.mark.slow
def test_a_try_is_timed_from_when_all_is_imported(server: FaultRegistry, monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*given: Any) -> transport.Transport:
        time.sleep(0.5)  # as an import on a busy machine
        return made(*given)

    made = transport.Transport
    monkeypatch.setattr(transport, "Transport", slow)
    client = Client(NpmConfig(), limits=Limits(connect=1, read=0.3, total=0.4, retries=0))
    assert client.get(f"{server.url}thing").status == 200
    client.close()


def test_connections_are_kept(server: FaultRegistry) -> None:
    client = Client(NpmConfig(), limits=QUICK)
    ports: set[int] = set()
    original = server._server.process_request

    def counted(request: Any, address: Any) -> None:
        ports.add(address[1])
        original(request, address)

    server._server.process_request = counted  # type: ignore[method-assign]
    for number in range(6):
        if number % 2:
            client.get(f"{server.url}thing", etag=client.get(f"{server.url}thing").etag)
        else:
            with pytest.raises(HttpFailure):
                client.get(f"{server.url}nobody")
    client.close()
    assert len(ports) == 1


def test_a_kept_connection_that_was_closed_meanwhile_is_no_failure(server: FaultRegistry) -> None:
    server.always("/closes", Reply(body=b"{}", announce=2))  # the server hangs up without having said so
    client = Client(NpmConfig(), limits=Limits(retries=0, connect=1, read=1))
    for _ in range(3):
        assert client.get(f"{server.url}closes").body == b"{}"
        time.sleep(0.02)
    client.close()


@pytest.mark.parametrize("chunked", [False, True])
def test_a_gzipped_body_is_unpacked(chunked: bool, server: FaultRegistry) -> None:
    body = GOOD * 100
    server.always("/zipped", Reply(body=gzip.compress(body), headers={"Content-Encoding": "gzip"}, chunked=chunked))
    assert Client(NpmConfig(), limits=QUICK).get(f"{server.url}zipped").body == body


def test_a_tarball_labelled_as_gzipped_is_taken_as_it_is(server: FaultRegistry, cache: Path) -> None:
    server.always("/thing/-/thing-1.0.0.tgz", Reply(body=TARBALL, headers={"Content-Encoding": "gzip"}))
    with opened(server, cache) as registry:
        assert registry.tarball("thing", "1.0.0").read_bytes() == TARBALL


def test_an_https_registry_through_a_proxy(secure: FaultRegistry, certificate: Path, cache: Path) -> None:
    with Tunnel() as tunnel:
        proxy = Secret(f"http://me:hunter2@{tunnel.host}")
        with opened(secure, cache, ca_file=str(certificate), proxy=proxy) as registry:
            assert registry.packument("thing").dist_tags == {"latest": "1.0.0"}
        assert tunnel.heads[0].startswith(f"CONNECT {secure.host} ")
        assert "Proxy-Authorization: Basic bWU6aHVudGVyMg==" in tunnel.heads[0]
    with Tunnel(b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n") as tunnel:
        refused = opened(secure, cache, ca_file=str(certificate), proxy=Secret(f"http://me:hunter2@{tunnel.host}"))
        with refused as registry, pytest.raises(Unobservable, match=r"the proxy refuses us \(HTTP 407\)") as caught:
            registry.packument("thing")
        assert "hunter2" not in str(caught.value)


@pytest.mark.slow
def test_a_proxy_that_drips_its_answer(secure: FaultRegistry, certificate: Path, cache: Path) -> None:
    started = time.monotonic()
    with Tunnel(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 1000, drip=0.05) as tunnel:
        config = {"ca_file": str(certificate), "proxy": Secret(f"http://{tunnel.host}")}
        with opened(secure, cache, **config) as registry, pytest.raises(Unobservable, match="no whole answer in time"):
            registry.packument("thing")
    assert time.monotonic() - started < 5


@pytest.mark.parametrize("target", ["https", "http"])
def test_a_proxy_behind_tls(target: str, secure: FaultRegistry, certificate: Path, cache: Path) -> None:
    """An https registry is TLS within TLS, an http registry is asked for over the proxy's."""
    with Tunnel(certificate=certificate) as tunnel, FaultRegistry(certificate) as asked:
        asked.always("http://registry.invalid/thing", Reply(body=GOOD))
        proxy = {"https": tunnel.host, "http": asked.host}[target]
        secret = Secret(f"https://me:p%C3%A4ss@{proxy}")
        url = {"https": secure.url, "http": "http://registry.invalid/"}[target]
        for trusted in ({"ca_file": str(certificate)}, {}):
            config = NpmConfig(registry=url, proxy=secret, http_proxy=secret, **trusted)
            with Registry(config, cache, limits=QUICK) as registry:
                told = registry.packuments(["thing"])["thing"]
            if trusted:
                assert not isinstance(told, Unobservable) and told.dist_tags == {"latest": "1.0.0"}
            else:
                assert "TLS certificate" in str(told), "the proxy's certificate counts as much as the registry's"
        heads = [*tunnel.heads, *(request.headers["proxy-authorization"] for request in asked.requests)]
        assert len(heads) == 1 and "Basic bWU6cMOkc3M=" in heads[0]


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:1080", "ftp://127.0.0.1:1", "http://"])
def test_a_proxy_of_another_kind_is_named(proxy: str, secure: FaultRegistry, certificate: Path, cache: Path) -> None:
    with (
        opened(secure, cache, ca_file=str(certificate), proxy=Secret(proxy)) as registry,
        pytest.raises(Unobservable, match="proxy is of a kind that is not supported"),
    ):
        registry.packument("thing")


class Tunnel:
    """A proxy that knows CONNECT, or answers it with ``refusal``, a byte every ``drip`` seconds; with a ``certificate``
    behind TLS."""

    def __init__(self, refusal: bytes = b"", certificate: Path | None = None, drip: float = 0.0) -> None:
        self.heads: list[str] = []
        self._refusal, self._drip, self._context = refusal, drip, None
        if certificate:
            self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._context.load_cert_chain(certificate)
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.host = f"127.0.0.1:{self._socket.getsockname()[1]}"
        self._ends: list[socket.socket] = []

    def __enter__(self) -> Tunnel:
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()
        for end in self._ends:
            end.close()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:
                return
            try:
                client = self._context.wrap_socket(client, server_side=True) if self._context else client
            except OSError:  # a client that does not trust us
                continue
            head = b""
            while b"\r\n\r\n" not in head:
                head += client.recv(4096)
            self.heads.append(head.decode())
            self._ends.append(client)
            if self._refusal:
                threading.Thread(target=self._refuse, args=(client,), daemon=True).start()
                continue
            host, port = head.split(b" ")[1].decode().split(":")
            server = socket.create_connection((host, int(port)))
            self._ends.append(server)
            client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            for one, other in ((client, server), (server, client)):
                threading.Thread(target=_pump, args=(one, other), daemon=True).start()

    def _refuse(self, client: socket.socket) -> None:
        pieces = [self._refusal[start : start + 1] for start in range(len(self._refusal))] if self._drip else [self._refusal]
        try:
            for piece in pieces:
                client.sendall(piece)
                time.sleep(self._drip)
        except OSError:
            pass
        client.close()


def _pump(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(65536):
            target.sendall(data)
    except OSError:
        pass
