"""Floors as text, Markdown and JSON. Pure; upstream's words are escaped here."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from driftwatch.model.floors import Floor, FloorReport, FloorRow, Look
from driftwatch.progress import counted
from driftwatch.render import clean
from driftwatch.render.quiet import quiet

SCHEMA_VERSION = 1
COLUMNS = ("relied on", "declared from", "behaves from")
SHOWN = 24  # versions named in one line
AROUND = 3  # looks named on either side of a floor, when there are many


def render(reports: Sequence[FloorReport], form: str) -> str:
    """``form`` is ``text``, ``md`` or ``json``."""
    makers: Mapping[str, Callable[[Sequence[FloorReport]], str]] = {"text": _text, "md": _markdown, "json": _json}
    return clean.encodable(makers[form](reports))


# --- words all forms share (plain, not escaped)


def headline(report: FloorReport) -> str:
    """The minimum in one line."""
    if not report.minimum:
        return "no minimum could be found"
    return f"at least {report.minimum}" + ("" if report.certain else ", as far as could be told")


def cell(floor: Floor | None) -> str:
    """A floor in one word; ``?`` after it when something unseen might move it."""
    if floor is None:
        return "-"
    words = {"found": floor.version, "oldest": f"{floor.version} or older", "lost": "no longer", "never": "never"}
    return words.get(floor.status, "unknown") + ("?" if floor.version and not floor.certain else "")


def story(floor: Floor) -> Iterator[str]:
    """What was found and on what evidence, one sentence a line."""
    yield _finding(floor)
    if floor.unpublished:
        near = f"the true floor lies in ({floor.below}, {floor.version}]"
        yield f"never published there: {spans(floor.unpublished)}; {near}"
    if floor.intervals:
        held = ", ".join(first if first == last else f"{first} to {last}" for first, last in floor.intervals)
        yield f"it comes and goes: it holds in {held}"
    if floor.unseen and floor.status != "unknown":
        yield f"not seen, and might move the floor: {_unseen(floor.unseen)}"
    if floor.looks:
        yield _evidence(floor)


def _finding(floor: Floor) -> str:
    seen = [look.version for look in floor.looks if look.holds is not None]
    sentences = {
        "found": f"first published version: {floor.version}; {floor.below} does not have it",
        "oldest": f"already in {floor.version}, the oldest that was looked at",
        "lost": f"it held once, and no longer does in {seen[-1] if seen else ''}",
        "never": f"in none of the {counted(len(seen), 'version')} looked at, from {seen[0]} to {seen[-1]}" if seen else "",
        "unknown": f"could not be looked for: {floor.reason}",
    }
    return sentences[floor.status]


def _evidence(floor: Floor) -> str:
    if floor.exhaustive and len(floor.looks) > SHOWN:
        return f"every version was looked at ({len(floor.looks)})"
    words = {True: "yes", False: "no", None: "not seen"}
    near = _near(floor)
    shown = ", ".join(f"{look.version} {words[look.holds]}" for look in near)
    return f"looked at {shown}" if len(near) == len(floor.looks) else f"looked at {len(floor.looks)} versions, among them {shown}"


def _near(floor: Floor) -> Sequence[Look]:
    """The looks worth reading: all when they are few, else the oldest, the newest, and those around the floor."""
    looks = floor.looks
    if len(looks) <= SHOWN // 2:
        return looks
    at = next((place for place, look in enumerate(looks) if look.version == floor.version), 0)
    return [look for place, look in enumerate(looks) if abs(place - at) <= AROUND or place in (0, len(looks) - 1)]


def _unseen(looks: Sequence[Look]) -> str:
    reasons: dict[str, list[str]] = {}
    for look in looks:
        reasons.setdefault(look.reason, []).append(look.version)
    return "; ".join(f"{', '.join(versions[:SHOWN])}{_more(versions)} ({reason})" for reason, versions in reasons.items())


def _more(things: Sequence[object]) -> str:
    return f" and {len(things) - SHOWN} more" if len(things) > SHOWN else ""


def spans(versions: Sequence[str]) -> str:
    """Versions with runs of patch numbers drawn together: ``1.15.5 to 1.15.12, 1.16.0``."""
    runs: list[list[str]] = []
    for version in versions:
        if runs and _follows(runs[-1][-1], version):
            runs[-1].append(version)
        else:
            runs.append([version])
    return ", ".join(run[0] if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs)


def _follows(one: str, other: str) -> bool:
    line, _, patch = one.rpartition(".")
    return patch.isdecimal() and other == f"{line}.{int(patch) + 1}"


def _row(row: FloorRow) -> tuple[str, str, str]:
    wanted = f" ({row.wanted})" if row.wanted else ""
    return f"{row.address}{wanted}", cell(row.declared), cell(row.behaviour)


def _stories(row: FloorRow) -> Iterator[tuple[str, Sequence[str]]]:
    """A heading and its sentences for each floor of a row."""
    if row.reason:
        yield row.address, [row.reason]
    for floor, word in ((row.declared, "declared"), (row.behaviour, "behaves")):
        if floor is not None:
            of = f", by versions of {floor.package}" if floor.package else ""
            yield f"{floor.address}: {word}{of}", list(story(floor))


def _looked(report: FloorReport) -> str:
    return "; ".join(f"{count} {what}" for what, count in report.looked.items()) or "nothing"


# --- text


def _text(reports: Sequence[FloorReport]) -> str:
    return "\n".join("".join(f"{line}\n" for line in _paragraphs(report)) for report in reports)


def _paragraphs(report: FloorReport) -> Iterator[str]:
    yield _plain_line(f"{report.upstream}: {headline(report)}")
    yield from (_plain_line(f"decided by {address}") for address in report.decided_by)
    yield ""
    yield from _table([COLUMNS, *(_row(row) for row in report.rows)])
    yield ""
    for row in report.rows:
        for heading, sentences in _stories(row):
            yield _plain_line(heading)
            yield from (f"- {_plain_line(sentence)}" for sentence in sentences)
    yield ""
    yield _plain_line(f"looked at: {_looked(report)}")


def _plain_line(text: str) -> str:
    return quiet(clean.line(text))


def _table(rows: Sequence[tuple[str, str, str]]) -> Iterator[str]:
    cells = [tuple(_plain_line(each) for each in row) for row in rows]
    wide = [max(len(row[column]) for row in cells) for column in range(2)]
    return (f"{row[0]:{wide[0]}}  {row[1]:{wide[1]}}  {row[2]}".rstrip() for row in cells)


# --- Markdown


def _markdown(reports: Sequence[FloorReport]) -> str:
    return "\n".join("\n".join(_sections(report)) + "\n" for report in reports)


def _sections(report: FloorReport) -> Iterator[str]:
    from driftwatch.render.markdown import code, escape

    yield f"## {escape(report.upstream)}: {escape(headline(report))}\n"
    for address in report.decided_by:
        yield f"Decided by {code(address)}.\n"
    yield f"| {' | '.join(COLUMNS)} | why |\n|---|---|---|---|"
    for row in report.rows:
        wanted = f" {escape(row.wanted)}" if row.wanted else ""
        cells = [escape(cell(floor)) if floor else "—" for floor in (row.declared, row.behaviour)]
        yield f"| {code(row.address)}{wanted} | {' | '.join(cells)} | {escape(row.why)} |"
    yield ""
    for row in report.rows:
        for heading, sentences in _stories(row):
            yield f"- {code(heading)}"
            yield from (f"  - {escape(sentence)}" for sentence in sentences)
    yield f"\nLooked at: {escape(_looked(report))}."


# --- JSON


def _json(reports: Sequence[FloorReport]) -> str:
    document = {"schema_version": SCHEMA_VERSION, "upstreams": [_plain(report) for report in reports]}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _plain(report: FloorReport) -> dict[str, Any]:
    return {
        "id": report.upstream,
        "minimum": report.minimum or None,
        "decided_by": list(report.decided_by),
        "certain": report.certain,
        "looked": dict(report.looked),
        "floors": [_plain_row(row) for row in report.rows],
    }


def _plain_row(row: FloorRow) -> dict[str, Any]:
    return {
        **{key: value for key, value in asdict(row).items() if isinstance(value, str)},
        "declared": _plain_floor(row.declared),
        "behaviour": _plain_floor(row.behaviour),
    }


def _plain_floor(floor: Floor | None) -> dict[str, Any] | None:
    return None if floor is None else {**asdict(floor), "certain": floor.certain}
