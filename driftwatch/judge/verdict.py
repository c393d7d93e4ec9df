"""judge: changes x rules x relies_on x waivers -> findings and one verdict. Pure: no I/O, no clock.

The outcome, in order of precedence:

- ``broken``: a finding that counts is breaking
- ``unverified``: something relied on (or asked for) could not be looked at
- ``drifted``: a finding that counts is risky, or something relied on changed
- ``compatible``: everything relied on was looked at and nothing of it moved
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from driftwatch import addresses
from driftwatch.addresses import matches
from driftwatch.judge import expected
from driftwatch.judge.fingerprint import fingerprint
from driftwatch.judge.misuse import claimed, misuses
from driftwatch.judge.standing import standing
from driftwatch.judge.terms import Reliance, Terms
from driftwatch.judge.usage import SEEN_KINDS, Use, Uses, places, read
from driftwatch.judge.waivers import Waivers
from driftwatch.model import (
    SEVERITIES,
    Change,
    Finding,
    Gap,
    Json,
    Outcome,
    RelianceRow,
    Role,
    Severity,
    Snapshot,
    Verdict,
)
from driftwatch.rules import Rule, by_change

# Looked at on every run for every package; a gap here is never somebody else's business.
ALWAYS_ASKED = frozenset({"tag", "version", "commit"})

UNKNOWN = Rule(
    id="unclassified-change",
    address="*",
    change="*",
    consumer="risky",
    implementer="risky",
    message="{address}: {change}: {before} -> {after}",
    about="The comparison found a difference that no rule describes.",
    todo="Look at the difference by hand, and report it to driftwatch: a rule is missing.",
    always=True,
)


def judge(
    changes: Sequence[Change], old: Snapshot, new: Snapshot, terms: Terms, waivers: Waivers | None = None, *, last: bool = True
) -> Verdict:
    """Findings (sorted, worst first) and the outcome for one upstream.

    ``waivers`` may be shared between upstreams; findings about the waivers themselves are made when ``last`` is true.
    """
    waivers = waivers or Waivers(terms.waivers, terms.today)
    uses = Uses(read(new.facts))
    made = misuses(uses, old, new, changes, terms.signals)
    considered = [*claimed(changes, made), *standing(old, new, changes), *made]
    judging = _Judge(terms, waivers, uses)
    findings = [judging.finding(change) for change in considered]
    if last:
        findings += [judging.finding(change) for change in waivers.changes()]
    ordered = tuple(sorted(findings, key=_order))
    return Verdict(outcome(ordered, new.gaps + old.gaps, terms), ordered)


def outcome(findings: Iterable[Finding], gaps: Iterable[Gap], terms: Terms) -> Outcome:
    counting = [finding for finding in findings if finding.counts]
    if any(finding.severity == "breaking" for finding in counting):
        return "broken"
    if any(asked(gap, terms) for gap in gaps):
        return "unverified"
    if any(finding.severity == "risky" or finding.relied_on for finding in counting):
        return "drifted"
    return "compatible"


def asked(gap: Gap, terms: Terms) -> bool:
    """Whether this gap hides something the project asked about."""
    kind = gap.address.partition(":")[0]
    if gap.address.startswith("use:") and gap.address != "use:**":
        return any(overlap(gap.address, reliance.address) for reliance in terms.reliances)  # one line of many
    if kind == "use" and terms.source:
        return True
    if _one_observation(gap):  # of a probe that has an answer: only who names it asks about it
        return any(hides(gap, reliance.address) for reliance in terms.reliances)
    return terms.everything or kind in ALWAYS_ASKED or any(overlap(gap.address, reliance.address) for reliance in terms.reliances)


def hides(gap: Gap, pattern: str) -> bool:
    """Whether what a pattern speaks of cannot be told because of a gap. Who relies on a probe relies on its outcome; one
    observation of it that varies from run to run hides no more than itself."""
    if _one_observation(gap) and "#" not in pattern:
        return False
    return overlap(gap.address, pattern)


def _one_observation(gap: Gap) -> bool:
    kind, _, member = gap.address.partition("#")
    return kind.startswith("probe:") and member not in ("", "*", "**", "outcome")


def overlap(one: str, other: str) -> bool:
    """Whether two address patterns can speak of the same address (exact for literals, generous for two patterns)."""
    return addresses.overlap(one, other)


def touched(change: Change) -> list[str]:
    reaches = change.args.get("reaches")
    return [change.address, *(str(address) for address in reaches)] if isinstance(reaches, list) else [change.address]


def reliance_rows(verdict: Verdict, old: Snapshot, new: Snapshot, terms: Terms) -> tuple[RelianceRow, ...]:
    """One row an entry of relies_on: does it hold, and on what evidence."""
    before, after = _values(old, terms), _values(new, terms)
    gaps = (*new.gaps, *old.gaps)
    return tuple(
        _row(reliance, verdict, before.get(reliance.address, []), after.get(reliance.address, []), gaps)
        for reliance in terms.reliances
    )


def _values(snapshot: Snapshot, terms: Terms) -> dict[str, list[Json]]:
    """The values observed below each relied-on pattern."""
    match = addresses.compile(reliance.address for reliance in terms.reliances)
    values: dict[str, list[Json]] = {}
    for fact in snapshot.facts:
        for pattern in match(fact.address):
            values.setdefault(pattern, []).append(fact.value)
    return values


def _row(reliance: Reliance, verdict: Verdict, before: list[Json], after: list[Json], gaps: Sequence[Gap]) -> RelianceRow:
    hits = [finding for finding in verdict.findings if reliance.address in finding.relied_on]
    hidden = [gap for gap in gaps if hides(gap, reliance.address)]
    status, reason = "holds", ""
    if any(finding.counts and finding.severity == "breaking" for finding in hits):
        status = "breaks"
    elif hidden:
        status, reason = "unverified", hidden[0].reason
    elif not after and not hits:
        status, reason = "unverified", "nothing was observed at this address"
    elif hits or before != after:
        status = "changed"
    single = len(before) <= 1 and len(after) <= 1
    return RelianceRow(
        address=reliance.address,
        why=reliance.why,
        status=status,
        before=before[0] if single and before else None,
        after=after[0] if single and after else None,
        reason=reason,
        facts=len(after),
    )


def unseen(old: Snapshot, new: Snapshot, terms: Terms) -> list[Gap]:
    """A gap for each reliance that no observer had anything to say about, on either side: never green without evidence."""
    seen = {*_values(old, terms), *_values(new, terms)}
    gaps = (*old.gaps, *new.gaps)
    return [
        Gap(
            reliance.address,
            "nothing was observed at this address, at either version",
            "check its spelling with `driftwatch show`, or remove it from relies_on",
        )
        for reliance in terms.reliances
        if reliance.address not in seen and not any(overlap(gap.address, reliance.address) for gap in gaps)
    ]


class _Judge:
    """Turns changes into findings under one project's terms."""

    def __init__(self, terms: Terms, waivers: Waivers, uses: Uses) -> None:
        self._terms, self._waivers, self._uses = terms, waivers, uses
        self._match = addresses.compile(reliance.address for reliance in terms.reliances)
        self._roles: dict[str, Role] = {reliance.address: reliance.role or terms.role for reliance in terms.reliances}

    def finding(self, change: Change) -> Finding:
        rule = by_change().get((change.address.kind, change.kind), UNKNOWN)
        reached = touched(change)
        hits = sorted({pattern for address in reached for pattern in self._match(address)})
        used = self._uses.touched(reached) if self._uses else ()
        severity, role, ignored = self._severity(rule, reached, hits, used)
        waived = self._waivers.cover(rule.id, reached) or expected.waived(change, self._terms.expected)
        args = dict(change.args) if rule is not UNKNOWN else {**change.args, "change": change.kind}
        concerns = rule.always or bool(hits) or bool(used) or self._everything(change)
        return Finding(
            rule=rule.id,
            severity=severity,
            role=role,
            confidence=change.confidence,
            address=change.address,
            before=change.before,
            after=change.after,
            where=change.where,
            args=args,
            relied_on=(*hits, *places(used)),
            waived=waived,
            fingerprint=fingerprint(rule.id, change.address, args),
            counts=concerns and waived is None and not ignored,
        )

    def _everything(self, change: Change) -> bool:
        """Nothing is named as relied on: all of it counts, but for what a scan has shown to be used or not."""
        return self._terms.everything and not (self._uses and change.address.kind in SEEN_KINDS)

    def _severity(
        self, rule: Rule, reached: Sequence[str], hits: Sequence[str], used: Sequence[Use]
    ) -> tuple[Severity, Role, bool]:
        """The worst severity over the roles the project has here, unless the watchlist says otherwise."""
        found = {self._roles[hit] for hit in hits}.union(use.role for use in used)
        roles: list[Role] = sorted(found) or [self._terms.role]
        role = max(roles, key=lambda each: SEVERITIES.index(rule.severity(each)))
        for override in self._terms.overrides:
            below = override.address
            if override.rule == rule.id and (below is None or any(matches(below, address) for address in reached)):
                if override.severity == "ignore":
                    return "info", role, True
                return override.severity, role, False
        if rule.exhaustive and any(use.exhaustive for use in used):
            return rule.exhaustive, "consumer", False
        return rule.severity(role), role, False


def _order(finding: Finding) -> tuple[bool, int, str, str, str]:
    return (not finding.counts, -SEVERITIES.index(finding.severity), finding.address, finding.rule, finding.fingerprint)
