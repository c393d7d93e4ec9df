"""What real hosts did: ``probe:ID#member`` facts from probe rows, and gaps where a host could not be asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from semver import Version

from driftwatch.model import Address, Fact, Gap, Observed, ProbeRow

OUTCOME = "outcome"


def observe(rows: Iterable[ProbeRow]) -> Observed:
    """``probe:ID#outcome`` for every probe that has an answer (holds, broken, absent), and ``probe:ID#NAME`` for everything
    it observed. An unverified probe is a gap at ``probe:ID#**``: it has no facts, so that it can never look unchanged.
    A fact that differed between runs of one and the same host is a gap of its own: it is neither drift nor its absence."""
    facts: list[Fact] = []
    gaps: list[Gap] = []
    for row in rows:
        if row.outcome == "unverified":
            published = Version.is_valid(row.version)  # what is no version is a commit, whose host nobody publishes
            remedy = f"`driftwatch probe --version {row.version}` asks that host again" if published else ""
            gaps.append(Gap(Address.of("probe", row.id, "**"), row.reason or "it gave no reason", remedy))
        else:
            facts.extend(_facts(row))
            gaps.extend(_unstable(row))
    return Observed(tuple(facts), tuple(gaps))


def _facts(row: ProbeRow) -> Iterator[Fact]:
    where = f"host {row.version}" + (f": {row.evidence[0]}" if row.evidence else "")
    yield Fact(Address.of("probe", row.id, OUTCOME), row.outcome, where)
    for name, value in sorted(row.facts.items()):
        if name not in row.unstable:
            yield Fact(Address.of("probe", row.id, name), value, where)


def _unstable(row: ProbeRow) -> Iterator[Gap]:
    for name in row.unstable:
        seen = next((line for line in row.evidence if line.startswith(f"unstable {name}: ")), "")
        what = f": it was {seen.removeprefix(f'unstable {name}: ')}" if seen else ""
        reason = f"unstable: {row.runs} runs of host {row.version} do not agree in it{what}"
        yield Gap(Address.of("probe", row.id, name), reason, "rely on something of this probe that does not vary")
