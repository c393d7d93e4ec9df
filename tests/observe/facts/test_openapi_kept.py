"""A document seen before is not read again, and what was kept is not believed too much."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from driftwatch.errors import Unobservable
from driftwatch.observe.facts import openapi
from driftwatch.observe.facts.openapi import kept
from driftwatch.observe.sources.cache import Cache

DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "t", "version": "1"},
    "webhooks": {"w": {}},
    "paths": {"/a": {"get": {"parameters": [{"name": "q", "in": "query"}], "responses": {"200": {"description": "ok"}}}}},
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "openapi.json"
    path.write_text(json.dumps(DOCUMENT))
    return path


def test_what_is_kept_is_what_was_seen(file: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = kept.observe_file(file, cache)
    assert first == openapi.observe(openapi.load_file(file)) and first.facts and first.gaps
    monkeypatch.setattr(openapi, "observe", lambda document: pytest.fail("read again"))
    assert kept.observe_file(file, cache) == first


def test_other_bytes_or_another_observer_are_read_again(file: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = kept.observe_file(file, cache)
    file.write_text(json.dumps({**DOCUMENT, "paths": {"/b": DOCUMENT["paths"]["/a"]}}))  # type: ignore[index]
    assert kept.observe_file(file, cache) != first
    seen = []
    monkeypatch.setattr(openapi, "observe", lambda document: seen.append(document) or first)
    monkeypatch.setattr(kept, "version", lambda: "another")
    kept.observe_file(file, cache)
    assert len(seen) == 1


@pytest.mark.parametrize("nonsense", [7, [], {}, {"facts": [1], "gaps": []}, {"facts": [], "gaps": [3]}])
def test_nonsense_in_the_cache_reads_as_nothing(
    file: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, nonsense: object
) -> None:
    first = kept.observe_file(file, cache)
    monkeypatch.setattr(Cache, "read", lambda self, kind, key: nonsense)
    assert kept.observe_file(file, cache) == first


def test_what_cannot_be_read_says_so_every_time(file: Path, cache: Path) -> None:
    file.write_text("<html>")
    for _ in range(2):
        with pytest.raises(Unobservable, match="is a web page"):
            kept.observe_file(file, cache)
