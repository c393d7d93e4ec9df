"""``driftwatch poll``: the cheap look over every upstream, judged like a run but by tags and versions alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from driftwatch.judge.compare import compare
from driftwatch.judge.early import news
from driftwatch.judge.overdue import overdue
from driftwatch.judge.terms import Terms
from driftwatch.judge.verdict import judge
from driftwatch.judge.waivers import Waivers
from driftwatch.model import Observed, Ref, Snapshot, UpstreamReport
from driftwatch.pipeline import branch, polling, sides
from driftwatch.pipeline.reporting import report_of, stamp
from driftwatch.pipeline.run import Result, chosen, lock_path, seen_path
from driftwatch.pipeline.settings import Settings
from driftwatch.pipeline.world import World
from driftwatch.store import lock as locks
from driftwatch.store import observed
from driftwatch.store.lock import LockedUpstream
from driftwatch.store.observed import Seen, SeenUpstream

if TYPE_CHECKING:
    from driftwatch.config.model import Upstream, Watchlist


def poll(watchlist: Watchlist, settings: Settings, only: Sequence[str] = (), fail_on: str = "breaking") -> Result:
    """Tags and versions now, against the lock and the last look. One request a package."""
    upstreams = chosen(watchlist, only)
    lock = locks.read(lock_path(watchlist))
    seen = observed.read(seen_path(watchlist)) or Seen()
    reports: list[UpstreamReport] = []
    remembered: dict[str, SeenUpstream] = {}
    now = stamp(settings.now)
    with World.of(watchlist, settings) as world:
        told = polling.ask(upstreams, world.registry)
        for upstream in upstreams:
            locked = lock.upstreams.get(upstream.id) if lock else None
            last = seen.upstreams.get(upstream.id)
            polled = polling.poll(upstream, told, locked, last)
            newest = branch.after(upstream, world) if upstream.branch else None
            reports.append(_report(upstream, polled, locked, last, watchlist, settings.now, newest))
            remembered[upstream.id] = polling.remember(polled, last, now)
    report = report_of(watchlist.project.name, reports, settings.now, fail_on, "driftwatch poll", scope="tags")
    return Result(report, Seen({**seen.upstreams, **remembered}))


def _report(
    upstream: Upstream,
    polled: polling.Polled,
    locked: LockedUpstream | None,
    seen: SeenUpstream | None,
    watchlist: Watchlist,
    now: datetime,
    newest: sides.Side | None,
) -> UpstreamReport:
    today = now.date()
    known = polling.known(upstream, locked, seen, polled)
    before = Ref(upstream.id, locked.version if locked else upstream.accepted or "", upstream.primary)
    after = Ref(upstream.id, _tag(polled, upstream), upstream.primary)
    astray = Observed(gaps=sides.tag_gaps(upstream, polled, upstream.tag))
    if newest is not None:  # a branch: it has no dist-tags
        commit = (locked.commit if locked else "") or upstream.accepted or ""
        before, after = Ref(upstream.id, commit[: branch.SHORT], commit=commit), newest.ref(upstream, polled)
        astray = Observed(gaps=newest.gaps)
    old, new = Snapshot.of(before, known), Snapshot.of(after, polled.now + astray)
    late = overdue(upstream.id, seen.looked_at if seen else "", now, watchlist.schedule)
    changes = [*compare(old, new), *([late] if late else [])]
    terms = Terms(watchlist.project.role, today, upstream.relies_on, (), (*upstream.severity, *watchlist.severity))
    waivers = Waivers([w for w in watchlist.waivers if w.upstream in (None, upstream.id)], today)
    verdict = judge(changes, old, new, terms, waivers, last=False)
    moved = (before.version, before.commit) != (after.version, after.commit)
    tags = polling.tag_rows(known, polled.now, changes, seen)
    return UpstreamReport(
        id=upstream.id,
        before=before,
        after=after,
        # A version nobody has looked into is no "compatible".
        outcome="drifted" if verdict.outcome == "compatible" and moved else verdict.outcome,
        tags=tags,
        findings=verdict.findings,
        gaps=new.gaps,
        early=news(tags, upstream.tag, [reliance.address for reliance in upstream.relies_on]),
    )


def _tag(polled: polling.Polled, upstream: Upstream) -> str:
    tags: Mapping[str, str] = polled.packuments[upstream.primary].dist_tags if upstream.primary in polled.packuments else {}
    return tags.get(upstream.tag, "")
