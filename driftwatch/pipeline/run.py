"""The whole job over every upstream: a Report, and the state to keep for the next look. Writes nothing itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from driftwatch import __version__
from driftwatch.config.model import Upstream, Watchlist
from driftwatch.errors import EXIT_CLEAN, EXIT_FINDINGS, EXIT_UNVERIFIED, UsageError, did_you_mean
from driftwatch.judge.waivers import Waivers
from driftwatch.model import SEVERITIES, Outcome, Report, UpstreamReport
from driftwatch.pipeline import early, polling
from driftwatch.pipeline.examine import Examined, Request, examine, terms_for
from driftwatch.pipeline.settings import Settings
from driftwatch.pipeline.world import World
from driftwatch.store import lock as locks
from driftwatch.store import observed
from driftwatch.store.lock import LockedUpstream
from driftwatch.store.observed import Seen

SCHEMA_VERSION = 1
NOTHING_SPECIAL = Request()
WORST_FIRST: tuple[Outcome, ...] = ("broken", "unverified", "drifted", "compatible")


@dataclass(frozen=True, slots=True)
class Result:
    """``seen`` is what the next look is held against; ``examined`` keeps the snapshots for ``accept``."""

    report: Report
    seen: Seen
    examined: tuple[Examined, ...] = ()


def lock_path(watchlist: Watchlist) -> Path:
    return watchlist.path.with_suffix(".lock")


def reports_folder(watchlist: Watchlist) -> Path:
    return watchlist.root / watchlist.reports


def seen_path(watchlist: Watchlist) -> Path:
    return reports_folder(watchlist) / "observed.json"


def chosen(watchlist: Watchlist, ids: Sequence[str]) -> tuple[Upstream, ...]:
    """The upstreams named, or all. Raises UsageError for a name that is not in the watchlist."""
    known = [upstream.id for upstream in watchlist.upstreams]
    for name in ids:
        if name not in known:
            raise UsageError(
                f"{watchlist.path} has no upstream {name!r}", did_you_mean(name, known) or f"it has: {', '.join(known)}"
            )
    return tuple(upstream for upstream in watchlist.upstreams if not ids or upstream.id in ids)


def run(
    watchlist: Watchlist,
    settings: Settings,
    request: Request = NOTHING_SPECIAL,
    only: Sequence[str] = (),
    fail_on: str = "breaking",
) -> Result:
    """Look at every upstream (or those named in ``only``) and judge."""
    upstreams = chosen(watchlist, only)
    if request.ad_hoc and len(upstreams) > 1:
        raise UsageError("--from and --to are versions of one upstream, and the watchlist has several", "add --upstream ID")
    lock = locks.read(lock_path(watchlist))
    seen = observed.read(seen_path(watchlist)) or Seen()
    waivers = Waivers(watchlist.waivers, settings.now.date())
    examined: list[Examined] = []
    with World.of(watchlist, settings) as world:
        told = polling.ask(upstreams, world.registry)
        for upstream in upstreams:
            locked = lock.upstreams.get(upstream.id) if lock else None
            polled = polling.poll(upstream, told, locked, seen.upstreams.get(upstream.id))
            last = upstream is upstreams[-1] and not only
            item = examine(
                watchlist, upstream, polled, locked, seen.upstreams.get(upstream.id), world, request, waivers, last=last
            )
            examined.append(_with_news(item, watchlist, upstream, locked, world, request))
    now = stamp(settings.now)
    remembered = {item.report.id: polling.remember(item.polled, seen.upstreams.get(item.report.id), now) for item in examined}
    report = report_of(
        watchlist.project.name, [item.report for item in examined], settings.now, fail_on, _rerun(watchlist, request, only)
    )
    report = replace(report, watchlist=watchlist.path.name)
    return Result(report, Seen({**seen.upstreams, **remembered}), tuple(examined))


def _with_news(
    item: Examined, watchlist: Watchlist, upstream: Upstream, locked: LockedUpstream | None, world: World, request: Request
) -> Examined:
    """The early dist-tags; compared like any version of the user's choice where that is asked for."""

    def compare(version: str) -> UpstreamReport:
        asked = replace(request, before="", after=version)
        waivers = Waivers(watchlist.waivers, world.settings.now.date())
        return examine(watchlist, upstream, item.polled, locked, None, world, asked, waivers, last=False).report

    relied = [reliance.address for reliance in terms_for(upstream, watchlist, world.settings.now.date()).reliances]
    rows = early.rows(item.report, upstream, relied, compare if request.early else None)
    return replace(item, report=replace(item.report, early=rows))


def report_of(project: str, upstreams: Sequence[UpstreamReport], now: datetime, fail_on: str, rerun: str) -> Report:
    """The upstreams' reports under one verdict: the worst of theirs."""
    outcome = min((upstream.outcome for upstream in upstreams), key=WORST_FIRST.index)
    report = Report(
        schema_version=SCHEMA_VERSION,
        tool_version=__version__,
        generated_at=stamp(now),
        project=project,
        outcome=outcome,
        exit_code=EXIT_CLEAN,
        upstreams=tuple(upstreams),
        rerun=rerun,
    )
    return replace(report, exit_code=exit_code(report, fail_on))


def exit_code(report: Report, fail_on: str) -> int:
    """10 findings at or above ``fail_on`` that count; else 11 when something asked for could not be looked at; else 0."""
    findings = [finding for upstream in report.upstreams for finding in upstream.findings if finding.counts]
    if fail_on != "never":
        floor = 0 if fail_on == "any" else [*SEVERITIES].index(fail_on)  # type: ignore[arg-type]
        if any(SEVERITIES.index(finding.severity) >= floor for finding in findings):
            return EXIT_FINDINGS
    # A broken upstream may hide that another part was not looked at: with --fail-on never the gap still shows.
    if any(upstream.outcome == "unverified" or _unseen(upstream) for upstream in report.upstreams):
        return EXIT_UNVERIFIED
    return EXIT_CLEAN


def stamp(now: datetime) -> str:
    """ISO 8601 in UTC, to the second."""
    return now.replace(microsecond=0).isoformat().replace("+00:00", "Z")


def _unseen(upstream: UpstreamReport) -> bool:
    return any(row.status == "unverified" for row in upstream.reliances)


def _rerun(watchlist: Watchlist, request: Request, only: Sequence[str]) -> str:
    words = ["driftwatch", "run"]
    if watchlist.path.name != "watchlist.yaml":
        words += ["--watchlist", watchlist.path.name]
    words += [word for name in only for word in ("--upstream", name)]
    words += ["--from", request.before] if request.before else []
    words += ["--to", request.after] if request.after else []
    words += ["--early"] if request.early else []
    return " ".join(words)
