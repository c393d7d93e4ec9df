"""The whole of `init`: read the folder, look at the source, draft, look upstream once, settle. Writes nothing."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from driftwatch import addresses
from driftwatch.config import load
from driftwatch.config.model import Watchlist
from driftwatch.errors import EXIT_CLEAN, EXIT_UNVERIFIED, Unobservable, UsageError
from driftwatch.model import Gap, Observed
from driftwatch.pipeline.init import project as projects
from driftwatch.pipeline.init.accepted import Accepted, accepted
from driftwatch.pipeline.init.draft import blank, propose
from driftwatch.pipeline.init.files import ci_files, write_new
from driftwatch.pipeline.init.look import Looked, in_memory, look, settle
from driftwatch.pipeline.init.project import Project
from driftwatch.pipeline.init.recognise import packages_of, recognise
from driftwatch.pipeline.settings import Settings
from driftwatch.pipeline.world import World
from driftwatch.render.init import Draft, render
from driftwatch.store.lock import Lock

NAME = "watchlist.yaml"


@dataclass(frozen=True, slots=True)
class Made:
    """``text``: the proposed watchlist.yaml, "" when there is one; ``lock``: what it accepts, None when there is one, or
    nothing can be accepted yet; ``missing``: what an existing watchlist lacks; ``notes``: what could not be looked at;
    ``news``: what the source already gets wrong at the accepted version."""

    root: Path
    draft: Draft
    text: str
    lock: Lock | None
    ci: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    news: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        return EXIT_UNVERIFIED if self.notes else EXIT_CLEAN


def make(
    folder: Path, settings: Settings, *, host: str = "", version: str = "", ci: str | None = None, ci_from: str = ""
) -> Made:
    """Raises UsageError for a folder that is no project of a known host's, ConfigError for files that cannot be read."""
    extra = ci_files(ci, ci_from)
    project = projects.read(folder)
    _no_dead_link(project.root / NAME)
    existing = load(project.root / NAME) if os.path.lexists(project.root / NAME) else None
    profile = recognise(project, host)
    packages = packages_of(project, profile)
    with World(settings, project.root, (existing.registry if existing else None) or "") as world:
        known = accepted(project, packages, world, version)
        used = _used(project, packages, known, world)
    draft = propose(blank(project, profile, packages, known), profile, used.facts)
    looked = look(in_memory(draft, project.root), settings) if draft.accepted else None
    draft = settle(draft, project, looked)
    lock, notes = _lock(draft, project, existing, looked, settings)
    told = [*project.notes, *(f"the source: {gap.reason}" for gap in used.gaps if gap.address == "use:**"), *notes]
    if not known.version:
        told.append(f"which version the project stands on is not known: {known.reason}")
    missing = tuple(lacking(draft, existing)) if existing else ()
    news = looked.news if looked else ()
    return Made(project.root, draft, "" if existing else render(draft), lock, extra, missing, tuple(dict.fromkeys(told)), news)


def _no_dead_link(path: Path) -> None:
    if path.is_symlink() and not path.exists():
        raise UsageError(f"{path} is a link that leads nowhere", "mend it or take it away: what it is for is somebody's")


def write(made: Made) -> tuple[Path, ...]:
    """Write what is not there yet: the watchlist, its lock, CI files. Gives their paths. Raises StoreError."""
    from driftwatch.store import lock as locks

    texts = {NAME: made.text} if made.text else {}
    if made.lock is not None:
        texts["watchlist.lock"] = locks.dump(made.lock)
    return write_new(made.root, {**texts, **made.ci})


def _lock(
    draft: Draft, project: Project, existing: Watchlist | None, looked: Looked | None, settings: Settings
) -> tuple[Lock | None, list[str]]:
    """The lock for the watchlist as it will be, where there is none yet; and why it cannot be made."""
    place = project.root / "watchlist.lock"
    if os.path.lexists(place):
        return None, [] if place.is_file() else ["no lock was made: watchlist.lock is there, and is no file"]
    if existing is not None:
        if not all(upstream.accepted for upstream in existing.upstreams):
            return None, ["no lock was made: watchlist.yaml does not say which version is accepted"]
        looked = look(existing, settings)
        return looked.lock, [*_refused(looked), *looked.unseen]
    if looked is None:
        return None, []  # said already: the version is not known
    return looked.locked(in_memory(draft, project.root), settings), [*_refused(looked), *looked.unseen]


def _refused(looked: Looked) -> list[str]:
    return [f"no lock was made: {looked.refused}"] if looked.refused else []


def _used(project: Project, packages: tuple[str, ...], known: Accepted, world: World) -> Observed:
    """``use:`` facts at the versions the project stands on: the same that a run will find."""
    from driftwatch.observe.facts import ownconfig
    from driftwatch.observe.facts.declarations import Wanted
    from driftwatch.observe.facts.usage import Usage
    from driftwatch.pipeline.versions import pick

    own = ownconfig.observe(project.root)
    if not known.version:
        return own
    pinned = {pin.package: pin.version for pin in known.pins if pin.version}
    try:
        told = world.registry.packuments(packages)
    except Unobservable as error:
        return own + Observed(gaps=(_gap(error),))
    wanted = []
    for name in packages:
        answer = told[name]
        if isinstance(answer, Unobservable):
            own += Observed(gaps=(_gap(answer),))
            continue
        version = pick(pinned.get(name) or known.version, answer.versions).version
        if version:
            wanted.append(Wanted(name, version, answer.versions[version].integrity))
    if not wanted:
        return own
    settings = world.settings
    reader = Usage(world.registry, settings.cache, settings.progress, offline=settings.offline)
    return own + reader.observe(project.root, (), wanted)


def _gap(error: Unobservable) -> Gap:
    return Gap("use:**", error.message, error.remedy)


def lacking(draft: Draft, existing: Watchlist) -> list[str]:
    """What the draft proposes and no upstream of the watchlist has, in words."""
    upstreams = [each for each in existing.upstreams if set(each.packages) & set(draft.packages)]
    if not upstreams:
        return [f"an upstream with the packages {', '.join(draft.packages)}"]
    have_probes = {probe for each in upstreams for probe in each.probes}
    have_paths = {row.path for each in upstreams for row in each.watch}
    covered = addresses.compile(row.address for each in upstreams for row in each.relies_on)
    words = [f"probe {probe}" for probe in draft.probes if probe not in have_probes]
    words += [f"watch {row.path}" for row in draft.watch if row.path not in have_paths]
    return words + [f"relies_on {row.address} ({', '.join(row.places[:3])})" for row in draft.entries
                    if not row.aside and not covered(row.address)]  # fmt: skip
