"""What a project says about itself, as far as judging needs it. The watchlist's own models satisfy these shapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal, Protocol

from driftwatch.model import Expectation, Role, Severity


class Reliance(Protocol):
    """An address pattern the project relies on, why, (optionally) in which role, as part of which surface, and what is
    expected there beyond staying as it is."""

    @property
    def address(self) -> str: ...
    @property
    def why(self) -> str: ...
    @property
    def role(self) -> Role | None: ...
    @property
    def surface(self) -> str: ...
    @property
    def expect(self) -> Literal["present", "absent"] | None: ...
    @property
    def value(self) -> bool | int | float | str | None: ...


class Waiver(Protocol):
    """A finding accepted on purpose: by rule and address pattern, with a reason, until a date (inclusive), of one
    upstream or of all."""

    @property
    def rule(self) -> str: ...
    @property
    def address(self) -> str: ...
    @property
    def reason(self) -> str: ...
    @property
    def expires(self) -> date: ...
    @property
    def upstream(self) -> str | None: ...


class Override(Protocol):
    """Another severity for a rule, everywhere (``address`` is None) or below a pattern."""

    @property
    def rule(self) -> str: ...
    @property
    def address(self) -> str | None: ...
    @property
    def severity(self) -> Severity | Literal["ignore"]: ...


class Signal(Protocol):
    """Something upstream has announced the end of, where no declaration shows it."""

    @property
    def address(self) -> str: ...
    @property
    def state(self) -> str: ...
    @property
    def replacement(self) -> str: ...
    @property
    def since(self) -> str: ...
    @property
    def note(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Relied:
    """A Reliance made by the pipeline: a watched path or a listed probe is relied on without being written twice."""

    address: str
    why: str = ""
    role: Role | None = None
    surface: str = ""
    expect: Literal["present", "absent"] | None = None
    value: bool | int | float | str | None = None


@dataclass(frozen=True, slots=True)
class Terms:
    """``everything`` is true when the project names nothing it relies on: then every change counts; of the kinds that a scan
    of its source speaks of, every change of what it was found to use. ``source`` is true when it names its source; ``used``
    are the kinds of address its source was found to use; ``expected`` the known failures that came true on the new host."""

    role: Role
    today: date
    reliances: Sequence[Reliance] = ()
    waivers: Sequence[Waiver] = ()
    overrides: Sequence[Override] = ()
    everything: bool = False
    signals: Sequence[Signal] = ()
    source: bool = False
    used: frozenset[str] = frozenset()
    expected: Sequence[Expectation] = ()
