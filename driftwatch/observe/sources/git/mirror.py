"""The mirror of one repository: tags, commits, watched files. Fetches only what is asked for."""

from __future__ import annotations

import json
from bisect import bisect
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, wraps
from pathlib import Path
from typing import Concatenate, NamedTuple, ParamSpec, TypeVar

from driftwatch import atomic
from driftwatch.errors import NotCached, StoreError, Unobservable
from driftwatch.observe.sources.git import fetch, objects, patch, rename
from driftwatch.observe.sources.git.command import Git, Spoilt
from driftwatch.observe.sources.git.location import locate
from driftwatch.observe.sources.git.objects import SUBMODULE, Entry
from driftwatch.observe.sources.paths import matcher
from driftwatch.progress import SILENT, Progress

MAX_BLOB = 32 * 1024 * 1024  # a larger file is compared by its id; its lines are not read


class Blob(NamedTuple):
    """``data`` is None when the file is larger than MAX_BLOB."""

    size: int
    data: bytes | None


P = ParamSpec("P")
T = TypeVar("T")


def _sound(look: Callable[Concatenate[Mirror, P], T]) -> Callable[Concatenate[Mirror, P], T]:
    """``look``, and once more with a new mirror when the one in the cache turns out to be spoilt."""

    @wraps(look)
    def sound(self: Mirror, /, *arguments: P.args, **named: P.kwargs) -> T:
        try:
            return look(self, *arguments, **named)
        except Spoilt as spoilt:
            if not self._may_renew():
                raise
            self._progress.note(f"the mirror of {self.location.shown} is spoilt, fetching it again: {spoilt.message}")
            fetch.discard(self.folder, self._deadline)
            self._trees.clear()
            seen = look(self, *arguments, **named)
            self._save_tags(self.__dict__.get("_tags"))
            return seen

    return sound


class Mirror:
    """A repository by address or local path, mirrored in ``cache/git/<hash of the address>``.

    Raises Unobservable (NotCached when ``offline``) from every method. ``deadline`` is seconds for one git command.
    """

    def __init__(
        self, url: str, cache: Path, *, offline: bool = False, progress: Progress = SILENT, deadline: float = 300
    ) -> None:
        self.location = locate(url)
        self.folder = cache / "git" / self.location.key
        self._offline = offline
        self._progress = progress
        self._deadline = deadline
        self._git = Git(self.folder, self.location)
        self._fetcher = fetch.Fetcher(self.folder, self._git, self.tags, progress, deadline)
        self._trees: dict[str, dict[str, Entry]] = {}
        self._renewed = False

    def _may_renew(self) -> bool:
        """Once, and only where it can be fetched again."""
        fresh, self._renewed = self._renewed, True
        return not fresh and not self._offline and self.folder.exists()

    # --- what the remote says -----------------------------------------------------------------------------------

    def tags(self) -> Mapping[str, str]:
        """Tag name -> full commit id, annotated tags peeled. One cheap call, whether it is answered or refused; offline the
        last answer."""
        if isinstance(self._tags, Unobservable):
            raise self._tags
        return self._tags

    @cached_property
    def _tags(self) -> Mapping[str, str] | Unobservable:
        try:
            return self._ask_tags()
        except Unobservable as refusal:
            return refusal

    @_sound
    def _ask_tags(self) -> Mapping[str, str]:
        if self._offline:
            return _read_tags(self._saved, self.location.shown)
        fetch.prepare(self.folder, self._git)
        with self._progress.task(f"git tags of {self.location.shown}"):
            answer = self._git.remote("ls-remote", "--tags", "origin", deadline=min(60, self._deadline))
        tags = fetch.peeled(answer)
        self._save_tags(tags)
        return tags

    @property
    def _saved(self) -> Path:
        return self.folder / "driftwatch-tags.json"

    def _save_tags(self, tags: object) -> None:
        if isinstance(tags, dict) and tags:
            self._save(self._saved, tags)

    def _save(self, path: Path, answer: Mapping[str, str]) -> None:
        """For --offline, which alone will miss it if it can't be written."""
        try:
            atomic.write(path, json.dumps(answer, indent=0, sort_keys=True))
        except StoreError as error:
            self._progress.note(error.message)

    def commit(self, version: str, pattern: str = "v{version}") -> str:
        """The commit of a version's tag. Raises Unobservable naming the nearest tags when there is none."""
        if not version:
            raise Unobservable("the version is not known, so there is no tag to look at", "see the gap at the package's tags")
        name = pattern.replace("{version}", version)
        if sha := self.tags().get(name):
            return sha
        near = _nearest(name, pattern, self.tags())
        none = "it shows no tags at all: an empty repository, or something that is not one"
        hint = f" (nearest: {', '.join(near)})" if near else f" among {len(self.tags())} tags" if self.tags() else f" ({none})"
        raise Unobservable(
            f"{self.location.shown} has no tag {name}{hint}",
            "check tag_pattern in the watchlist, or wait for the tag to be pushed",
        )

    def branch(self, name: str) -> str:
        """The commit a branch points at now; offline the last answer. Raises Unobservable when there is no such branch."""
        heads = self._heads
        if not self._offline and name not in heads:
            heads[name] = self._ask_branch(name)
            self._save(self._saved_heads, heads)
        if name not in heads:
            raise NotCached(f"the branch {name} of {self.location.shown} is not in the cache", "run once without --offline")
        return heads[name]

    @_sound
    def _ask_branch(self, name: str) -> str:
        fetch.prepare(self.folder, self._git)
        with self._progress.task(f"git branch {name} of {self.location.shown}"):
            answer = self._git.remote("ls-remote", "origin", f"refs/heads/{name}", deadline=min(60, self._deadline))
        found = fetch.heads(answer)
        if name not in found:
            raise Unobservable(f"{self.location.shown} has no branch {name}", "check `git.branch` in the watchlist")
        return found[name]

    @cached_property
    def _heads(self) -> dict[str, str]:
        """Branches asked about in this run; offline those of the last one."""
        try:
            return dict(_read_tags(self._saved_heads, self.location.shown)) if self._offline else {}
        except NotCached:
            return {}

    @property
    def _saved_heads(self) -> Path:
        return self.folder / "driftwatch-heads.json"

    # --- what is fetched ----------------------------------------------------------------------------------------

    @_sound
    def fetch(self, *commits: str, watched: Sequence[str] = ()) -> None:
        """Make the commits with their trees, and the files that ``watched`` patterns mean, be in the mirror."""
        self._ensure_commits(commits)
        if watched:
            self._ensure_blobs(entry for sha in commits for entry in self.tree(sha, watched).values())

    def _ensure_commits(self, commits: Iterable[str]) -> None:
        there = self._there(commits)
        lacking = [sha for sha in dict.fromkeys(commits) if sha not in there]
        if lacking:
            self._refuse_offline(f"commit {lacking[0][:12]}")
            with self._progress.task(f"git fetch of {len(lacking)} commits from {self.location.shown}"):
                self._fetcher.commits(lacking)
            there = self._there(commits)
        for sha in commits:
            kind = there.get(sha, ("missing", 0))[0]
            if kind == "missing":
                raise Spoilt(f"{self.location.shown}: {sha[:12]} is not a commit (it is {kind})", "", b"")
            if kind != "commit":
                raise Unobservable(f"{self.location.shown}: {sha[:12]} is not a commit (it is {kind})")

    def _ensure_blobs(self, entries: Iterable[Entry]) -> None:
        asked = {entry.blob for entry in entries if entry.mode != SUBMODULE}
        lacking = sorted(asked - self._there(asked).keys())
        if lacking:
            self._refuse_offline(f"{len(lacking)} watched files")
            with self._progress.task(f"git fetch of {len(lacking)} files from {self.location.shown}"):
                self._fetcher.blobs(lacking)

    def _there(self, shas: Iterable[str]) -> dict[str, tuple[str, int]]:
        return objects.sizes(self._git, shas) if (self.folder / "HEAD").is_file() else {}

    def _refuse_offline(self, what: str) -> None:
        if self._offline:
            raise NotCached(f"{what} of {self.location.shown} is not in the cache", "run once without --offline")

    # --- what is read -------------------------------------------------------------------------------------------

    @_sound
    def tree(self, commit: str, watched: Sequence[str]) -> Mapping[str, Entry]:
        """The paths of a commit that the patterns mean (``*``, ``**``; a folder means all below it)."""
        chosen = matcher(watched)
        return {path: entry for path, entry in self._whole(commit).items() if chosen(path)}

    def _whole(self, commit: str) -> Mapping[str, Entry]:
        if commit not in self._trees:
            self._ensure_commits([commit])
            self._trees[commit] = objects.tree(self._git, commit)
        return self._trees[commit]

    @_sound
    def read(self, commit: str, paths: Iterable[str]) -> Mapping[str, Blob]:
        """Size and bytes of each path that is a file or a link in the commit."""
        whole = self._whole(commit)
        entries = {path: whole[path] for path in paths if path in whole and whole[path].mode != SUBMODULE}
        self._ensure_blobs(entries.values())
        there = self._there(entry.blob for entry in entries.values())
        if lost := [path for path, entry in entries.items() if entry.blob not in there]:
            raise Spoilt(f"{self.location.shown}: {lost[0]} is not there although it was fetched", "", b"")
        found = objects.contents(self._git, [blob for blob, (_, size) in there.items() if size <= MAX_BLOB])
        return {path: Blob(there[entry.blob][1], found.get(entry.blob)) for path, entry in entries.items()}

    @_sound
    def renames(self, old: str, new: str, vanished: Sequence[str]) -> Mapping[str, rename.Renamed]:
        """Where files of ``old`` that are gone in ``new`` went: old path -> (new path, similarity in percent).

        What has the same content somewhere else is found without fetching anything.
        """
        before, after = self._whole(old), self._whole(new)
        gone = [path for path in vanished if path in before and path not in after]
        found = rename.exact(gone, before, after)
        left = [path for path in gone if path not in found]
        taken = {place for place, _ in found.values()}
        candidates = [path for path in rename.candidates(left, before, after, self._progress) if path not in taken]
        self._ensure_blobs([before[path] for path in left] + [after[path] for path in candidates])
        return {**found, **rename.similar(self._git, old, new, left, candidates)}

    @_sound
    def exact_renames(self, old: str, new: str, vanished: Sequence[str]) -> Mapping[str, rename.Renamed]:
        """``renames`` as far as it can be told from the trees alone: places with the very same content."""
        return rename.exact(vanished, self._whole(old), self._whole(new))

    @_sound
    def patches(self, old: str, new: str, paths: Sequence[str]) -> Mapping[str, bytes]:
        """The unified diff of each of the paths that differs between the commits."""
        for sha in (old, new):
            tree = self._whole(sha)
            self._ensure_blobs(tree[path] for path in paths if path in tree)
        return patch.patches(self._git, old, new, paths)

    @_sound
    def renamed_patch(self, old: str, new: str, before: str, after: str) -> bytes:
        """The unified diff from one path in ``old`` to another in ``new``."""
        self._ensure_blobs([self._whole(old)[before], self._whole(new)[after]])
        return patch.renamed(self._git, old, new, before, after)


def _read_tags(saved: Path, shown: str) -> Mapping[str, str]:
    try:
        tags = json.loads(saved.read_text("utf-8"))
        return {str(name): str(sha) for name, sha in tags.items()}
    except (OSError, ValueError, AttributeError):
        raise NotCached(f"the tags of {shown} are not in the cache", "run once without --offline") from None


def _nearest(name: str, pattern: str, tags: Iterable[str]) -> list[str]:
    """The tags of the same pattern that stand before and after a missing one."""
    head, _, tail = pattern.partition("{version}")
    same = sorted((tag for tag in tags if tag.startswith(head) and tag.endswith(tail)), key=_natural)
    at = bisect([_natural(tag) for tag in same], _natural(name))
    return same[max(0, at - 1) : at + 1]


def _natural(name: str) -> list[tuple[int, str]]:
    digits, text, key = "", "", []
    for character in f"{name}\0":
        if character.isascii() and character.isdigit():
            digits += character
        elif digits:
            key.append((int(digits[:18]), text))
            digits, text = "", character
        else:
            text += character
    return [*key, (-1, text)]
