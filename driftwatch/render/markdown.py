"""The report as GitHub-flavoured Markdown. Whatever upstream text holds, it is read as text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from driftwatch.model import Finding, Json, Report
from driftwatch.render import clean, summary, view
from driftwatch.render.messages import Part, parts, prose
from driftwatch.render.quiet import SPACE, quiet
from driftwatch.render.templating import environment, shown

if TYPE_CHECKING:
    from jinja2.sandbox import ImmutableSandboxedEnvironment
    from markupsafe import Markup

ICONS = {
    "compatible": "✅",
    "drifted": "🔷",
    "broken": "❌",
    "unverified": "❔",
    "holds": "✅",
    "breaks": "❌",
    "changed": "🔷",
    "absent": "➖",
    "confirmed": "✅",
    "breaking": "❌",
    "risky": "⚠️",
    "info": "🔷",
}
DIFF_LINES = 400
DIFF_WIDTH = 400
NAMED = 12  # addresses named beside one reason
CELL = 300  # characters of a value in a table
FOLD = 25  # rows of a table that are not folded

_SPECIAL = re.compile(r"([\\`*_\[\]|~])")
_AUTOLINK = re.compile(r"@(?=\w)|#(?=\d)|(?<=[Gg][Hh])-(?=\d)|:(?=//)|\b[Ww]{3}(?=\.)|(?<=mailto):|(?<=xmpp):")
_START = re.compile(r"^([-+=#]|\d+(?=[.)](\s|$)))")
_MARKUP = re.compile(r"[|\\`*_\[\]~#!$^@:&<>\"']")
_FENCE = re.compile(r"`+")


@dataclass(frozen=True, slots=True)
class Room:
    """How much a page may hold. ``rows``: of each list and table, the rest is counted (None: all). ``parts``: what comes
    after the first screen, in a fold of its own when ``folded``."""

    rows: int | None = None
    diff_lines: int = DIFF_LINES
    parts: bool = True
    folded: bool = False


def render(report: Report) -> str:
    """The whole report, verdict first; long parts are folded, nothing of the verdict is cut."""
    return page(report, Room())


def page(report: Report, room: Room) -> str:
    """The report in as much room as there is."""
    values = {
        "report": report,
        "summary": summary.of(report),
        "views": [view.of(upstream) for upstream in report.upstreams],
        "icons": ICONS,
        "fold": FOLD,
        "room": room,
        "most": NAMED,
        "explained": view.explained,
    }
    text = _environment().get_template("report.md.j2").render(values)
    return clean.encodable(re.sub(r"\n{3,}", "\n\n", text).strip() + "\n")


def escape(text: str) -> str:
    """One line of prose: no markup, mention, issue reference or link comes out of it."""
    flat = _START.sub(_started, _SPECIAL.sub(r"\\\1", _unlinked(quiet(clean.line(text)))))
    return flat.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("$", "&#36;")


def code(text: str) -> str:
    """One line as code. A pipe would end a table's cell even in backticks, so it is written as an entity in ``<code>``."""
    flat = quiet(shown(text))
    if not flat:
        return "—"
    if "|" in flat or "\\" in flat:
        return f"<code>{_entities(flat)}</code>"
    ticks = "`" * (max((len(run) for run in _FENCE.findall(flat)), default=0) + 1)
    pad = " " if flat.startswith("`") or flat.endswith("`") else ""
    return f"{ticks}{pad}{flat}{pad}{ticks}"


def fence(text: str, language: str = "diff") -> str:
    """Lines as a fenced block, with a fence longer than any run of backticks inside."""
    ticks = "`" * max(3, max((len(run) for run in _FENCE.findall(text)), default=0) + 1)
    return f"{ticks}{language}\n{quiet(text)}\n{ticks}"


def diff(text: str, most: int = DIFF_LINES) -> str:
    """A unified diff as a fenced block, long ones shortened with a note of what is left out."""
    lines = clean.clean(text).rstrip("\n").split("\n")
    kept = [line[:DIFF_WIDTH] + "…" if len(line) > DIFF_WIDTH else line for line in lines[:most]]
    left = len(lines) - len(kept)
    note = f"\n\n{left:,} more lines are in the JSON report." if left else ""
    return fence("\n".join(kept)) + note


def say(finding: Finding) -> str:
    """The finding's message: our words as prose, upstream's values as code."""
    return _said(parts(finding))


def told(text: str) -> str:
    """One line of prose, what is in backticks as code."""
    return _said(prose(text))


def value(given: Json) -> str:
    return "—" if given is None else code(clean.value(given, CELL))


def before(finding: Finding) -> str:
    """What it was, told apart from what it is."""
    return value(clean.apart(finding.before, finding.after, CELL)[0])


def after(finding: Finding) -> str:
    return value(clean.apart(finding.before, finding.after, CELL)[1])


def summary_text(text: str) -> str:
    """Text inside an HTML tag of ours (``<summary>``), where Markdown is not read."""
    return _entities(quiet(_unlinked(shown(text))))


def _started(match: re.Match[str]) -> str:
    """A first character that would begin a list or underline a heading."""
    return f"{match[0]}\\" if match[0].isdigit() else f"\\{match[0]}"


def _said(pieces: Iterable[Part]) -> str:
    return "".join(code(part.text) if part.value else _inline(part.text) for part in pieces)


def _inline(text: str) -> str:
    """Our own words between two values: escaped, but spaces at the ends stay."""
    start, end = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return f"{start and ' '}{escape(text)}{end and ' '}" if text.strip() else " "


def _unlinked(text: str) -> str:
    return _AUTOLINK.sub(lambda match: match[0] + SPACE, text)


def _entities(text: str) -> str:
    return _MARKUP.sub(lambda match: f"&#{ord(match[0])};", text)


@cache
def _environment() -> ImmutableSandboxedEnvironment:
    from markupsafe import Markup

    def marked(filter_: Callable[..., str]) -> Callable[..., Markup]:
        return lambda *given: Markup(filter_(*given))  # noqa: S704  (each of them escapes)

    filters: dict[str, Callable[..., str]] = {
        "code": code,
        "diff": diff,
        "say": say,
        "prose": told,
        "value": value,
        "before": before,
        "after": after,
        "html": summary_text,
    }
    return environment(escape, {name: marked(filter_) for name, filter_ in filters.items()})
