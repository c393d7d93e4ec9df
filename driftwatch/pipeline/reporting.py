"""The upstreams' reports under one verdict and one exit code. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Literal

from driftwatch import __version__
from driftwatch.errors import EXIT_CLEAN, EXIT_FINDINGS, EXIT_UNVERIFIED
from driftwatch.model import SCHEMA_VERSION, SEVERITIES, Outcome, Report, UpstreamReport

WORST_FIRST: tuple[Outcome, ...] = ("broken", "unverified", "drifted", "compatible")


def report_of(project: str, upstreams: Sequence[UpstreamReport], now: datetime, fail_on: str, rerun: str,
              scope: Literal["all", "tags"] = "all") -> Report:  # fmt: skip
    """The upstreams' reports under one verdict: the worst of theirs."""
    outcome = min((upstream.outcome for upstream in upstreams), key=WORST_FIRST.index)
    report = Report(
        schema_version=SCHEMA_VERSION,
        tool_version=__version__,
        generated_at=stamp(now),
        project=project,
        outcome=outcome,
        exit_code=EXIT_CLEAN,
        upstreams=tuple(upstreams),
        rerun=rerun,
        scope=scope,
    )
    return replace(report, exit_code=exit_code(report, fail_on))


def exit_code(report: Report, fail_on: str) -> int:
    """10 findings at or above ``fail_on`` that count; else 11 when something asked for could not be looked at; else 0."""
    findings = [finding for upstream in report.upstreams for finding in upstream.findings if finding.counts]
    if fail_on != "never":
        floor = 0 if fail_on == "any" else [*SEVERITIES].index(fail_on)  # type: ignore[arg-type]
        if any(SEVERITIES.index(finding.severity) >= floor for finding in findings):
            return EXIT_FINDINGS
    # A broken upstream may hide that another part was not looked at: with --fail-on never the gap still shows.
    if any(upstream.outcome == "unverified" or _unseen(upstream) for upstream in report.upstreams):
        return EXIT_UNVERIFIED
    return EXIT_CLEAN


def stamp(now: datetime) -> str:
    """ISO 8601 in UTC, to the second."""
    return now.replace(microsecond=0).isoformat().replace("+00:00", "Z")


def _unseen(upstream: UpstreamReport) -> bool:
    return any(row.status == "unverified" for row in upstream.reliances)
