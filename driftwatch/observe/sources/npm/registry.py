"""The registry: packuments and tarballs of packages, revalidated, verified, cached."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from driftwatch.errors import IntegrityError, NotCached, StoreError, Unobservable
from driftwatch.model import Json
from driftwatch.observe.sources.cache import Cache, digest_of
from driftwatch.observe.sources.http import MIB, Answer, Client, HttpFailure, Limits
from driftwatch.observe.sources.npm import names as package_names
from driftwatch.observe.sources.npm.integrity import Expected, expected
from driftwatch.observe.sources.npm.npmrc import NpmConfig
from driftwatch.observe.sources.npm.packument import LOOK, Packument, VersionInfo, manifests, pack, parse, unpack
from driftwatch.observe.sources.threads import in_threads
from driftwatch.progress import SILENT, Progress, Task, counted

_TARBALL = 1024 * MIB
_ALGORITHM = "sha256"  # of cached bodies
_BELIEVED = 3600.0  # seconds: published versions do not change, so this is only how late a note of deprecation may be seen


class _Kept(NamedTuple):
    """What the cache holds of a package: the validators of the last good answer and what it said."""

    etag: str
    last_modified: str
    packument: Packument


class Registry:
    """Reads packages. One object asks each package at most once; it may be used from many threads.

    ``cache`` is a folder; ``offline`` answers from it alone (NotCached names what lacks). Every failure is Unobservable
    with the registry's own reason: a package that could not be read never looks unchanged. A context manager.
    """

    def __init__(
        self,
        config: NpmConfig,
        cache: Path,
        offline: bool = False,
        progress: Progress = SILENT,
        *,
        jobs: int = 16,
        limits: Limits | None = None,
    ) -> None:
        self.config, self.cache, self.offline, self.progress = config, Cache(cache), offline, progress
        self._jobs = jobs
        self.http = Client(
            config, limits=limits or Limits(total=config.timeout, retries=config.retries), connections=jobs, progress=progress
        )
        self._lock = threading.Lock()
        self._locks: dict[str, threading.Lock] = {}
        self._told: dict[str, Packument | Unobservable] = {}
        self._manifests: tuple[str, Mapping[str, Json]] = ("", {})

    def __enter__(self) -> Registry:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    # --- packuments

    def packument(self, name: str, having: str = "") -> Packument:
        """What the registry says about ``name`` now: one request (conditional when the cache has validators).

        A published version does not change: an answer of the last minutes with the version ``having`` in it is good enough
        for who only wants that one.
        """
        with self._lock:
            lock = self._locks.setdefault(name, threading.Lock())
        with lock:
            if name not in self._told:
                try:
                    self._told[name] = self._look(name, having)
                except Unobservable as error:
                    self._told[name] = error
            told = self._told[name]
        if isinstance(told, Unobservable):
            raise told
        return told

    def packuments(self, names: Iterable[str], jobs: int | None = None) -> dict[str, Packument | Unobservable]:
        """Many at once, in the order of ``names``; a package that cannot be read gives its Unobservable as the value."""
        wanted = list(dict.fromkeys(names))
        if not wanted:
            return {}
        queue = list(reversed(wanted))
        with self.progress.task("packages", len(wanted)) as task:
            try:
                in_threads(lambda: self._drain(queue, task), min(jobs or self._jobs, len(wanted)))
            except BaseException:  # an interrupt while waiting: what is in flight ends soon
                queue.clear()
                self.http.stop()
                raise
        return {name: self._told_of(name) for name in wanted}

    def _drain(self, queue: list[str], task: Task) -> None:
        while queue:
            try:
                name = queue.pop()
            except IndexError:
                return
            self._told_of(name)
            task.advance()

    def _told_of(self, name: str) -> Packument | Unobservable:
        try:
            return self.packument(name)
        except Unobservable as error:
            return error

    def _look(self, name: str, having: str) -> Packument:
        url = self.config.registry_for(name) + package_names.encode(name)
        kept = self._kept(url)
        if having and kept and having in kept.packument.versions and self._recent(url):
            return kept.packument
        if self.offline:
            if kept is None:
                raise NotCached(f"{name} is not in the cache", "run once without --offline")
            return kept.packument
        answer = self._ask(name, url, kept)
        if answer.status != 304:
            packument = self._take(name, url, answer, kept)
        elif kept is not None:
            packument = kept.packument
        else:
            raise Unobservable(f"the registry answers HTTP 304 for {name} to a request without validators", LOOK)
        if having:
            self._asked(url)
        return packument

    def _recent(self, url: str) -> bool:
        at = self.cache.read("asked", url)
        return isinstance(at, float) and 0 <= time.time() - at < _BELIEVED

    def _asked(self, url: str) -> None:
        with suppress(StoreError):
            self.cache.write("asked", url, time.time())

    def _ask(self, name: str, url: str, kept: _Kept | None) -> Answer:
        try:
            return self.http.get(
                url,
                authorization=self.config.authorization(url),
                etag=kept.etag if kept else "",
                last_modified=kept.last_modified if kept else "",
            )
        except HttpFailure as failure:
            raise self._explained(name, url, failure) from None

    def _take(self, name: str, url: str, answer: Answer, kept: _Kept | None) -> Packument:
        """A fresh body: parsed unless it is the one we know, and kept for the next time."""
        digest = hashlib.new(_ALGORITHM, answer.body).hexdigest()
        known = kept is not None and kept.packument.body == digest
        packument = kept.packument if kept and known else parse(name, answer.body, digest)
        if kept is None or not known or (answer.etag, answer.last_modified) != (kept.etag, kept.last_modified):
            self._keep(url, answer, packument)
        return packument

    def _kept(self, url: str) -> _Kept | None:
        document = self.cache.read("packuments", url)
        packument = unpack(document)
        if not isinstance(document, dict) or packument is None:
            return None
        return _Kept(str(document.get("etag", "")), str(document.get("last-modified", "")), packument)

    def _keep(self, url: str, answer: Answer, packument: Packument) -> None:
        validators: dict[str, Json] = {"etag": answer.etag, "last-modified": answer.last_modified}
        packed = pack(packument)
        try:
            self.cache.put(answer.body, _ALGORITHM)
            self.cache.write("packuments", url, {**validators, **packed} if isinstance(packed, dict) else packed)
        except StoreError as error:
            self.progress.note(error.message)

    # --- one version

    def version(self, name: str, version: str) -> VersionInfo:
        """What the packument says about one version. Raises Unobservable when it is not published."""
        packument = self.packument(name)
        if version not in packument.versions:
            withdrawn = " (it was, and is withdrawn)" if version in packument.times else ""
            raise Unobservable(
                f"{name} {version} is not published{withdrawn}",
                f"the registry has {counted(len(packument.versions), 'version')} of it",
            )
        return packument.versions[version]

    def manifest(self, name: str, version: str) -> dict[str, Json]:
        """package.json of a published version, as the registry shows it (with its own additions, such as ``dist``)."""
        self.version(name, version)
        packument = self.packument(name)
        with self._lock:
            key, found = self._manifests
            if key != packument.body:
                found = manifests(self._body(packument), name)
                self._manifests = (packument.body, found)
        manifest = found.get(version)
        if not isinstance(manifest, dict):
            raise Unobservable(f"the registry shows no manifest for {name} {version}", LOOK)
        return manifest

    def _body(self, packument: Packument) -> bytes:
        """The answer the packument was read from; asked again without validators when the cache lost it."""
        if (data := self.cache.read_blob(_ALGORITHM, packument.body)) is not None:
            return data
        if self.offline:
            raise NotCached(f"the manifests of {packument.name} are not in the cache", "run once without --offline")
        url = self.config.registry_for(packument.name) + package_names.encode(packument.name)
        answer = self._ask(packument.name, url, None)
        if hashlib.new(_ALGORITHM, answer.body).hexdigest() != packument.body:
            raise Unobservable(f"{packument.name} changed on the registry while it was being read", "run again")
        self._keep(url, answer, packument)
        return answer.body

    def tarball(self, name: str, version: str, integrity: str = "") -> Path:
        """The verified tarball of a version, in the cache (read it soon, do not change it).

        With ``integrity`` (an SRI known from a lock) a cached tarball costs no request, and a registry that now promises
        something else raises IntegrityError. Without any promise nothing is fetched.
        """
        what = f"{name} {version}"
        wanted = expected(integrity, what) if integrity else None
        if wanted and (path := self._cached(wanted)):
            return path
        info = self.version(name, version)
        promised = expected(info.integrity, what)
        if wanted and wanted.algorithm == promised.algorithm and not set(wanted.digests) & set(promised.digests):
            raise IntegrityError(f"{what} was accepted with another integrity than the registry now promises")
        wanted = wanted or promised
        if path := self._cached(wanted):
            return path
        if self.offline:
            raise NotCached(f"the tarball of {what} is not in the cache", "run once without --offline")
        return self._download(name, version, info, wanted)

    def _cached(self, wanted: Expected) -> Path | None:
        return next((path for digest in wanted.digests if (path := self.cache.blob(wanted.algorithm, digest))), None)

    def _download(self, name: str, version: str, info: VersionInfo, wanted: Expected) -> Path:
        registry = self.config.registry_for(name)
        with self.cache.temporary() as file:
            for url, last in _links(info.tarball, registry):
                try:
                    self.http.get(
                        url,
                        accept="*/*",
                        authorization=self.config.authorization(url),
                        into=file,
                        title=f"{name} {version}",
                        size=_TARBALL,
                    )
                    break
                except HttpFailure as failure:
                    if last:
                        raise self._explained(f"the tarball of {name} {version}", url, failure) from None
            digest = digest_of(file, wanted.algorithm)
            if digest not in wanted.digests:
                raise IntegrityError(
                    f"the tarball of {name} {version} is not what the registry promised: {wanted.algorithm} differs",
                    "nothing of it was used; look at the registry or at the proxy in between",
                )
            return self.cache.adopt(file, wanted.algorithm, digest)

    def _explained(self, what: str, url: str, failure: HttpFailure) -> Unobservable:
        if failure.status == 404:
            return Unobservable(f"{what} is not on the registry (HTTP 404)", "look at the name, and whether it needs a token")
        if failure.status in (401, 403):
            remedy = "give a token for it: //host/:_authToken=... in .npmrc"
            if variable := self.config.missing_variable(url):
                remedy = f"the token in .npmrc is ${{{variable}}}, which is not set"
            return Unobservable(f"{what}: the registry refuses us (HTTP {failure.status})", remedy)
        return Unobservable(f"{what} could not be read from the registry: {failure.message}", failure.remedy or LOOK)


def _links(tarball: str, registry: str) -> list[tuple[str, bool]]:
    """Where to get a tarball, and whether it is the last resort: the packument's own link, then (behind a registry that
    does not rewrite links, as mirrors often do) the same path on the registry. Never http when the registry is https.
    """
    try:
        parts, home = urlsplit(tarball), urlsplit(registry)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.username is None
        if home.scheme == "https" and parts.scheme != "https":
            usable = False
        same = (parts.scheme, parts.netloc) == (home.scheme, home.netloc)
    except ValueError as error:
        raise Unobservable("the registry's link to the tarball cannot be read", LOOK) from error
    links = [tarball] if usable else []
    if not same and "/-/" in parts.path:
        links.append(registry + parts.path.lstrip("/"))
    if not links:
        raise Unobservable("the registry's link to the tarball is not one that can be followed", LOOK)
    return [(link, link == links[-1]) for link in links]
