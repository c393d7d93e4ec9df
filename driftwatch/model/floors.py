"""From which version on something holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from driftwatch.model import FloorStatus


@dataclass(frozen=True, slots=True)
class Look:
    """One published version looked at for one fact. ``holds`` is None when it could not be told; ``reason`` says why."""

    version: str
    holds: bool | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Floor:
    """Where one fact begins to hold among the published versions of ``package``.

    ``status``: found (``version`` is the first from which on it holds, ``below`` the last published one where it does not),
    oldest (it holds at the oldest version looked at, too), lost (it held once, and does not at the newest), never (at no version
    looked at), unknown (no version could be looked at). ``unpublished``: versions between ``below`` and ``version`` that were
    never published there, so that the true floor may be one of them. ``unseen``: published versions that could not be looked
    at and might move the answer. ``intervals``: from and to of each stretch where it holds, when it comes and goes.
    ``exhaustive``: every version was looked at. ``reason`` is set when the status is unknown.
    """

    address: str
    package: str
    status: FloorStatus
    version: str = ""
    below: str = ""
    unpublished: tuple[str, ...] = ()
    unseen: tuple[Look, ...] = ()
    looks: tuple[Look, ...] = ()
    intervals: tuple[tuple[str, str], ...] = ()
    exhaustive: bool = False
    reason: str = ""

    @property
    def certain(self) -> bool:
        """Whether the answer stands: a version, and none unseen that could move it."""
        return self.status in ("found", "oldest") and not self.unseen


@dataclass(frozen=True, slots=True)
class FloorRow:
    """One relied-on fact: where it is declared from and where a booted host behaves so from. ``wanted`` says what it must be
    when being there is not enough; ``reason`` why there is no floor to look for (then neither is searched)."""

    address: str
    why: str = ""
    wanted: str = ""
    declared: Floor | None = None
    behaviour: Floor | None = None
    reason: str = ""

    @property
    def floors(self) -> tuple[Floor, ...]:
        return tuple(floor for floor in (self.declared, self.behaviour) if floor is not None)


@dataclass(frozen=True, slots=True)
class FloorReport:
    """All floors of one upstream. ``minimum`` is the highest of them ("" when none is known), ``decided_by`` the facts that
    need it; ``certain`` is false when a fact that was searched has no certain floor, so that the minimum may be higher.
    ``looked``: how many versions were looked at, by what was looked at."""

    upstream: str
    rows: tuple[FloorRow, ...]
    minimum: str = ""
    decided_by: tuple[str, ...] = ()
    certain: bool = False
    looked: Mapping[str, int] = field(default_factory=dict)
