"""Both sides of every reference: what the document means, and where that is in the new commit."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from driftwatch.errors import Unobservable
from driftwatch.model import Address, Fact, Gap, Json, Observed
from driftwatch.observe.facts.anchors.follow import Span, block, digest, follow, lines
from driftwatch.observe.facts.anchors.references import Reference, documents, references, subject
from driftwatch.observe.sources.git import Mirror

_LINES = re.compile(r"([1-9][0-9]{0,8})(?:-([1-9][0-9]{0,8}))?")
NOTHING = Observed()
SHOWN = 160  # characters of the text that are kept for people


@dataclass(frozen=True, slots=True)
class Sides:
    old: Observed = NOTHING
    new: Observed = NOTHING


def observe(
    root: Path, globs: Sequence[str], mirror: Mirror, before: str, after: str, accepted: Mapping[str, Json] | None = None
) -> Sides:
    """Facts and gaps of both sides. ``before`` and ``after`` are commits; ``accepted``: the lock's facts, by address. Nothing is
    raised for what cannot be looked at."""
    texts, gaps = documents(root, globs)
    both = _Both(mirror, before, after, accepted or {})
    old, new, unseen = [], [], list(gaps)
    for document, text in texts.items():
        for reference in references(document, text):
            address = Address.of("anchor", subject(document), reference.member)
            try:
                pair = both.look(reference, address, root)
            except Unobservable as error:
                unseen.append(Gap(address, error.message, error.remedy))
                continue
            if pair is None:
                continue
            old.append(Fact(address, pair[0], reference.place))
            if pair[1] is not None:
                new.append(Fact(address, pair[1], reference.place))
    return Sides(Observed(tuple(old), tuple(unseen)), Observed(tuple(new), tuple(unseen)))


@dataclass(slots=True)
class _Both:
    """Files of the commits as they are asked for."""

    mirror: Mirror
    before: str
    after: str
    accepted: Mapping[str, Json]
    _files: dict[tuple[str, str], list[str] | None] = field(default_factory=dict)
    _names: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def look(self, reference: Reference, address: Address, root: Path) -> tuple[Json, Json | None] | None:
        """What the reference means and where that is now; None when it speaks of no file of this upstream's."""
        commit, path, span = self._meant(reference, address)
        if not path:
            self._foreign(reference, commit, root)
            return None
        rows = self._read(commit, path)
        wanted = block(rows, span) if rows is not None else None
        if rows is None or wanted is None:
            has = f"{path} has {len(rows)} lines" if rows is not None else f"{path} is no text"
            raise Unobservable(f"{has} at {commit[:12]}: {reference.lines} is not there", "correct the reference")
        claim = _value(path, Span(reference.first, reference.last), wanted)
        place = self._now(commit, path, rows, span)
        if place is None:
            return claim, None
        there, now, found = place
        return claim, _value(there, now, found)

    def _meant(self, reference: Reference, address: Address) -> tuple[str, str, Span]:
        """The commit, file and lines whose text the reference means."""
        span = Span(reference.first, reference.last)
        if reference.commit:
            commit = self._full(reference.commit)
            return commit, self._path(commit, reference.path), span
        path = self._path(self.before, reference.path)
        kept = self.accepted.get(address)
        told = _LINES.fullmatch(str(kept.get("lines"))) if isinstance(kept, dict) else None
        if isinstance(kept, dict) and isinstance(kept.get("path"), str) and told:
            remembered = Span(int(told[1]), int(told[2] or told[1]))
            rows = self._read(self.before, str(kept["path"]))
            there = block(rows, remembered) if rows is not None else None
            if there is not None and digest(there) == kept.get("digest"):
                return self.before, str(kept["path"]), remembered
        return self.before, path, span

    def _now(self, commit: str, path: str, rows: list[str], span: Span) -> tuple[str, Span, list[str]] | None:
        target = path
        after = self._read(self.after, path)
        if after is None:
            renamed = self.mirror.renames(commit, self.after, [path]).get(path)
            if renamed is None:
                return None
            target = renamed[0]
            after = self._read(self.after, target)
        now = follow(rows, after or [], span)
        found = block(after or [], now) if now else None
        return (target, now, found) if now and found is not None else None

    def _read(self, commit: str, path: str) -> list[str] | None:
        if (commit, path) not in self._files:
            blob = self.mirror.read(commit, [path]).get(path)
            text = blob.data.decode("utf-8", "replace") if blob is not None and blob.data is not None else None
            self._files[commit, path] = None if text is None or "\0" in text else lines(text)
        return self._files[commit, path]

    def _path(self, commit: str, path: str) -> str:
        """The file a reference names: itself, or the only one whose path ends so; "" for none. Raises Unobservable for
        several."""
        names = self._all(commit)
        if path in names:
            return path
        found = [name for name in names if name.endswith(f"/{path}")]
        if len(found) > 1 and "/" in path:
            raise Unobservable(f"{path} may be any of {', '.join(found[:3])}", "write more of its path")
        return found[0] if len(found) == 1 else ""

    def _all(self, commit: str) -> tuple[str, ...]:
        if commit not in self._names:
            self._names[commit] = tuple(self.mirror.tree(commit, ["**"]))
        return self._names[commit]

    def _full(self, commit: str) -> str:
        if len(commit) == 40:
            return commit
        for known in (self.before, self.after, *self.mirror.tags().values()):
            if known.startswith(commit):
                return known
        raise Unobservable(f"commit {commit} is not that of a version", "write the whole commit, or that of a tag")

    def _foreign(self, reference: Reference, commit: str, root: Path) -> None:
        """A path that is not in the repository: of the project itself, or of somebody else, unless it begins like one of ours."""
        head, slash, _ = reference.path.partition("/")
        if (root / reference.path).exists() or not slash:
            return
        if reference.commit or any(name.startswith(f"{head}/") for name in self._all(commit)):
            raise Unobservable(f"{reference.path} is not in the repository at {commit[:12]}", "correct the reference")


def _value(path: str, span: Span, rows: list[str]) -> Json:
    text = next((row.strip() for row in rows if row.strip()), "")
    return {"path": path, "lines": span.numbers, "text": text[:SHOWN], "digest": digest(rows)}
