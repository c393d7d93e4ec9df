"""Changes of dist-tags: where they point, and what became of the version they point at. Precedence: SemVer 2.0.0, item 11."""

from __future__ import annotations

from collections.abc import Iterator

from driftwatch.judge.compare import Facts
from driftwatch.model import Address, Change, Fact, Json


def compare(old: Facts, new: Facts) -> Iterator[Change]:
    for address in sorted({*old, *new}):
        before, after = old.get(address), new.get(address)
        if before is None and after is not None:
            yield Change(address, "added", None, _version(after))
            yield from _target(address, None, after)
        elif after is None and before is not None:
            yield Change(address, "removed", _version(before), None)
        elif before is not None and after is not None and before.value != after.value:
            if _version(before) != _version(after):
                yield Change(address, _direction(_version(before), _version(after)), _version(before), _version(after))
            yield from _target(address, before, after)


def _target(address: Address, before: Fact | None, after: Fact) -> Iterator[Change]:
    """What became of the version the tag points at: withdrawn or back, deprecated or not any more."""
    version: dict[str, Json] = {"version": _version(after)}
    was, now = _get(before, "published") is not False, _get(after, "published") is not False
    if was != now:
        yield Change(address, "restored" if now else "dangling", _version(before), _version(after), args=version)
    note_before, note_after = _get(before, "deprecated"), _get(after, "deprecated")
    if note_after is not None and note_before is None:
        yield Change(address, "deprecated", note_before, note_after, args=version)
    elif note_after is None and note_before is not None:
        yield Change(address, "undeprecated", note_before, note_after, args=version)


def _direction(before: str, after: str) -> str:
    """``moved-forward``, ``moved-backward``, or ``moved`` when neither precedes the other (or one is no version)."""
    from semver import Version

    try:
        order = Version.parse(before).compare(Version.parse(after))
    except (ValueError, TypeError):
        return "moved"
    return ("moved-forward", "moved", "moved-backward")[order + 1]


def _version(fact: Fact | None) -> str:
    return str(_get(fact, "version") or "")


def _get(fact: Fact | None, key: str) -> Json:
    return fact.value.get(key) if fact is not None and isinstance(fact.value, dict) else None
