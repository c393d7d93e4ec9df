"""What a report says in its first screen: one view for every format, so that headings and counts never disagree.

Pure: the outcome is the report's own, everything else is counted or picked from the same findings, reliances and gaps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from driftwatch.model import FileRow, Finding, Outcome, RelianceRow, Report, UpstreamReport
from driftwatch.progress import counted
from driftwatch.render.advice import Step, steps

WORDS: Mapping[Outcome, str] = {
    "compatible": "Compatible",
    "drifted": "Drifted",
    "broken": "Broken",
    "unverified": "Unverified",
}
MEANING: Mapping[Outcome, str] = {
    "compatible": "Everything relied on was looked at, at both versions.",
    "drifted": "Look at what moved, then accept it.",
    "broken": "Deal with what breaks before you move to this version.",
    "unverified": "What was not seen is not known to be unchanged: this is not an all clear.",
}
TAGS_ALONE = "Only dist-tags and versions were looked at: driftwatch run tells whether what is relied on holds."
NOTHING_MOVED = "None of the watched packages is moved by this change, so there was nothing to compare."


@dataclass(frozen=True, slots=True)
class Counts:
    """How many of what, over all upstreams. ``unrelated``: findings that touch nothing relied on (and are not waived)."""

    breaking: int
    risky: int
    info: int
    counting: int
    waived: int
    unrelated: int
    reliances: int
    holds: int
    gaps: int


@dataclass(frozen=True, slots=True)
class Break:
    """Something relied on that does not hold. ``finding`` is None when only the reliance itself says so."""

    upstream: str
    address: str
    why: tuple[str, ...]
    finding: Finding | None = None
    reliance: RelianceRow | None = None


@dataclass(frozen=True, slots=True)
class Unseen:
    """Something that could not be looked at."""

    upstream: str
    what: str
    reason: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Blind:
    """Everything that could not be looked at for one reason: told once, however many addresses it hides."""

    upstream: str
    reason: str
    remedy: str
    whats: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """What the first page says, in words and counts."""

    outcome: Outcome
    word: str
    meaning: str
    headline: str
    counts: Counts
    breaks: tuple[Break, ...]
    unseen: tuple[Unseen, ...]
    blind: tuple[Blind, ...]  # the same, by reason
    steps: tuple[Step, ...]


def of(report: Report) -> Summary:
    """The view of the whole report."""
    breaks = tuple(item for upstream in report.upstreams for item in breaking(upstream))
    missed = tuple(item for upstream in report.upstreams for item in unseen(upstream))
    counts = _counts(report, missed)
    return Summary(
        outcome=report.outcome,
        word=WORDS[report.outcome],
        meaning=_meaning(report),
        headline=_headline(report, breaks, missed),
        counts=counts,
        breaks=breaks,
        unseen=missed,
        blind=by_reason(missed),
        steps=steps(report),
    )


def breaking(upstream: UpstreamReport) -> Iterator[Break]:
    """Each breaking finding that counts, once; then the broken reliances that none of them explains."""
    explained: set[str] = set()
    for finding in upstream.findings:
        if finding.counts and finding.severity == "breaking":
            explained.update(finding.relied_on)
            yield Break(upstream.id, str(finding.address), why(upstream, finding), finding)
    for row in upstream.reliances:
        if row.status == "breaks" and row.address not in explained:
            yield Break(upstream.id, row.address, (row.why,) if row.why else (), reliance=row)


def unseen(upstream: UpstreamReport) -> Iterator[Unseen]:
    """The gaps that hide something relied on; then reliances and probes without an answer whose reason no gap tells."""
    told: set[str] = set()
    for gap in upstream.gaps:
        told.update((gap.address, gap.reason))
        if not gap.asked:
            continue
        yield Unseen(upstream.id, gap.address, gap.reason, gap.remedy)
    for row in upstream.reliances:
        if row.status == "unverified" and not {row.address, row.reason} & told:
            told.add(row.reason)
            yield Unseen(upstream.id, row.address, row.reason or "no evidence at both versions")
    for probe in upstream.probes:
        if probe.outcome == "unverified" and probe.reason not in told:
            told.add(probe.reason)
            yield Unseen(upstream.id, f"probe:{probe.id} on {probe.version}", probe.reason or "no answer")


def by_reason(missed: Iterable[Unseen]) -> tuple[Blind, ...]:
    """What could not be looked at, one entry a reason, in the order they come."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for item in missed:
        groups.setdefault((item.upstream, item.reason, item.remedy), []).append(item.what)
    return tuple(Blind(*key, tuple(whats)) for key, whats in groups.items())


def unrelated(finding: Finding) -> bool:
    """It touches nothing relied on: counted and folded, not told one by one."""
    return not finding.counts and not finding.relied_on and finding.waived is None


def is_moved(upstream: UpstreamReport) -> bool:
    return (upstream.before.version, upstream.before.commit) != (upstream.after.version, upstream.after.commit)


def watched_why(upstream: UpstreamReport, finding: Finding) -> str:
    """ "What breaks if it changes" of the watched file a finding is about, or ""."""
    row = _file(upstream, finding)
    return row.breaks if row else ""


def why(upstream: UpstreamReport, finding: Finding) -> tuple[str, ...]:
    """Every reason the project gives for needing what the finding is about, each once."""
    reasons = [row.why for row in upstream.reliances if row.address in finding.relied_on]
    return tuple(dict.fromkeys(filter(None, [*reasons, watched_why(upstream, finding)])))


def _file(upstream: UpstreamReport, finding: Finding) -> FileRow | None:
    if finding.address.kind != "file":
        return None
    return next((row for row in upstream.files if row.path == finding.address.subject), None)


def _counts(report: Report, missed: tuple[Unseen, ...]) -> Counts:
    findings = [finding for upstream in report.upstreams for finding in upstream.findings]
    rows = [row for upstream in report.upstreams for row in upstream.reliances]
    severities = [finding.severity for finding in findings if finding.counts]
    return Counts(
        breaking=severities.count("breaking"),
        risky=severities.count("risky"),
        info=severities.count("info"),
        counting=len(severities),
        waived=sum(finding.waived is not None for finding in findings),
        unrelated=sum(map(unrelated, findings)),
        reliances=len(rows),
        holds=sum(row.status == "holds" for row in rows),
        gaps=len(missed),
    )


def _meaning(report: Report) -> str:
    if not report.upstreams:
        return NOTHING_MOVED
    return TAGS_ALONE if report.scope == "tags" else MEANING[report.outcome]


def _headline(report: Report, breaks: tuple[Break, ...], missed: tuple[Unseen, ...]) -> str:
    word = WORDS[report.outcome]
    if not report.upstreams:
        return f"{word}: nothing moved"
    if report.outcome == "broken":
        return f"{word}: {_broken(report, breaks)}"
    if report.outcome == "unverified":
        return f"{word}: {counted(len(missed), 'thing')} could not be looked at"
    if report.scope == "tags":
        told = "something moved, whether what is relied on holds was not looked at"
        return f"{word}: {'no version moved' if report.outcome == 'compatible' else told}"
    if report.outcome == "drifted":
        return f"{word}: something moved, nothing relied on breaks"
    moved = any(is_moved(upstream) for upstream in report.upstreams)
    return f"{word}: {'upstream moved, ' if moved else ''}everything relied on holds"


def _broken(report: Report, breaks: tuple[Break, ...]) -> str:
    """Entries relied on, and the changes that break something else: many changes may break one entry, and one many."""
    entries = {
        (upstream.id, row.address) for upstream in report.upstreams for row in upstream.reliances if row.status == "breaks"
    }
    other = sum(not _of_entry(item, entries) for item in breaks)
    changes = f"{counted(other, 'more change' if entries else 'change')} {'breaks' if other == 1 else 'break'}"
    if not entries:
        return changes
    hold = f"{counted(len(entries), 'thing')} relied on no longer {'holds' if len(entries) == 1 else 'hold'}"
    return f"{hold}, {changes} something else" if other else hold


def _of_entry(item: Break, entries: set[tuple[str, str]]) -> bool:
    relied = item.finding.relied_on if item.finding else (item.address,)
    return any((item.upstream, address) in entries for address in relied)
