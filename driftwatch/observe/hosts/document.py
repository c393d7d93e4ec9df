"""The OpenAPI document a real host serves: what its HTTP surface says it is, at exactly this binary."""

from __future__ import annotations

import hashlib
from pathlib import Path

from driftwatch.errors import StoreError, Unobservable
from driftwatch.observe.hosts.driver import Answer, Binary, Driver, Host, HostError
from driftwatch.observe.sources.cache import Cache
from driftwatch.progress import SILENT, Progress

LIMIT = 64 * 1024 * 1024


def served(driver: Driver, binary: Binary, *, cache: Path, scratch: Path, progress: Progress = SILENT) -> bytes:
    """The document's bytes. Kept in ``cache`` by the binary's integrity, so that a host is booted for it once.

    Raises HostError (no boot, no such route), Unobservable.
    """
    store, key = Cache(cache), f"{driver.name} {driver.revision} {binary.integrity}"
    known = store.read("served-documents", key)
    if isinstance(known, str) and (data := store.read_blob("sha256", known)) is not None:
        return data
    with (
        progress.task(f"booting {driver.name} {binary.version or binary.path.name} for its API document"),
        driver.boot(binary, scratch=scratch) as host,
    ):
        data = _ask(host, driver, binary).text.encode("utf-8")
    try:
        store.put(data)
        store.write("served-documents", key, hashlib.sha256(data).hexdigest())
    except StoreError as error:
        progress.note(error.message)
    return data


def _ask(host: Host, driver: Driver, binary: Binary) -> Answer:
    said: list[str] = []
    for path in driver.documents:
        try:
            answer = host.request("GET", path, timeout=30)
        except TimeoutError as error:
            raise HostError(f"{driver.name} {binary.version} did not answer GET {path}: {error}") from error
        # Any unknown route may answer 200 with a web page: only what is an OpenAPI document by its content is one.
        if answer.is_json and isinstance(answer.json, dict) and "openapi" in answer.json:
            if len(answer.text) > LIMIT:
                raise Unobservable(f"the document at GET {path} is larger than {LIMIT} bytes")
            return answer
        said.append(f"GET {path} answered {answer.status} {answer.content_type or 'without a type'}")
    raise HostError(f"{driver.name} {binary.version} serves no OpenAPI document: {'; '.join(said)}")
