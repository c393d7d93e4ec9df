"""GitHub Actions annotations: https://docs.github.com/actions/reference/workflow-commands-for-github-actions"""

from __future__ import annotations

from collections.abc import Iterator

from driftwatch.model import Report
from driftwatch.render import clean, issues, summary
from driftwatch.render.issues import Issue

MOST = 10  # annotations of one kind that GitHub shows for one step
LONGEST = 4000  # characters of one message


def render(report: Report) -> str:
    """One ``::error``, ``::warning`` or ``::notice`` line an issue; the verdict first, as the first of its kind. What is
    more than GitHub shows is counted in the last line of that kind. Waived findings are left out."""
    commands = list(_commands(report))
    lines: list[str] = []
    for kind in ("error", "warning", "notice"):
        same = [command for command in commands if command.startswith(f"::{kind} ")]
        if len(same) > MOST:
            left = len(same) - MOST + 1
            same = [*same[: MOST - 1], command(kind, "driftwatch", f"{left} more are in the job summary and the report.")]
        lines.extend(same)
    return "".join(f"{line}\n" for line in lines)


def command(kind: str, title: str, text: str, file: str = "", line: int = 0) -> str:
    """One workflow command, everything in it escaped."""
    properties = {"file": file, "line": str(line) if line else "", "title": title}
    told = ",".join(f"{name}={_property(value)}" for name, value in properties.items() if value)
    return f"::{kind} {told}::{_data(clean.encodable(text[:LONGEST]))}"


def _commands(report: Report) -> Iterator[str]:
    view = summary.of(report)
    kind = {"broken": "error", "unverified": "warning"}.get(report.outcome, "notice")
    yield command(kind, "driftwatch", f"{view.headline}. {view.meaning}")
    for issue in issues.of(report):
        if issue.waived is None:
            yield _issue(issue)


def _issue(issue: Issue) -> str:
    kind = {"breaking": "error", "risky": "warning", "info": "notice"}[issue.severity] if issue.failing else "notice"
    place = issue.places[0]
    text = issue.text + (f"\n{issue.todo}" if issue.todo else "")
    return command(kind, f"driftwatch: {issue.rule}", text, place.path, place.line)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(clean.encodable(text)).replace(":", "%3A").replace(",", "%2C")
