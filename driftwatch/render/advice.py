"""What to do about a report, derived purely from it: rules' todos, gaps' remedies, and the next command."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from driftwatch.model import Finding, Report, UpstreamReport
from driftwatch.render import clean
from driftwatch.render.messages import todo

_MOST = 3  # addresses named in one step


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to do, in plain text lines: ``about`` are the addresses it is about, ``command`` what to type, if any."""

    text: str
    command: str = ""
    about: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """All but the command."""
        return f"{', '.join(self.about)}: {self.text}" if self.about else self.text


def steps(report: Report) -> tuple[Step, ...]:
    """The most important first: breaks, what could not be looked at, risks, then accepting. Never empty."""
    found = [*_findings(report, "breaking"), *_unseen(report), *_findings(report, "risky"), *_next(report)]
    return tuple(dict.fromkeys(found)) or (Step("Nothing to do."),)


def verified(upstream: UpstreamReport) -> bool:
    """Everything about this upstream was looked at and nothing relied on breaks."""
    return (
        upstream.outcome in ("compatible", "drifted")
        and not any(gap.asked for gap in upstream.gaps)
        and all(row.status not in ("unverified", "breaks") for row in upstream.reliances)
        and all(probe.outcome != "unverified" for probe in upstream.probes)
    )


def _findings(report: Report, severity: str) -> Iterator[Step]:
    by_rule: dict[str, list[Finding]] = {}
    for upstream in report.upstreams:
        for finding in upstream.findings:
            if finding.counts and finding.severity == severity:
                by_rule.setdefault(finding.rule, []).append(finding)
    for rule, findings in by_rule.items():
        text = todo(rule) or "Look at what changed and decide whether it matters to you."
        yield Step(text, f"driftwatch explain {_word(rule)}", _named(findings))


def _unseen(report: Report) -> Iterator[Step]:
    gaps = [gap for upstream in report.upstreams for gap in upstream.gaps if gap.asked]
    for remedy in dict.fromkeys(gap.remedy for gap in gaps if gap.remedy):
        yield Step(f"So that it can be looked at: {clean.line(remedy, 300)}")
    if any(not gap.remedy for gap in gaps) or (report.outcome == "unverified" and not gaps):
        yield Step("See what is missing on this machine, then run again.", "driftwatch doctor")


def _next(report: Report) -> Iterator[Step]:
    if report.scope == "all":
        yield from _accepts(report)
    elif report.outcome != "compatible":
        yield Step("Look whether what is relied on holds: only dist-tags and versions were looked at.", "driftwatch run")


def _accepts(report: Report) -> Iterator[Step]:
    if report.outcome not in ("compatible", "drifted"):
        return
    for upstream in report.upstreams:
        before, after = upstream.before, upstream.after
        if verified(upstream) and after.version and (before.version, before.commit) != (after.version, after.commit):
            text = f"Accept {clean.line(after.version, 80)} of {clean.line(upstream.id, 80)}, so that the next run starts there."
            yield Step(text, f"driftwatch accept {_word(after.version)}")


def _named(findings: list[Finding]) -> tuple[str, ...]:
    addresses = list(dict.fromkeys(clean.line(finding.address, 80) for finding in findings))
    more = len(addresses) - _MOST
    return (*addresses[:_MOST], f"{more} more") if more > 0 else tuple(addresses)


def _word(text: str) -> str:
    """One shell word, whatever ``text`` holds."""
    return shlex.quote(clean.line(text, 80))
