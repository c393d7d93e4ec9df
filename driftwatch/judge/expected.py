"""Known failures of probes: what is expected to fail on which host versions, why, and until when. Pure.

A failure that is expected stays visible with its reason and does not count, like a waived finding. A probe that passes where
it was expected to fail is news, and an expectation past its day expects nothing any more: each is a finding.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date

from driftwatch.judge.compare import ranges
from driftwatch.model import Address, Change, Expectation, ProbeRow, Standing, Waived

FAILED: Standing = "failed-as-expected"
PASSED: Standing = "passed-unexpectedly"
FAILURES = frozenset({"broke", "vanished", "not-holding", "appeared"})  # kinds of change that say a probe does not hold


def stand(rows: Iterable[ProbeRow], known: Sequence[Expectation], today: date) -> tuple[ProbeRow, ...]:
    """Each row with the known failure that speaks of it, and what came of it. What could not be told is left alone."""
    return tuple(_stand(row, known, today) for row in rows)


def _stand(row: ProbeRow, known: Sequence[Expectation], today: date) -> ProbeRow:
    found = next((each for each in known if each.probe == row.id and valid(each, today) and speaks_of(each, row.version)), None)
    if found is None or row.outcome == "unverified":
        return row
    return replace(row, expected=found, standing=PASSED if row.outcome == "holds" else FAILED)


def valid(expectation: Expectation, today: date) -> bool:
    return expectation.expires >= today.isoformat()


def speaks_of(expectation: Expectation, version: str) -> bool:
    """Whether a host version lies in the range."""
    allowed = ranges.parse(expectation.versions)
    try:
        return allowed is not None and allowed.holds(version)
    except ValueError:
        return False


def waived(change: Change, came_true: Iterable[Expectation]) -> Waived | None:
    """The known failure behind a change that says a probe does not hold."""
    if change.address.kind != "probe" or change.kind not in FAILURES:
        return None
    return next((Waived(each.reason, each.expires) for each in came_true if each.probe == change.address.subject), None)


def changes(rows: Iterable[ProbeRow], known: Iterable[Expectation], today: date) -> Iterator[Change]:
    """What there is to say about the expectations: who passed in spite of one, and which have expired."""
    for row in rows:
        if row.standing == PASSED and row.expected is not None:
            args = {"versions": row.expected.versions, "reason": row.expected.reason, "version": row.version}
            yield Change(Address.of("probe", row.id, "outcome"), "unexpected-pass", "broken", row.outcome, args={**args})
    for each in known:
        if not valid(each, today):
            told = {"probe": each.probe, "versions": each.versions, "expires": each.expires, "reason": each.reason}
            yield Change(
                Address.of("watchlist", "expected", f"{each.probe} {each.versions}"), "expectation-expired", args={**told}
            )
