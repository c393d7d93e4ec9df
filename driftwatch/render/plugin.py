"""A checked plugin as text, Markdown, HTML and JSON. Pure; the plugin's and the host's words are escaped here."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, cast

from driftwatch.model import Json
from driftwatch.model.plugins import PluginFault, PluginReport, PluginRow, PluginStep
from driftwatch.progress import counted
from driftwatch.render import clean, wire
from driftwatch.render.json import dump
from driftwatch.render.quiet import indented

SHOWN = 14  # names told of one list
LONGEST = 400
TITLES: Mapping[str, str] = {
    "plugin": "the plugin itself",
    "config": "what the host hands out",
    "network": "where it wants to go",
    "log": "what the host complains about",
    "left": "what is left",
    "own tools": "its own tools, called once each",
}
REQUESTS = "what reaches the model, and what comes back"


def render(report: PluginReport, form: str) -> str:
    """``form`` is ``text``, ``md``, ``html`` or ``json``."""
    makers: Mapping[str, Callable[[PluginReport], str]] = {"text": _text, "md": _markdown, "html": _html, "json": _json}
    return clean.encodable(makers[form](report))


def schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of what ``json`` gives."""
    return cast(
        "dict[str, Any]", json.loads(files("driftwatch.render").joinpath("schemas/check-plugin-1.json").read_text("utf-8"))
    )


# --- words all forms share (plain, not escaped)


def headline(report: PluginReport) -> str:
    """The verdict in one line."""
    name = f"{report.plugin} {report.version}"
    if not report.steps:
        row = report.rows[0]
        return f"{name} on {report.host} {row.version}: {ROW_WORDS[row.outcome]}"
    first, last = report.rows[0].version, report.rows[-1].version
    words = STEP_WORDS[report.outcome]
    if report.outcome == "compatible" and (left := len({what for row in report.rows for what in row.untried})):
        words += f" ({counted(left, 'part')} of it could not be tried)"
    return f"{name}, {report.host} {first} -> {last}: {words}"


ROW_WORDS = {
    "works": "it works",
    "flawed": "it works, with flaws",
    "broken": "it is broken",
    "unverified": "it could not be told whether it works",
}
STEP_WORDS = {
    "compatible": "the move is safe, everything observed is the same",
    "drifted": "it works on both, and something observed differs",
    "broken": "the move is not safe",
    "unverified": "it could not be told whether the move is safe",
}


@dataclass(frozen=True, slots=True)
class Told:
    """One observation in words, and whether two runs on the host agreed about it."""

    names: tuple[str, ...]
    value: str
    stable: bool

    @property
    def name(self) -> str:
        return together(self.names)


@dataclass(frozen=True, slots=True)
class Moved:
    """Observations that changed alike from one host to the next, in words."""

    names: tuple[str, ...]
    before: str
    after: str

    @property
    def name(self) -> str:
        return together(self.names)


def together(names: Sequence[str]) -> str:
    first = ", ".join(names[:4])
    return first if len(names) <= 4 else f"{first} and {len(names) - 4} more"


def moved(step: PluginStep) -> list[Moved]:
    """What changed from one host to the next; what changed alike in many requests is said once."""
    found: dict[tuple[str, str], list[str]] = {}
    for change in step.changes:
        found.setdefault((value(change.before), value(change.after)), []).append(change.name)
    return [Moved(tuple(names), before, after) for (before, after), names in found.items()]


def groups(row: PluginRow) -> Iterator[tuple[str, list[Told]]]:
    """The facts of a row by what they are about; what is said of many requests alike is said once."""
    found: dict[str, dict[tuple[str, bool], list[str]]] = {}
    for name, fact in row.facts.items():
        area, _, what = name.partition("#")
        title = TITLES.get(area, REQUESTS)
        shown = what if area in TITLES else f"{area} {what}"
        found.setdefault(title, {}).setdefault((value(fact), name not in row.unstable), []).append(shown)
    for title in (*dict.fromkeys(TITLES.values()), REQUESTS):
        if title in found:
            told = [Told(tuple(names), said, stable) for (said, stable), names in found[title].items()]
            yield title, sorted(told, key=lambda each: each.names)


def walls(row: PluginRow) -> tuple[str, ...]:
    """Which walls stood, in words."""
    if not row.network and not row.files:
        return ("nothing was run",)
    return (row.network or "none to the network", f"files: {row.files}", f"processes: {row.processes}")


def _once(row: PluginRow, fault: PluginFault) -> str:
    return " (seen in one of two runs)" if fault.fact in row.unstable else ""


def value(fact: Json) -> str:
    """A fact's value in words."""
    if isinstance(fact, dict) and "digest" in fact:
        begins = f': "{fact["begins"]}"' if fact["begins"] else ""
        return f"{fact['added']} characters added, {fact['removed']} of the rest removed{begins} ({fact['digest']})"
    if isinstance(fact, dict) and fact.keys() == {"without", "with"}:
        return f"{_one(fact['without'])} -> {_one(fact['with'])}"
    if isinstance(fact, dict) and fact and fact.keys() <= {"added", "removed", "changed"}:
        return "; ".join(f"{word} {_many(fact[word])}" for word in ("added", "removed", "changed") if word in fact)
    return _many(fact) if isinstance(fact, list) else _one(fact)


def _many(given: Json) -> str:
    items = given if isinstance(given, list) else [given]
    more = f" and {len(items) - SHOWN} more" if len(items) > SHOWN else ""
    return ", ".join(_one(item) for item in items[:SHOWN]) + more


def _one(given: Json) -> str:
    return clean.value(given, LONGEST)


# --- text


def _text(report: PluginReport) -> str:
    return indented(_lines(report))


def _lines(report: PluginReport) -> Iterator[tuple[int, str]]:
    """Lines, each with how far it stands in."""
    yield 0, headline(report)
    for step in report.steps:
        yield 0, f"{step.before} -> {step.after}: {step.outcome}: {step.reason}"
        yield from ((2, f"{each.name}: {each.before}  =>  {each.after}") for each in moved(step))
    for row in report.rows:
        yield 0, ""
        yield 0, f"{report.host} {row.version}: {ROW_WORDS[row.outcome]}{f': {row.reason}' if row.reason else ''}"
        yield from ((2, f"{fault.kind} ({fault.weight}): {fault.text}{_once(row, fault)}") for fault in row.faults)
        for title, told in groups(row):
            yield 2, f"{title}:"
            yield from ((4, f"{each.name}: {each.value}{'' if each.stable else ' (not stable)'}") for each in told)
        yield from ((2, f"not tried: {what}") for what in row.untried)
        yield 2, f"walls: {'; '.join(walls(row))}"


# --- Markdown


def _markdown(report: PluginReport) -> str:
    return "\n".join(_paragraphs(report)) + "\n"


def _paragraphs(report: PluginReport) -> Iterator[str]:
    from driftwatch.render.markdown import code, escape

    yield f"# {escape(headline(report))}\n"
    yield f"driftwatch {escape(report.tool_version)}, {escape(report.generated_at)}; the plugin came from {report.source}.\n"
    yield "| host | outcome | faults | walls |\n|---|---|---|---|"
    for row in report.rows:
        faults = ", ".join(code(fault.kind) for fault in row.faults) or "none"
        yield f"| {escape(row.version)} | {row.outcome} | {faults} | {escape(row.network or '-')} |"
    for step in report.steps:
        yield f"\n## {escape(step.before)} -> {escape(step.after)}: {step.outcome}\n"
        yield f"{escape(step.reason)}\n"
        if step.changes:
            yield "| observed | before | after |\n|---|---|---|"
        yield from (f"| {code(each.name)} | {escape(each.before)} | {escape(each.after)} |" for each in moved(step))
    for row in report.rows:
        yield f"\n## On {escape(report.host)} {escape(row.version)}: {escape(ROW_WORDS[row.outcome])}\n"
        if row.reason:
            yield f"{escape(row.reason)}\n"
        yield from (f"- {code(fault.kind)} ({fault.weight}): {escape(fault.text)}{_once(row, fault)}" for fault in row.faults)
        for title, told in groups(row):
            yield f"\n**{escape(title)}**\n"
            yield from (f"- {code(each.name)}: {escape(each.value)}{'' if each.stable else ' *(not stable)*'}" for each in told)
        if row.untried:
            yield "\n**what could not be tried**\n"
            yield from (f"- {escape(what)}" for what in row.untried)
        yield f"\nWalls: {escape('; '.join(walls(row)))}."


# --- HTML

LIKE = {
    "works": "holds",
    "flawed": "risky",
    "broken": "broken",
    "unverified": "unverified",
}  # as the icons of all pages are named


def _html(report: PluginReport) -> str:
    from driftwatch.render.page import page

    return page(
        "plugin.html.j2",
        ("base.css", "plugin.css"),
        (),
        {},
        report=report,
        headline=headline(report),
        words=ROW_WORDS,
        like=LIKE,
        walls=walls,
        moved=moved,
        rows=[(row, list(groups(row))) for row in report.rows],
    )


# --- JSON


def _json(report: PluginReport) -> str:
    whole = cast("dict[str, Json]", wire.encode(report))
    return dump({"headline": headline(report), **whole}, indent=2)
