"""One unit of work: some probes on one host. It can be pickled, so that another process or machine may do it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from driftwatch.pipeline.settings import Settings, default_cache
from driftwatch.pipeline.world import World

if TYPE_CHECKING:
    from driftwatch.config.model import Host, OwnHost
    from driftwatch.observe.probes import Probe
    from driftwatch.observe.probes.runner import Seats
    from driftwatch.pipeline.behaviour import Rows


@dataclass(frozen=True, slots=True)
class Work:
    """``probes`` on a published ``version``, or on a host of the user's ``own``; they may share one boot."""

    host: Host
    probes: tuple[Probe, ...]
    version: str
    own: OwnHost | None = None
    repeat: int = 1
    fresh: bool = False

    @property
    def title(self) -> str:
        return f"{self.version or 'a host of your own'}: {len(self.probes)} probes"


def do(work: Work, world: World, seats: Seats | None = None) -> Rows:
    """Every row of it, and the control's. Never raises for what a host does. ``seats``: how many hosts may run here, where
    several units share them; a host that mixes projects up needs many."""
    from driftwatch.pipeline import behaviour

    jobs = world.settings.jobs if seats else 1
    return behaviour.on(
        work.host, work.probes, work.version, world, work.own, jobs=jobs, repeat=work.repeat, fresh=work.fresh, seats=seats
    )


def do_elsewhere(work: Work, cache: str, root: str, offline: bool) -> Rows:
    """The same in another process, which opens its own doors. A cache folder that this machine does not have is not made
    here: its own is used."""
    place = Path(cache)
    settings = Settings(cache=place if place.is_dir() else default_cache(), offline=offline, jobs=1)
    folder = Path(root)
    with World(settings, folder if folder.is_dir() else Path()) as world:
        return do(work, world)
