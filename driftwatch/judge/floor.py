"""The first published version at which a fact holds, by looking at as few versions as will do. Pure: it says which versions
to look at next, is told what was seen there, and gives the answer.

A fact that begins to hold at one version and holds from then on costs at most ``ceil(log2 n) + 1`` looks among n versions
(the newest first, then halving). One look answers every fact, so all facts are searched together: each round picks versions
that serve as many of them as can be without making any of them dearer. What is left of that number of looks goes to samples
between the versions already seen. Where any two answers contradict "holds from then on" the fact is scanned: first the places
where it changes, then everything. A version that could not be looked at is neither yes nor no; its neighbour is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from driftwatch.model import FloorStatus
from driftwatch.model.floors import Floor, Look

Known = Mapping[int, bool | None]
Answer = tuple[bool | None, str]  # does it hold (None: it could not be told), and why not known
NOT_TOLD: Answer = (None, "nothing was said about it")
NOT_LOOKED = "not looked at: the limit of looks was reached"


class Search:
    """One search over ``versions`` (in rising order) for all ``facts`` that one look answers.

    ``limit``: look at no more versions than so many (None: no limit). ``extra``: more samples than the usual number of looks
    leaves room for. Ask ``wanted`` and ``tell`` until nothing is wanted; ``floor`` then gives each fact's answer.
    """

    def __init__(self, versions: Sequence[str], facts: Iterable[str], *, limit: int | None = None, extra: int = 0) -> None:
        self.versions = tuple(versions)
        self.limit = limit
        self._usual = usual(len(self.versions)) + extra
        self._places = {version: place for place, version in enumerate(self.versions)}
        self._known: dict[str, dict[int, bool | None]] = {fact: {} for fact in facts}
        self._reasons: dict[tuple[str, int], str] = {}
        self._asked: set[int] = set()

    def wanted(self) -> tuple[str, ...]:
        """The versions to look at next, in rising order; empty when the search is over."""
        room = len(self.versions) if self.limit is None else max(0, self.limit - len(self._asked))
        return tuple(self.versions[place] for place in sorted(self._places_wanted()[:room]))

    def tell(self, version: str, answers: Mapping[str, Answer]) -> None:
        """What was seen at a version. A fact that is not among the answers could not be looked at."""
        place = self._places[version]
        self._asked.add(place)
        for fact, known in self._known.items():
            known[place], self._reasons[fact, place] = answers.get(fact, NOT_TOLD)

    @property
    def looked(self) -> int:
        """How many versions were looked at."""
        return len(self._asked)

    def floor(self, fact: str, package: str = "") -> Floor:
        """The answer for one fact, with all the evidence."""
        known = self._known[fact]
        found = _found(known, len(self.versions))
        return Floor(
            address=fact,
            package=package,
            status=found.status,
            version=self._version(found.at),
            below=self._version(found.below),
            unseen=tuple(self._unseen(fact, place) for place in found.unseen),
            looks=tuple(self._look(fact, place) for place in sorted(known)),
            intervals=tuple((self.versions[first], self.versions[last]) for first, last in found.intervals),
            exhaustive=len(self._asked) == len(self.versions),
            reason=self._why(fact, found),
        )

    # --- which versions

    def _places_wanted(self) -> list[int]:
        """The most needed first."""
        unsettled = [known for known in self._known.values() if steady(known)]
        proposals = [proposal for known in unsettled if (proposal := _next(known, len(self.versions)))]
        picks = [*_stab(proposals)]
        for known in self._known.values():
            if not steady(known):
                picks += _scan(known, len(self.versions))
        if not picks and self._known and len(self._asked) < self._usual:
            picks = _middles(_runs(self._asked, len(self.versions)), most=1)
        return list(dict.fromkeys(picks))

    # --- words

    def _version(self, place: int | None) -> str:
        return "" if place is None else self.versions[place]

    def _look(self, fact: str, place: int) -> Look:
        return Look(self.versions[place], self._known[fact][place], self._reasons[fact, place])

    def _unseen(self, fact: str, place: int) -> Look:
        return Look(self.versions[place], None, self._reasons.get((fact, place), NOT_LOOKED))

    def _why(self, fact: str, found: _Found) -> str:
        if found.status != "unknown":
            return ""
        said = [reason for place in sorted(self._known[fact], reverse=True) if (reason := self._reasons[fact, place])]
        return said[0] if said else "no version of it is published"


def usual(count: int) -> int:
    """How many looks are enough for one fact among ``count`` versions: ceil(log2 count) + 1."""
    return (count - 1).bit_length() + 1 if count else 0


def steady(known: Known) -> bool:
    """Whether the answers fit a fact that begins to hold and then goes on: no yes below a no."""
    low = max(_where(known, False), default=-1)
    return all(place > low for place in _where(known, True))


@dataclass(frozen=True, slots=True)
class _Proposal:
    """Places of which any one does for a fact: each leaves it no dearer than the ideal one."""

    places: tuple[int, ...]
    ideal: int


def _next(known: Known, count: int) -> _Proposal | None:
    """Where a steady fact wants to be looked at; None when it is settled (or nothing more can be told of it)."""
    for order in (range(count - 1, -1, -1), range(count)):
        edge = next((place for place in order if known.get(place, True) is not None), None)
        if edge is None:
            return None
        if edge not in known:
            return _Proposal((edge,), edge)
        if known[edge]:
            return _halve(known)  # the newest: it begins somewhere (the oldest: there is nothing to halve)
    return None  # neither at the newest nor at the oldest


def _halve(known: Known) -> _Proposal | None:
    low, high = _bracket(known)
    between = [place for place in range(low + 1, high) if place not in known]
    if not between:
        return None
    half = 1 << ((len(between)).bit_length() - 1)  # what either side may keep and still be settled with one look less
    return _Proposal(tuple(between[len(between) - half : half]), between[len(between) // 2])


def _bracket(known: Known) -> tuple[int, int]:
    """The last no (-1: none) and the first yes above it, of a fact that holds at the newest."""
    low = max(_where(known, False), default=-1)
    return low, min(place for place in _where(known, True) if place > low)


def _where(known: Known, answer: bool) -> Iterator[int]:
    return (place for place, holds in known.items() if holds is answer)


def _stab(proposals: Sequence[_Proposal]) -> Iterator[int]:
    """As few places as serve every proposal (each is a run of places: the classic stabbing of intervals)."""
    left = sorted(proposals, key=lambda proposal: (proposal.places[-1], proposal.places[0]))
    while left:
        common = set(left[0].places)
        served = [left[0]]
        for proposal in left[1:]:
            if common & set(proposal.places):
                common &= set(proposal.places)
                served.append(proposal)
        middle = sum(proposal.ideal for proposal in served) / len(served)
        yield min(common, key=lambda place: (abs(place - middle), place))
        left = [proposal for proposal in left if proposal not in served]


def _scan(known: Known, count: int) -> list[int]:
    """Where a fact that comes and goes wants to be looked at: where it changes, then in the middle of all that is unseen."""
    seen = sorted(place for place, holds in known.items() if holds is not None)
    turns = [range(low, high) for low, high in pairwise(seen) if known[low] is not known[high]]
    places = [[place for place in turn if place not in known] for turn in turns]
    return [each[len(each) // 2] for each in places if each] or _middles(_runs(known, count))


def _runs(asked: Iterable[int], count: int) -> list[range]:
    """The runs of places not asked, in rising order."""
    edges = [-1, *sorted(asked), count]
    return [range(low + 1, high) for low, high in pairwise(edges) if high - low > 1]


def _middles(runs: Sequence[range], most: int | None = None) -> list[int]:
    """The middle of each run, the longest first."""
    return [run[len(run) // 2] for run in sorted(runs, key=lambda run: (-len(run), run.start))[:most]]


# --- the answer


@dataclass(frozen=True, slots=True)
class _Found:
    status: FloorStatus
    at: int | None = None
    below: int | None = None
    unseen: tuple[int, ...] = ()
    intervals: tuple[tuple[int, int], ...] = ()


def _found(known: Known, count: int) -> _Found:
    seen = sorted(place for place, holds in known.items() if holds is not None)
    if not seen:
        return _Found("unknown", unseen=tuple(range(count)))
    above = tuple(range(seen[-1] + 1, count))
    intervals: tuple[tuple[int, int], ...] = ()
    if not steady(known):  # what comes and goes may do so again wherever nobody looked
        intervals = tuple(_intervals(known, seen))
        above = tuple(place for place in range(max(_where(known, False)), count) if known.get(place) is None)
    if not known[seen[-1]]:
        ever = any(known[place] for place in seen)
        return _Found("lost" if ever else "never", unseen=above, intervals=intervals)
    low, high = _bracket(known)
    unseen = tuple(sorted({*range(low + 1, high), *above}))
    return _Found("oldest" if low < 0 else "found", high, low if low >= 0 else None, unseen, intervals)


def _intervals(known: Known, seen: Sequence[int]) -> Iterator[tuple[int, int]]:
    """First and last place of each stretch in which every version seen says yes."""
    for holds, places in groupby(seen, key=lambda place: known[place]):
        if holds:
            stretch = list(places)
            yield stretch[0], stretch[-1]
