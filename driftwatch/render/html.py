"""The report as one self-contained HTML page: no network, readable everywhere, and without its script, too."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from driftwatch.model import ADDRESS_KINDS, ROLES, SEVERITIES, FileRow, Finding, Json, Report, ScriptRow
from driftwatch.render import clean, split, summary, view
from driftwatch.render.anchors import Anchors
from driftwatch.render.colours import Colours, language
from driftwatch.render.grid import grid
from driftwatch.render.messages import about, parts
from driftwatch.render.moves import moves
from driftwatch.render.page import LONGEST, SHORT, code, markup, page, pieces, said, slug, value
from driftwatch.render.timeline import day, timeline
from driftwatch.render.trend import trend

if TYPE_CHECKING:
    from markupsafe import Markup

STEPS = 8  # steps that are not folded: as long as what stands beside them
FOLD = 25  # rows of a group that are not folded
LOTS = 300  # findings of a group, from which on those folded away are told in short
NAMED = 12  # addresses named beside one reason
FEW = 3  # the same on the first screen
REASON = 150  # characters of why something could not be looked at, on the first screen
BRIEF = 48  # characters of a value in a cell that is shut
SOURCE = 20_000  # characters of a plugin or witness that are shown


def render(report: Report) -> str:
    """The whole page. Each finding has the anchor ``f-<fingerprint>``, so that a link to it stays right over runs."""
    findings = [finding for upstream in report.upstreams for finding in upstream.findings]
    return page(
        "report.html.j2",
        ("base.css", "report.css"),
        ("report.js",),
        _FILTERS,
        report=report,
        summary=summary.of(report),
        views=[_laid_out(one) for one in map(view.of, report.upstreams)],
        offered=offered(findings),
        rules=[rule for rule in dict.fromkeys(finding.rule for finding in findings) if about(rule)],
        fold=FOLD,
        steps=STEPS,
        lots=LOTS,
        most=NAMED,
        few=FEW,
        anchors=Anchors(report.upstreams),
        why=summary.watched_why,
    )


def _laid_out(one: view.View) -> dict[str, Any]:
    """The view every format has, and the pictures only this one draws."""
    upstream = one.upstream
    shown = {name: getattr(one, name) for name in view.View.__dataclass_fields__}
    return {
        **shown,
        "grid": grid(upstream),
        "timeline": timeline(upstream),
        "trend": trend(upstream.trend),
        "moved": moves(upstream),
    }


@dataclass(frozen=True, slots=True)
class Offered:
    """What the findings can be narrowed by: only what is there."""

    severities: tuple[str, ...]
    roles: tuple[str, ...]
    kinds: tuple[str, ...]


def offered(findings: list[Finding]) -> Offered:
    severities = {finding.severity for finding in findings}
    roles = {finding.role for finding in findings}
    kinds = {finding.address.kind for finding in findings}
    return Offered(
        tuple(name for name in reversed(SEVERITIES) if name in severities),
        tuple(name for name in ROLES if name in roles),
        tuple(name for name in ADDRESS_KINDS if name in kinds),
    )


def say(finding: Finding) -> Markup:
    """The finding's message: our words as text, upstream's values as code."""
    return said(parts(finding))


def brief(given: Json) -> str:
    """A value in a few characters."""
    return clean.value(given, BRIEF)


def longer(given: Json) -> bool:
    """Whether ``brief`` leaves something of it out."""
    return len(clean.value(given, LONGEST)) > BRIEF


def before(finding: Finding) -> Markup:
    return _typed(finding, finding.before)


def after(finding: Finding) -> Markup:
    return _typed(finding, finding.after)


def _typed(finding: Finding, given: Json) -> Markup:
    """A declared type in colour, any other value as it is."""
    if finding.address.kind != "ts" or not isinstance(given, str) or len(given) > SHORT:
        return value(given)
    return markup(f"<code>{pieces(Colours('ts').line(clean.line(given)))}</code>")


def witness(finding: Finding) -> Markup:
    """The lines that proved it, in colour; "" when there are none."""
    given = finding.args.get("witness")
    if not isinstance(given, str) or not given.strip():
        return markup("")
    needs = finding.args.get("witness_needs")
    first = f"// npm install --ignore-scripts {' '.join(map(str, needs))}\n" if isinstance(needs, list) and needs else ""
    return _source(first + given, "ts")


def source(script: ScriptRow) -> Markup:
    return _source(script.text, language(script.path))


def _source(text: str, written_in: str) -> Markup:
    colours = Colours(written_in)
    shown = clean.clean(text[:SOURCE]).rstrip("\n").split("\n")
    left = f"\n… {len(text) - SOURCE:,} more characters" if len(text) > SOURCE else ""
    return markup("\n".join(pieces(colours.line(line)) for line in shown) + left)


def long(text: str) -> bool:
    return len(clean.line(text)) > REASON


def side_by_side(row: FileRow) -> tuple[Markup, int]:
    """The diff's table, and how many lines are left out."""
    rows, left = split.table(row.diff, row.path, row.old_path)
    return markup(rows), left


_FILTERS: Mapping[str, Callable[..., Any]] = {
    "say": say,
    "about": about,
    "brief": brief,
    "longer": longer,
    "before": before,
    "after": after,
    "witness": witness,
    "source": source,
    "split": side_by_side,
    "day": day,
    "short": lambda text: clean.line(text)[:REASON] + ("…" if long(text) else ""),
    "long": long,
    "slug": slug,
    "code": code,
}
