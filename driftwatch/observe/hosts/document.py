"""The OpenAPI document a real host serves: what its HTTP surface says it is, at exactly this binary."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from driftwatch.errors import StoreError, Unobservable
from driftwatch.observe.hosts.driver import Answer, Binary, Driver, Host, HostError
from driftwatch.observe.sources.cache import Cache
from driftwatch.progress import SILENT, Progress

LIMIT = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Served:
    """The document's bytes, and the version the host says it is ("" when it says none)."""

    data: bytes
    version: str


def served(driver: Driver, binary: Binary, *, cache: Path, scratch: Path, progress: Progress = SILENT) -> Served:
    """What the booted host serves. Kept in ``cache`` by the binary's integrity, so that a host is booted for it once; a host
    that cannot be told from another is booted each time.

    Raises HostError (no boot, no such route), Unobservable.
    """
    store, key = Cache(cache), f"{driver.name} {driver.revision} {binary.integrity}"
    known: Any = store.read("served-documents", key) if binary.integrity else None
    if isinstance(known, dict) and (data := store.read_blob("sha256", str(known.get("sha256")))) is not None:
        return Served(data, str(known.get("version", "")))
    with (
        progress.task(f"booting {driver.name} {binary.label} for its API document"),
        driver.boot(binary, scratch=scratch) as host,
    ):
        data, version = _ask(host, driver, binary).text.encode("utf-8"), host.version()
    try:
        if binary.integrity:
            store.put(data)
            store.write("served-documents", key, {"sha256": hashlib.sha256(data).hexdigest(), "version": version})
    except StoreError as error:
        progress.note(error.message)
    return Served(data, version)


def _ask(host: Host, driver: Driver, binary: Binary) -> Answer:
    said: list[str] = []
    for path in driver.documents:
        try:
            answer = host.request("GET", path, timeout=30)
        except TimeoutError as error:
            raise HostError(f"{driver.name} {binary.label} did not answer GET {path}: {error}") from error
        # Any unknown route may answer 200 with a web page: only what is an OpenAPI document by its content is one.
        if answer.is_json and isinstance(answer.json, dict) and "openapi" in answer.json:
            if len(answer.text) > LIMIT:
                raise Unobservable(f"the document at GET {path} is larger than {LIMIT} bytes")
            return answer
        said.append(f"GET {path} answered {answer.status} {answer.content_type or 'without a type'}")
    raise HostError(f"{driver.name} {binary.label} serves no OpenAPI document: {'; '.join(said)}")
