"""What moved, in a few lines a person can take in at once: how far, what counts of it, and how much else."""

from __future__ import annotations

from dataclasses import dataclass

from driftwatch.model import Finding, UpstreamReport
from driftwatch.render.summary import unrelated
from driftwatch.render.timeline import days_between

MOST = 4  # findings told one by one


@dataclass(frozen=True, slots=True)
class Moves:
    """``releases``: published between the two versions, the new one among them (0: not known); ``days``: between their times.
    ``findings``: those that count and break nothing; ``more`` how many of them are not among the few."""

    upstream: UpstreamReport
    releases: int
    days: int
    findings: tuple[Finding, ...]
    more: int
    tags: int
    files: int
    added: int
    removed: int
    others: int  # findings at nothing relied on

    @property
    def first(self) -> tuple[Finding, ...]:
        """Those that are the first of their rule: why it matters is told once."""
        return tuple({finding.rule: finding for finding in reversed(self.findings)}.values())

    @property
    def quiet(self) -> bool:
        return not (self.findings or self.tags or self.files or self.others)


def moves(upstream: UpstreamReport) -> Moves:
    counting = [finding for finding in upstream.findings if finding.counts and finding.severity != "breaking"]
    files = [row for row in upstream.files if row.change not in ("same", "unverified", "missing")]
    versions = [row.version for row in upstream.releases]
    ends = [versions.index(version) for version in (upstream.before.version, upstream.after.version) if version in versions]
    return Moves(
        upstream=upstream,
        releases=abs(ends[1] - ends[0]) if len(ends) == 2 else 0,
        days=days_between(upstream),
        findings=tuple(counting[:MOST]),
        more=max(0, len(counting) - MOST),
        tags=sum(row.change not in ("same", "unknown") for row in upstream.tags),
        files=len(files),
        added=sum(row.added_lines for row in files),
        removed=sum(row.removed_lines for row in files),
        others=sum(map(unrelated, upstream.findings)),
    )
