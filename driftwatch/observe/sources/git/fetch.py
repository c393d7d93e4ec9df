"""Getting objects into the mirror: as little as the server is able to give, and never silently nothing."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from driftwatch import atomic
from driftwatch.errors import StoreError, Unobservable
from driftwatch.observe.sources.git.command import Git, Refused
from driftwatch.observe.sources.git.location import Location
from driftwatch.progress import Progress

_QUIET = ("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--force")
_OURS = "refs/driftwatch/"
_LEAST = ("--depth=1", "--filter=blob:none")
# Files are asked for as if nothing were here: the server must not conclude from a commit that its files are here too.
_NOTHING_HERE: Mapping[str, str] = {"fetch.negotiationAlgorithm": "noop"}
# The server can't do what was asked; another way may work. Anything else (network, access) would only fail again.
_UNABLE = re.compile(
    rb"not our ref|unadvertised object|not advertised|does not support (shallow|filter|--depth)|dumb http|"
    rb"couldn't find remote ref|no such remote ref|expected shallow|shallow file",
    re.IGNORECASE,
)
_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def peeled(answer: bytes) -> dict[str, str]:
    """``ls-remote --tags`` as name -> commit. Raises Unobservable when it is anything else."""
    tags: dict[str, str] = {}
    for line in answer.decode("utf-8", "backslashreplace").splitlines():
        sha, _, ref = line.partition("\t")
        if not _SHA.fullmatch(sha) or not ref.startswith("refs/tags/"):
            raise Unobservable(f"git ls-remote answered something else than tags: {line[:80]!r}")
        name = ref.removeprefix("refs/tags/")
        tags[name.removesuffix("^{}")] = sha  # the peeled line follows the tag's own
    return tags


def heads(answer: bytes) -> dict[str, str]:
    """``ls-remote`` of branches as name -> commit. Raises Unobservable when it is anything else."""
    found: dict[str, str] = {}
    for line in answer.decode("utf-8", "backslashreplace").splitlines():
        sha, _, ref = line.partition("\t")
        if not _SHA.fullmatch(sha) or not ref.startswith("refs/heads/"):
            raise Unobservable(f"git ls-remote answered something else than branches: {line[:80]!r}")
        found[ref.removeprefix("refs/heads/")] = sha
    return found


def prepare(folder: Path, git: Git) -> None:
    """Make the mirror when it is not there: whole or not at all."""
    if (folder / "HEAD").is_file():
        return
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _beside(folder) as temporary:
            made = Path(temporary) / "mirror"
            _initialise(made, folder)
            if not (made / "HEAD").is_file():
                raise Unobservable("`git init` made no repository", "see with `git --version` what git is on the PATH")
            if folder.exists() and not (folder / "HEAD").is_file():
                shutil.rmtree(folder)  # half of something: nothing in it can be used
            with contextlib.suppress(FileExistsError):
                made.rename(folder)
    except OSError as error:
        if (folder / "HEAD").is_file():
            return  # another run made it meanwhile
        raise StoreError(f"cannot make {folder}: {error.strerror or error}", "make the cache folder writable") from error


def _beside(folder: Path) -> tempfile.TemporaryDirectory[str]:
    """A work folder on the same disk, for a mirror that comes or goes."""
    return tempfile.TemporaryDirectory(prefix=atomic.prefix(folder.name), suffix=atomic.SUFFIX, dir=folder.parent)


def discard(folder: Path, deadline: float) -> None:
    """Throw a mirror away, whole: the next ``prepare`` makes it again."""
    with alone(folder, deadline), _beside(folder) as temporary, contextlib.suppress(FileNotFoundError):
        folder.rename(Path(temporary) / "mirror")


def _initialise(made: Path, folder: Path) -> None:
    try:
        Git(made, Location("", str(folder), local=True)).run("init", "--bare", "--quiet", "--template=", str(made))
    except Refused as refusal:
        remedy = refusal.remedy or "free space or make the cache folder writable"
        raise Unobservable(refusal.message, remedy) from refusal


@dataclass(frozen=True, slots=True)
class Fetcher:
    """Fetches into one mirror. ``tags`` are what the remote says, asked only when the server gives nothing by its id."""

    folder: Path
    git: Git
    tags: Callable[[], Mapping[str, str]]
    progress: Progress
    deadline: float

    def commits(self, shas: Sequence[str]) -> None:
        """Commits with their trees and without their files; with more than that where the server can't do it."""
        prepare(self.folder, self.git)
        with alone(self.folder, self.deadline):
            try:
                self._commits(shas, _LEAST)
            except Refused as refusal:
                self._unless_unable(refusal)
                self.progress.note("the git server can't send a single commit: fetching the history up to the tags")
                self._commits(shas, ["--no-filter"])

    def blobs(self, shas: Sequence[str]) -> None:
        """Files by their ids in one batch; the whole commits again where the server gives no file by its id."""
        with alone(self.folder, self.deadline):
            try:
                self._fetch(shas, ["--filter=blob:none"], _NOTHING_HERE)
            except Refused as refusal:
                self._unless_unable(refusal)
                self.progress.note("the git server gives no single files: fetching whole commits")
                refs = self.git.run("for-each-ref", "--format=%(refname)", _OURS).decode("ascii").split()
                self._commits([ref.rpartition("/")[2] for ref in refs], ["--depth=1", "--no-filter", "--refetch"])

    def _commits(self, shas: Sequence[str], options: Sequence[str]) -> None:
        """By id, or by a tag that points there. Raises the first refusal when no tag does."""
        try:
            self._fetch([f"{sha}:{_OURS}{sha}" for sha in shas], options)
        except Refused as refusal:
            self._unless_unable(refusal)
            names = {sha: name for name, sha in self.tags().items()}
            if any(sha not in names for sha in shas):
                raise
            self._fetch([f"refs/tags/{names[sha]}:{_OURS}{sha}" for sha in shas], options)
            for sha in shas:
                self._check(sha, names[sha])

    def _check(self, sha: str, name: str) -> None:
        """The ref named after a commit must be that commit: a tag may have moved since it was asked about."""
        got = self.git.run("rev-parse", "--verify", "--quiet", f"{_OURS}{sha}^{{commit}}").decode("ascii").strip()
        if got != sha:
            self.git.run("update-ref", "-d", f"{_OURS}{sha}")
            raise Unobservable(f"git tag {name} moved from {sha[:12]} to {got[:12]} while it was fetched", "run again")

    def _unless_unable(self, refusal: Refused) -> None:
        telling = b"\n".join(line for line in refusal.stderr.splitlines() if not line.startswith(b"warning:"))
        if not _UNABLE.search(telling):
            raise refusal

    def _fetch(self, refspecs: Sequence[str], options: Sequence[str], settings: Mapping[str, str] = MappingProxyType({})) -> None:
        listed = "".join(f"{refspec}\n" for refspec in refspecs).encode("utf-8", "surrogateescape")
        self.git.remote(*_QUIET, *options, "--stdin", "origin", stdin=listed, deadline=self.deadline, settings=settings)


@contextlib.contextmanager
def alone(folder: Path, deadline: float) -> Iterator[None]:
    """One writer a mirror, across processes. What a killed run left half-written is cleared away."""
    lock = folder.with_name(f"{folder.name}.lock")
    try:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        reason = f"cannot lock the mirror with {lock}: {error.strerror or error}"
        raise StoreError(reason, "free space or make the cache folder writable") from error
    try:
        _wait(handle, folder, deadline)
        for pattern in ("*.lock", "refs/**/*.lock", "objects/pack/tmp_*", "objects/pack/*.keep"):
            for left in folder.glob(pattern):
                left.unlink(missing_ok=True)
        yield
    finally:
        os.close(handle)


def _wait(handle: int, folder: Path, deadline: float) -> None:
    end = time.monotonic() + deadline
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > end:
                raise Unobservable(f"another run has held the mirror {folder} for {deadline:g} s", "let it end") from None
            time.sleep(0.05)
