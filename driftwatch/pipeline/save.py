"""Writing what a run found: reports, the history line, and what was seen. Whole files only, and only when they differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from driftwatch import atomic
from driftwatch.model import Json, Report
from driftwatch.pipeline import story
from driftwatch.render import FORMATS, render
from driftwatch.store import history, observed
from driftwatch.store.observed import Seen

SAVED = ("json", "md", "html")


def settle(report: Report, previous: str) -> Report:
    """The same observations give the same bytes: a report that says what the last one said keeps its time."""
    from driftwatch.errors import ConfigError
    from driftwatch.render.reading import parse

    try:
        last = parse(previous)
    except ConfigError:
        return report
    return last if replace(report, generated_at=last.generated_at) == last else report


def save(report: Report, folder: Path, name: str, formats: Sequence[str] = SAVED) -> tuple[Report, list[Path]]:
    """Write ``folder/name.<format>`` for each format; gives the report as written and the files. Raises StoreError.

    The JSON is written last: when it says the same as this report, the others do too and are not made again.
    """
    before = folder / f"{name}.json"
    report = settle(report, before.read_text("utf-8", "replace") if before.is_file() else "")
    data = render(report, "json")
    known = before.is_file() and before.read_bytes() == data.encode("utf-8")
    files = [folder / f"{name}.{form}" for form in formats]
    for path, form in zip(files, formats, strict=True):
        if form != "json" and not (known and path.is_file()):
            atomic.write(path, render(report, form))
    if not known:
        atomic.write(before, data)
    return report, files


def remember(report: Report, seen: Seen, observed_file: Path, history_file: Path, now: str, name: str = "latest") -> None:
    observed.write(observed_file, seen)
    history.append(history_file, line(report, now, name))


def line(report: Report, now: str, name: str = "latest") -> dict[str, Json]:
    """One run in one line: when, what came out, how much of it, and the name of the report it wrote."""
    return {
        "at": now,
        "outcome": report.outcome,
        "exit_code": report.exit_code,
        "report": name,
        "upstreams": {upstream.id: story.counts(upstream) for upstream in report.upstreams},
    }


def slug(before: str, after: str) -> str:
    """A file name for an ad hoc pair of versions."""
    keep = "".join(char if char.isalnum() or char in ".-+" else "_" for char in f"{before}..{after}")
    return keep.strip(".") or "report"


__all__ = ["FORMATS", "SAVED", "line", "remember", "save", "settle", "slug"]
