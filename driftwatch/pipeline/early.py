"""What would break if a pre-release or a branch became the watched version. Told in its own section, never counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from driftwatch.judge.early import news
from driftwatch.model import EarlyRow, UpstreamReport

if TYPE_CHECKING:
    from driftwatch.config.model import Upstream

MOST = 5  # versions compared: each may boot a host

Compare = Callable[[str], UpstreamReport]


def rows(report: UpstreamReport, upstream: Upstream, relied: Sequence[str], compare: Compare | None) -> tuple[EarlyRow, ...]:
    """The early tags of a report; with ``compare`` (version -> report) the nearest of them looked through."""
    found = news(report.tags, upstream.tag, relied)
    if compare is None:
        return found
    asked = [row.version for row in found if row.package == upstream.primary and row.version not in ("", report.after.version)]
    told = {version: compare(version) for version in list(dict.fromkeys(asked))[:MOST]}
    left = f"only the first {MOST} versions are compared in one run"
    return tuple(
        _with(row, told[row.version])
        if row.package == upstream.primary and row.version in told
        else replace(row, reason=left)
        if row.package == upstream.primary and row.version in asked
        else row
        for row in found
    )


def _with(row: EarlyRow, report: UpstreamReport) -> EarlyRow:
    hits = tuple(replace(finding, counts=False) for finding in report.findings if finding.counts and finding.severity != "info")
    unseen = [gap.reason for gap in report.gaps if gap.asked]
    reason = f"{len(unseen)} not looked at: {unseen[0]}" if unseen else ""
    return replace(row, outcome=report.outcome, findings=hits, reason=reason, reliances=report.reliances)
