"""The real registry that npm is configured for."""

from __future__ import annotations

from pathlib import Path

import pytest

from driftwatch.errors import Unobservable
from driftwatch.judge.compare import compare
from driftwatch.model import Ref, Snapshot
from driftwatch.observe.facts import manifest, tags
from driftwatch.observe.sources.archive import members
from driftwatch.observe.sources.npm import Packument, Registry, configure

pytestmark = pytest.mark.live
PLUGIN = "@opencode-ai/plugin"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


def opened(folder: Path, *, offline: bool = False) -> Registry:
    return Registry(configure(folder, folder), folder, offline)


def count_requests(registry: Registry) -> list[str]:
    asked: list[str] = []
    get = registry.http.get

    def counted(url: str, **more: object) -> object:
        asked.append(url)
        return get(url, **more)  # type: ignore[arg-type]

    registry.http.get = counted  # type: ignore[method-assign,assignment]
    return asked


def test_packument_and_tarball(folder: Path) -> None:
    with opened(folder) as registry:
        asked = count_requests(registry)
        packument = registry.packument(PLUGIN)
        assert packument.dist_tags["latest"] in packument.versions
        assert not packument.gaps
        files = members(registry.tarball(PLUGIN, "1.15.4"))
        assert "package.json" in files and "dist/index.d.ts" in files
        assert len(asked) == 2
    with opened(folder) as registry:
        asked = count_requests(registry)
        assert registry.packument(PLUGIN) == packument
        registry.tarball(PLUGIN, "1.15.4")
        registry.manifest(PLUGIN, "1.15.4")
        assert len(asked) == 1, "a second look costs one request"
    with opened(folder, offline=True) as registry:
        assert registry.packument(PLUGIN) == packument


def test_the_peer_floor_that_rose(folder: Path) -> None:
    with opened(folder) as registry:
        sides = [
            Snapshot.of(Ref("u", v, PLUGIN), manifest.observe(PLUGIN, registry.manifest(PLUGIN, v))) for v in ("1.18.3", "1.18.4")
        ]
        files = members(registry.tarball(PLUGIN, "1.18.4"))
    found = {(change.address.member, change.kind): change.args for change in compare(*sides)}
    peers = {member: args["floor_after"] for (member, kind), args in found.items() if kind == "peer-raised"}
    assert peers == dict.fromkeys((f"peerDependencies.@opentui/{name}" for name in ("core", "keymap", "solid")), "0.4.5")
    assert found.keys() - {(member, "peer-raised") for member in peers} == {
        ("dependencies.@opencode-ai/sdk", "dependency-changed")
    }
    with opened(folder) as registry:
        shown = manifest.observe(PLUGIN, registry.manifest(PLUGIN, "1.18.4"), files)
    assert not [fact for fact in shown.facts if fact.address.member.startswith("missing")]


def test_many_and_one_that_is_not_there(folder: Path) -> None:
    missing = "@opencode-ai/this-package-is-not-there"
    with opened(folder) as registry:
        told = registry.packuments([PLUGIN, "@opencode-ai/sdk", missing])
    assert isinstance(told[missing], Unobservable)
    sdk = told["@opencode-ai/sdk"]
    assert isinstance(sdk, Packument)
    assert not tags.observe("@opencode-ai/sdk", sdk).gaps
