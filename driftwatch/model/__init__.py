"""The types everything is said in. Frozen, no prose, no I/O.

One idea: everything observed is a Fact, one value at one upstream version, at a stable Address.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

SCHEMA_VERSION = 1
"""Of the report as JSON: what is written, and what is read."""

Role = Literal["implementer", "consumer"]
Severity = Literal["breaking", "risky", "info"]
Confidence = Literal["proven", "likely"]
Outcome = Literal["compatible", "drifted", "broken", "unverified"]
ProbeOutcome = Literal["holds", "broken", "absent", "unverified"]
Evidence = Literal["declared", "counted", "probed"]

FloorStatus = Literal["found", "oldest", "lost", "never", "unknown"]

ROLES: tuple[Role, ...] = ("implementer", "consumer")
SEVERITIES: tuple[Severity, ...] = ("info", "risky", "breaking")  # rising

ADDRESS_KINDS: tuple[str, ...] = (
    "tag",  # tag:@scope/pkg#latest              where a dist-tag points
    "version",  # version:@scope/pkg#1.2.3       a published version: integrity, deprecation
    "manifest",  # manifest:@scope/pkg#engines.node
    "ts",  # ts:@scope/pkg/entry#Symbol.member   a declared type
    "http",  # http:POST /session#body.model     an OpenAPI operation or a part of it
    "schema",  # schema:Session#properties.id    a shared OpenAPI schema
    "event",  # event:session.status#properties.status
    "call",  # call:permission.ask               how many places in the host trigger a hook
    "config",  # config:plugins                  a key of the host's config schema
    "file",  # file:packages/plugin/src/index.ts a watched file's content
    "source",  # source:packages/plugin/src/index.ts#Hooks.dispose   what a source file declares, by its syntax
    "text",  # text:packages/core/src/flags.ts#SOME_NAME   how often a text stands in a file, or in the host (text:@host#...)
    "pin",  # pin:@scope/pkg#latest              how far the version we pin is from a dist-tag
    "commit",  # commit:v1.2.3                   where a version's git tag points
    "probe",  # probe:opencode/dispose#fired     what a real booted host did
    "use",  # use:src/index.ts#...               what our own source touches
    "anchor",  # anchor:docs/x.md#src/a.ts:12   where a reference in our own document points
    "watchlist",  # watchlist:waivers#...       the watchlist itself
)


class Address(str):
    """``kind:subject#member``: where a fact lives. A plain string that knows its parts.

    The subject may hold anything but ``#``; the member may hold anything. ``Address`` does not check itself, so that
    reading thousands from a cache costs nothing: ``config`` checks what users write, observers build what is right.
    """

    __slots__ = ()

    @classmethod
    def of(cls, kind: str, subject: str, member: str = "") -> Address:
        return cls(f"{kind}:{subject}#{member}" if member else f"{kind}:{subject}")

    @property
    def kind(self) -> str:
        return self.partition(":")[0]

    @property
    def subject(self) -> str:
        return self.partition(":")[2].partition("#")[0]

    @property
    def member(self) -> str:
        return self.partition("#")[2]


@dataclass(frozen=True, slots=True)
class Ref:
    """One upstream at one version. ``integrity`` is the package's Subresource Integrity, ``commit`` a full git SHA."""

    upstream: str
    version: str
    package: str = ""
    commit: str = ""
    integrity: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """One observed value. ``where`` is evidence a person can open, such as ``package/dist/index.d.ts:12``."""

    address: Address
    value: Json
    where: str = ""


@dataclass(frozen=True, slots=True)
class Gap:
    """What could not be looked at, and why. ``address`` may be a pattern (``file:**``); ``remedy`` may be empty. ``asked`` is
    set by the judge: whether it hides something the project relies on."""

    address: str
    reason: str
    remedy: str = ""
    asked: bool = True


@dataclass(frozen=True, slots=True)
class Observed:
    """What one observer hands on. Adding two joins them."""

    facts: tuple[Fact, ...] = ()
    gaps: tuple[Gap, ...] = ()

    def __add__(self, other: Observed) -> Observed:
        return Observed(self.facts + other.facts, self.gaps + other.gaps)

    @staticmethod
    def join(parts: Iterable[Observed]) -> Observed:
        facts: list[Fact] = []
        gaps: list[Gap] = []
        for part in parts:
            facts.extend(part.facts)
            gaps.extend(part.gaps)
        return Observed(tuple(facts), tuple(gaps))


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All facts of one version, sorted by address, and the gaps."""

    ref: Ref
    facts: tuple[Fact, ...] = ()
    gaps: tuple[Gap, ...] = ()

    @classmethod
    def of(cls, ref: Ref, observed: Observed) -> Snapshot:
        facts = tuple(sorted(observed.facts, key=lambda fact: fact.address))
        gaps = tuple(sorted(set(observed.gaps), key=lambda gap: (gap.address, gap.reason)))
        return cls(ref, facts, gaps)


@dataclass(frozen=True, slots=True)
class Change:
    """A difference between two snapshots at one address. ``kind`` is a word of the rule catalogue's ``change`` column,
    such as ``removed`` or ``moved-backward``; ``args`` are the extra values a rule's message may name."""

    address: Address
    kind: str
    before: Json = None
    after: Json = None
    where: str = ""
    args: Mapping[str, Json] = field(default_factory=dict)
    confidence: Confidence = "proven"


@dataclass(frozen=True, slots=True)
class Waived:
    """Why a finding does not count, and until when."""

    reason: str
    expires: str  # ISO date


@dataclass(frozen=True, slots=True)
class Finding:
    """A change that a rule has something to say about. The message is made from (rule, args) at render time only."""

    rule: str
    severity: Severity
    role: Role
    confidence: Confidence
    address: Address
    before: Json
    after: Json
    where: str
    args: Mapping[str, Json]
    relied_on: tuple[str, ...]  # the patterns of relies_on (and file:line of our own source) it hits
    waived: Waived | None
    fingerprint: str
    counts: bool  # it can fail the build: not waived, and relied on (or a kind that concerns everybody)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a run comes to, and the findings it stands on."""

    outcome: Outcome
    findings: tuple[Finding, ...]


# --- the report -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TagRow:
    """One dist-tag of one package: accepted -> now. ``seen`` is the last observation when it differs from ``before``.
    ``change``: same, added, removed, moved-forward, moved-backward, moved (not comparable), dangling, unknown."""

    package: str
    name: str
    before: str
    after: str
    change: str
    seen: str = ""


@dataclass(frozen=True, slots=True)
class PackageRow:
    """One package of an upstream: which version stands for the accepted and the new state."""

    name: str
    before: str
    after: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class FileRow:
    """One watched file. ``change``: same, changed, added, removed, renamed, missing (at both), unverified.
    ``diff`` is unified diff text (upstream text: hostile); ``source`` says where both sides were read (git, tarball)."""

    path: str
    pattern: str
    breaks: str
    change: str
    old_path: str = ""
    added_lines: int = 0
    removed_lines: int = 0
    diff: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class Expectation:
    """A failure that is known: probe ``probe`` may fail on host versions in ``versions`` (an npm range), because of ``reason``,
    until ``expires`` (ISO date, inclusive). ``where`` is who says so: ``watchlist`` or ``probe``."""

    probe: str
    versions: str
    reason: str
    expires: str
    where: Literal["watchlist", "probe"] = "watchlist"


# How a probe's outcome stands to what was expected of it: "" (nothing was), a known failure, a known failure that passed.
Standing = Literal["", "failed-as-expected", "passed-unexpectedly"]


@dataclass(frozen=True, slots=True)
class ProbeRow:
    """What one probe said on one host version. ``facts`` are keyed by member; ``reason`` is set unless it holds;
    ``seconds`` is wall time of boot to answer; ``evidence`` are short lines a reviewer can check (log lines, requests).

    ``runs``: how often this very binary was asked, each time in a fresh process. ``unstable``: the facts that differed between
    those runs, which therefore tell nothing about a version. ``flaky``: the outcome itself did (it is then ``unverified``).
    ``expected``: the known failure that speaks of this version, and ``standing`` what came of it.
    """

    id: str
    version: str
    outcome: ProbeOutcome
    facts: Mapping[str, Json] = field(default_factory=dict)
    reason: str = ""
    seconds: float = 0.0
    evidence: tuple[str, ...] = ()
    title: str = ""
    runs: int = 1
    unstable: tuple[str, ...] = ()
    flaky: bool = False
    expected: Expectation | None = None
    standing: Standing = ""

    @property
    def word(self) -> str:
        """The outcome as a reader is told it: what holds on one run and fails on the next is ``flaky``, not just unverified."""
        return "flaky" if self.flaky else self.outcome


@dataclass(frozen=True, slots=True)
class RelianceRow:
    """One entry of relies_on. ``status``: holds, breaks, changed, absent (asked for, looked for, not there), unverified.
    ``facts``: how many were seen at the new version, ``facts_before`` at the accepted one (None: not known). ``where`` is the
    line that says so (``watchlist.yaml:12``), or empty. ``surface``: what the project calls the thing that this is one piece of
    evidence of; ``evidence``: which kind it is. ``uses``: lines of our own source that use it."""

    address: str
    why: str
    status: str
    before: Json = None
    after: Json = None
    reason: str = ""
    facts: int = 0
    where: str = ""
    surface: str = ""
    evidence: Evidence = "declared"
    uses: int = 0
    facts_before: int | None = None


@dataclass(frozen=True, slots=True)
class EarlyRow:
    """A dist-tag that leads beside or ahead of the watched one (a pre-release, a branch): news, and never a reason to fail.

    ``change`` as for TagRow. ``touches``: entries of relies_on whose words are in the tag's name. ``outcome`` and ``findings``
    tell what a comparison with that version gave, if the tag became the watched one ("" when none was made); ``reason`` why
    it could not be made, or what of it could not be looked at. ``reliances``: everything relied on, as that version has it."""

    package: str
    tag: str
    before: str
    version: str
    change: str
    touches: tuple[str, ...] = ()
    outcome: Literal["", "compatible", "drifted", "broken", "unverified"] = ""
    findings: tuple[Finding, ...] = ()
    reason: str = ""
    reliances: tuple[RelianceRow, ...] = ()


@dataclass(frozen=True, slots=True)
class ReleaseRow:
    """One published version of an upstream's first package. ``published`` is the registry's own time (ISO 8601, "" when it
    tells none), ``deprecated`` its note, "" when it is not."""

    version: str
    published: str = ""
    deprecated: str = ""


@dataclass(frozen=True, slots=True)
class TrendRow:
    """What the runs from ``at`` on (ISO 8601) said of one upstream, until one said something else: counts of findings that
    count, of gaps, and of what is relied on and holds."""

    at: str
    outcome: Outcome
    before: str
    after: str
    breaking: int = 0
    risky: int = 0
    gaps: int = 0
    holds: int = 0
    relied: int = 0


@dataclass(frozen=True, slots=True)
class ScriptRow:
    """A file that a probe laid into the host's project, such as the plugin it loaded: what really ran."""

    probe: str
    path: str
    text: str


@dataclass(frozen=True, slots=True)
class FloorMark:
    """From which published version on something relied on holds, as `driftwatch floor` last found it. ``kind``: declared, or
    behaving on a booted host; ``status`` and ``below`` as for Floor."""

    address: str
    kind: Literal["declared", "behaving"]
    status: FloorStatus
    version: str = ""
    below: str = ""


@dataclass(frozen=True, slots=True)
class UpstreamReport:
    """``place`` is the line of ours that the move came by (``package.json:12``), when it is known."""

    id: str
    before: Ref
    after: Ref
    outcome: Outcome
    tags: tuple[TagRow, ...] = ()
    packages: tuple[PackageRow, ...] = ()
    findings: tuple[Finding, ...] = ()
    reliances: tuple[RelianceRow, ...] = ()
    files: tuple[FileRow, ...] = ()
    probes: tuple[ProbeRow, ...] = ()
    gaps: tuple[Gap, ...] = ()
    early: tuple[EarlyRow, ...] = ()
    place: str = ""
    releases: tuple[ReleaseRow, ...] = ()  # by version, rising: from just below the floor and the accepted one to the newest
    floors: tuple[FloorMark, ...] = ()
    minimum: str = ""  # the highest of the floors: the version everything relied on needs, "" when it is not known
    trend: tuple[TrendRow, ...] = ()  # oldest first, the last one is this report
    scripts: tuple[ScriptRow, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """Everything one run says; every format is made of it. ``scope``: all that is relied on was to be looked at, or dist-tags
    and versions alone, which tell that something moved and never that what is relied on holds."""

    schema_version: int
    tool_version: str
    generated_at: str  # ISO 8601, UTC, seconds
    project: str
    outcome: Outcome
    exit_code: int
    upstreams: tuple[UpstreamReport, ...]
    rerun: str = ""  # the command that makes this report again
    scope: Literal["all", "tags"] = "all"
    watchlist: str = ""  # its path as seen from the project's root, for formats that point at a line of ours
