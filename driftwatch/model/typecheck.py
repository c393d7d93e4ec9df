"""Our own source against many versions of a package."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from driftwatch.model import Outcome
from driftwatch.model.floors import Floor


@dataclass(frozen=True, slots=True)
class TypeProblem:
    """One error of the compiler at a place of our own source. ``file`` is relative to the project."""

    file: str
    line: int
    column: int
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class TypecheckRow:
    """Our source against one version. ``outcome``: compiles (nothing beyond what the base has, too), fails, unverified, with its
    ``reason``. ``packages``: which version of each was installed. ``new``: errors the base does not have; ``gone``: those it has
    and this version has not. ``elsewhere``: errors inside installed packages. ``notes``: what was not as in the project."""

    version: str
    outcome: Literal["compiles", "fails", "unverified"]
    packages: Mapping[str, str] = field(default_factory=dict)
    new: tuple[TypeProblem, ...] = ()
    gone: tuple[TypeProblem, ...] = ()
    elsewhere: int = 0
    notes: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class TypecheckReport:
    """``base`` is the version the project is at, ``standing`` the errors there are with it already, which no other version can be
    blamed for. ``floor`` is set when the first version was searched for."""

    schema_version: int
    tool_version: str
    generated_at: str
    base: str
    standing: tuple[TypeProblem, ...]
    outcome: Outcome
    exit_code: int
    rows: tuple[TypecheckRow, ...]
    floor: Floor | None = None
