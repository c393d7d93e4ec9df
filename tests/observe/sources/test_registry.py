"""What a good registry costs and gives."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from driftwatch.errors import IntegrityError, NotCached, Unobservable
from driftwatch.observe.sources.cache import Cache
from driftwatch.observe.sources.http import Limits
from driftwatch.observe.sources.npm import NpmConfig, Packument, Registry
from tests.support.fault_registry import FaultRegistry, Reply, sri, tgz

QUICK = Limits(connect=1, read=1, total=3, wait=1, retries=1, backoff=0.01)
ONE = tgz({"package.json": b'{"name":"@scope/thing","version":"1.0.0"}'})
TWO = tgz({"package.json": b'{"name":"@scope/thing","version":"2.0.0"}'})


@pytest.fixture
def server() -> Iterator[FaultRegistry]:
    with FaultRegistry() as registry:
        registry.publish("@scope/thing", {"1.0.0": ONE, "2.0.0": TWO}, {"latest": "1.0.0", "next": "2.0.0"})
        yield registry


def opened(server: FaultRegistry, cache: Path, *, offline: bool = False) -> Registry:
    return Registry(NpmConfig(registry=server.url), cache, offline, limits=QUICK)


def test_a_packument(server: FaultRegistry, cache: Path) -> None:
    with opened(server, cache) as registry:
        packument = registry.packument("@scope/thing")
    assert packument.dist_tags == {"latest": "1.0.0", "next": "2.0.0"}
    assert packument.versions["1.0.0"].integrity == sri(ONE)
    assert packument.times["1.0.0"] == "2026-01-01T00:00:00.000Z"
    assert packument.gaps == ()
    assert [request.path for request in server.requests] == ["/@scope/thing"]


def test_a_scoped_name_is_one_segment(server: FaultRegistry, cache: Path) -> None:
    raw: list[str] = []
    answer = server.answer
    server.answer = lambda path, headers: raw.append(path) or answer(path, headers)  # type: ignore[method-assign,func-returns-value]
    with opened(server, cache) as registry:
        registry.packument("@scope/thing")
        url = registry.config.registry_for("@scope/thing")
    assert raw == ["/@scope/thing"] and url == server.url
    from driftwatch.observe.sources.npm.names import encode

    assert encode("@scope/thing") == "@scope%2fthing"


def test_a_second_look_is_one_conditional_request(server: FaultRegistry, cache: Path) -> None:
    with opened(server, cache) as registry:
        first = registry.packument("@scope/thing")
        assert registry.packument("@scope/thing") is first
    assert len(server.requests) == 1
    with opened(server, cache) as registry:
        assert registry.packument("@scope/thing") == first
    assert len(server.requests) == 2
    assert "if-none-match" in server.requests[1].headers


def test_who_wants_one_version_believes_an_answer_of_the_last_minutes(
    server: FaultRegistry, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked(having: str) -> int:
        before = len(server.requests)
        with opened(server, cache) as registry:
            assert registry.packument("@scope/thing", having=having).versions
        return len(server.requests) - before

    assert asked("1.0.0") == 1
    assert asked("1.0.0") == 0  # the same again
    assert asked("latest") == 1  # a tag may have moved
    assert asked("3.0.0") == 1  # it may have been published since
    assert asked("") == 1  # whoever watches asks
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 4000)
    assert asked("1.0.0") == 1
    monkeypatch.setattr(time, "time", lambda: now - 400)  # a clock that was set back proves nothing
    assert asked("1.0.0") == 1


def test_a_registry_without_validators_is_asked_in_full(cache: Path) -> None:
    with FaultRegistry(etags=False) as server:
        server.publish("plain", {"1.0.0": ONE})
        for _ in range(2):
            with opened(server, cache) as registry:
                assert registry.packument("plain").dist_tags == {"latest": "1.0.0"}
        assert not any("if-none-match" in request.headers for request in server.requests)


def test_last_modified_is_a_validator_too(cache: Path) -> None:
    when = "Wed, 01 Jul 2026 00:00:00 GMT"
    with FaultRegistry(etags=False) as server:
        body = b'{"name":"old","dist-tags":{"latest":"1.0.0"},"versions":{"1.0.0":{"dist":{}}}}'
        server.at("/old", Reply(body=body, headers={"Last-Modified": when}), Reply(304))
        for _ in range(2):
            with opened(server, cache) as registry:
                assert registry.packument("old").dist_tags == {"latest": "1.0.0"}
        assert server.requests[1].headers["if-modified-since"] == when


def test_a_moved_tag_is_seen(server: FaultRegistry, cache: Path) -> None:
    with opened(server, cache) as registry:
        registry.packument("@scope/thing")
    server.packages["@scope/thing"]["dist-tags"]["latest"] = "2.0.0"
    with opened(server, cache) as registry:
        assert registry.packument("@scope/thing").dist_tags["latest"] == "2.0.0"


def test_many_at_once_each_with_its_own_fate(server: FaultRegistry, cache: Path) -> None:
    names = [f"p{number}" for number in range(30)]
    for name in names[:-1]:
        server.publish(name, {"1.0.0": ONE})
    with opened(server, cache) as registry:
        told = registry.packuments([*names, "Not A Name", "p0"], jobs=8)
    assert list(told) == [*names, "Not A Name"]
    assert all(isinstance(told[name], Packument) for name in names[:-1])
    assert isinstance(told["p29"], Unobservable) and "HTTP 404" in str(told["p29"])
    assert isinstance(told["Not A Name"], Unobservable)
    assert len(server.requests) == 30


def test_two_threads_ask_once(server: FaultRegistry, cache: Path) -> None:
    with opened(server, cache) as registry:
        threads = [threading.Thread(target=registry.packument, args=("@scope/thing",)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(server.requests) == 1


def test_a_tarball_is_verified_and_kept(server: FaultRegistry, cache: Path) -> None:
    with opened(server, cache) as registry:
        path = registry.tarball("@scope/thing", "1.0.0")
        assert path.read_bytes() == ONE
        assert registry.tarball("@scope/thing", "1.0.0") == path
    assert len(server.requests) == 2
    with opened(server, cache) as registry:
        assert registry.tarball("@scope/thing", "1.0.0", integrity=sri(ONE)) == path
    assert len(server.requests) == 2, "a known integrity needs no request"


def test_an_accepted_integrity_beats_what_the_registry_promises_today(server: FaultRegistry, cache: Path) -> None:
    with opened(server, cache) as registry, pytest.raises(IntegrityError, match="another integrity"):
        registry.tarball("@scope/thing", "1.0.0", integrity=sri(TWO))
    assert len(server.requests) == 1


def test_a_damaged_tarball_in_the_cache_is_fetched_again(server: FaultRegistry, cache: Path) -> None:
    with opened(server, cache) as registry:
        path = registry.tarball("@scope/thing", "1.0.0")
        path.write_bytes(b"damaged")
        assert registry.tarball("@scope/thing", "1.0.0").read_bytes() == ONE
    assert len(server.asked("/@scope/thing/-/thing-1.0.0.tgz")) == 2


def test_a_damaged_document_in_the_cache_is_fetched_again(server: FaultRegistry, cache: Path) -> None:
    with opened(server, cache) as registry:
        first = registry.packument("@scope/thing")
    for path in (cache / "documents").rglob("*.json"):
        path.write_bytes(path.read_bytes().replace(b"1.0.0", b"6.6.6"))
    with opened(server, cache) as registry:
        assert registry.packument("@scope/thing") == first
    assert "if-none-match" not in server.requests[1].headers


def test_a_lost_body_is_fetched_again_for_a_manifest(server: FaultRegistry, cache: Path) -> None:
    with opened(server, cache) as registry:
        assert registry.manifest("@scope/thing", "2.0.0")["version"] == "2.0.0"
    for path in (cache / "blobs" / "sha256").rglob("*"):
        if path.is_file():
            path.write_bytes(b"{}")
    with opened(server, cache) as registry:
        assert registry.manifest("@scope/thing", "2.0.0")["version"] == "2.0.0"
    assert len(server.requests) == 3  # the first look, the conditional one, the body


def test_offline_answers_from_the_cache_alone(server: FaultRegistry, cache: Path) -> None:
    with opened(server, cache) as registry:
        online = registry.packument("@scope/thing")
        registry.tarball("@scope/thing", "1.0.0")
    asked = len(server.requests)
    with opened(server, cache, offline=True) as registry:
        assert registry.packument("@scope/thing") == online
        assert registry.manifest("@scope/thing", "1.0.0")["name"] == "@scope/thing"
        assert registry.tarball("@scope/thing", "1.0.0").read_bytes() == ONE
        with pytest.raises(NotCached, match=r"tarball of @scope/thing 2\.0\.0"):
            registry.tarball("@scope/thing", "2.0.0")
        with pytest.raises(NotCached, match="left-pad is not in the cache"):
            registry.packument("left-pad")
    assert len(server.requests) == asked


def test_another_registry_is_another_cache_entry(server: FaultRegistry, cache: Path) -> None:
    with opened(server, cache) as registry:
        registry.packument("@scope/thing")
    with FaultRegistry() as other, opened(other, cache, offline=True) as registry, pytest.raises(NotCached):
        registry.packument("@scope/thing")


def test_an_unknown_version_is_not_invented(server: FaultRegistry, cache: Path) -> None:
    server.packages["@scope/thing"]["time"]["0.9.0"] = "2025-01-01T00:00:00.000Z"
    with opened(server, cache) as registry:
        with pytest.raises(Unobservable, match=r"9\.9\.9 is not published$|9\.9\.9 is not published\n"):
            registry.tarball("@scope/thing", "9.9.9")
        with pytest.raises(Unobservable, match="it was, and is withdrawn"):
            registry.manifest("@scope/thing", "0.9.0")


def test_sha1_is_used_where_there_is_nothing_better(server: FaultRegistry, cache: Path) -> None:
    dist = server.packages["@scope/thing"]["versions"]["1.0.0"]["dist"]
    del dist["integrity"]
    with opened(server, cache) as registry:
        info = registry.version("@scope/thing", "1.0.0")
        assert info.integrity == sri(ONE, "sha1")
        assert registry.tarball("@scope/thing", "1.0.0").read_bytes() == ONE


def test_a_mirror_that_does_not_rewrite_links(server: FaultRegistry, cache: Path) -> None:
    """The packument's link leads to a registry that cannot be reached; the same path on the configured one serves it."""
    dist = server.packages["@scope/thing"]["versions"]["1.0.0"]["dist"]
    dist["tarball"] = "http://127.0.0.1:1/@scope/thing/-/thing-1.0.0.tgz"
    with opened(server, cache) as registry:
        assert registry.tarball("@scope/thing", "1.0.0").read_bytes() == ONE


def test_the_tarball_link_is_kept_out_of_sight(server: FaultRegistry, cache: Path) -> None:
    dist = server.packages["@scope/thing"]["versions"]["1.0.0"]["dist"]
    dist["tarball"] += "?signature=hidden"
    with opened(server, cache) as registry:
        assert "hidden" not in repr(registry.packument("@scope/thing"))
        assert "hidden" not in repr(registry.version("@scope/thing", "1.0.0"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_cache_that_cannot_be_written_costs_only_speed(server: FaultRegistry, cache: Path) -> None:
    cache.chmod(0o500)
    try:
        with opened(server, cache) as registry:
            assert registry.packument("@scope/thing").dist_tags
    finally:
        cache.chmod(0o700)


def test_a_cache_folder_that_is_a_file_costs_only_speed(server: FaultRegistry, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with opened(server, tmp_path / "file") as registry:
        assert registry.packument("@scope/thing").dist_tags


def test_blobs_are_filed_under_what_they_are(cache: Path) -> None:
    store = Cache(cache)
    digest = store.put(b"hello")
    assert digest == hashlib.sha256(b"hello").hexdigest()
    assert store.read_blob("sha256", digest) == b"hello"
    path = store.blob("sha256", digest)
    assert path is not None
    path.write_bytes(b"hellO")
    assert store.read_blob("sha256", digest) is None
    assert not path.exists()
    store.put(b"hello")
    path.write_bytes(b"hellO")
    assert store.blob("sha256", digest) is None


def test_documents_are_whole_or_not_there(cache: Path) -> None:
    store = Cache(cache)
    store.write("kind", "key with / and \0", {"a": [1, None, "x"]})
    assert store.read("kind", "key with / and \0") == {"a": [1, None, "x"]}
    assert store.read("kind", "other") is None
    for path in (cache / "documents").rglob("*.json"):
        path.write_bytes(path.read_bytes()[:-2])
    assert store.read("kind", "key with / and \0") is None
    assert not list((cache / "tmp").iterdir())


def test_prune_takes_what_was_used_longest_ago(cache: Path) -> None:
    store, now = Cache(cache), 2_000_000_000.0
    digests = [store.put(bytes([number]) * 1000) for number in range(4)]
    for age, digest in enumerate(digests):
        path = store.blob("sha256", digest)
        assert path is not None
        os.utime(path, (now - 10_000 * (4 - age),) * 2)
    leftover = cache / "tmp" / "killed"
    leftover.write_bytes(b"x")
    os.utime(leftover, (now - 200_000,) * 2)
    assert store.prune(2500, now=now) == 2000
    assert [store.read_blob("sha256", digest) is None for digest in digests] == [True, True, False, False]
    assert not leftover.exists()
    assert store.prune(0, now=now - 9000) <= 2000, "what was used within the hour stays"
