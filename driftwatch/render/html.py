"""The report as one self-contained HTML page: no script, no network, readable everywhere.

The page carries a content security policy that allows nothing but its own style sheet, named by its hash.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterable
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from driftwatch.model import FileRow, Finding, Json, Report, UpstreamReport
from driftwatch.render import clean, summary, view
from driftwatch.render.diffs import Line, lines
from driftwatch.render.messages import Part, about, parts, prose
from driftwatch.render.templating import environment

if TYPE_CHECKING:
    from jinja2.sandbox import ImmutableSandboxedEnvironment
    from markupsafe import Markup

FOLD = 25  # rows of a group that are not folded
NAMED = 12  # addresses named beside one reason
SHORT = 160  # characters of a value that are not folded
LONGEST = 4000
DIFF_LINES = 2000
DIFF_WIDTH = 1000
_WRAP = re.compile(r"(?<=[/.#:,_])(?=\w)")
_SLUG = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


def render(report: Report) -> str:
    """The whole page. Each finding has the anchor ``f-<fingerprint>``, so that a link to it stays right over runs."""
    style = _style()
    page = _environment().get_template("report.html.j2")
    text = page.render(
        report=report,
        summary=summary.of(report),
        views=[view.of(upstream) for upstream in report.upstreams],
        style=_markup(style),
        policy=policy(style),
        fold=FOLD,
        anchors=Anchors(report),
        why=summary.watched_why,
        explained=view.explained,
        most=NAMED,
    )
    return clean.encodable(text)


def policy(style: str) -> str:
    """The content security policy: nothing is loaded, nothing runs, and only this style sheet applies."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


class Anchors:
    """The id of each finding and upstream on the page: stable, safe, each given out once."""

    def __init__(self, report: Report) -> None:
        self._counts: dict[str, int] = {}
        self._findings: dict[int, str] = {}
        self._upstreams: dict[int, str] = {}
        self._files: dict[tuple[int, int], str] = {}
        self._diffs: dict[int, str] = {}  # of findings about a file whose diff is on the page
        for upstream in report.upstreams:
            self._upstreams[id(upstream)] = self._unique(f"u-{slug(upstream.id)}")
            for finding in upstream.findings:
                self._findings[id(finding)] = self._unique(f"f-{slug(finding.fingerprint)}")
            self._note_files(upstream)

    def finding(self, finding: Finding) -> str:
        return self._findings[id(finding)]

    def upstream(self, upstream: UpstreamReport) -> str:
        return self._upstreams[id(upstream)]

    def file(self, upstream: UpstreamReport, row: FileRow) -> str:
        return self._files[id(upstream), id(row)]

    def diff(self, finding: Finding) -> str:
        """The id of the diff a finding is about, or ""."""
        return self._diffs.get(id(finding), "")

    def _note_files(self, upstream: UpstreamReport) -> None:
        diffs: dict[str, str] = {}
        for row in upstream.files:
            if row.diff and row.change not in view.QUIET_FILES:
                diffs[row.path] = self._files[id(upstream), id(row)] = self._unique(f"d-{slug(row.path)}")
        for finding in upstream.findings:
            if finding.address.kind == "file" and finding.address.subject in diffs:
                self._diffs[id(finding)] = diffs[finding.address.subject]

    def _unique(self, name: str) -> str:
        count = self._counts[name] = self._counts.get(name, 0) + 1
        return name if count == 1 else f"{name}-{count}"


def slug(text: str) -> str:
    """``text`` when it can be an id as it is, else a digest of it."""
    if _SLUG.fullmatch(text):
        return text
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def say(finding: Finding) -> Markup:
    """The finding's message: our words as text, upstream's values as code."""
    return _said(parts(finding))


def told(text: str) -> Markup:
    """One line of prose, what is in backticks as code."""
    return _said(prose(text))


def code(text: str, limit: int = 600) -> Markup:
    """One line as code, with places to wrap after the signs that names are made of."""
    return _markup(f"<code>{'<wbr>'.join(escape(piece) for piece in _WRAP.split(clean.line(text, limit)))}</code>")


def value(given: Json) -> Markup:
    """A value as code; a long one is folded behind its beginning."""
    if given is None:
        return _markup('<span class="none" title="not there">—</span>')
    text = clean.value(given, LONGEST)
    if len(text) <= SHORT:
        return code(text)
    return _markup(f'<details class="long"><summary>{code(text[:SHORT])}…</summary>{code(text, LONGEST)}</details>')


def diff(text: str) -> tuple[list[Line], int]:
    """The lines to show of a unified diff, and how many are left out."""
    every = list(lines(text, DIFF_WIDTH))
    return every[:DIFF_LINES], max(0, len(every) - DIFF_LINES)


def verbatim(text: str) -> Markup:
    """A line whose spaces matter (it was cleaned when the diff was taken apart)."""
    return _markup(escape(text))


def escape(text: str) -> str:
    from markupsafe import escape as escaped

    return str(escaped(text))


def _said(pieces: Iterable[Part]) -> Markup:
    return _markup("".join(code(part.text) if part.value else escape(part.text) for part in pieces))


def _markup(text: str) -> Markup:
    from markupsafe import Markup

    return Markup(text)  # noqa: S704  (made of escaped pieces, or our own style sheet)


def _style() -> str:
    return files("driftwatch.render").joinpath("templates", "report.css").read_text("utf-8")


@cache
def _environment() -> ImmutableSandboxedEnvironment:
    filters: dict[str, Callable[..., Any]] = {
        "say": say,
        "code": code,
        "value": value,
        "diff": diff,
        "about": about,
        "prose": told,
        "verbatim": verbatim,
    }
    return environment(escape, filters)
