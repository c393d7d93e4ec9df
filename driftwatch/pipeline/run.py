"""The whole job over every upstream: a Report, and the state to keep for the next look. Writes nothing itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from driftwatch.errors import UsageError, did_you_mean
from driftwatch.judge.waivers import Waivers
from driftwatch.model import Report, UpstreamReport
from driftwatch.pipeline import early, polling, releases, sides, story
from driftwatch.pipeline.examine import Examined, Request, examine, terms_for
from driftwatch.pipeline.reporting import report_of, stamp
from driftwatch.pipeline.settings import Settings
from driftwatch.pipeline.world import World
from driftwatch.store import floors, history, observed
from driftwatch.store import lock as locks
from driftwatch.store.lock import LockedUpstream
from driftwatch.store.observed import Seen

if TYPE_CHECKING:
    from driftwatch.config.model import Upstream, Watchlist

NOTHING_SPECIAL = Request()


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


def history_path(watchlist: Watchlist) -> Path:
    return reports_folder(watchlist) / "history.jsonl"


def floors_path(watchlist: Watchlist) -> Path:
    return reports_folder(watchlist) / "floors.json"


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
    known = floors.read(floors_path(watchlist))
    examined: list[Examined] = []
    with World.of(watchlist, settings) as world:
        told = polling.ask(upstreams, world.registry)
        for upstream in upstreams:
            locked = lock.upstreams.get(upstream.id) if lock else None
            polled = polling.poll(upstream, told, locked, seen.upstreams.get(upstream.id))
            for asked in (request.before, request.after):
                sides.must_be_published(upstream, polled, asked)
            last = upstream is upstreams[-1] and not only
            item = examine(
                watchlist, upstream, polled, locked, seen.upstreams.get(upstream.id), world, request, waivers, last=last
            )
            examined.append(_with_news(item, watchlist, upstream, locked, world, request))
    now = stamp(settings.now)
    lines = [] if request.ad_hoc else history.read(history_path(watchlist))
    examined = [_with_story(item, known.get(item.report.id), lines, now) for item in examined]
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


def _with_story(item: Examined, known: floors.KnownFloors | None, lines: Sequence[story.Line], now: str) -> Examined:
    report = story.with_floors(item.report, known)
    packument = item.polled.packuments.get(report.after.package)
    named = (report.before.version, report.after.version, report.minimum)
    shown = releases.rows(packument, named)
    return replace(item, report=replace(report, trend=story.trend(lines, report, now), releases=shown))


def _rerun(watchlist: Watchlist, request: Request, only: Sequence[str]) -> str:
    words = ["driftwatch", "run"]
    if watchlist.path.name != "watchlist.yaml":
        words += ["--watchlist", watchlist.path.name]
    words += [word for name in only for word in ("--upstream", name)]
    words += ["--from", request.before] if request.before else []
    words += ["--to", request.after] if request.after else []
    words += ["--early"] if request.early else []
    return " ".join(words)
