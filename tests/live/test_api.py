"""Two real hosts, booted, asked for their OpenAPI document and counted in: the real edits between them, and no more."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from driftwatch.judge.compare import compare
from driftwatch.model import Ref, Snapshot
from driftwatch.observe.facts import calls, hostconfig, openapi
from driftwatch.observe.hosts import Binary, driver
from driftwatch.observe.hosts.document import served
from driftwatch.observe.sources.npm import npmrc
from driftwatch.observe.sources.npm.registry import Registry
from driftwatch.progress import SILENT

pytestmark = pytest.mark.live

HOOKS = ["chat.message", "chat.params", "permission.ask", "shell.env", "tool.execute.before", "tool.execute.after"]


@pytest.fixture(scope="module")
def registry(kept: Path) -> Iterator[Registry]:
    asked = subprocess.run(["npm", "config", "get", "registry"], capture_output=True, text=True, timeout=60, check=True)
    with Registry(npmrc.load(registry=asked.stdout.strip()), kept) as opened:
        yield opened


def binary(version: str, registry: Registry, kept: Path) -> Binary:
    return driver("opencode").acquire(version, registry, kept, SILENT)


def test_the_documents_two_hosts_serve(registry: Registry, kept: Path, tmp_path: Path) -> None:
    snapshots = []
    for version in ("1.18.4", "1.18.33"):
        told = served(driver("opencode"), binary(version, registry, kept), cache=tmp_path, scratch=tmp_path)
        document = openapi.load(told.data)
        snapshots.append(Snapshot.of(Ref("opencode", version), openapi.observe(document) + hostconfig.observe(document)))
    assert [(change.kind, str(change.address)) for change in compare(*snapshots)] == [
        ("request-became-required", "http:POST /global/upgrade#body.target"),
        ("response-enum-opened", "schema:Model#capabilities.interleaved(object).field"),
        ("both-type-widened", "schema:ProviderConfig#models[string].interleaved"),
        ("both-enum-opened", "schema:ProviderConfig#models[string].interleaved(object).field"),
        ("both-type-widened", "schema:ProviderConfig#options.chunkTimeout"),
    ]


def test_a_hook_that_is_alive_in_one_host_and_dead_in_another(registry: Registry, kept: Path, tmp_path: Path) -> None:
    snapshots = []
    for version in ("1.0.185", "1.18.33"):
        found = binary(version, registry, kept)
        counted = calls.observe_binary(found.path, HOOKS, cache=tmp_path, integrity=found.integrity)
        snapshots.append(Snapshot.of(Ref("opencode", version), counted))
    changes = {str(change.address): (change.kind, change.before, change.after) for change in compare(*snapshots)}
    assert changes["call:permission.ask"] == ("dead", 1, 0)
    assert changes["call:shell.env"][0] == "revived"
    assert changes["call:tool.execute.before"] == ("count-changed", 3, 7)
    assert "call:chat.params" not in changes
