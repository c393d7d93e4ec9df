"""The report as a GitHub job summary: Markdown of at most one MiB."""

from __future__ import annotations

from driftwatch.model import Report
from driftwatch.render.comment import fit

LIMIT = 1024 * 1024 - 1024  # bytes one step may write, less what others of the same step may have written


def render(report: Report) -> str:
    """The whole report, or as much of it as fits, folded as in a comment."""
    return fit(report, LIMIT)
