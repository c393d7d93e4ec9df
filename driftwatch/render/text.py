"""The report in a terminal: the first screen of the other formats, in plain words.

No colour here: ``lines`` names what each line is, and whoever prints may dress it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from driftwatch.model import EarlyRow, Finding, Ref, Report
from driftwatch.render import clean, summary
from driftwatch.render.messages import message
from driftwatch.render.quiet import quiet
from driftwatch.render.view import loud

Style = Literal["verdict", "heading", "bad", "warn", "wonder", "good", "plain", "detail", "command"]

_MOST = 8  # addresses named beside one reason


class Line(NamedTuple):
    """``style`` says what the line is (``verdict``: the first line, coloured by the outcome); ``text`` has no line end."""

    style: Style
    text: str


def render(report: Report) -> str:
    """Plain text, lines ending in a newline; nothing in it moves a cursor or speaks to a CI log."""
    return "".join(f"{line.text}\n" for line in lines(report))


def lines(report: Report) -> Iterator[Line]:
    """The same, line by line with its style."""
    for style, text in _lines(report):
        yield Line(style, quiet(clean.encodable(text)).rstrip())


def _lines(report: Report) -> Iterator[tuple[Style, str]]:
    view = summary.of(report)
    yield "verdict", view.headline
    yield "plain", view.meaning
    yield "plain", ""
    for upstream in report.upstreams:
        name = clean.line(upstream.id, 60)
        yield "plain", f"{name}  {_version(upstream.before)} -> {_version(upstream.after)}  {upstream.outcome}"
    yield from _breaks(view)
    yield from _unseen(view)
    yield from _risks(report)
    yield from _early(report)
    yield from _steps(view)
    yield from _tally(view)


def _breaks(view: summary.Summary) -> Iterator[tuple[Style, str]]:
    if view.breaks:
        yield from _heading("What breaks")
    for item in view.breaks:
        if item.finding:
            yield "bad", f"  x {message(item.finding)}{_doubt(item.finding)}"
        else:
            reason = item.reliance.reason if item.reliance else ""
            yield "bad", f"  x {clean.line(item.address, 200)} no longer holds{': ' if reason else ''}{clean.line(reason, 300)}"
        for why in item.why:
            yield "detail", f"    needed because: {clean.line(why, 300)}"


def _unseen(view: summary.Summary) -> Iterator[tuple[Style, str]]:
    if view.unseen:
        yield from _heading("What could not be looked at")
    for group in view.blind:
        yield "wonder", f"  ? {_named(group.whats)}: {clean.line(group.reason, 300)}"


def _risks(report: Report) -> Iterator[tuple[Style, str]]:
    risks = [finding for upstream in report.upstreams for finding in upstream.findings if _risky(finding)]
    if risks:
        yield from _heading("What to look at")
    for finding in risks:
        yield "warn", f"  ! {message(finding)}{_doubt(finding)}"


def _early(report: Report) -> Iterator[tuple[Style, str]]:
    rows = [row for upstream in report.upstreams for row in upstream.early if loud(row)]
    if rows:
        yield from _heading("Ahead of what is watched (this never fails the build)")
    for row in rows[:_MOST]:
        now = clean.line(row.version, 80) or "gone"
        moved = now if row.change == "same" else f"{clean.line(row.before, 80) or 'new'} -> {now}"
        yield "plain", f"  . {clean.line(row.package, 80)}#{clean.line(row.tag, 80)} {moved}"
        if row.touches:
            yield "detail", f"    its name touches {_named(row.touches)}"
        if row.outcome:
            yield "detail", f"    if it became the watched version: {row.outcome}{_would(row)}"
        for finding in row.findings[:_MOST]:
            yield "detail", f"    x {message(finding)}{_doubt(finding)}"
    if len(rows) > _MOST:
        yield "detail", f"  and {len(rows) - _MOST} more"


def _would(row: EarlyRow) -> str:
    return f" ({clean.line(row.reason, 300)})" if row.reason else ""


def _steps(view: summary.Summary) -> Iterator[tuple[Style, str]]:
    yield from _heading("What to do")
    for number, step in enumerate(view.steps, 1):
        yield "plain", f"  {number}. {step.line}"
        if step.command:
            yield "command", f"     $ {step.command}"


def _tally(view: summary.Summary) -> Iterator[tuple[Style, str]]:
    counts = view.counts
    told = []
    if counts.reliances:
        told.append(f"{counts.holds} of {counts.reliances} relied on unchanged")
    if counts.unrelated:
        told.append(f"{counts.unrelated} finding{'s' if counts.unrelated > 1 else ''} at nothing relied on")
    if counts.waived:
        told.append(f"{counts.waived} waived")
    if told:
        yield "plain", ""
        yield "detail", "; ".join(told)


def _named(whats: tuple[str, ...]) -> str:
    named = ", ".join(clean.line(what, 200) for what in whats[:_MOST])
    more = len(whats) - _MOST
    return f"{named} and {more} more" if more > 0 else named


def _heading(text: str) -> Iterator[tuple[Style, str]]:
    yield "plain", ""
    yield "heading", text


def _risky(finding: Finding) -> bool:
    return finding.counts and finding.severity == "risky"


def _doubt(finding: Finding) -> str:
    return "" if finding.confidence == "proven" else f" ({finding.confidence})"


def _version(ref: Ref) -> str:
    commit = f" ({clean.line(ref.commit[:12])})" if ref.commit and not ref.commit.startswith(ref.version or "-") else ""
    return (clean.line(ref.version, 80) or "unknown") + commit
