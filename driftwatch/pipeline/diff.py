"""``driftwatch diff``: two snapshots of anything, compared and judged as if everything were relied on."""

from __future__ import annotations

from driftwatch.judge.compare import comparable, compare
from driftwatch.judge.terms import Terms
from driftwatch.judge.verdict import judge
from driftwatch.model import Report, Role, UpstreamReport
from driftwatch.pipeline import proof, specs
from driftwatch.pipeline.reporting import report_of
from driftwatch.pipeline.world import World


def diff(old: specs.Spec, new: specs.Spec, options: specs.Options, role: Role, world: World, fail_on: str) -> Report:
    """The report of what differs between two specs, for one role. Every finding counts."""
    seen = specs.observe([old, new], options, world)
    before, after = (each.snapshot for each in seen)
    terms = Terms(role, world.settings.now.date(), everything=True)
    changes = compare(*comparable(before, after))
    if old.kind == "npm":
        was, now = ((side.ref.package, side.ref.version, side.ref.integrity) for side in (before, after))
        changes = proof.prove(changes, before, after, [(was, now)], world)
    verdict = judge(changes, before, after, terms)
    gaps = tuple(sorted({*before.gaps, *after.gaps}, key=lambda gap: (gap.address, gap.reason)))
    upstream = UpstreamReport(
        id=old.name if old.name == new.name else f"{old.name} and {new.name}",
        before=before.ref,
        after=after.ref,
        outcome=verdict.outcome,
        findings=verdict.findings,
        gaps=gaps,
        probes=tuple(row for each in seen for row in each.probes),
    )
    return report_of(
        f"{old.label} and {new.label}", [upstream], world.settings.now, fail_on, f"driftwatch diff {old.label} {new.label}"
    )
