"""The lines that prove, for a reader to try."""

from __future__ import annotations

from dataclasses import replace

from click.testing import CliRunner

from driftwatch.cli.diff import command
from driftwatch.errors import UsageError
from driftwatch.model import Report
from driftwatch.render import witness
from tests.support import reports

ARGS = {"witness": "type A = 1;\nexport const w0b = 1; // TS1:\x1b[2J no", "witness_needs": ["old@npm:case@1", "new@npm:case@2"]}


def proven() -> Report:
    report = reports.broken()
    upstream = report.upstreams[0]
    first, *rest = upstream.findings
    findings = (replace(first, confidence="proven", args={**first.args, **ARGS}), *rest)
    return replace(report, upstreams=(replace(upstream, findings=findings), *report.upstreams[1:]))


def test_each_proven_change_is_shown_with_its_lines_and_what_to_install() -> None:
    shown = witness.render(proven())
    assert shown.count("npm install") == 1
    assert "$ npm install --ignore-scripts old@npm:case@1 new@npm:case@2" in shown
    assert "    type A = 1;\n    export const w0b" in shown
    assert "\x1b" not in shown


def test_nothing_proven_shows_nothing() -> None:
    assert witness.render(reports.broken()) == ""


def test_other_formats_say_where_the_lines_are() -> None:
    result = CliRunner().invoke(command, ["dir:a", "dir:b", "--show-witness", "--format", "json"])
    assert isinstance(result.exception, UsageError)
    assert "args.witness" in result.exception.remedy
