"""One upstream, whole: observe both sides, compare, judge, and lay out what a reader wants to see."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import TYPE_CHECKING

from driftwatch.judge.compare import comparable, compare
from driftwatch.judge.expected import FAILED
from driftwatch.judge.expected import changes as expected_changes
from driftwatch.judge.overdue import overdue
from driftwatch.judge.reliances import reliance_rows, unseen
from driftwatch.judge.terms import Relied, Terms
from driftwatch.judge.verdict import asked, judge
from driftwatch.judge.waivers import Waivers
from driftwatch.model import Change, Observed, Snapshot, UpstreamReport
from driftwatch.pipeline import behaviour, branch, contract, named, packaged, polling, proof, repository, sides, usage
from driftwatch.pipeline.together import together
from driftwatch.pipeline.versions import Pick
from driftwatch.pipeline.world import World
from driftwatch.store.lock import LockedUpstream
from driftwatch.store.observed import SeenUpstream

if TYPE_CHECKING:
    from driftwatch.config.model import Upstream, Watchlist

Line = Callable[[str, str], str]


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line asked for on top of the watchlist. ``ad_hoc`` runs leave the lock's story alone. The pins are
    packages whose version on that side is known by itself. An ``accepting`` run takes the new version as accepted where
    nothing was accepted before. With ``early`` the versions ahead of the watched tag are compared too."""

    before: str = ""
    after: str = ""
    probes: bool = True
    accepting: bool = False
    early: bool = False
    pins_before: Mapping[str, Pick] = field(default_factory=dict)
    pins_after: Mapping[str, Pick] = field(default_factory=dict)

    @property
    def ad_hoc(self) -> bool:
        return bool(self.before or self.after)


@dataclass(frozen=True, slots=True)
class Examined:
    """The report of one upstream and the two snapshots it was made from."""

    report: UpstreamReport
    old: Snapshot
    new: Snapshot
    polled: polling.Polled


def terms_for(upstream: Upstream, watchlist: Watchlist, today: date) -> Terms:
    """What the project relies on: written out, plus every watched path, listed probe and listed document."""
    written = {reliance.address for reliance in upstream.relies_on}
    implied = [Relied(f"file:{path.path}", path.breaks) for path in upstream.watch]
    implied += [Relied(f"probe:{probe.id}", "listed under probes") for probe in behaviour.selected(upstream, watchlist.root)]
    implied += [Relied(_documents(glob), "listed under anchors") for glob in upstream.anchors]
    return Terms(
        role=watchlist.project.role,
        today=today,
        reliances=(*upstream.relies_on, *(relied for relied in implied if relied.address not in written)),
        waivers=tuple(waiver for waiver in watchlist.waivers if waiver.upstream in (None, upstream.id)),
        overrides=(*upstream.severity, *watchlist.severity),
        everything=not upstream.relies_on,
        signals=upstream.deprecations,
        source=bool(watchlist.project.source),
    )


def _documents(glob: str) -> str:
    """Every reference in the documents a glob means, as an address pattern."""
    return f"anchor:{glob.removeprefix('./')}{'#**' if '*' in glob else ''}"


def examine(
    watchlist: Watchlist,
    upstream: Upstream,
    polled: polling.Polled,
    locked: LockedUpstream | None,
    seen: SeenUpstream | None,
    world: World,
    request: Request,
    waivers: Waivers,
    *,
    last: bool,
) -> Examined:
    """The whole job for one upstream. What cannot be looked at becomes a gap; only usage errors are raised."""
    today = world.settings.now.date()
    before, after = _sides(upstream, polled, locked, world, request)
    used = usage.look(watchlist, upstream, before, polled, world)
    terms = replace(terms_for(upstream, watchlist, today), used=usage.kinds(used))
    look = _Look(upstream, before, after, locked, polled, terms, world, request.probes)
    files, hosts, declared, named = look.files, look.hosts, look.declared, look.named
    before, after = replace(before, commit=files.before), replace(after, commit=files.after)
    known = polling.known(upstream, locked, seen, polled)
    now = polled.now
    if request.ad_hoc:  # two versions of the user's choice: what moved on the registry since is another question
        known = now = Observed(gaps=now.gaps)
    both = (used, packaged.pins(before, polled, terms))
    seen_before = (known, packaged.manifests(before, polled, world), files.old, hosts.old, declared[0], named[0], *both)
    seen_after = (now, packaged.manifests(after, polled, world), files.new, hosts.new, declared[1], named[1], *both)
    old, new = _snapshot(upstream, before, polled, seen_before), _snapshot(upstream, after, polled, seen_after)
    known_failures = behaviour.expectations(upstream, behaviour.selected(upstream, watchlist.root))
    standing = [row for row in hosts.rows if row.standing and row.version == after.version]
    terms = replace(terms, expected=tuple(row.expected for row in standing if row.standing == FAILED and row.expected))
    changes = proof.prove(compare(*comparable(old, new)), old, new, proof.pairs(before, after, polled), world)
    looked_at = seen.looked_at if seen and not request.ad_hoc else ""
    changes = (*changes, *expected_changes(standing, known_failures, today))
    if late := overdue(upstream.id, looked_at, world.settings.now, watchlist.schedule):
        changes = (*changes, late)
    report, old, new = _judged(upstream, old, new, changes, terms, waivers, watchlist.line, last=last)
    tags = polling.tag_rows(known, now, compare(*(_only_tags(side) for side in (old, new))), seen)
    report = replace(
        report,
        tags=tags,
        packages=sides.package_rows(before, after),
        files=files.rows,
        probes=hosts.rows,
        scripts=hosts.scripts,
    )
    return Examined(report, old, new, polled)


def _sides(
    upstream: Upstream, polled: polling.Polled, locked: LockedUpstream | None, world: World, request: Request
) -> tuple[sides.Side, sides.Side]:
    """What stands for before and after: commits of a branch, or versions of packages."""
    if upstream.branch:
        newest = branch.after(upstream, world, request.after)
        return branch.before(upstream, locked, request.before, newest, accepting=request.accepting), newest
    fallback = (request.after or upstream.tag) if request.accepting else ""
    before = sides.before(upstream, polled, locked, request.before, fallback)
    after = sides.after(upstream, polled, request.after)
    return sides.pinned(before, request.pins_before, polled), sides.pinned(after, request.pins_after, polled)


class _Look:
    """Both sides, looked at in the repository, on booted hosts and in what is declared: all at once."""

    files: repository.Looked
    hosts: behaviour.Looked
    declared: tuple[Observed, Observed]
    named: list[Observed]

    def __init__(
        self,
        upstream: Upstream,
        before: sides.Side,
        after: sides.Side,
        locked: LockedUpstream | None,
        polled: polling.Polled,
        terms: Terms,
        world: World,
        boot: bool,
    ) -> None:
        def files() -> None:
            self.files = repository.look(upstream, before, after, locked, polled, world)
            self.named = named.look(upstream, (before, after), terms, world)

        def hosts() -> None:
            self.hosts = behaviour.look(upstream, before, after, world, boot=boot)

        def declared() -> None:
            self.declared = contract.look(upstream, before, after, polled, terms, world, boot=boot)

        together([files, hosts, declared])


def _snapshot(upstream: Upstream, side: sides.Side, polled: polling.Polled, parts: Iterable[Observed]) -> Snapshot:
    return Snapshot.of(side.ref(upstream, polled), Observed.join(parts))


def _judged(
    upstream: Upstream,
    old: Snapshot,
    new: Snapshot,
    changes: Sequence[Change],
    terms: Terms,
    waivers: Waivers,
    line: Line,
    *,
    last: bool,
) -> tuple[UpstreamReport, Snapshot, Snapshot]:
    new = replace(new, gaps=(*new.gaps, *unseen(old, new, terms)))
    verdict = judge(changes, old, new, terms, waivers, last=last)
    told = {replace(gap, asked=asked(gap, terms)) for gap in (*old.gaps, *new.gaps)}
    gaps = tuple(sorted(told, key=lambda gap: (not gap.asked, gap.address, gap.reason)))
    report = UpstreamReport(
        id=upstream.id,
        before=old.ref,
        after=new.ref,
        outcome=verdict.outcome,
        findings=verdict.findings,
        reliances=tuple(replace(row, where=line(upstream.id, row.address)) for row in reliance_rows(verdict, old, new, terms)),
        gaps=gaps,
    )
    return report, old, new


def _only_tags(snapshot: Snapshot) -> Snapshot:
    return replace(snapshot, facts=tuple(fact for fact in snapshot.facts if fact.address.kind == "tag"))
