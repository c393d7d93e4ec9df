"""What every format of the matrix shows, in plain words (not escaped)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from driftwatch.model import Finding, Json, ProbeRow
from driftwatch.model.matrix import Matrix, MatrixProbe, Move
from driftwatch.render import clean

MEANINGS: Mapping[str, str] = {
    "holds": "everything expected was observed",
    "broken": "something expected was not observed, twice in a row",
    "broken as expected": "it fails, as is known of this version",
    "absent": "this host does not have the surface at all",
    "absent as expected": "it is not there, as is known of this version",
    "holds unexpectedly": "it was known to fail here, and passes",
    "flaky": "two runs of this very host contradict each other",
    "unverified": "it could not be told; the reason says why",
    "not asked": "no part of this matrix asked it",
}
LISTED = 12  # members of a list or an object named in one line


@dataclass(frozen=True, slots=True)
class Line:
    """One probe over all hosts, in their order; None where it was not asked."""

    probe: MatrixProbe
    cells: tuple[ProbeRow | None, ...]


@dataclass(frozen=True, slots=True)
class Span:
    """One value of a fact, over neighbouring hosts that agree in it. ``unstable``: on one of them it varies by itself."""

    first: str
    last: str
    value: Json
    unstable: bool = False

    @property
    def hosts(self) -> str:
        return self.first if self.first == self.last else f"{self.first} to {self.last}"


@dataclass(frozen=True, slots=True)
class Difference:
    """One fact that is not the same on two neighbours, and in words what of it."""

    probe: str
    fact: str
    text: str


def lines(matrix: Matrix) -> list[Line]:
    """The control first, then by id."""
    cells = {(row.id, row.version): row for row in matrix.cells}
    ordered = sorted(matrix.probes, key=lambda probe: (not probe.control, probe.id))
    return [Line(probe, tuple(cells.get((probe.id, host.version)) for host in matrix.hosts)) for probe in ordered]


def word(row: ProbeRow | None) -> str:
    """One of MEANINGS."""
    if row is None:
        return "not asked"
    beside = {"failed-as-expected": " as expected", "passed-unexpectedly": " unexpectedly"}
    told = row.word + beside.get(row.standing, "")
    return told if told in MEANINGS else row.word


def headline(matrix: Matrix) -> str:
    count = Counter(word(row) for row in matrix.cells)
    told = ", ".join(f"{each} {count[each]}" for each in MEANINGS if count[each])
    what = f"{_many(len(matrix.probes), 'probe')} on {_many(len(matrix.hosts), matrix.host + ' host')}"
    part = f" (part {matrix.shard.index} of {matrix.shard.of})" if matrix.shard else ""
    return f"{what}{part}: {told or 'nothing was asked'}"


def used(matrix: Matrix) -> dict[str, str]:
    """The words that occur, with their meanings."""
    there = {word(cell) for line in lines(matrix) for cell in line.cells}
    return {each: meaning for each, meaning in MEANINGS.items() if each in there}


def remarks(row: ProbeRow) -> Iterator[str]:
    """What a reader must know of a cell beside its word."""
    if row.reason:
        yield row.reason
    if row.expected:
        yield f"known of hosts {row.expected.versions} until {row.expected.expires}: {row.expected.reason}"
    if row.unstable:
        yield f"varies from run to run, so it is no drift: {', '.join(row.unstable)}"


def notes(matrix: Matrix) -> list[tuple[str, str, str]]:
    """(probes, host and word, remark): what must be said beside the words; what is said of many probes of a host is said once."""
    same: dict[tuple[str, str, str], list[str]] = {}
    for line in lines(matrix):
        for row in line.cells:
            if row is not None and (said := "; ".join(remarks(row))):
                same.setdefault((row.version, word(row), said), []).append(row.id)
    return [(_ids(ids), f"{version}: {told}", said) for (version, told, said), ids in same.items()]


def _ids(ids: Sequence[str]) -> str:
    return ids[0] if len(ids) == 1 else f"{len(ids)} probes ({', '.join(ids[:3])}{', ...' if len(ids) > 3 else ''})"


def spans(line: Line) -> dict[str, list[Span]]:
    """Each fact's values over the hosts that were asked."""
    told = [row for row in line.cells if row is not None and row.outcome != "unverified"]
    names = sorted({name for row in told for name in row.facts})
    return {name: list(_spans(name, told)) for name in names}


def _spans(name: str, rows: Sequence[ProbeRow]) -> Iterator[Span]:
    for _, group in groupby(rows, key=lambda row: clean.compact(row.facts.get(name))):
        same = list(group)
        value = same[0].facts.get(name)
        yield Span(same[0].version, same[-1].version, value, any(name in row.unstable for row in same))


def differences(move: Move) -> list[Difference]:
    """What moved, a line each; what is behind an outcome that moved follows it."""
    ordered = sorted(
        move.findings, key=lambda each: (each.address.subject, each.address.member != "outcome", each.address.member)
    )
    return [each for finding in ordered for each in _differences(finding)]


def _differences(finding: Finding) -> Iterator[Difference]:
    yield Difference(finding.address.subject, finding.address.member, moved(finding.before, finding.after))
    observed = finding.args.get("observed")
    for name, pair in sorted(observed.items()) if isinstance(observed, dict) else ():
        if isinstance(pair, list) and len(pair) == 2:
            yield Difference(finding.address.subject, name, moved(*pair))


def moved(before: Json, after: Json) -> str:
    """Two values in one line; of lists and objects only what is not in both."""
    if isinstance(before, list) and isinstance(after, list):
        gone, come = _without(before, after), _without(after, before)
        if gone or come:
            return _listed(come, gone)
        return f"the order changed: {clean.value(before)} became {clean.value(after)}"
    if isinstance(before, dict) and isinstance(after, dict):
        inside = [
            f"{name}: {moved(before[name], after[name])}" for name in before if name in after and before[name] != after[name]
        ]
        keys = _listed([name for name in after if name not in before], [name for name in before if name not in after])
        return "; ".join(filter(None, [keys, *inside[:LISTED]]))
    return f"{clean.value(before)} became {clean.value(after)}"


def _without(some: list[Json], others: list[Json]) -> list[Json]:
    left = [clean.compact(each) for each in others]
    found: list[Json] = []
    for each in some:
        text = clean.compact(each)
        if text in left:
            left.remove(text)
        else:
            found.append(each)
    return found


def _listed(come: Sequence[Json], gone: Sequence[Json]) -> str:
    return "; ".join(f"{verb} {_names(some)}" for verb, some in (("new:", come), ("gone:", gone)) if some)


def _names(some: Sequence[Json]) -> str:
    more = f" and {len(some) - LISTED} more" if len(some) > LISTED else ""
    return ", ".join(clean.value(each) for each in some[:LISTED]) + more


def _many(count: int, one: str) -> str:
    return f"{count} {one}" if count == 1 else f"{count} {one}s"
