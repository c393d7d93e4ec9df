"""What a change of the project's own dependencies means: the versions pinned at a base and a head revision, compared.

Nothing is looked at upstream unless a watched package moved, or it cannot be told from the files alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from driftwatch import __version__
from driftwatch.errors import EXIT_CLEAN
from driftwatch.judge.waivers import Waivers
from driftwatch.model import SCHEMA_VERSION, Gap, Ref, Report, UpstreamReport
from driftwatch.pipeline import pins, polling
from driftwatch.pipeline.examine import Request, examine
from driftwatch.pipeline.own import Own
from driftwatch.pipeline.pins import Pin, Tree
from driftwatch.pipeline.reporting import report_of, stamp
from driftwatch.pipeline.run import chosen, lock_path
from driftwatch.pipeline.settings import Settings
from driftwatch.pipeline.versions import Pick
from driftwatch.pipeline.world import World
from driftwatch.store import lock as locks
from driftwatch.store.lock import LockedUpstream

if TYPE_CHECKING:
    from driftwatch.config.model import Upstream, Watchlist


@dataclass(frozen=True, slots=True)
class Moves:
    """The pins of one upstream at both revisions, by package, in the watchlist's order."""

    upstream: Upstream
    base: Mapping[str, Pin] = field(default_factory=dict)
    head: Mapping[str, Pin] = field(default_factory=dict)

    @property
    def unknown(self) -> tuple[Pin, ...]:
        """Pins at the head that can't be told, or whose base can't, where the files differ."""
        pairs = [(self.base[name], self.head[name]) for name in self.head]
        bad = [now if now.reason else was for was, now in pairs if (was.reason or now.reason) and now.named and was != now]
        return tuple(bad)

    @property
    def moved(self) -> tuple[str, ...]:
        """Packages whose version differs, or that are new in package.json. One that is no longer listed moves nothing."""
        return tuple(name for name, pin in self.head.items() if pin.version and pin.version != self.base[name].version)


@dataclass(frozen=True, slots=True)
class Bumped:
    """``notes`` are for the person who waits: what is pinned where."""

    report: Report
    notes: tuple[str, ...] = ()


def bump(
    watchlist: Watchlist,
    settings: Settings,
    base: str,
    head: str,
    *,
    only: Sequence[str] = (),
    probes: bool = True,
    fail_on: str = "breaking",
) -> Bumped:
    """Compare what ``base`` and ``head`` (revisions of the project's own repository) pin. Raises UsageError for what is not
    a repository, a revision or a manifest."""
    upstreams = chosen(watchlist, only)
    trees = _trees(watchlist, base, head)
    lock = locks.read(lock_path(watchlist))
    reports: list[UpstreamReport] = []
    notes: list[str] = []
    with World.of(watchlist, settings) as world:
        for upstream in upstreams:
            if upstream.branch:
                continue  # no file of ours pins it
            locked = lock.upstreams.get(upstream.id) if lock else None
            moves = _moves(upstream, trees, world)
            notes += _notes(moves)
            if moves.moved or moves.unknown:
                reports.append(_compared(watchlist, moves, trees[1], locked, world, probes=probes))
    rerun = " ".join(["driftwatch", "bump", base, *([head] if head != "HEAD" else [])])
    if not reports:
        return Bumped(_nothing(watchlist, settings, rerun), tuple(notes))
    return Bumped(report_of(watchlist.project.name, reports, settings.now, fail_on, rerun), tuple(notes))


def _trees(watchlist: Watchlist, base: str, head: str) -> tuple[Tree, Tree]:
    with Own(watchlist.root) as own:
        first, second = own.commit(base), own.commit(head)
        return pins.tree(own, first, watchlist.project.manifest), pins.tree(own, second, watchlist.project.manifest)


def _moves(upstream: Upstream, trees: tuple[Tree, Tree], world: World) -> Moves:
    was, now = ({name: tree.pin(name) for name in upstream.packages} for tree in trees)
    if trees[0] == trees[1]:
        return Moves(upstream)
    open_ = [name for name in upstream.packages if was[name] != now[name] and any(_open(side[name]) for side in (was, now))]
    told = world.registry.packuments(open_) if open_ else {}
    for name in open_:
        answer = told[name]
        packument = None if isinstance(answer, Exception) else answer
        was[name], now[name] = pins.resolve(was[name], packument), pins.resolve(now[name], packument)
    return Moves(upstream, was, now)


def _open(pin: Pin) -> bool:
    return pin.named and not pin.version and not pin.reason


def _notes(moves: Moves) -> list[str]:
    notes = [f"{pin.package}: {pin.reason}" for pin in moves.unknown]
    for name in moves.moved:
        was, now = moves.base[name], moves.head[name]
        notes.append(f"{name} {was.version or '(not there)'} -> {now.version}, by {now.source}")
    return notes


def _compared(
    watchlist: Watchlist, moves: Moves, tree: Tree, locked: LockedUpstream | None, world: World, *, probes: bool
) -> UpstreamReport:
    upstream = moves.upstream
    gaps = tuple(Gap(f"version:{pin.package}", pin.reason, "pin a version of the registry") for pin in moves.unknown)
    place = _place(moves, tree)
    before, after = _version(moves.base), _version(moves.head)
    if not before:  # new in package.json: what was accepted is what it is held against
        before = locked.version if locked else upstream.accepted or ""
    if not before or not after:
        missing = Gap(f"version:{upstream.primary}", "no version is pinned before this change, and none was accepted",
                      "accept one with `driftwatch accept`, or write `accepted:` into the watchlist")  # fmt: skip
        sides = Ref(upstream.id, before, upstream.primary), Ref(upstream.id, after, upstream.primary)
        return UpstreamReport(upstream.id, *sides, outcome="unverified", gaps=gaps or (missing,), place=place)
    told = polling.ask([upstream], world.registry)
    request = Request(before, after, probes=probes, pins_before=_picks(moves.base), pins_after=_picks(moves.head))
    waivers = Waivers(watchlist.waivers, world.settings.now.date())
    polled = polling.poll(upstream, told)
    report = examine(watchlist, upstream, polled, locked, None, world, request, waivers, last=False).report
    outcome = "unverified" if gaps and report.outcome != "broken" else report.outcome
    return replace(report, gaps=(*gaps, *report.gaps), outcome=outcome, place=place)


def _version(side: Mapping[str, Pin]) -> str:
    """The upstream's version: that of the first of its packages that is pinned."""
    return next((pin.version for pin in side.values() if pin.version), "")


def _picks(side: Mapping[str, Pin]) -> Mapping[str, Pick]:
    return {name: Pick(pin.version, f"pinned by {pin.source}") for name, pin in side.items() if pin.version}


def _place(moves: Moves, tree: Tree) -> str:
    """The line of ours that moves it: in package.json when its words changed, else in the lock file."""
    for name in moves.moved or tuple(pin.package for pin in moves.unknown):
        pin = moves.head[name]
        if pin.spec != moves.base[name].spec or not tree.lock:
            return pin.place
        return tree.line_in_lock(pin) if pin.version else f"{tree.lock_path}:1"
    return ""


def _nothing(watchlist: Watchlist, settings: Settings, rerun: str) -> Report:
    return Report(
        schema_version=SCHEMA_VERSION,
        tool_version=__version__,
        generated_at=stamp(settings.now),
        project=watchlist.project.name,
        outcome="compatible",
        exit_code=EXIT_CLEAN,
        upstreams=(),
        rerun=rerun,
    )
