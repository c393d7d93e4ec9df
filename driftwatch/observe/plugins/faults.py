"""What is wrong with a plugin on one host, each named with its evidence. Pure: the runs in, faults out.

``broken``: it does not do its work there, or keeps others from theirs. ``flaw``: it works, and leaves something behind or does
not fit by its own words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from driftwatch.model import Json
from driftwatch.model.plugins import PluginFault
from driftwatch.observe.plugins.effects import GONE, complaints
from driftwatch.observe.plugins.trace import Trace

Run = Mapping[str, Any]
Refusals = Sequence[tuple[str, re.Pattern[str]]]
SYNTAX = re.compile(
    r"BuildMessage|SyntaxError|AggregateError|Unexpected |Expected .* but found|Syntax Error|parse error", re.IGNORECASE
)
MISSING = re.compile(r"ResolveMessage|Cannot find (module|package)|Could not resolve|Module not found", re.IGNORECASE)
SERVER_ERROR = 500
USUAL = ("home", "project", "tmp")  # places where a plugin may write; anything else is outside


def faults(without: Run, plain: Run, traced: Run, facts: Mapping[str, Json], refusals: Refusals) -> tuple[PluginFault, ...]:
    """``facts`` are the plain run's effects. Sorted as found: what keeps it from loading comes first and alone."""
    trace = Trace(traced.get("marks", ()))
    loading = list(_loading(without, plain, trace, refusals))
    if loading:
        return tuple(loading)
    return (*_working(without, plain, trace), *_leaving(facts))


def _loading(without: Run, plain: Run, trace: Trace, refusals: Refusals) -> Iterator[PluginFault]:
    opened = plain["opened"]
    refused, line = _refused(without, plain, refusals)
    cause = _cause(trace)
    if opened["hung"] or (opened["reason"] and not plain["ended"]):
        kind = "hangs-in-init" if trace.first("imported") or not trace.first("importing") else "hangs-on-import"
        yield PluginFault(
            kind, f"the host does not open the project with it: {opened['reason']}", "broken", (line,) if line else ()
        )
    elif opened["reason"]:
        yield PluginFault("crashes-host", f"the host {plain['ended']} while it opened the project", "broken", (opened["reason"],))
    elif cause is not None:
        yield PluginFault(cause[0], cause[1], "broken", (line,) if line else ())
    elif refused:
        yield PluginFault(refused, f"the host refuses it: {line}", "broken", (line,))


def _refused(without: Run, plain: Run, refusals: Refusals) -> tuple[str, str]:
    """The first word of the host's own refusals that its log holds, with the line."""
    known = set(complaints(without))
    lines = [line for line in complaints(plain) if line not in known]
    for kind, pattern in refusals:
        for line in lines:
            if pattern.search(line):
                return kind, line
    return "", ""


def _cause(trace: Trace) -> tuple[str, str] | None:
    """Why it does not start, seen from beside it."""
    if failed := trace.first("import-failed"):
        said = f"{failed['error']}: {failed['message']}{' - ' + failed['of'] if failed.get('of') else ''}"
        if MISSING.search(said):
            return "missing-dependency", f"it imports what is not installed with it: {said}"
        return (
            ("syntax-error", f"it cannot be read: {said}")
            if SYNTAX.search(said)
            else ("throws-on-import", f"importing it throws {said}")
        )
    if (imported := trace.first("imported")) and not imported["servers"]:
        exported = ", ".join(imported["exports"]) or "nothing"
        return "wrong-shape", f"it exports no plugin function, or something beside it that is none: {exported}"
    if (threw := trace.first("init-threw")) and not trace.started:
        return "throws-in-init", f"its plugin function throws {threw['error']}: {threw['message']}"
    return None


def _working(without: Run, plain: Run, trace: Trace) -> Iterator[PluginFault]:
    hurt = [
        (name, _failed(scene))
        for name, scene in plain["scenes"].items()
        if name in without["scenes"] and _failed(scene) and not _failed(without["scenes"][name])
    ]
    thrown = {mark["hook"]: f"{mark['error']}: {mark['message']}" for mark in trace.named("hook-threw")}
    for hook, said in sorted(thrown.items()):
        yield PluginFault("hook-throws", f"its hook {hook} throws {said}", "broken" if hurt else "flaw", ())
    for name, reason in hurt:
        yield PluginFault("breaks-scene", f"{plain['scenes'][name]['title']} fails with it: {reason}", "broken", (name,))
    if plain["ended"]:
        yield PluginFault("crashes-host", f"the host {plain['ended']}", "broken", ())
    for threw in trace.named("init-threw"):
        yield PluginFault("throws-in-init", f"one of its exports throws {threw['error']}: {threw['message']}", "flaw", ())


def _failed(scene: Run) -> str:
    """How a scene failed ("" when it did not): a step not done, a turn that ended with an error, an error of the host's own."""
    if scene["reason"]:
        return str(scene["reason"])
    if (error := scene["facts"].get("error")) not in (None, "MessageAbortedError"):
        return f"ends with {error}"
    bad = [f"the host answers {status} ({name})" for name, status in scene["status"].items() if status >= SERVER_ERROR]
    return bad[0] if bad else ""


def _leaving(facts: Mapping[str, Json]) -> Iterator[PluginFault]:
    for what, kind, words in (
        ("processes", "leaves-process", "still runs after the instance was let go"),
        ("ports", "leaves-port", "still listens after the instance was let go"),
        ("timers", "leaves-timer", "ms: a timer that goes on after the instance was let go"),
        ("requests after the end", "goes-on", "requests to the model after the instance was let go"),
    ):
        found = facts.get(f"left#{what}")
        for one in found if isinstance(found, list) else [found] if found else []:
            yield PluginFault(kind, f"{one} {words}", "flaw", fact=f"left#{what}")
    if isinstance(gone := facts.get(GONE), list):
        yield PluginFault("deletes-files", f"it deletes what it did not make: {', '.join(map(str, gone))}", "flaw", fact=GONE)
    for name, value in facts.items():
        place = name.removeprefix("left#files in ")
        if place != name and place not in USUAL and isinstance(value, list):
            said = f"it writes outside its project and home, in {place}: {', '.join(map(str, value))}"
            yield PluginFault("writes-outside", said, "flaw", fact=name)
