"""judge: changes x rules x relies_on x waivers -> findings and one verdict. Pure: no I/O, no clock.

The outcome, in order of precedence:

- ``broken``: a finding that counts is breaking
- ``unverified``: something relied on (or asked for) could not be looked at
- ``drifted``: a finding that counts is risky, or something relied on changed
- ``compatible``: everything relied on was looked at and nothing of it moved
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from driftwatch import addresses
from driftwatch.addresses import matches
from driftwatch.judge import expected
from driftwatch.judge.fingerprint import fingerprint
from driftwatch.judge.hiding import hides, one_observation, overlap
from driftwatch.judge.misuse import claimed, misuses
from driftwatch.judge.required import unmet
from driftwatch.judge.sides import Sides
from driftwatch.judge.standing import standing
from driftwatch.judge.terms import Terms
from driftwatch.judge.usage import SEEN_KINDS, Use, Uses, places, read
from driftwatch.judge.waivers import Waivers
from driftwatch.model import (
    SEVERITIES,
    Change,
    Finding,
    Gap,
    Json,
    Outcome,
    Role,
    Severity,
    Snapshot,
    Verdict,
)
from driftwatch.rules import Rule, by_change

# Looked at on every run for every package; a gap here is never somebody else's business.
ALWAYS_ASKED = frozenset({"tag", "version", "commit"})

MAX_WRITTEN = 50  # names a report holds of what one change reaches, where they are given whole

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
    considered = [*claimed(changes, made), *standing(old, new, changes, terms), *unmet(old, new, changes, terms), *made]
    judging = _Judge(terms, waivers, uses, new.ref.upstream)
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
    if one_observation(gap):  # of a probe that has an answer: only who names it asks about it
        return any(hides(gap, reliance.address) for reliance in terms.reliances)
    return terms.everything or kind in ALWAYS_ASKED or any(overlap(gap.address, reliance.address) for reliance in terms.reliances)


def touched(change: Change) -> list[str]:
    reaches = change.args.get("reaches")
    return [change.address, *(str(address) for address in reaches)] if isinstance(reaches, list) else [change.address]


class _Judge:
    """Turns changes into findings under one project's terms."""

    def __init__(self, terms: Terms, waivers: Waivers, uses: Uses, upstream: str) -> None:
        self._terms, self._waivers, self._uses, self._upstream = terms, waivers, uses, upstream
        self._match = addresses.compile(reliance.address for reliance in terms.reliances)
        self._roles: dict[str, Role] = {reliance.address: reliance.role or terms.role for reliance in terms.reliances}

    def finding(self, change: Change) -> Finding:
        rule = by_change().get((change.address.kind, change.kind), UNKNOWN)
        reached = touched(change)
        met = self._met(change, reached)
        hits = sorted({pattern for _, pattern in met})
        used = self._uses.touched(reached, whole=_whole(change)) if self._uses else ()
        severity, role, ignored = self._severity(_turned(rule, change), change, met, used)
        waived = self._waivers.cover(rule.id, reached, self._upstream) or expected.waived(change, self._terms.expected)
        args = _written(change) if rule is not UNKNOWN else {**_written(change), "change": change.kind}
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

    def _met(self, change: Change, reached: Sequence[str]) -> list[tuple[str, str]]:
        """Every address with a pattern of ``relies_on`` that means it; what is reached whole is reached in all its parts."""
        if not self._terms.reliances:
            return []
        met = [(address, pattern) for address in reached for pattern in self._match(address)]
        if _whole(change):
            inside = addresses.compile(reached)
            met += [(one.address, one.address) for one in self._terms.reliances if inside(one.address)]
        return met

    def _everything(self, change: Change) -> bool:
        """Nothing is named as relied on: all of it counts, but for what a scan has shown to be used or not."""
        return self._terms.everything and not (self._uses and change.address.kind in SEEN_KINDS)

    def _severity(
        self, rule: Rule, change: Change, met: Sequence[tuple[str, str]], used: Sequence[Use]
    ) -> tuple[Severity, Role, bool]:
        """The worst severity over the roles the project has here, unless the watchlist says otherwise."""
        sides = Sides(change, known=bool(self._uses))
        here = [(address, self._roles[pattern]) for address, pattern in met]
        found = {use.role for use in used}.union(*(sides.roles(*each) for each in here))
        roles: list[Role] = sorted(found) or [self._terms.role]
        role = max(roles, key=lambda each: SEVERITIES.index(rule.severity(each)))
        for override in self._terms.overrides:
            below = override.address
            if override.rule == rule.id and (below is None or any(matches(below, address) for address in touched(change))):
                if override.severity == "ignore":
                    return "info", role, True
                return override.severity, role, False
        if (
            here
            and not used
            and all(sides.is_told_by_use(address, each, made=self._uses.makes(address)) for address, each in here)
        ):
            return "info", role, False
        if rule.exhaustive and any(use.exhaustive for use in used):
            return rule.exhaustive, "consumer", False
        return rule.severity(role), role, False


def _turned(rule: Rule, change: Change) -> Rule:
    """The rule as it holds at this change, for an implementer: who reads what hooks are handed is hit as a consumer is, and who
    gives what everybody gives at least as hard."""
    direction = change.args.get("direction")
    if direction == "handed" or (direction == "given" and _worse(rule.consumer, rule.implementer)):
        return replace(rule, implementer=rule.consumer)
    return rule


def _worse(one: Severity, other: Severity) -> bool:
    return SEVERITIES.index(one) > SEVERITIES.index(other)


def _whole(change: Change) -> bool:
    """Whether what a change reaches is named as a whole, since it is too much to name every member."""
    return change.args.get("reaches_whole") is True


def _written(change: Change) -> dict[str, Json]:
    """The arguments a report holds: of names that stand for very many members, only the first."""
    reaches = change.args.get("reaches")
    if not _whole(change) or not isinstance(reaches, list):
        return dict(change.args)
    return {**change.args, "reaches": reaches[:MAX_WRITTEN]}


def _order(finding: Finding) -> tuple[bool, int, str, str, str]:
    return (not finding.counts, -SEVERITIES.index(finding.severity), finding.address, finding.rule, finding.fingerprint)
