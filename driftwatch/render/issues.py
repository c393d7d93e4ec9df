"""A report as a flat list of issues at lines of the project's own: what code scanners and annotations show.

Findings that touch nothing relied on are left out (they are only counted). What could not be looked at is an issue of its
own, so that a list without entries can only mean an all clear.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from driftwatch.model import Finding, Report, Severity, UpstreamReport, Waived
from driftwatch.render import clean, summary
from driftwatch.render.messages import message, todo

UNSEEN = "could-not-look"  # the rule's name for what could not be looked at
RELIANCE = "reliance-broken"  # for a reliance that breaks without a finding that says so
WATCHLIST = "watchlist.yaml"
LONGEST_PATH = 1000
_PLACE = re.compile(r"(?P<path>[^:#*?\x00-\x1f]+):(?P<line>[1-9]\d{0,8})(?::\d{1,9})?")


@dataclass(frozen=True, slots=True)
class Place:
    """A line of the project's own; ``path`` is relative to its root, with ``/``."""

    path: str
    line: int = 1


@dataclass(frozen=True, slots=True)
class Issue:
    """One thing to show. ``text`` and ``todo`` are single clean lines, ``fingerprint`` is stable over runs and safe to use
    as an id, ``places`` is never empty. ``failing``: it is why the run fails."""

    rule: str
    severity: Severity
    text: str
    fingerprint: str
    places: tuple[Place, ...]
    failing: bool
    todo: str = ""
    waived: Waived | None = None


def of(report: Report) -> tuple[Issue, ...]:
    """All issues, in the report's order: findings, broken reliances without one, then what could not be looked at."""
    return tuple(issue for upstream in report.upstreams for issue in _upstream(report, upstream))


def place(text: str) -> Place | None:
    """``path:line`` (and column) as a Place, or None when it is not one or leaves the project's root."""
    match = _PLACE.fullmatch(clean.line(text)) if len(text) <= LONGEST_PATH else None
    if not match:
        return None
    path = PurePosixPath(match["path"])
    if path.is_absolute() or ".." in path.parts or re.match(r"[A-Za-z]:|\\", match["path"]):
        return None
    return Place(str(path), int(match["line"]))


def _upstream(report: Report, upstream: UpstreamReport) -> Iterator[Issue]:
    for finding in upstream.findings:
        if not summary.unrelated(finding):
            yield _finding(report, upstream, finding)
    for item in summary.breaking(upstream):
        if item.finding is None and item.reliance is not None:
            reason = f": {item.reliance.reason}" if item.reliance.reason else ""
            text = clean.line(f"{item.address} no longer holds{reason}", 500)
            print_ = _digest(RELIANCE, upstream.id, item.address)
            yield Issue(RELIANCE, "breaking", text, print_, _places(report, upstream, (item.address,)), failing=True)
    for unseen in summary.unseen(upstream):
        text = clean.line(f"could not look at {unseen.what}: {unseen.reason}", 500)
        print_ = _digest(UNSEEN, upstream.id, unseen.what)
        help_ = clean.line(unseen.remedy, 500)
        yield Issue(UNSEEN, "risky", text, print_, _places(report, upstream, (unseen.what,)), failing=True, todo=help_)


def _finding(report: Report, upstream: UpstreamReport, finding: Finding) -> Issue:
    why = "; ".join(summary.why(upstream, finding))
    doubt = "" if finding.confidence == "proven" else f" ({finding.confidence})"
    return Issue(
        rule=clean.line(finding.rule, 80),
        severity=finding.severity,
        text=clean.line(f"{message(finding)}{doubt}" + (f". Needed because: {why}" if why else ""), 500),
        fingerprint=_safe(finding.fingerprint),
        places=_places(report, upstream, finding.relied_on),
        failing=finding.counts,
        todo=todo(finding.rule),
        waived=finding.waived,
    )


def _places(report: Report, upstream: UpstreamReport, relied_on: tuple[str, ...]) -> tuple[Place, ...]:
    """Lines of our own source first, then of the watchlist; else the line the move came by, else the watchlist as a whole."""
    stated = {row.address: row.where for row in upstream.reliances if row.where}
    texts = [*relied_on, *(stated[pattern] for pattern in relied_on if pattern in stated)]
    found = dict.fromkeys(found for text in texts if (found := place(text)))
    return tuple(found) or (place(upstream.place) or place(f"{report.watchlist}:1") or Place(WATCHLIST),)


def _safe(fingerprint: str) -> str:
    return fingerprint if re.fullmatch(r"[A-Za-z0-9_-]{8,128}", fingerprint) else _digest(fingerprint)


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]
