"""Any one version of anything, named by a spec, as a Snapshot: ``npm:``, ``git:``, ``dir:``, ``openapi:``, ``host:``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from driftwatch.addresses import package_problem
from driftwatch.errors import Unobservable, UsageError, did_you_mean
from driftwatch.model import Fact, Gap, Observed, ProbeRow, Ref, Snapshot
from driftwatch.pipeline.world import World

if TYPE_CHECKING:
    from driftwatch.observe.hosts import Binary, Driver
    from driftwatch.observe.probes import Probe

FORMS: Mapping[str, str] = {
    "npm": "npm:NAME@VERSION_OR_TAG",
    "git": "git:URL_OR_FOLDER@REVISION",
    "dir": "dir:FOLDER",
    "openapi": "openapi:FILE",
    "host": "host:DRIVER@VERSION_OR_TAG, host:DRIVER@./EXECUTABLE or host:DRIVER@./LAUNCH_FILE.yaml",
}


@dataclass(frozen=True, slots=True)
class Spec:
    """``kind`` is a key of FORMS. ``name`` and ``version`` are what stands before and after the last ``@``."""

    kind: str
    name: str
    version: str
    text: str

    @property
    def label(self) -> str:
        """What a report calls it: no path of this machine, which says nothing to another reader."""
        if self.kind == "host" and "/" in self.version:
            from driftwatch.pipeline import hosts

            name = Path(self.version)
            return f"host:{self.name}@{name.stem if name.suffix in hosts.FILES else name.name}"
        return self.text


@dataclass(frozen=True, slots=True)
class Seen:
    """A spec's Snapshot, and the rows of the probes that were run for it."""

    snapshot: Snapshot
    probes: tuple[ProbeRow, ...] = ()


@dataclass(frozen=True, slots=True)
class Options:
    """What to look at: ``paths`` for files of a repository or folder, ``probes`` (ids, or patterns of ids) on a host."""

    paths: tuple[str, ...] = ()
    probes: tuple[str, ...] = ()


def parse(text: str) -> Spec:
    """Raises UsageError saying what would be right."""
    kind, colon, rest = text.partition(":")
    if not colon or kind not in FORMS:
        raise UsageError(f"{text!r} is no spec", did_you_mean(kind, FORMS) or f"a spec is one of: {', '.join(FORMS.values())}")
    if not rest:
        raise UsageError(f"{text!r} names nothing", f"it is written {FORMS[kind]}")
    if kind in ("dir", "openapi"):
        return Spec(kind, rest, "", text)
    name, _, version = rest.rpartition("@")
    if kind == "npm" and not name:
        name, version = rest, "latest"  # no @ at all, or only a scope's
    if not name or not version:
        raise UsageError(f"{text!r} names no version", f"it is written {FORMS[kind]}")
    if kind == "npm" and (wrong := package_problem(name)):
        raise UsageError(wrong, f"it is written {FORMS[kind]}")
    return Spec(kind, name, version, text)


def observe(specs: Sequence[Spec], options: Options, world: World) -> list[Seen]:
    """What each spec is, in order. Specs of one kind are observed together, so that a pair is seen at one moment.

    Raises UsageError for what is not there to be looked at (no such file, no such version); the rest becomes gaps.
    """
    kinds = {spec.kind for spec in specs}
    if len(kinds) > 1:
        raise UsageError(f"{' and '.join(sorted(kinds))} specs have no facts in common", "give two specs of one kind")
    if kinds == {"host"}:
        return [_host(spec, options, world) for spec in specs]
    look: Mapping[str, Callable[[Sequence[Spec], Options, World], list[Snapshot]]] = {
        "npm": _packages,
        "git": _repositories,
        "dir": _folders,
        "openapi": _documents,
    }
    return [Seen(snapshot) for snapshot in look[specs[0].kind](specs, options, world)]


def _packages(specs: Sequence[Spec], options: Options, world: World) -> list[Snapshot]:
    from driftwatch.observe.facts import manifest
    from driftwatch.observe.facts.declarations import Declarations, Wanted

    settings, registry = world.settings, world.registry
    wanted: list[Wanted] = []
    manifests: list[Observed] = []
    for spec in specs:
        packument = registry.packument(spec.name, having=spec.version)
        version = packument.dist_tags.get(spec.version, spec.version)
        info = registry.version(spec.name, version)
        wanted.append(Wanted(spec.name, version, info.integrity))
        manifests.append(manifest.observe(spec.name, registry.manifest(spec.name, version)))
    reader = Declarations(registry, settings.cache, settings.progress, offline=settings.offline)
    told = reader.observe(wanted)
    return [
        Snapshot.of(Ref(one.name, one.version, one.name, "", one.integrity), manifested + declared)
        for one, manifested, declared in zip(wanted, manifests, told, strict=True)
    ]


def _repositories(specs: Sequence[Spec], options: Options, world: World) -> list[Snapshot]:
    from driftwatch.config.checks import git_url
    from driftwatch.config.model import GitRepository
    from driftwatch.observe.facts.files import Version, pair

    versions, refs = [], []
    for spec in specs:
        if wrong := git_url(spec.name):  # which is not quoted: it may hold a password
            raise UsageError(f"this is no address git may be asked for: it {wrong}", f"it is written {FORMS['git']}")
        repository = GitRepository(url=spec.name)
        mirror = world.mirror(repository)
        commit = mirror.tags().get(spec.version) or mirror.tags().get(f"v{spec.version}") or spec.version
        versions.append(Version(spec.version, mirror, "{version}", commit))
        refs.append(Ref(spec.name, spec.version, commit=commit))
    watched = list(options.paths) or ["**"]
    both = pair(versions[0], versions[-1], watched)
    return [Snapshot.of(ref, side) for ref, side in zip(refs, (both.old, both.new), strict=False)]


def _folders(specs: Sequence[Spec], options: Options, world: World) -> list[Snapshot]:
    from driftwatch.observe.facts import folder

    return [_one(spec, folder.observe(Path(spec.name), options.paths) + _declared(Path(spec.name), world)) for spec in specs]


def _declared(path: Path, world: World) -> Observed:
    """The declared types of a package in a folder, when it says it has some."""
    from driftwatch.observe.facts.declarations import Declarations, declares

    if not declares(path):
        return Observed()
    settings = world.settings
    try:
        return Declarations(world.registry, settings.cache, settings.progress, offline=settings.offline).folder(path)
    except Unobservable as error:
        return Observed(gaps=(Gap("ts:**", error.message, error.remedy),))


def _documents(specs: Sequence[Spec], options: Options, world: World) -> list[Snapshot]:
    from driftwatch.observe.facts.openapi.kept import observe_file

    snapshots = []
    for spec in specs:
        if "://" in spec.name:
            raise UsageError(f"{spec.name.split('://')[0]}:// is not fetched", "fetch the document, then give it as openapi:FILE")
        if not Path(spec.name).is_file():
            raise UsageError(f"{spec.name} is not a file", f"it is written {FORMS['openapi']}")
        snapshots.append(_one(spec, observe_file(Path(spec.name), world.settings.cache)))
    return snapshots


def _host(spec: Spec, options: Options, world: World) -> Seen:
    """The served API document, and the probes asked for, of a published host or of one of the user's own."""
    from driftwatch.observe.facts import behaviour
    from driftwatch.observe.hosts import driver as driver_named
    from driftwatch.observe.probes import control, load_library, run

    driver, settings = driver_named(spec.name), world.settings
    binary = _binary(spec, driver, world)
    version, parts = _api(driver, binary, world)
    rows: tuple[ProbeRow, ...] = ()
    if options.probes:
        library = load_library(host=driver.name)
        rows = run(
            driver,
            binary,
            [library[name] for name in chosen(options.probes, library)],
            control=control(library, driver.name),
            cache=settings.cache,
            scratch=settings.cache / "scratch",
            progress=settings.progress,
        )
        parts.append(behaviour.observe(rows))
    facts: dict[str, Fact] = {}
    for part in parts:
        for fact in part.facts:
            facts.setdefault(fact.address, fact)
    gaps = tuple(gap for part in parts for gap in part.gaps)
    ref = Ref(spec.name, binary.version or version or spec.label.rpartition("@")[2], binary.package, "", binary.integrity)
    return Seen(Snapshot.of(ref, Observed(tuple(facts.values()), gaps)), rows)


def _binary(spec: Spec, driver: Driver, world: World) -> Binary:
    from driftwatch.pipeline import hosts
    from driftwatch.versions import parse as parse_version

    if "/" in spec.version:
        try:
            return hosts.owned(driver, hosts.named(spec.version, Path()), Path())
        except Unobservable as error:
            raise UsageError(error.message, error.remedy) from error
    tags: Mapping[str, str] = {}
    if parse_version(spec.version) is None:
        tags = world.registry.packument(driver.package()).dist_tags
        if spec.version not in tags:
            known = did_you_mean(spec.version, tags) or "write a whole version, a dist-tag, or ./FILE for one of your own"
            raise UsageError(f"{spec.version!r} is neither a version nor a dist-tag of {spec.name}", known)
    return hosts.acquire(driver, tags.get(spec.version, spec.version), world)


def _api(driver: Driver, binary: Binary, world: World) -> tuple[str, list[Observed]]:
    """The version the host says it is, and what its API document says; a gap where it serves none."""
    from driftwatch.observe.facts import hostconfig, openapi
    from driftwatch.observe.hosts.document import served

    settings = world.settings
    try:
        told = served(driver, binary, cache=settings.cache, scratch=settings.cache / "scratch", progress=settings.progress)
        document = openapi.load(told.data, "the host's OpenAPI document")
    except Unobservable as error:
        return "", [_unseen(error, "http", "schema", "event", "config")]
    parts = [openapi.observe(document)]
    try:
        parts.append(hostconfig.observe(document))
    except Unobservable as error:  # hosts of the 2.x line describe their configuration nowhere in it
        parts.append(_unseen(error, "config"))
    return told.version, parts


def _unseen(error: Unobservable, *kinds: str) -> Observed:
    return Observed(gaps=tuple(Gap(f"{kind}:**", error.message, error.remedy) for kind in kinds))


def chosen(wanted: Sequence[str], library: Mapping[str, Probe]) -> list[str]:
    """The ids that are meant: ids, or patterns of them such as ``opencode/v2-*``. Raises UsageError for one that means none."""
    found: dict[str, None] = {}
    for each in wanted:
        ids = [name for name in library if fnmatchcase(name, each)]
        if not ids:
            raise UsageError(f"there is no probe {each!r}", did_you_mean(each, library) or f"known: {', '.join(library)}")
        found |= dict.fromkeys(ids)
    return list(found)


def _one(spec: Spec, observed: Observed) -> Snapshot:
    return Snapshot.of(Ref(spec.text, spec.version or spec.name), observed)
