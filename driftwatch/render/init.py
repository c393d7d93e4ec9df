"""The watchlist `init` proposes, as YAML with comments for whoever reads it next. Pure.

What stands in it comes from a project's files: values are quoted, comments are cleaned and stay on their line, so that no
name of a file, package or event can end up as YAML of its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from driftwatch.model import Role
from driftwatch.render import clean

SHOWN = 3  # places named beside an entry
GROUPS = {
    "hook": "hooks implemented",
    "input": "what the host hands to the plugin",
    "event": "events listened to",
    "operation": "operations of the host's API",
    "config": "configuration keys of the host",
    "import": "names imported",
    "manifest": "peers that are ours as well: a floor that rises there rises here",
}
_PLAIN = re.compile(r"[A-Za-z0-9./_][A-Za-z0-9./_-]*")  # nothing YAML could read as anything but this text ...
_TAKEN = re.compile(
    r"[0-9.+_-]+|0[xob].*|[0-9.]+e[0-9]+|true|false|yes|no|on|off|null|y|n|\.inf|\.nan", re.IGNORECASE
)  # ... but these


@dataclass(frozen=True, slots=True)
class Watched:
    """A file of the upstream's repository and what breaks with it."""

    path: str
    breaks: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing to rely on: ``places`` are ``file:line`` of the project, ``note`` adds to them. ``role``: where it differs
    from the project's. ``aside``: why it is only written as a comment. ``group`` is a key of GROUPS."""

    address: str
    group: str
    places: tuple[str, ...] = ()
    unsure: bool = False
    note: str = ""
    role: Role | None = None
    aside: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """A watchlist to be. ``how``: where the accepted version is known from, or why it is not. ``source`` is () where the
    usual places are meant; ``left_out``: uses found and not written down; ``notes``: what to know, for the head."""

    name: str
    role: Role
    driver: str
    packages: tuple[str, ...]
    accepted: str
    how: str
    git_url: str
    git_tags: str
    openapi: str
    source: tuple[str, ...] = ()
    files: int = 0
    watch: tuple[Watched, ...] = ()
    probes: tuple[str, ...] = ()
    entries: tuple[Entry, ...] = ()
    left_out: int = 0
    notes: tuple[str, ...] = ()


def render(draft: Draft) -> str:
    """The whole file. The same draft gives the same bytes."""
    return "\n".join([*_head(draft), *_upstream(draft), *_relies(draft), ""])


def _head(draft: Draft) -> Iterator[str]:
    yield "# What this project relies on upstream. Proposed by `driftwatch init` from its own files: correct it, it is yours now."
    yield "# `driftwatch run` looks, `driftwatch accept` moves the lock."
    for note in draft.notes:
        yield f"# {clean.line(note, 300)}"
    yield from ("version: 1", "", "project:")
    yield f"  name: {scalar(draft.name)}"
    means = (
        "writes hooks or tools that the host calls" if draft.role == "implementer" else "calls the host's API and reads from it"
    )
    yield f"  role: {draft.role} # it {means}"
    if draft.source:
        yield f"  source: [{', '.join(scalar(place) for place in draft.source)}] # {_files(draft.files)}"
    elif draft.files:
        yield f"  # source: the usual places, without tests ({_files(draft.files)})"
    else:
        yield "  # source: no script was found; name folders here, and what they use is found at every run"


def _files(number: int) -> str:
    return f"{number} file{'' if number == 1 else 's'}"


def _upstream(draft: Draft) -> Iterator[str]:
    yield from (
        "",
        "upstreams:",
        f"  - id: {scalar(draft.driver)}",
        "    packages: # the first one's version is the upstream's version",
    )
    yield from (f"      - {scalar(package)}" for package in draft.packages)
    yield "    tag: latest # what is compared with the accepted version"
    if draft.accepted:
        yield f"    accepted: {scalar(draft.accepted)} # {clean.line(draft.how, 200)}"
    else:
        yield f"    # accepted: which version is not known: {clean.line(draft.how, 300)}"
        yield "    #   write it here, or run `driftwatch accept VERSION`"
    yield from ("    git:", f"      url: {scalar(draft.git_url)}", f"      tags: {scalar(draft.git_tags)}")
    yield from ("    host:", f"      driver: {scalar(draft.driver)} # booted for the probes; `run --no-probes` does without")
    yield f"    openapi: {scalar(draft.openapi)} # read where no host is booted"
    if draft.watch:
        yield from ("", "    watch: # files of the upstream's repository, by what the source uses")
        for row in draft.watch:
            yield f"      - path: {scalar(row.path)}"
            yield f"        breaks: {scalar(row.breaks)}"
    if draft.probes:
        yield from (
            "",
            "    probes: # what a booted host must do, by what the source uses; `driftwatch probe --list` tells of each",
        )
        yield from (f"      - {scalar(probe)}" for probe in draft.probes)


def _relies(draft: Draft) -> Iterator[str]:
    kept = [entry for entry in draft.entries if not entry.aside]
    yield ""
    if kept:
        yield "    relies_on:"
    else:
        yield "    # relies_on: nothing was found; without it everything of the packages counts"
    for group, title in GROUPS.items():
        rows = [entry for entry in kept if entry.group == group]
        if rows:
            yield f"      # {title}"
            yield from (f"      - {_entry(entry)} # {_places(entry)}" for entry in rows)
    aside = [entry for entry in draft.entries if entry.aside]
    if aside:
        yield "      # found in the source, and left out:"
        yield from (
            f"      #   {clean.line(entry.address, 300)}: {clean.line(entry.aside, 200)} ({_places(entry)})" for entry in aside
        )
    if draft.left_out > 0:
        yield f"      # and {draft.left_out} uses of what lies inside these, which are found again at every run"


def _entry(entry: Entry) -> str:
    address = scalar(entry.address)
    return f"{{ address: {address}, role: {entry.role} }}" if entry.role else address


def _places(entry: Entry) -> str:
    shown = ", ".join(entry.places[:SHOWN])
    more = f" and {len(entry.places) - SHOWN} more" if len(entry.places) > SHOWN else ""
    words = [f"{shown}{more}", entry.note, "told by name and shape only" if entry.unsure else ""]
    return clean.line("; ".join(word for word in words if word), 300)


def scalar(text: str) -> str:
    """A YAML scalar that means exactly this text (cleaned): plain where that is safe beyond doubt, else double-quoted."""
    text = clean.line(clean.encodable(text))
    if _PLAIN.fullmatch(text) and not _TAKEN.fullmatch(text):
        return text
    return "'" + text + "'" if '"' in text and "'" not in text else json.dumps(text, ensure_ascii=False)
