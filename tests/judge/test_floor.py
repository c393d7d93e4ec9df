"""The search for floors: right for every predicate that can be told, never more looks than promised."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftwatch.judge.floor import Search, steady, usual
from driftwatch.model.floors import Floor

Truth = list[bool | None]


def names(count: int) -> list[str]:
    return [f"1.0.{place}" for place in range(count)]


def search(truths: Mapping[str, Truth], *, limit: int | None = None, extra: int = 0) -> tuple[Search, dict[str, Floor]]:
    """Run a search whose oracle is ``truths``: fact -> answer by place."""
    count = len(next(iter(truths.values())))
    searching = Search(names(count), truths, limit=limit, extra=extra)
    while wanted := searching.wanted():
        assert len(set(wanted)) == len(wanted)
        for version in wanted:
            place = int(version.rpartition(".")[2])
            told = {fact: truth[place] for fact, truth in truths.items()}
            searching.tell(version, {fact: (holds, "" if holds is not None else f"no {version}") for fact, holds in told.items()})
    return searching, {fact: searching.floor(fact, "pkg") for fact in truths}


def one(truth: Truth, **how: int) -> tuple[Search, Floor]:
    searching, floors = search({"f": truth}, **how)
    return searching, floors["f"]


def rising(count: int, at: int) -> Truth:
    return [place >= at for place in range(count)]


steps = st.integers(1, 200).flatmap(lambda count: st.tuples(st.just(count), st.integers(0, count)))


@given(steps)
def test_a_fact_that_begins_and_goes_on_is_found_in_log2_looks_and_one(case: tuple[int, int]) -> None:
    count, at = case
    searching, floor = one(rising(count, at))
    assert searching.looked <= usual(count)
    assert floor.intervals == () and floor.unseen == ()
    if at == count:
        assert (floor.status, floor.version) == ("never", "")
    elif at == 0:
        assert (floor.status, floor.version, floor.below) == ("oldest", "1.0.0", "")
    else:
        assert (floor.status, floor.version, floor.below) == ("found", f"1.0.{at}", f"1.0.{at - 1}")
    assert floor.certain == (at < count)


def test_the_promise_in_numbers() -> None:
    assert [usual(count) for count in (0, 1, 2, 3, 4, 5, 8, 9, 64, 65, 108)] == [0, 1, 2, 3, 3, 4, 4, 5, 7, 8, 8]


@given(steps, st.sets(st.integers(0, 199)))
def test_what_cannot_be_looked_at_is_worked_around_and_named(case: tuple[int, int], dark: set[int]) -> None:
    count, at = case
    truth: Truth = [None if place in dark else holds for place, holds in enumerate(rising(count, at))]
    searching, floor = one(truth)
    visible = [place for place, holds in enumerate(truth) if holds is not None]
    unknown = sum(look.holds is None for look in floor.looks)
    assert searching.looked <= usual(count) + unknown
    if not visible:
        assert floor.status == "unknown" and floor.reason.startswith("no 1.0.") and not floor.certain
        return
    first = next((place for place in visible if truth[place]), None)
    assert floor.version == ("" if first is None else f"1.0.{first}")
    if first is None:
        assert floor.status == "never"
        return
    below = max((place for place in visible if place < first), default=-1)
    assert floor.below == (f"1.0.{below}" if below >= 0 else "")
    around = {*range(below + 1, first), *range(visible[-1] + 1, count)}
    assert {look.version for look in floor.unseen} == {f"1.0.{place}" for place in around}
    assert all(look.holds is None and look.reason == f"no {look.version}" for look in floor.unseen)
    assert floor.certain == (not around)


@given(st.lists(st.sampled_from([True, False, None]), min_size=1, max_size=60))
def test_any_predicate_is_either_seen_through_or_scanned_whole(truth: Truth) -> None:
    """Where the looks contradict "holds from then on" every version is looked at, and the answer is that of brute force."""
    searching, floor = one(truth)
    known = {int(look.version.rpartition(".")[2]): look.holds for look in floor.looks}
    assert all(truth[place] is holds for place, holds in known.items())
    visible = [place for place, holds in enumerate(truth) if holds is not None]
    if steady(known):
        assert searching.looked <= usual(len(truth)) + sum(holds is None for holds in known.values())
        assert floor.intervals == ()
        return
    assert floor.exhaustive and len(floor.intervals) >= 1 and searching.looked == len(truth)
    inside = set()
    for first, last in floor.intervals:
        low, high = (int(each.rpartition(".")[2]) for each in (first, last))
        inside |= {place for place in visible if low <= place <= high}
    assert inside == {place for place in visible if truth[place]}
    if not truth[visible[-1]]:
        assert (floor.status, floor.version) == ("lost", "")
        return
    low = max(place for place in visible if truth[place] is False)
    assert floor.below == f"1.0.{low}"
    assert floor.version == f"1.0.{min(place for place in visible if place > low)}"


@given(st.lists(st.booleans(), min_size=1, max_size=60))
def test_enough_samples_make_any_answer_exact(truth: list[bool]) -> None:
    _, floor = one(list(truth), extra=len(truth))
    assert floor.exhaustive
    falls = [place for place, holds in enumerate(truth) if not holds]
    at = falls[-1] + 1 if falls else 0
    assert floor.version == (f"1.0.{at}" if at < len(truth) else "")
    assert bool(floor.intervals) == (sorted(truth) != truth)


@given(
    st.integers(1, 120).flatmap(lambda count: st.lists(st.integers(0, count), min_size=1, max_size=6).map(lambda at: (count, at)))
)
@pytest.mark.slow
def test_facts_share_looks(case: tuple[int, list[int]]) -> None:
    count, places = case
    truths = {f"f{number}": rising(count, at) for number, at in enumerate(places)}
    searching, floors = search(truths)
    for number, at in enumerate(places):
        assert floors[f"f{number}"].version == (f"1.0.{at}" if at < count else "")
    # one fact's search, then at most a halving of its own for each further floor
    assert searching.looked <= usual(count) + (len(set(places)) - 1) * usual(count)
    assert len({floor.looks[0].version for floor in floors.values()}) == 1, "every look answers every fact"


def test_many_facts_of_one_floor_cost_what_one_costs() -> None:
    searching, _ = search({f"f{number}": rising(70, 33) for number in range(20)})
    assert searching.looked <= usual(70)


def test_a_limit_is_kept_and_what_it_hides_is_named() -> None:
    comes_and_goes: Truth = [place % 7 < 4 for place in range(61)]  # the oldest holds, the newest does not
    searching, floor = one(comes_and_goes, limit=12)
    assert searching.looked == 12 and not floor.exhaustive and floor.intervals
    assert floor.status == "lost" and not floor.certain
    _, stopped = one(rising(60, 20), limit=3)
    assert stopped.status in ("found", "oldest") and not stopped.certain
    assert "1.0.19" in {look.version for look in stopped.unseen}


def test_a_fact_that_was_lost_says_where_it_held() -> None:
    _, floor = one([place < 10 for place in range(30)])
    assert (floor.status, floor.version, floor.intervals) == ("lost", "", (("1.0.0", "1.0.9"),))
    assert not floor.certain


def test_the_same_questions_are_asked_in_the_same_order() -> None:
    truths = {"a": rising(40, 7), "b": rising(40, 31)}
    runs = [[look.version for look in search(truths)[1]["a"].looks] for _ in range(2)]
    assert runs[0] == runs[1]


def test_nothing_published_is_unknown() -> None:
    searching = Search([], ["f"])
    assert searching.wanted() == ()
    assert searching.floor("f").reason == "no version of it is published"


def test_a_fact_nobody_spoke_of_is_not_told() -> None:
    searching = Search(["1.0.0"], ["f"])
    searching.tell("1.0.0", {})
    assert searching.floor("f").looks[0].holds is None and searching.floor("f").looks[0].reason
