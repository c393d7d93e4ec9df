from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from driftwatch.model import Gap, Outcome, ProbeRow, RelianceRow, Report, UpstreamReport
from driftwatch.render import render, summary, view
from driftwatch.render.advice import steps
from tests.support import reports


def changed(report: Report, outcome: Outcome | None = None, **given: Any) -> Report:
    upstream: UpstreamReport = replace(report.upstreams[0], outcome=outcome or report.outcome, **given)
    return replace(report, outcome=outcome or report.outcome, upstreams=(upstream,))


def test_the_headline_follows_the_verdict() -> None:
    headlines = {name: summary.of(make()).headline for name, make in reports.SAMPLES.items()}
    assert headlines == {
        "compatible": "Compatible: upstream moved, everything relied on holds",
        "drifted": "Drifted: something moved, nothing relied on breaks",
        "broken": "Broken: 2 things relied on no longer hold",
        "unverified": "Unverified: 3 things could not be looked at",
    }


def test_the_headline_counts_what_is_relied_on_and_not_the_findings() -> None:
    (upstream,) = reports.broken().upstreams
    (first, second) = summary.of(reports.broken()).breaks
    assert first.finding and second.finding
    twice = (*upstream.findings, replace(second.finding, fingerprint="another"))
    assert summary.of(changed(reports.broken(), findings=twice)).headline == "Broken: 2 things relied on no longer hold"
    always = (*upstream.findings, replace(second.finding, relied_on=(), fingerprint="another"))
    headline = summary.of(changed(reports.broken(), findings=always)).headline
    assert headline == "Broken: 2 things relied on no longer hold, 1 more change breaks something else"


def test_where_nothing_is_relied_on_changes_are_counted() -> None:
    assert summary.of(changed(reports.broken(), reliances=())).headline == "Broken: 2 changes break"


def test_tags_alone_never_say_that_anything_holds() -> None:
    told = summary.of(replace(reports.SAMPLES["compatible"](), scope="tags"))
    assert told.headline == "Compatible: no version moved" and "driftwatch run" in told.meaning
    told = summary.of(replace(reports.drifted(), scope="tags"))
    assert "holds was not looked at" in told.headline and not any("accept" in step.command for step in told.steps)


def test_a_break_is_told_once_with_every_reason_it_is_needed() -> None:
    told = summary.of(reports.broken()).breaks
    assert [item.address for item in told] == ["probe:opencode/dispose#outcome", "ts:@opencode-ai/plugin#Hooks.dispose"]
    assert told[0].why == ("ends our timers; without it the watcher leaks one interval per reload",)


def test_a_reliance_that_breaks_without_a_finding_is_told_too() -> None:
    row = RelianceRow("http:POST /x", "we call it", "breaks", reason="absent")
    told = summary.of(changed(reports.broken(), findings=(), reliances=(row,))).breaks
    assert [(item.address, item.finding) for item in told] == [("http:POST /x", None)]


def test_a_waived_or_unrelated_finding_never_breaks() -> None:
    upstream = reports.broken().upstreams[0]
    quiet = tuple(replace(finding, counts=False, relied_on=()) for finding in upstream.findings)
    view_ = summary.of(changed(reports.broken(), findings=quiet, reliances=()))
    assert (view_.breaks, view_.counts.unrelated, view_.counts.breaking) == ((), 4, 0)


def test_what_could_not_be_looked_at_is_told_once_each() -> None:
    unseen = summary.of(reports.unverified()).unseen
    assert [item.what for item in unseen] == ["file:**", "manifest:@opencode/plugin", "probe:opencode/load on 1.18.33"]


def test_a_reliance_without_evidence_or_reason_still_shows() -> None:
    row = RelianceRow("ts:a#B", "", "unverified")
    unseen = summary.of(changed(reports.compatible(), "unverified", reliances=(row,))).unseen
    assert [(item.what, item.reason) for item in unseen] == [("ts:a#B", "no evidence at both versions")]


def test_accepting_is_offered_only_when_everything_was_verified() -> None:
    accept = "driftwatch accept 1.18.33"
    assert [step.command for step in steps(reports.compatible())] == [accept]
    spoilers: list[dict[str, Any]] = [
        {"gaps": (Gap("file:**", "refused"),)},
        {"reliances": (RelianceRow("ts:a#B", "", "unverified"),)},
        {"reliances": (RelianceRow("ts:a#B", "", "breaks"),)},
        {"probes": (ProbeRow("opencode/load", "1.18.33", "unverified"),)},
    ]
    for spoiler in spoilers:
        assert accept not in [step.command for step in steps(changed(reports.compatible(), **spoiler))], spoiler
    for outcome in ("broken", "unverified"):
        assert accept not in [step.command for step in steps(changed(reports.compatible(), outcome))]


def test_a_gap_that_hides_nothing_relied_on_stays_in_the_report_and_out_of_the_way() -> None:
    report = changed(reports.compatible(), gaps=(Gap("file:docs/**", "refused", "open it", asked=False),))
    assert summary.of(report).unseen == ()
    assert [step.command for step in steps(report)] == ["driftwatch accept 1.18.33"]
    assert [gap.whats for gap in view.of(report.upstreams[0]).idle_gaps] == [("file:docs/**",)]
    for form in ("md", "html", "json"):
        assert "docs/" in render(report, form)


def test_nothing_moved_means_nothing_to_do() -> None:
    upstream = reports.compatible().upstreams[0]
    same = changed(reports.compatible(), after=upstream.before)
    assert [step.line for step in steps(same)] == ["Nothing to do."]
    assert summary.of(same).headline == "Compatible: everything relied on holds"


def test_breaks_come_first_then_remedies_then_risks() -> None:
    report = changed(reports.broken(), gaps=(Gap("file:**", "refused", "give `git:` a mirror"), Gap("ts:**", "no runtime")))
    commands = [(step.text.split(" ")[0], step.command) for step in steps(report)]
    assert commands == [
        ("Stay", "driftwatch explain probe-broken"),
        ("Find", "driftwatch explain ts-removed"),
        ("So", ""),
        ("See", "driftwatch doctor"),
        ("Act", "driftwatch explain tag-moved-backward"),
    ]


def test_many_addresses_of_one_rule_are_one_step() -> None:
    many = tuple(reports.finding("ts-removed", f"ts:p#M{n}", severity="breaking", counts=True) for n in range(9))
    about = steps(changed(reports.broken(), findings=many))[0].about
    assert about == ("ts:p#M0", "ts:p#M1", "ts:p#M2", "6 more")


@pytest.mark.parametrize("text", reports.NASTY)
def test_a_command_is_one_shell_word_whatever_the_version_is(text: str) -> None:
    import shlex

    upstream = reports.compatible().upstreams[0]
    report = changed(reports.compatible(), after=replace(upstream.after, version=text))
    command = next(step.command for step in steps(report) if step.command)
    assert shlex.split(command)[:2] == ["driftwatch", "accept"]
    assert len(shlex.split(command)) == 3


def test_the_matrix_has_a_cell_for_every_probe_and_version() -> None:
    probes = (ProbeRow("b", "1", "holds"), ProbeRow("a", "1", "holds", title="A"), ProbeRow("a", "2", "absent"))
    matrix = view.matrix(probes)
    assert matrix.versions == ("1", "2")
    assert [(row.id, row.title, [cell and cell.outcome for cell in row.cells]) for row in matrix.rows] == [
        ("b", "", ["holds", None]),
        ("a", "A", ["holds", "absent"]),
    ]


def test_every_finding_is_in_exactly_one_group() -> None:
    for make in (*reports.SAMPLES.values(), reports.everything):
        for upstream in make().upstreams:
            laid = view.of(upstream)
            grouped = [finding for _, group in laid.groups for finding in group]
            shown = [*grouped, *laid.waived, *laid.unrelated]
            assert sorted(map(id, shown)) == sorted(map(id, upstream.findings))
