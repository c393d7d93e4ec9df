"""SARIF 2.1.0, for code scanning: results at lines of the project's own.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/ and
https://docs.github.com/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning
"""

from __future__ import annotations

from typing import cast
from urllib.parse import quote

from driftwatch import rules
from driftwatch.model import Json, Report, Severity
from driftwatch.render import clean, issues, summary
from driftwatch.render.issues import Issue, Place
from driftwatch.render.json import dump

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS: dict[Severity, str] = {"breaking": "error", "risky": "warning", "info": "note"}
MOST = 5000  # results one upload may hold
_OWN = {
    issues.UNSEEN: ("Something could not be looked at", "What was not seen is not known to be unchanged."),
    issues.RELIANCE: ("Something relied on no longer holds", "Look at the reliance in the report, then fix, wait, or waive it."),
}


def render(report: Report) -> str:
    """One run with one result a finding that touches what is relied on, a broken reliance, or a gap. Waived findings are
    suppressed results. ``partialFingerprints`` stay the same when lines move."""
    found = sorted(issues.of(report), key=_weight)
    kept = found[:MOST]
    driver: dict[str, Json] = {
        "name": "driftwatch",
        "version": clean.line(report.tool_version, 80),
        "rules": [_rule(name) for name in sorted({issue.rule for issue in kept})],
    }
    invocation: dict[str, Json] = {
        "executionSuccessful": report.outcome != "unverified",
        "exitCode": report.exit_code,
    }
    run: dict[str, Json] = {
        "tool": {"driver": driver},
        "automationDetails": {"id": f"driftwatch/{quote(clean.line(report.project, 80), safe='')}/"},
        "invocations": [invocation],
        "columnKind": "unicodeCodePoints",
        "results": [_result(issue) for issue in kept],
        "properties": {"headline": summary.of(report).headline, "outcome": report.outcome, "leftOut": len(found) - len(kept)},
    }
    return dump({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _weight(issue: Issue) -> int:
    """Failing ones first, breaking before risky: a cut at MOST loses the least."""
    return (0 if issue.failing else 10) + list(LEVELS).index(issue.severity)


def _rule(name: str) -> Json:
    known = rules.catalogue().get(name)
    about, todo = (known.about, known.todo) if known else _OWN.get(name, ("A change found by driftwatch.", "Look at it."))
    severity = known.implementer if known else "risky"
    return {
        "id": name,
        "shortDescription": {"text": _text(clean.line(about, 1000))},
        "help": {"text": _text(clean.line(todo, 1000))},
        "defaultConfiguration": {"level": LEVELS[severity]},
    }


def _result(issue: Issue) -> Json:
    result: dict[str, Json] = {
        "ruleId": issue.rule,
        "level": LEVELS[issue.severity] if issue.failing else "note",
        "message": {"text": _text(issue.text + (f". {issue.todo}" if issue.todo else ""))},
        "locations": [_location(place) for place in issue.places],
        # The second is what GitHub follows a result by; without it, a moved line would make it a new one.
        "partialFingerprints": {"driftwatch/v1": issue.fingerprint, "primaryLocationLineHash": f"{issue.fingerprint}:1"},
        "properties": {"severity": issue.severity, "failing": issue.failing},
    }
    if issue.waived:
        reason = clean.line(f"until {issue.waived.expires}: {issue.waived.reason}", 500)
        result["suppressions"] = [{"kind": "external", "status": "accepted", "justification": reason}]
    return cast("Json", result)


def _location(place: Place) -> Json:
    artifact: Json = {"uri": quote(place.path, safe="/"), "uriBaseId": "%SRCROOT%"}
    return {"physicalLocation": {"artifactLocation": artifact, "region": {"startLine": place.line}}}


def _text(text: str) -> str:
    """``[text](target)`` in a message is a link: a zero-width space between keeps upstream text from making one."""
    return text.replace("](", "]\u200b(")
