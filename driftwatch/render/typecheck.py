"""What the compiler said of our own source, as text, Markdown and JSON. Pure; foreign words are escaped here."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from importlib.resources import files
from typing import Any, cast

from driftwatch.model import Json
from driftwatch.model.typecheck import TypecheckReport, TypecheckRow, TypeProblem
from driftwatch.render import clean, wire
from driftwatch.render.floor import cell, story
from driftwatch.render.json import dump
from driftwatch.render.quiet import indented

SHOWN = 40  # errors told of one version
LONGEST = 500


def render(report: TypecheckReport, form: str) -> str:
    """``form`` is ``text``, ``md`` or ``json``."""
    makers: Mapping[str, Callable[[TypecheckReport], str]] = {"text": _text, "md": _markdown, "json": _json}
    return clean.encodable(makers[form](report))


def schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of what ``json`` gives."""
    return cast("dict[str, Any]", json.loads(files("driftwatch.render").joinpath("schemas/typecheck-1.json").read_text("utf-8")))


def headline(report: TypecheckReport) -> str:
    fails = [row.version for row in report.rows if row.outcome == "fails"]
    dark = [row.version for row in report.rows if row.outcome == "unverified"]
    if fails:
        return f"does not compile with {', '.join(fails)}"
    if dark:
        return f"could not be told for {', '.join(dark)}"
    return f"compiles with {', '.join(row.version for row in report.rows)} as it does with {report.base}"


def say(one: TypeProblem) -> str:
    """``file:line:column: code: message``"""
    return f"{one.file}:{one.line}:{one.column}: {one.code}: {clean.line(one.message, LONGEST)}"


def _verdict(row: TypecheckRow) -> str:
    words = {
        "compiles": "compiles",
        "fails": f"{len(row.new)} new error{'' if len(row.new) == 1 else 's'}",
        "unverified": f"could not be told: {row.reason}",
    }
    gone = f", {len(row.gone)} of the standing errors gone" if row.gone else ""
    inside = f", {row.elsewhere} errors inside installed packages" if row.elsewhere else ""
    return f"{words[row.outcome]}{gone}{inside}"


def _more(count: int) -> Iterator[str]:
    if count > SHOWN:
        yield f"and {count - SHOWN} more"


def _text(report: TypecheckReport) -> str:
    return indented(_lines(report))


def _lines(report: TypecheckReport) -> Iterator[tuple[int, str]]:
    yield 0, f"your source {headline(report)}"
    if report.standing:
        yield 0, f"standing with {report.base} already, and no version's fault: {len(report.standing)}"
        yield from ((2, say(one)) for one in report.standing[:SHOWN])
        yield from ((2, more) for more in _more(len(report.standing)))
    for row in report.rows:
        yield 0, f"{row.version}: {_verdict(row)}"
        yield from ((2, say(one)) for one in row.new[:SHOWN])
        yield from ((2, more) for more in _more(len(row.new)))
        yield from ((2, f"note: {note}") for note in row.notes)
    if report.floor is not None:
        yield 0, f"compiles from: {cell(report.floor)} ({report.floor.package})"
        yield from ((2, sentence) for sentence in story(report.floor))


def _markdown(report: TypecheckReport) -> str:
    return "\n".join(_paragraphs(report)) + "\n"


def _paragraphs(report: TypecheckReport) -> Iterator[str]:
    from driftwatch.render.markdown import code, escape

    yield f"# Your source {escape(headline(report))}\n"
    if report.standing:
        yield f"Standing with {escape(report.base)} already, and no version's fault: {len(report.standing)}.\n"
        yield from (f"- {code(say(one))}" for one in report.standing[:SHOWN])
        yield from (f"- {more}" for more in _more(len(report.standing)))
    for row in report.rows:
        yield f"\n## {escape(row.version)}: {escape(_verdict(row))}\n"
        yield from (f"- {code(say(one))}" for one in row.new[:SHOWN])
        yield from (f"- {more}" for more in _more(len(row.new)))
        yield from (f"- {escape(note)}" for note in row.notes)
    if report.floor is not None:
        yield f"\n## Compiles from: {escape(cell(report.floor))}\n"
        yield from (f"- {escape(sentence)}" for sentence in story(report.floor))


def _json(report: TypecheckReport) -> str:
    whole = cast("dict[str, Json]", wire.encode(report))
    return dump({"headline": f"your source {headline(report)}", **whole}, indent=2)
