"""The same exercise without a plugin: kept by the host's bytes and the scenes, since nothing of the plugin is in it."""

from __future__ import annotations

import hashlib
import json
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from driftwatch.errors import StoreError
from driftwatch.observe.hosts import driver
from driftwatch.observe.plugins.behind import behind
from driftwatch.observe.plugins.exercise import scenes
from driftwatch.observe.plugins.job import REVISION, Job
from driftwatch.observe.sources.cache import Cache

KIND = "plugin-controls"
_LOCKS: dict[str, threading.Lock] = {}


def control(job: Job, cache: Path) -> dict[str, Any]:
    """A control's answer: ``walls``, ``control`` and the names of the ``tools`` offered to the model. Raises Unobservable."""
    if not job.binary.integrity:  # nobody knows whether it is the same host next time
        return _made(job)
    key, store = _key(job), Cache(cache)
    with _LOCKS.setdefault(key, threading.Lock()):
        kept = store.read(KIND, key)
        if isinstance(kept, dict):
            return dict(kept)
        told = _made(job)
        if "failed" not in told["control"]:
            with suppress(StoreError):  # then it is made again next time
                store.write(KIND, key, told)
        return told


def _made(job: Job) -> dict[str, Any]:
    told = behind(job)
    scenes_seen = told["control"].get("scenes", {}).values()
    requests = [request for scene in scenes_seen for request in scene["requests"]]
    return {**told, "tools": sorted({tool["name"] for request in requests for tool in request["tools"] if tool})}


def _key(job: Job) -> str:
    every = [[scene.id, scene.digest] for scene in scenes(job.driver)]
    told = [job.driver, driver(job.driver).revision, job.binary.integrity, REVISION, every, job.scenes, job.network]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()
