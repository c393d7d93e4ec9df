"""What booted hosts say: both sides probed, side by side."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from driftwatch.errors import ConfigError, Problem, Unobservable
from driftwatch.judge.expected import stand, valid
from driftwatch.model import Expectation, Gap, Observed, ProbeRow, ScriptRow
from driftwatch.pipeline.hosts import acquire, owned
from driftwatch.pipeline.sides import Side
from driftwatch.pipeline.together import together
from driftwatch.pipeline.world import World
from driftwatch.progress import counted

if TYPE_CHECKING:
    from driftwatch.config.model import Host, OwnHost, Upstream
    from driftwatch.observe.probes import Probe
    from driftwatch.observe.probes.runner import Seats

NOTHING = Observed()
OUTCOME = ""  # among the names of facts
Rows: TypeAlias = tuple[ProbeRow, ...]
K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Looked:
    """Facts and gaps of both hosts, and a row for each probe on each."""

    old: Observed = NOTHING
    new: Observed = NOTHING
    rows: tuple[ProbeRow, ...] = ()
    scripts: tuple[ScriptRow, ...] = ()  # what the probes laid into the host's project


def look(upstream: Upstream, before: Side, after: Side, world: World, *, boot: bool = True) -> Looked:
    """Run the listed probes on both versions. The same version on both sides is probed once."""
    from driftwatch.observe.facts import behaviour

    probes = selected(upstream, world.root)
    if not probes:
        return Looked()
    if upstream.host is None or not boot:
        why, do = ("probes were switched off for this run", "run without --no-probes")
        if upstream.host is None:
            why, do = ("no `host:` is named for this upstream", "add `host:` to it in the watchlist")
        gaps = Observed(gaps=tuple(Gap(f"probe:{probe.id}", why, do) for probe in probes))
        return Looked(gaps, gaps)
    host = upstream.host
    asked = [(before.version, host.own("accepted")), (after.version, host.own("new"))]
    keys = [version if own is None else own for version, own in asked]
    units = dict(zip(keys, asked, strict=True))

    def again(key: str | OwnHost, some: Sequence[Probe]) -> Rows:
        version, own = units[key]
        return on(host, some, version, world, own, repeat=2)

    told = together([partial(on, host, probes, version, world, own) for version, own in units.values()])
    rows = confirmed(dict(zip(units, told, strict=True)), probes, again)
    rows[keys[1]] = stand(rows[keys[1]], expectations(upstream, probes), world.settings.now.date())
    old, new = (rows[key] for key in keys)
    every = tuple(row for each in rows.values() for row in each)
    return Looked(behaviour.observe(old), behaviour.observe(new), every, scripts(probes, every))


def confirmed(told: Mapping[K, Rows], probes: Sequence[Probe], again: Callable[[K, Sequence[Probe]], Rows]) -> dict[K, Rows]:
    """``told`` (rows by host, neighbours beside each other), with a second run in fresh processes, asked of ``again``, of
    whatever is doubtful: what differs between two runs of one host too is unstable or flaky, and no drift."""
    wanted = {key: [probe for probe in probes if probe.id in names] for key, names in doubtful(told).items() if names}
    second = together([partial(again, key, some) for key, some in wanted.items()]) if wanted else []
    rows = {key: {row.id: row for row in each} for key, each in told.items()}
    for key, more in zip(wanted, second, strict=True):
        rows[key] |= {row.id: row for row in more}
    return {key: tuple(by_id[name] for name in sorted(by_id)) for key, by_id in rows.items()}


def doubtful(told: Mapping[K, Rows]) -> dict[K, set[str]]:
    """By host, the probes that saw there once what a neighbour contradicts. What the neighbour on the other side saw too has
    been seen twice: in a row of hosts only those beside a step up or down that nobody shares are asked again."""
    answers = [{row.id: row for row in rows if row.outcome != "unverified"} for rows in told.values()]
    beside = [[*answers[max(0, place - 1) : place], *answers[place + 1 : place + 2]] for place in range(len(answers))]
    return {
        key: {name for name, row in own.items() if alone(row, [other[name] for other in others if name in other])}
        for key, own, others in zip(told, answers, beside, strict=True)
    }


def alone(row: ProbeRow, neighbours: Sequence[ProbeRow]) -> bool:
    """Whether some answer of ``row``, its outcome or a fact, is not that of a single neighbour. Without neighbours nothing is."""
    from driftwatch.observe.probes.outcome import unlike

    told = [{OUTCOME: other.outcome, **other.facts} for other in neighbours]
    apart = [set(unlike({OUTCOME: row.outcome, **row.facts}, other)) for other in told]
    return bool(apart and set.intersection(*apart))


def expectations(upstream: Upstream, probes: Sequence[Probe]) -> tuple[Expectation, ...]:
    """The known failures: those the watchlist names, then those the probes name themselves."""
    named = dict(zip(upstream.probes, (probe.id for probe in probes), strict=True))
    written = [
        Expectation(named.get(each.probe, each.probe), each.versions, each.reason, each.expires.isoformat())
        for each in upstream.expected
    ]
    return (*written, *(each for probe in probes for each in probe.expected))


def scripts(probes: Sequence[Probe], rows: Sequence[ProbeRow]) -> tuple[ScriptRow, ...]:
    """The files of the probes that have a row, by probe and path."""
    ran = {row.id for row in rows}
    found = [ScriptRow(probe.id, path, text) for probe in probes if probe.id in ran for path, text in probe.files.items()]
    return tuple(sorted(found, key=lambda script: (script.probe, script.path)))


def selected(upstream: Upstream, root: Path) -> Sequence[Probe]:
    """The probes of the watchlist, built in or in folders of the user's (from ``root``). Raises ConfigError for a broken one."""
    if not upstream.probes:
        return ()
    from driftwatch.observe.probes import load_library
    from driftwatch.observe.probes.definition import read

    own = {probe: root / probe for probe in upstream.probes if probe.startswith("./")}
    library = load_library()
    found = {probe: read(own[probe]) if probe in own else library[probe] for probe in upstream.probes}
    _fitting(found, upstream)
    return list(found.values())


def _fitting(found: Mapping[str, Probe], upstream: Upstream) -> None:
    """Raises ConfigError for a probe of another kind of host, and for two of the same id."""
    known: dict[str, str] = {}
    for place, probe in found.items():
        if upstream.host and probe.host != upstream.host.driver:
            message = f"this probe is for the host {probe.host!r}, and upstream {upstream.id!r} boots {upstream.host.driver!r}"
            raise ConfigError([Problem(place, 0, 0, message, "correct `host:` in its probe.yaml, or take it out of `probes:`")])
        if probe.id in known:
            message = f"there is already a probe {probe.id!r}: {known[probe.id]}"
            raise ConfigError([Problem(place, 0, 0, message, "give it an id of its own")])
        known[probe.id] = place


def on(
    host: Host | None,
    probes: Sequence[Probe],
    version: str,
    world: World,
    own: OwnHost | None = None,
    *,
    jobs: int = 0,
    repeat: int = 1,
    fresh: bool = False,
    thrifty: bool = False,
    seats: Seats | None = None,
) -> Rows:
    """Each probe on one version of the host, or on the user's ``own``. A host that cannot be had makes every row unverified,
    with the reason. The rest is as for ``observe.probes.run``; ``jobs`` 0 is what two versions at once leave to each."""
    from driftwatch.observe.hosts import driver as driver_named
    from driftwatch.observe.probes import control, load_library, run

    assert host is not None
    driver = driver_named(host.driver)
    try:
        binary = acquire(driver, version, world) if own is None else owned(driver, own, world.root)
    except Unobservable as error:
        asked = probes or [control(load_library(host=driver.name), driver.name)]  # who asks for nothing else asks for the control
        return unverified(asked, version, "; ".join(filter(None, (error.message, error.remedy))))
    today = world.settings.now.date()
    return run(
        driver,
        binary,
        [replace(probe, expected=tuple(each for each in probe.expected if valid(each, today))) for probe in probes],
        control=control(load_library(host=driver.name), driver.name),
        cache=world.settings.cache,
        scratch=world.settings.cache / "scratch",
        progress=world.settings.progress,
        jobs=jobs or max(1, world.settings.jobs // 2),
        repeat=repeat,
        fresh=fresh,
        thrifty=thrifty,
        seats=seats,
    )


def unverified(probes: Sequence[Probe], version: str, reason: str) -> Rows:
    return tuple(
        ProbeRow(id=probe.id, version=version, outcome="unverified", reason=reason, title=probe.title) for probe in probes
    )


def package_for(upstream: Upstream, world: World) -> str:
    """For the doctor: which package the host's binary comes from here. Raises DriftwatchError."""
    from driftwatch.observe.hosts import driver as driver_named

    assert upstream.host is not None
    package = driver_named(upstream.host.driver).package()
    return f"{package}, {counted(len(world.registry.packument(package).versions), 'version')}"
