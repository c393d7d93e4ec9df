"""``driftwatch floor``: for everything relied on, the first published version that has it; declared and behaving apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from driftwatch import addresses as patterns
from driftwatch.errors import EXIT_CLEAN, EXIT_UNVERIFIED, Unobservable, UsageError
from driftwatch.judge import published
from driftwatch.judge.floor import Search, usual
from driftwatch.judge.holding import Demand, holding
from driftwatch.model.floors import Floor, FloorReport, FloorRow
from driftwatch.pipeline import compiles, story, tracks
from driftwatch.pipeline.asked import Asked, asked, library, package_of
from driftwatch.pipeline.run import chosen, floors_path
from driftwatch.pipeline.settings import Settings
from driftwatch.pipeline.tracks import Track
from driftwatch.pipeline.world import World
from driftwatch.store import floors
from driftwatch.versions import ordered, parse

if TYPE_CHECKING:
    from driftwatch.config.model import Upstream, Watchlist


@dataclass(frozen=True, slots=True)
class Request:
    """``addresses``: only these (empty: all that is relied on). ``since``: no version below. ``looks``: at most so many versions
    of each kind that costs something (0: the usual caution). ``scan``: every version, whatever it costs. ``boot`` false leaves
    hosts alone."""

    addresses: tuple[str, ...] = ()
    since: str = ""
    prereleases: bool = False
    looks: int = 0
    scan: bool = False
    boot: bool = True

    @property
    def whole(self) -> bool:
        """Nothing narrows it, so that its answer may be kept as the project's."""
        return not self.addresses and not self.since and self.boot


def keep(watchlist: Watchlist, reports: Iterable[FloorReport]) -> None:
    """Remember the floors for the reports to come. Raises StoreError, and ConfigError when the file kept is broken."""
    floors.write(floors_path(watchlist), {report.upstream: story.marks(report) for report in reports})


def floor(watchlist: Watchlist, settings: Settings, request: Request, only: Sequence[str] = ()) -> tuple[FloorReport, ...]:
    """The floors of every upstream that has something relied on, in the watchlist's order.

    Raises UsageError for an address that no upstream has, or when there is nothing to search for.
    """
    if request.since and parse(request.since) is None:
        raise UsageError(f"--since {request.since!r} is not a version", "such as --since 1.14.0")
    upstreams = chosen(watchlist, only)
    reports = []
    with World.of(watchlist, settings) as world:
        wanted = {each.id: _wanted(each, watchlist, request.addresses, world) for each in upstreams}
        _complain(request, upstreams, wanted)
        for upstream in upstreams:
            if wanted[upstream.id]:
                reports.append(_Upstream(upstream, watchlist, request, world).report(wanted[upstream.id]))
    return tuple(reports)


def _wanted(upstream: Upstream, watchlist: Watchlist, only: Sequence[str], world: World) -> tuple[Asked, ...]:
    """The rows of one upstream; our own source comes last, and is not asked for as something relied on, too."""
    source = compiles.asked(upstream, watchlist, only)
    others = [address for address in only if not (source and patterns.matches(address, source[0].demand.address))]
    return (*(asked(upstream, watchlist, others, world) if others or not only else ()), *source)


def exit_code(reports: Iterable[FloorReport]) -> int:
    return EXIT_CLEAN if all(report.certain for report in reports) else EXIT_UNVERIFIED


def _complain(request: Request, upstreams: Sequence[Upstream], wanted: Mapping[str, Sequence[Asked]]) -> None:
    spoken = [demand.address for rows in wanted.values() for row in rows for demand in row.demands]
    for address in request.addresses:
        if not any(patterns.matches(address, each) for each in spoken):
            names = ", ".join(name for upstream in upstreams for name in upstream.packages)
            raise UsageError(f"no upstream of the watchlist has {address}", f"its packages are: {names}")
    if not any(wanted.values()):
        raise UsageError("nothing is relied on, so there is no floor to look for", "write relies_on, or give an address")


# --- the search


class _Upstream:
    """All searches of one upstream: one for each package and kind, one for its hosts."""

    def __init__(self, upstream: Upstream, watchlist: Watchlist, request: Request, world: World) -> None:
        self._upstream, self._watchlist, self._request, self._world = upstream, watchlist, request, world
        self._progress = world.settings.progress
        self._looked: dict[str, int] = {}

    def report(self, rows: Sequence[Asked]) -> FloorReport:
        declared: dict[str, Floor] = {}
        for kind, package in dict.fromkeys(_track_of(row.declared) for row in rows if row.declared):
            demands = [row.declared for row in rows if row.declared and _track_of(row.declared) == (kind, package)]
            declared |= self._search(self._track(kind, package), list(dict.fromkeys(demands)))
        behaving = self._hosts(list(dict.fromkeys(row.behaviour for row in rows if row.behaviour)))
        answers = self._with_gaps([_row(row, declared, behaving) for row in rows])
        minimum, deciding = published.minimum(answers)
        return FloorReport(self._upstream.id, answers, minimum, deciding, published.certain(answers), dict(self._looked))

    def _track(self, kind: str, package: str) -> Track:
        if kind == "use":
            return compiles.Compiles(self._upstream, self._watchlist, self._world)
        return (tracks.Manifests if kind == "manifest" else tracks.Declared)(package, self._world)

    def _hosts(self, demands: Sequence[Demand]) -> dict[str, Floor]:
        if not demands:
            return {}
        if self._upstream.host is None:
            return _unknown(demands, "", "no `host:` is named for this upstream")
        if not self._request.boot:
            return _unknown(demands, "", "no host is booted in this run")
        there = library(self._upstream, self._world)
        probes = [probe for name, probe in there.items() if any(patterns.overlap(f"probe:{name}", d.address) for d in demands)]
        return self._search(tracks.Hosts(self._upstream, demands, probes, self._world), demands)

    def _search(self, track: Track, demands: Sequence[Demand]) -> dict[str, Floor]:
        try:
            package, versions = track.package, self._versions(track)
        except Unobservable as error:
            return _unknown(demands, "", "; ".join(filter(None, (error.message, error.remedy))))
        every = track.whole or self._request.scan
        limit = None if every or self._world.settings.offline else self._request.looks or track.limit
        search = Search(versions, [demand.address for demand in demands], limit=limit)
        with self._progress.task(f"{track.title}: {len(versions)} published versions", usual(len(versions))) as task:
            while wanted := (versions if every and not search.looked else search.wanted()):
                for version, observed in track.look(wanted):
                    answers = holding(demands, observed)
                    search.tell(version, answers)
                    task.advance()
                    if not track.whole:
                        held = [answer for answer, _ in answers.values()]
                        self._progress.note(f"{package} {version}: {held.count(True)} of {len(held)} hold{_dark(held)}")
        self._looked[f"{track.title} ({package})" if package not in track.title else track.title] = search.looked
        return {demand.address: search.floor(demand.address, package) for demand in demands}

    def _versions(self, track: Track) -> list[str]:
        since = parse(self._request.since)
        parsed = [(version, parse(version)) for version in tracks.published(track, self._world)]
        return [
            version
            for version, number in parsed
            if number and (self._request.prereleases or not number.prerelease) and (since is None or number >= since)
        ]

    # --- gaps between published versions

    def _with_gaps(self, rows: Sequence[FloorRow]) -> tuple[FloorRow, ...]:
        found = [floor for row in rows for floor in row.floors if floor.status == "found"]
        if not found:
            return tuple(rows)
        known = self._known({floor.package for floor in found})

        def gapped(floor: Floor | None) -> Floor | None:
            if floor is None or floor.status != "found":
                return floor
            missing = published.unpublished(floor.below, floor.version, known[floor.package], known[""])
            return replace(floor, unpublished=missing)

        return tuple(replace(row, declared=gapped(row.declared), behaviour=gapped(row.behaviour)) for row in rows)

    def _known(self, packages: Iterable[str]) -> dict[str, list[str]]:
        """Every version of each package, and at "" every version that is known to exist: of any of them, and git tags."""
        versions: dict[str, list[str]] = {}
        for name in sorted({*packages, *self._upstream.packages}):
            try:
                versions[name] = ordered(self._world.registry.packument(name).versions)
            except Unobservable as error:
                self._progress.note(f"versions of {name} are left out of the gaps: {error.message}")
        return {**versions, "": [*self._tags(), *(version for each in versions.values() for version in each)]}

    def _tags(self) -> list[str]:
        git = self._upstream.git
        if git is None:
            return []
        head, _, tail = git.tags.partition("{version}")
        try:
            names = self._world.mirror(git).tags()
        except Unobservable as error:
            self._progress.note(f"git tags are left out of the gaps: {error.message}")
            return []
        return [name[len(head) : len(name) - len(tail)] for name in names if name.startswith(head) and name.endswith(tail)]


def _track_of(demand: Demand) -> tuple[str, str]:
    return demand.address.partition(":")[0], package_of(demand.address)


def _dark(held: Sequence[bool | None]) -> str:
    return f", {held.count(None)} could not be told" if None in held else ""


def _unknown(demands: Iterable[Demand], package: str, reason: str) -> dict[str, Floor]:
    return {demand.address: Floor(demand.address, package, "unknown", reason=reason) for demand in demands}


def _row(asked: Asked, declared: Mapping[str, Floor], behaving: Mapping[str, Floor]) -> FloorRow:
    return FloorRow(
        address=asked.demand.address,
        why=asked.why,
        wanted=asked.demand.words,
        declared=declared[asked.declared.address] if asked.declared else None,
        behaviour=behaving[asked.behaviour.address] if asked.behaviour else None,
        reason=asked.reason,
    )
