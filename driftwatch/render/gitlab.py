"""GitLab code quality: https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format"""

from __future__ import annotations

from driftwatch.model import Json, Report, Severity
from driftwatch.render import issues
from driftwatch.render.issues import Issue
from driftwatch.render.json import dump

SEVERITIES: dict[Severity, str] = {"breaking": "critical", "risky": "major", "info": "info"}


def render(report: Report) -> str:
    """A JSON list, one entry an issue at its first line. Waived findings are left out: GitLab can't show them as such."""
    entries: list[Json] = []
    seen: dict[str, int] = {}
    for issue in issues.of(report):
        if issue.waived is None:
            seen[issue.fingerprint] = count = seen.get(issue.fingerprint, 0) + 1
            entries.append(_entry(issue, issue.fingerprint if count == 1 else f"{issue.fingerprint}-{count}"))
    return dump(entries, indent=2)


def _entry(issue: Issue, fingerprint: str) -> Json:
    place = issue.places[0]
    return {
        "description": issue.text,
        "check_name": f"driftwatch/{issue.rule}",
        "fingerprint": fingerprint,
        "severity": SEVERITIES[issue.severity] if issue.failing else "info",
        "location": {"path": place.path, "lines": {"begin": place.line}},
    }
