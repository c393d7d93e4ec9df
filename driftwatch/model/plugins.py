"""What a real plugin did on hosts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from driftwatch.model import Json, Outcome

PluginOutcome = Literal["works", "flawed", "broken", "unverified"]


@dataclass(frozen=True, slots=True)
class PluginFault:
    """One thing wrong with a plugin on one host. ``kind`` is one of ``docs/check-plugin.md``; ``weight`` broken: it does not do
    its work, or keeps others from theirs; flaw: it works, and leaves or declares something that does not fit. ``fact`` names the
    observation it rests on, "" when it is more than one."""

    kind: str
    text: str
    weight: Literal["broken", "flaw"]
    evidence: tuple[str, ...] = ()
    fact: str = ""


@dataclass(frozen=True, slots=True)
class PluginRow:
    """One plugin on one host version. ``facts``: everything that is different with it, by name; ``unstable``: names of facts that
    differed between two runs on this host, so that they tell nothing about another one. ``untried``: what could not be tried, and
    why. ``network``, ``files`` and ``processes`` say which wall stood. ``reason`` is set when the outcome is unverified."""

    version: str
    outcome: PluginOutcome
    faults: tuple[PluginFault, ...] = ()
    facts: Mapping[str, Json] = field(default_factory=dict)
    unstable: tuple[str, ...] = ()
    untried: tuple[str, ...] = ()
    network: str = ""
    files: str = ""
    processes: str = ""
    reason: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class PluginChange:
    """A fact that is not the same on the new host. None: it is not there."""

    name: str
    before: Json
    after: Json


@dataclass(frozen=True, slots=True)
class PluginStep:
    """From one host to the next: what the move does to the plugin. ``new_faults`` are those of the new host alone."""

    before: str
    after: str
    outcome: Outcome
    reason: str
    new_faults: tuple[PluginFault, ...] = ()
    gone_faults: tuple[PluginFault, ...] = ()
    changes: tuple[PluginChange, ...] = ()


@dataclass(frozen=True, slots=True)
class PluginReport:
    """A real plugin on the hosts it was tried on, in the order asked for, and the steps between neighbours. ``outcome`` is the
    worst step's, or says what the only host said."""

    schema_version: int
    tool_version: str
    generated_at: str
    plugin: str
    version: str
    source: str
    host: str
    outcome: Outcome
    exit_code: int
    rows: tuple[PluginRow, ...]
    steps: tuple[PluginStep, ...] = ()
