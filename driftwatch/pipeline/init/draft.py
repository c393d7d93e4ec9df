"""What a project's files and source suggest to watch: facts in, a Draft out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from driftwatch import addresses
from driftwatch.model import Address, Fact, Role
from driftwatch.observe.hosts.profile import Profile
from driftwatch.observe.typescript.usage.sources import select
from driftwatch.pipeline.init.accepted import Accepted
from driftwatch.pipeline.init.project import Project
from driftwatch.render.init import GROUPS, Draft, Entry, Watched

MOST = 120  # entries of relies_on; what is found beyond is read from the source at every run all the same
_KINDS = {"event": "event", "http": "operation", "config": "config"}


def blank(project: Project, profile: Profile, packages: tuple[str, ...], known: Accepted) -> Draft:
    """The draft before the source is looked at."""
    selected = select(project.root)
    said = project.engine(profile.engine)
    return Draft(
        name=project.name,
        role="consumer",
        driver=profile.name,
        packages=packages,
        accepted=known.version,
        how=known.how or known.reason,
        git_url=profile.git_url,
        git_tags=profile.git_tags,
        openapi=profile.openapi,
        source=globs(project, selected.files),
        files=len(selected.files),
        notes=(f"engines.{profile.engine} says {said}: `driftwatch floor` tells whether that is enough",) if said else (),
    )


def globs(project: Project, files: Sequence[str]) -> tuple[str, ...]:
    """The shortest way to name these files and no others; () when there is none, and the usual places must do."""
    places = dict.fromkeys(file.partition("/")[0] if "/" in file else file for file in files)
    for candidate in (tuple(places), tuple(files[:9])):
        if candidate and set(select(project.root, candidate).files) == set(files):
            return candidate
    return ()


def propose(draft: Draft, profile: Profile, uses: Sequence[Fact]) -> Draft:
    """The draft with what the ``use:`` facts suggest: role, relied-on addresses, files to watch, probes."""
    used = [Address(fact.address.member) for fact in uses]
    role = role_of(used, profile)
    entries = tuple(replace(entry, role=_other(entry, role, profile)) for entry in entries_of(uses, profile))

    def fits(when: Sequence[str]) -> bool:
        return any(map(addresses.compile(when), used))

    return replace(
        draft,
        role=role,
        watch=tuple(Watched(row.path, row.breaks) for row in profile.watch if fits(row.when)),
        probes=tuple(probe for probe, when in profile.probes.items() if fits(when)),
        entries=entries[:MOST],
        left_out=len(uses) - sum(len(entry.places) for entry in entries[:MOST]),
    )


def role_of(used: Iterable[Address], profile: Profile) -> Role:
    """An implementer writes hooks, tools or plugins: it uses what a plugin package offers."""
    packages = [f"ts:{package}{suffix}" for package in profile.implements for suffix in ("", "/**")]
    implements = addresses.compile(packages)
    return "implementer" if any(map(implements, used)) else "consumer"


def _other(entry: Entry, role: Role, profile: Profile) -> Role | None:
    """An implementer, too, only reads what it is handed, and what it imports from packages that are there to be called: a member
    more is nothing to it there."""
    address = Address(entry.address)
    implemented = any(address.subject == package or address.subject.startswith(f"{package}/") for package in profile.implements)
    read = entry.group in ("input", "event", "operation") or (entry.group == "import" and not implemented)
    return "consumer" if read and role == "implementer" else None


def entries_of(uses: Iterable[Fact], profile: Profile) -> tuple[Entry, ...]:
    """The uses a person would write down: hooks, what the host hands over, events, operations, keys, imports. What is read
    deeper inside is told by the scan at every run, and is not repeated."""
    groups = [*GROUPS]
    found: dict[tuple[int, str], list[Fact]] = {}
    for fact in uses:
        told = _told(fact, profile)
        if told is not None:
            address, group = told
            found.setdefault((groups.index(group), address), []).append(fact)
    rows = [_entry(address, groups[group], facts, profile) for (group, address), facts in sorted(found.items())]
    covered = addresses.compile(row.address for row in rows)
    return tuple(row for row in rows if len(covered(row.address)) == 1 or row.group != "import")


def _told(fact: Fact, profile: Profile) -> tuple[str, str] | None:
    address = Address(fact.address.member)
    value = fact.value if isinstance(fact.value, dict) else {}
    listed = value.get("kinds")
    kinds = {str(kind) for kind in listed} if isinstance(listed, list) else set()
    if addresses.problem(address):
        return None
    if "tool" in kinds:
        return profile.tools, "hook"
    if "hook" in kinds:
        return str(address), "hook"
    if address.kind in _KINDS and kinds & {"event", "call", "switch", "config", "config-set"} and not value.get("through"):
        return str(address), _KINDS[address.kind]
    for handed in profile.inputs.values():
        if str(address).startswith(f"{handed}.") and "(" not in address.member:
            return f"{handed}.{str(address).removeprefix(f'{handed}.').split('.')[0]}", "input"
    return (str(address), "import") if kinds & {"import", "import-type"} and "#" in address else None


def _entry(address: str, group: str, facts: Sequence[Fact], profile: Profile) -> Entry:
    places = sorted({place for fact in facts for place in _places(fact)}, key=_order)
    unsure = all(isinstance(fact.value, dict) and bool(fact.value.get("unsure")) for fact in facts)
    prefix = f"{profile.tools}."
    tools = sorted({fact.address.member.removeprefix(prefix) for fact in facts if fact.address.member.startswith(prefix)})
    note = f"tools: {', '.join(tools)}" if tools else ""
    return Entry(address, group, tuple(places), unsure, note, aside=_doubt(address, group, unsure, profile))


def _doubt(address: str, group: str, unsure: bool, profile: Profile) -> str:
    """Why it takes a person to say that this is relied on. What a name alone suggests may be a word of the project's own, and
    would then be looked for upstream in vain for ever; a client as a whole is every operation and every type of the API."""
    if any(address == f"{handed}.{member}" for handed in profile.inputs.values() for member in profile.clients):
        return "the whole of the API; the operations that are called are listed by themselves"
    if unsure and group in ("event", "operation"):
        return "only its name speaks for it; take it in if it is right"
    return "a beginning of names; write out those that matter" if "*" in address else ""


def _places(fact: Fact) -> list[str]:
    value: Mapping[str, object] = fact.value if isinstance(fact.value, dict) else {}
    lines = value.get("lines")
    return [f"{fact.address.subject}:{str(line).partition(':')[0]}" for line in lines] if isinstance(lines, list) else []


def _order(place: str) -> tuple[str, int]:
    path, _, line = place.rpartition(":")
    return path, int(line) if line.isdigit() else 0
