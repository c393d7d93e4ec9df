"""What a watchlist says, as immutable types. The descriptions here are the reference: docs and JSON Schema come from them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import date
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, PrivateAttr, ValidationInfo, model_validator
from pydantic_core import PydanticCustomError

from driftwatch import addresses, stamps
from driftwatch.config import checks
from driftwatch.errors import did_you_mean
from driftwatch.model import Role


def wrong(message: str, remedy: str = "") -> PydanticCustomError:
    return PydanticCustomError("driftwatch", "{text}", {"text": message, "remedy": remedy})


def _checked(check: Callable[[str], str | None]) -> AfterValidator:
    def validate(value: str) -> str:
        if problem := check(value):
            raise wrong(problem)
        return value

    return AfterValidator(validate)


def _known(what: str) -> AfterValidator:
    """The value is one of ``context[what]``, when the caller of ``load`` said which there are."""

    def validate(value: str, info: ValidationInfo) -> str:
        choices = (info.context or {}).get(what)
        if choices is not None and value not in choices and not value.startswith("./"):
            raise wrong(f"unknown {what} {value!r}", did_you_mean(value, choices))
        return value

    return AfterValidator(validate)


def _format(value: object) -> object:
    if type(value) is not int or value != 1:
        raise wrong(f"version {value!r} is not known: this driftwatch reads version 1", "write `version: 1`")
    return value


def _expiry(value: object) -> date:
    answer = checks.iso_date(value)
    if isinstance(answer, str):
        raise wrong(answer)
    return answer


def _hours(value: object) -> object:
    known = {"hourly": 1, "daily": 24, "weekly": 168}
    hours = known.get(value, value) if isinstance(value, str) else value
    if hours is not None and (type(hours) is not int or not 0 < hours <= 24 * 366):
        words = f"schedule is {value!r}, but must be {', '.join(known)} or a number of hours"
        raise wrong(words, did_you_mean(value, known) if isinstance(value, str) else "")
    return hours


def _short_reliance(value: object) -> object:
    return {"address": value} if isinstance(value, str) else value


Text = Annotated[str, Field(min_length=1), _checked(checks.text)]
Prose = Annotated[str, Field(min_length=1), _checked(checks.prose)]
Slug = Annotated[str, _checked(checks.slug)]
PackageName = Annotated[str, _checked(addresses.package_problem)]
AddressPattern = Annotated[str, _checked(addresses.problem)]
RuleId = Annotated[str, _checked(checks.slug), _known("rule")]
ProbeId = Annotated[str, _checked(checks.probe), _known("probe")]
OwnPath = Annotated[str, _checked(checks.relative)]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)  # built once, as a whole


class Project(_Model):
    """The project that relies on the upstreams: yours."""

    name: Text = Field(description="What the report calls your project.")
    role: Role = Field(
        "implementer",
        description="How your project meets the upstream: an `implementer` writes the hooks object or a tool that the host "
        "calls; a `consumer` reads values and calls. It decides which changes break you.",
    )
    source: tuple[OwnPath, ...] = Field(
        (),
        description="Folders and globs of your own source, from the watchlist's folder: what it uses of it is evidence.",
    )
    manifest: OwnPath = Field(
        "package.json",
        description="Your package.json, from the watchlist's folder. It may be missing. Its ranges say what you accept.",
    )


class GitRepository(_Model):
    """Where the upstream's source lives."""

    url: Annotated[str, _checked(checks.git_url)] = Field(
        description="Any URL git accepts (https, http, ssh, git, file, user@host:path) or a local path; a relative one is taken "
        "from the watchlist's folder. Passwords do not belong here."
    )
    tags: Annotated[str, _checked(checks.tag_pattern)] = Field(
        "v{version}", description="How a version's git tag is called; `{version}` stands for the version."
    )

    branch: Annotated[str, _checked(checks.branch)] | None = Field(
        None,
        description="A branch to watch in place of published versions, such as one on which the next major version is made: its "
        "newest commit is what is compared with the accepted one. Its upstream has no packages.",
    )

    def location(self, root: Path) -> str:
        """What to hand to git: the URL, or a local path made absolute from ``root`` (the watchlist's folder)."""
        before_colon, colon, _ = self.url.partition(":")
        if colon and "/" not in before_colon:
            return self.url
        return str((root / os.path.expanduser(self.url)).absolute())  # noqa: PTH111 - raises nothing


class OwnHost(_Model):
    """A host of your own, booted in place of the one the registry publishes: an executable, or a launch command."""

    executable: Text | None = Field(
        None,
        description="An executable of your own to boot in place of the one the registry publishes, from the watchlist's folder.",
    )
    command: tuple[Text, ...] = Field(
        (),
        description="A launch command of your own, one word an entry, such as a local build of the upstream: "
        "`[bun, run, src/index.ts]`. Not together with `executable`.",
    )
    directory: Text | None = Field(
        None, description="The working directory of `command`, from the watchlist's folder; without it, that folder."
    )
    environment: tuple[Annotated[str, _checked(checks.variable)], ...] = Field(
        (),
        description="Names of environment variables handed on to the host. Everything else of the environment is kept from it.",
    )


class Host(OwnHost):
    """The program that loads the plugins and is booted for the probes. An executable or a command named here stands for both
    sides; below `accepted` or `new` it stands for that one alone, beside the published host on the other."""

    driver: Annotated[str, _checked(checks.slug), _known("driver")] = Field(description="Which host it is, such as `opencode`.")
    accepted: OwnHost | None = Field(None, description="A host of your own for the accepted side.")
    new: OwnHost | None = Field(None, description="A host of your own for the new side, such as a local build of the next line.")

    def own(self, side: Literal["accepted", "new"]) -> OwnHost | None:
        """The user's own host of one side, None where the published one is meant."""
        beside = self.accepted if side == "accepted" else self.new
        return beside or (self if self.executable or self.command else None)


class WatchedPath(_Model):
    """Files of the upstream repository whose change is worth a person's look."""

    path: Annotated[str, _checked(checks.pathspec)] = Field(
        description="A path from the repository's root; `*` and `**` are understood, such as `packages/plugin/src/v2/**`."
    )
    breaks: Prose = Field(description="What breaks for you if it changes. It is printed beside the difference.")


class Reliance(_Model):
    """One thing the project relies on. A plain string is short for its address."""

    address: AddressPattern = Field(
        description="The facts relied on, such as `ts:@scope/plugin#Hooks.dispose` or `probe:opencode/dispose#fired`. It covers "
        "everything below it; `*` and `**` are understood."
    )
    why: str = Field("", description="What it is needed for. It is printed where it breaks.")
    role: Role | None = Field(None, description="How the project meets this one, where that differs from `project.role`.")
    surface: str = Field(
        "",
        description="What you call the thing this is one piece of evidence of, such as `the context hook`. Entries of one name "
        "are shown together: declared, counted and probed.",
    )
    expect: Literal["present", "absent"] | None = Field(
        None,
        description="`present`: it is required, and its absence is a finding even when it never was there. `absent`: it is not "
        "there yet, and its appearance is a finding. Without it, only what was there can go away.",
    )
    value: bool | int | float | str | None = Field(
        None,
        description="The value it must have, where being there is not enough. Another value is a finding, and `driftwatch floor` "
        "looks for the first version that has it.",
    )
    at_least: Text | None = Field(
        None,
        description="Where the version range there must begin, or how high the number there must be, such as `0.4.5`; for "
        "`driftwatch floor`. Without it, what the project's own manifest declares for the same package counts.",
    )

    @model_validator(mode="after")
    def _one_wish(self) -> Reliance:
        for name, given in (("value", self.value), ("at_least", self.at_least)):
            if self.expect == "absent" and given is not None:
                raise wrong(f"`expect: absent` and `{name}` contradict each other: what is not there has no value", "keep one")
        if isinstance(self.value, float) and not isfinite(self.value):
            raise wrong(f"value {self.value} is no number that anything can have", "write a number, a text, true or false")
        return self


class Deprecation(_Model):
    """Something upstream has announced the end of, wherever it said so. A finding shows while your source still uses it."""

    address: AddressPattern = Field(description="What is going, such as `event:session.idle` or `ts:@scope/plugin#Hooks.auth`.")
    state: Literal["deprecated", "removed", "dead"] = Field(
        "deprecated", description="`dead` is still declared and does nothing, `removed` is gone in the version that follows."
    )
    replacement: str = Field("", description="What takes its place.")
    since: str = Field("", description="The version that announced it.")
    note: str = Field("", description="Where it was announced, or what to know about it.")


class Waiver(_Model):
    """Findings that were looked at and accepted for a time. They stay visible; an expired or unused waiver is a finding."""

    rule: RuleId = Field(description="The rule's id (`driftwatch rules` lists them).")
    address: AddressPattern = Field(description="Where the rule's findings are waived.")
    reason: Prose = Field(description="Why it is fine. It is printed beside the finding.")
    expires: Annotated[date, BeforeValidator(_expiry, json_schema_input_type=date)] = Field(
        description="The last day it holds, as YYYY-MM-DD."
    )
    upstream: Slug | None = Field(None, description="The id of the upstream it is for; without it, all of them.")


class ExpectedFailure(_Model):
    """A probe that is known to fail on some hosts. It stays visible and does not count; that it passes is news."""

    probe: ProbeId = Field(description="The probe, as it is listed under `probes`.")
    versions: Annotated[str, _checked(checks.versions)] = Field(
        description="The host versions it fails on, as an npm range, such as `<1.15.13`."
    )
    reason: Prose = Field(description="Why it fails there. It is printed beside the failure.")
    expires: Annotated[date, BeforeValidator(_expiry, json_schema_input_type=date)] = Field(
        description="The last day it is expected, as YYYY-MM-DD. After it the failure counts again."
    )


class SeverityOverride(_Model):
    """A rule that weighs more or less for this project than the catalogue says."""

    rule: RuleId = Field(description="The rule's id (`driftwatch rules` lists them).")
    severity: Literal["breaking", "risky", "info", "ignore"] = Field(
        description="What the rule's findings weigh; `ignore` drops them from the verdict, not from the report."
    )
    reason: Prose = Field(description="Why. It is printed beside the finding.")
    address: AddressPattern | None = Field(None, description="Where it weighs so; without it, everywhere.")


class Stamp(_Model):
    """A place of the project's own that says which version was accepted; `driftwatch accept` keeps it true."""

    file: OwnPath = Field(description="The file, from the watchlist's folder. Nothing else in it changes, not a byte.")
    pattern: Text | None = Field(
        None,
        description="The line as it stands there, with `{version}`, `{commit}` or `{date}` in the places that change, such as "
        "`Validated against v{version} ({commit})`. It must be there once. A commit keeps the number of digits it has there.",
    )
    key: Text | None = Field(
        None,
        description="A key of a JSON file whose text is replaced, such as `engines.opencode` or "
        '`devDependencies["@scope/plugin"]`; where the last name is one of the upstream\'s packages, its own version is meant.',
    )
    value: Text = Field("{version}", description="What is written at `key`, such as `>={version}`.")

    @model_validator(mode="after")
    def _one_place(self) -> Stamp:
        if (self.pattern is None) == (self.key is None):
            raise wrong("a stamp has either a pattern or a key", "`pattern` for a line of text, `key` (and `value`) for JSON")
        if not stamps.placeholders(self.pattern or self.value):
            raise wrong(
                f"{self.pattern or self.value!r} has no place that changes", "write {version}, {commit} or {date} into it"
            )
        if self.key is not None and not stamps.segments(self.key):
            raise wrong(f"{self.key!r} is not a path of keys", 'such as engines.opencode or dependencies["@scope/plugin"]')
        return self


class Upstream(_Model):
    """One upstream: packages that are released together, their repository and the host that loads plugins."""

    id: Slug = Field(description="A short name, unique in the file. The lock and the reports use it: do not change it.")
    packages: tuple[PackageName, ...] = Field(
        (),
        min_length=1,
        description="npm packages to poll. The first is the primary one: its version is the upstream's version. There is one at "
        "least, unless `git.branch` is watched.",
    )
    tag: Annotated[str, _checked(checks.dist_tag)] = Field(
        "latest", description="The dist-tag that is compared with the accepted version."
    )
    accepted: Annotated[str, _checked(checks.accepted)] | None = Field(
        None,
        description="The version your project last worked with (of a branch, the full commit), used until a lock exists "
        "(`driftwatch accept` writes it).",
    )
    git: GitRepository | None = Field(None, description="The source repository, for watched files and commits.")
    host: Host | None = Field(None, description="The host to boot for the probes.")
    openapi: Annotated[str, _checked(checks.pathspec)] | None = Field(
        None,
        description="The OpenAPI document's path in the repository. It is read where no host is booted to serve its own.",
    )
    watch: tuple[WatchedPath, ...] = Field((), description="Files of the repository to watch, each with what breaks.")
    probes: tuple[ProbeId, ...] = Field(
        (), description="Probes to run on the booted host, such as `opencode/dispose`; a folder of your own starts with `./`."
    )
    expected: tuple[ExpectedFailure, ...] = Field((), description="Failures of probes that are known, for a time.")
    relies_on: tuple[Annotated[Reliance, BeforeValidator(_short_reliance, json_schema_input_type=str | Reliance)], ...] = Field(
        (), description="What the project relies on: only changes here can break the build."
    )
    deprecations: tuple[Deprecation, ...] = Field(
        (), description="What upstream has announced the end of: shown with the lines of your source that still use it."
    )
    severity: tuple[SeverityOverride, ...] = Field((), description="Rules that weigh differently, for this upstream only.")
    anchors: tuple[OwnPath, ...] = Field(
        (),
        description="Documents of your own, as paths or globs from the watchlist's folder, whose references to lines of the "
        "upstream's files (`src/index.ts:12`) are followed. It needs `git`.",
    )
    stamps: tuple[Stamp, ...] = Field(
        (), description="Places of the project's own that say which version was accepted; `driftwatch accept` writes them."
    )

    @property
    def primary(self) -> str:
        """The package whose version is the upstream's; "" of a branch."""
        return self.packages[0] if self.packages else ""

    @property
    def branch(self) -> str:
        """The branch that is watched in place of published versions, "" for none."""
        return self.git.branch or "" if self.git else ""


class Watchlist(_Model):
    """What a project watches upstream, and what it relies on there."""

    model_config = ConfigDict(title="driftwatch watchlist")

    schema_version: Annotated[Literal[1], BeforeValidator(_format)] = Field(
        1, alias="version", description="The version of this file's format: 1."
    )
    project: Project = Field(description="Your project.")
    registry: Annotated[str, _checked(checks.registry)] | None = Field(
        None, description="The npm registry to ask. Without it, npm's own configuration (.npmrc, environment) says which."
    )
    reports: Text = Field("reports", description="The folder the reports are written to, from the watchlist's folder.")
    schedule: Annotated[
        int | None, BeforeValidator(_hours, json_schema_input_type=Literal["hourly", "daily", "weekly"] | int | None)
    ] = Field(
        None,
        description="How often a look is due: `hourly`, `daily`, `weekly`, or a number of hours. When the last good look before "
        "a run is more than twice as old, the watch had stopped, and that is a finding.",
    )
    upstreams: tuple[Upstream, ...] = Field(min_length=1, description="What is watched.")
    waivers: tuple[Waiver, ...] = Field((), description="Findings accepted for a time.")
    severity: tuple[SeverityOverride, ...] = Field((), description="Rules that weigh differently, for every upstream.")

    _path: Path = PrivateAttr(default=Path("watchlist.yaml"))
    _lines: Mapping[tuple[str, str], int] = PrivateAttr(default_factory=dict)

    @property
    def path(self) -> Path:
        """Where it was read from."""
        return self._path

    @property
    def root(self) -> Path:
        """The folder that relative paths in it start from."""
        return self._path.parent

    def line(self, upstream: str, address: str) -> str:
        """Where an upstream relies on an address, as ``watchlist.yaml:12``; "" when no line of the file says so."""
        number = self._lines.get((upstream, address))
        return f"{self._path.name}:{number}" if number else ""

    def at(self, path: Path, lines: Mapping[tuple[str, str], int] | None = None) -> Watchlist:
        """The same watchlist, read from ``path``. ``lines``: (upstream id, address relied on) -> line."""
        copy = self.model_copy()
        copy._path, copy._lines = path, lines or {}
        return copy


def json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of watchlist.yaml, from the types above."""
    schema = Watchlist.model_json_schema(mode="validation")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
