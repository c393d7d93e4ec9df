"""JUnit XML, for CI systems that show test results (the dialect of https://github.com/testmoapp/junitxml)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal
from xml.etree import ElementTree

from driftwatch.errors import EXIT_FINDINGS
from driftwatch.model import Finding, ProbeRow, Report, UpstreamReport
from driftwatch.render import clean, summary
from driftwatch.render.messages import message

Result = Literal["passed", "failure", "error", "skipped"]


@dataclass(frozen=True, slots=True)
class Case:
    """One test case: what was looked at and how it went."""

    kind: str
    name: str
    result: Result = "passed"
    text: str = ""
    seconds: float = 0.0


def render(report: Report) -> str:
    """A suite an upstream: its verdict, everything relied on, probes, other findings that count, and gaps.

    What breaks is a failure, what could not be looked at is an error, what is waived is skipped.
    """
    suites = [(upstream, list(cases(report, upstream))) for upstream in report.upstreams]
    everything = [case for _, found in suites for case in found]
    root = ElementTree.Element("testsuites", {"name": "driftwatch", **_totals(everything)})
    for upstream, found in suites:
        name = clean.line(f"{upstream.id} {upstream.before.version} -> {upstream.after.version}", 300)
        suite = ElementTree.SubElement(root, "testsuite", {"name": name, **_totals(found)})
        for case in found:
            _write(suite, upstream, case)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def cases(report: Report, upstream: UpstreamReport) -> Iterator[Case]:
    """The cases of one upstream, in reading order."""
    yield _verdict(report, upstream)
    told: set[str] = set()
    for row in upstream.reliances:
        findings = [f for f in upstream.findings if f.counts and row.address in f.relied_on]
        told.update(f.fingerprint for f in findings)
        text = "\n".join(filter(None, [row.reason, *map(message, findings), row.why and f"needed because: {row.why}"]))
        result: Result = {"breaks": "failure", "unverified": "error"}.get(row.status, "passed")  # type: ignore[assignment]
        yield Case("relied on", row.address, result, text)
    for finding in upstream.findings:
        if finding.waived or (finding.counts and finding.fingerprint not in told):
            yield _finding(report, finding)
    for probe in upstream.probes:
        yield _probe(probe)
    for gap in upstream.gaps:
        yield Case(
            "could not look", gap.address, "error" if gap.asked else "skipped", "\n".join(filter(None, [gap.reason, gap.remedy]))
        )


def _verdict(report: Report, upstream: UpstreamReport) -> Case:
    text = summary.of(report).headline
    if upstream.outcome == "broken":
        return Case("verdict", "verdict", "failure", text)
    if upstream.outcome == "unverified":
        return Case("verdict", "verdict", "error", text)
    fails = report.exit_code == EXIT_FINDINGS and report.outcome == upstream.outcome
    return Case("verdict", "verdict", "failure" if fails else "passed", text)


def _finding(report: Report, finding: Finding) -> Case:
    text = message(finding)
    if finding.waived:
        return Case("finding", finding.address, "skipped", f"waived until {finding.waived.expires}: {finding.waived.reason}")
    fails = finding.severity == "breaking" or (report.exit_code == EXIT_FINDINGS and report.outcome != "broken")
    return Case("finding", finding.address, "failure" if fails else "passed", text)


def _probe(probe: ProbeRow) -> Case:
    result: Result = {"holds": "passed", "unverified": "error"}.get(probe.outcome, "skipped")  # type: ignore[assignment]
    text = "\n".join(filter(None, [probe.reason, *probe.evidence]))
    return Case("probe", f"{probe.id} on {probe.version}", result, text, probe.seconds)


def _totals(found: list[Case]) -> dict[str, str]:
    results = [case.result for case in found]
    return {
        "tests": str(len(found)),
        "failures": str(results.count("failure")),
        "errors": str(results.count("error")),
        "skipped": str(results.count("skipped")),
        "time": f"{sum(case.seconds for case in found):.3f}",
    }


def _write(suite: ElementTree.Element, upstream: UpstreamReport, case: Case) -> None:
    where = clean.line(f"{upstream.id}.{case.kind}", 200)
    attributes = {"classname": where, "name": clean.line(case.name, 300), "time": f"{case.seconds:.3f}"}
    element = ElementTree.SubElement(suite, "testcase", attributes)
    text = clean.encodable(clean.clean(case.text[:4000]))
    if case.result != "passed":
        child = ElementTree.SubElement(element, case.result, {"message": clean.line(case.text.partition("\n")[0], 300)})
        child.text = text if case.result != "skipped" else None
    elif text:
        ElementTree.SubElement(element, "system-out").text = text
