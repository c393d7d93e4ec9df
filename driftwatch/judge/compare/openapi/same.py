"""Which operations, schemas and events are equal on both sides with all they point at: most of them, most of the time."""

from __future__ import annotations

from driftwatch.judge.compare.openapi.side import Side, subject_of

# Said for who reads a fact; who compares looks at the address.
_SAID = ("path",)


def same_subjects(old: Side, new: Side) -> frozenset[str]:
    """Subjects with the same facts on both sides that reach no subject with other facts."""
    moved = {subject for subject in {*old.subjects, *new.subjects} if not _equal(old, new, subject)}
    queue = list(moved)
    while queue:
        subject = queue.pop()
        for side in (old, new):
            for use, _ in side.users.get(subject, ()):
                owner = subject_of(use)
                if owner not in moved:
                    moved.add(owner)
                    queue.append(owner)
    return frozenset({*old.subjects, *new.subjects} - moved)


def _equal(old: Side, new: Side, subject: str) -> bool:
    one, other = old.subjects.get(subject), new.subjects.get(subject)
    return one == other or (
        one is not None and other is not None and subject.startswith("http:") and _plain(one) == _plain(other)
    )


def _plain(facts: dict[str, dict[str, object]]) -> dict[str, dict[str, object]]:
    return {address: {word: each for word, each in value.items() if word not in _SAID} for address, value in facts.items()}
