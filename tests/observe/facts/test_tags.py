"""Dist-tags and versions as facts."""

from __future__ import annotations

import json

from driftwatch.model import Address, Fact, Gap
from driftwatch.observe.facts.tags import observe
from driftwatch.observe.sources.npm.packument import Packument, VersionInfo, pack, parse, unpack


def test_facts_of_a_packument() -> None:
    packument = Packument(
        "@s/x",
        {"latest": "1.0.0", "old": "0.1.0", "gone": "3.0.0"},
        {"1.0.0": VersionInfo("sha512-A"), "0.1.0": VersionInfo("sha1-B", "use 1")},
    )
    assert {fact.address: fact.value for fact in observe("@s/x", packument).facts} == {
        "tag:@s/x#latest": {"version": "1.0.0", "published": True, "deprecated": None},
        "tag:@s/x#old": {"version": "0.1.0", "published": True, "deprecated": "use 1"},
        "tag:@s/x#gone": {"version": "3.0.0", "published": False, "deprecated": None},
        "version:@s/x#1.0.0": {"integrity": "sha512-A", "deprecated": None},
        "version:@s/x#0.1.0": {"integrity": "sha1-B", "deprecated": "use 1"},
    }
    assert observe("@s/x", packument).gaps == ()


def test_where_versions_cannot_be_read_no_tag_is_called_dangling() -> None:
    gap = Gap("version:x#**", "versions is missing")
    observed = observe("x", Packument("x", {"latest": "1.0.0"}, gaps=(gap,)))
    assert observed.facts == (Fact(Address("tag:x#latest"), {"version": "1.0.0", "published": True, "deprecated": None}),)
    assert observed.gaps == (gap,)


def test_a_package_without_versions_has_dangling_tags() -> None:
    (fact,) = observe("x", Packument("x", {"latest": "1.0.0"})).facts
    assert fact.value == {"version": "1.0.0", "published": False, "deprecated": None}


def test_the_cache_carries_a_packument_unchanged() -> None:
    body = {"name": "x", "dist-tags": {"latest": "1.0.0", "b": 5}, "versions": {"1.0.0": {"dist": {"shasum": "a" * 40}}}}
    packument = parse("x", json.dumps(body).encode(), "digest")
    assert packument.versions["1.0.0"].integrity.startswith("sha1-")
    assert unpack(json.loads(json.dumps(pack(packument)))) == packument


def test_what_is_no_packument_of_ours_is_not_unpacked() -> None:
    packed = pack(Packument("x", versions={"1.0.0": VersionInfo()}))
    assert isinstance(packed, dict)
    for broken in (
        None,
        [],
        {},
        {**packed, "format": 0},
        {**packed, "versions": {"1.0.0": [1, 2, 3, 4, 5]}},
        {**packed, "gaps": 5},
    ):
        assert unpack(broken) is None
