"""One row for everything relied on: does it hold, on what evidence, and how many lines of ours use it. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from driftwatch import addresses
from driftwatch.judge.compare.types.text import declared
from driftwatch.judge.required import Presence, differs, facts_of, hidden, presence
from driftwatch.judge.terms import Reliance, Terms
from driftwatch.judge.usage import places, read
from driftwatch.model import Evidence, Fact, Finding, Gap, Json, RelianceRow, Snapshot, Verdict

_COUNTED = frozenset({"call", "text", "use"})
_NOTHING = "nothing was observed at this address"


def evidence(address: str) -> Evidence:
    """What kind of evidence an address gives: a host that did it, places that were counted, or what upstream declares."""
    kind = address.partition(":")[0]
    return "probed" if kind == "probe" else "counted" if kind in _COUNTED else "declared"


def reliance_rows(verdict: Verdict, old: Snapshot, new: Snapshot, terms: Terms) -> tuple[RelianceRow, ...]:
    """One row an entry of relies_on."""
    before, after = facts_of(old, terms.reliances), facts_of(new, terms.reliances)
    uses = _uses(new, terms)
    return tuple(
        _row(reliance, verdict, before.get(reliance.address, []), after.get(reliance.address, []), (old, new), uses)
        for reliance in terms.reliances
    )


def unseen(old: Snapshot, new: Snapshot, terms: Terms) -> list[Gap]:
    """A gap for each reliance that no observer had anything to say about, on either side: never green without evidence."""
    seen = {*facts_of(old, terms.reliances), *facts_of(new, terms.reliances)}
    gaps = (*old.gaps, *new.gaps)
    return [
        Gap(
            reliance.address,
            f"{_NOTHING}, at either version",
            "check its spelling with `driftwatch show`, or remove it from relies_on",
        )
        for reliance in terms.reliances
        if reliance.address not in seen and not hidden(reliance.address, gaps) and not _answered(reliance, new)
    ]


def only_missing(gap: Gap) -> bool:
    """Whether a gap says that there is nothing at its address, not that something could not be looked at: a misspelt entry
    hides nothing of another one, though it lies below it."""
    return gap.reason.startswith(_NOTHING)


def _answered(reliance: Reliance, new: Snapshot) -> bool:
    """Whether "it is not there" is an answer: somebody asked for one, and the place was looked at."""
    return reliance.expect is not None and presence(reliance.address, (), new) == "absent"


def _row(
    reliance: Reliance,
    verdict: Verdict,
    before: Sequence[Fact],
    after: Sequence[Fact],
    sides: tuple[Snapshot, Snapshot],
    uses: dict[str, int],
) -> RelianceRow:
    hits = [finding for finding in verdict.findings if reliance.address in finding.relied_on]
    status, reason = _status(reliance, hits, before, after, sides)
    single = len(before) <= 1 and len(after) <= 1
    return RelianceRow(
        address=reliance.address,
        why=reliance.why,
        status=status,
        before=_told(before[0]) if single and before else None,
        after=_told(after[0]) if single and after else None,
        reason=reason,
        facts=len(after),
        surface=reliance.surface,
        evidence=evidence(reliance.address),
        uses=uses.get(reliance.address, 0),
        facts_before=len(before),
    )


def _told(fact: Fact) -> Json:
    """The value, for people: a member of a type as a line of TypeScript."""
    return (declared(fact.value) if fact.address.kind == "ts" else "") or fact.value


def _status(
    reliance: Reliance, hits: Sequence[Finding], before: Sequence[Fact], after: Sequence[Fact], sides: tuple[Snapshot, Snapshot]
) -> tuple[str, str]:
    """The status and what is to be said about it. A break is one whatever else is not known."""
    old, new = sides
    if any(finding.counts and finding.severity == "breaking" for finding in hits):
        return "breaks", ""
    if gap := hidden(reliance.address, [gap for gap in (*new.gaps, *old.gaps) if not only_missing(gap)]):
        return "unverified", gap.reason
    if expected := _expected(reliance, presence(reliance.address, after, new)):
        return expected
    if not after and not hits:
        return "unverified", _NOTHING
    if differs(reliance, after):
        return "changed", f"it is not {_said(reliance.value)}"
    moved = hits or [fact.value for fact in before] != [fact.value for fact in after]
    return "changed" if moved else "holds", ""


def _expected(reliance: Reliance, state: Presence) -> tuple[str, str] | None:
    """What an expectation makes of what was found; None where it leaves the question to what moved."""
    if reliance.expect == "absent" and state != "unknown":
        return ("holds", "it is not there, as expected") if state == "absent" else ("changed", "it is there, and was not to be")
    return ("absent", "it is not there") if reliance.expect == "present" and state == "absent" else None


def _said(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _uses(snapshot: Snapshot, terms: Terms) -> dict[str, int]:
    """Lines of our own source that use what each entry means."""
    match = addresses.compile(reliance.address for reliance in terms.reliances)
    lines: dict[str, set[str]] = {}
    for use in read(snapshot.facts):
        meant = {f"call:{use.name}"} if "hook" in use.kinds else set()
        for address in (use.address, *meant):
            for pattern in match(address):
                lines.setdefault(pattern, set()).update(places([use]))
    return {pattern: len(found) for pattern, found in lines.items()}
