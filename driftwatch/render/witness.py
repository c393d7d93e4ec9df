"""The witnesses of a report: for each proven change of a declared type the few lines that prove it, for a reader to try."""

from __future__ import annotations

from collections.abc import Iterator

from driftwatch.model import Finding, Report
from driftwatch.render import clean
from driftwatch.render.messages import message
from driftwatch.render.quiet import quiet

TRY = "npx -p typescript tsc --noEmit --strict --skipLibCheck --target esnext --module esnext --moduleResolution bundler w.ts"


def render(report: Report) -> str:
    """Plain text, a block a finding; what it says after ``//`` is the compiler's answer. "" when nothing was proven so."""
    shown = [finding for upstream in report.upstreams for finding in upstream.findings if finding.args.get("witness")]
    if not shown:
        return ""
    return "".join(f"{quiet(clean.encodable(line)).rstrip()}\n" for line in _lines(shown))


def _lines(findings: list[Finding]) -> Iterator[str]:
    yield ""
    yield "Witnesses"
    yield "To try one: install what it names in an empty folder, save its lines as w.ts, and run"
    yield f"  $ {TRY}"
    for finding in findings:
        needs = finding.args.get("witness_needs")
        yield ""
        yield f"  {message(finding)}  [{finding.rule}, {clean.line(finding.address, 200)}]"
        if isinstance(needs, list):
            yield f"    $ npm install --ignore-scripts {' '.join(clean.line(str(one), 200) for one in needs)}"
        for line in str(finding.args["witness"]).splitlines():
            yield f"    {clean.line(line, 2000)}"
