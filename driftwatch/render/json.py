"""The report as JSON: what other programs read, described by ``schemas/report-1.json``."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import Any, cast

from driftwatch.model import SCHEMA_VERSION, Finding, Json, Report, UpstreamReport
from driftwatch.render import summary, wire
from driftwatch.render.clean import UNSEEN, encodable
from driftwatch.render.messages import message
from driftwatch.render.reading import parse

__all__ = ["SCHEMA_VERSION", "parse", "render", "schema"]

# Outside of strings JSON of ours holds only ASCII and newlines, so what is unseen is inside a string and can be escaped.
_UNSEEN = re.compile(f"[{UNSEEN}]")


def render(report: Report) -> str:
    """Valid UTF-8 JSON, two spaces deep, ending in a newline; the same report gives the same bytes.

    Every field of the model is there, so ``parse(render(report)) == report`` (but for lone surrogates, which UTF-8 cannot
    hold, and NaN, which JSON cannot say). ``message``, ``headline``, ``counts`` and ``what_to_do`` are derived.
    """
    return dump(document(report), indent=2)


def dump(given: Json, indent: int | None = None) -> str:
    """JSON text that is valid UTF-8, shows nothing unseen and ends in a newline. ``given`` holds only finite numbers."""
    text = encodable(json.dumps(given, ensure_ascii=False, indent=indent, allow_nan=False))
    text = text.replace("##[", "#\\u0023[")  # which a CI log would take for a command
    return _UNSEEN.sub(lambda match: f"\\u{ord(match[0]):04x}", _wide(text)) + "\n"


def document(report: Report) -> dict[str, Json]:
    """The report as JSON values."""
    whole = cast("dict[str, Json]", wire.encode(report))
    view = summary.of(report)
    upstreams = whole.pop("upstreams")
    whole["headline"] = view.headline
    whole["counts"] = cast("dict[str, Json]", wire.encode(view.counts))
    whole["what_to_do"] = [{"text": step.line, "command": step.command} for step in view.steps]
    whole["upstreams"] = [
        _upstream(given, cast("dict[str, Json]", encoded))
        for given, encoded in zip(report.upstreams, cast("list[Json]", upstreams), strict=True)
    ]
    return whole


def schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of what ``render`` gives."""
    text = files("driftwatch.render").joinpath(f"schemas/report-{SCHEMA_VERSION}.json").read_text("utf-8")
    return cast("dict[str, Any]", json.loads(text))


def _upstream(upstream: UpstreamReport, encoded: dict[str, Json]) -> dict[str, Json]:
    rows = cast("list[dict[str, Json]]", encoded["findings"])
    encoded["findings"] = [_finding(given, row) for given, row in zip(upstream.findings, rows, strict=True)]
    for row, given_row in zip(cast("list[dict[str, Json]]", encoded["early"]), upstream.early, strict=True):
        told = cast("list[dict[str, Json]]", row["findings"])
        row["findings"] = [_finding(given, row) for given, row in zip(given_row.findings, told, strict=True)]
    return encoded


def _finding(finding: Finding, row: dict[str, Json]) -> dict[str, Json]:
    return {**row, "message": message(finding)}


def _wide(text: str) -> str:
    """Tag characters lie outside the basic plane: JSON says them as two escapes."""
    return re.sub("[\U000e0000-\U000e007f]", lambda match: json.dumps(match[0])[1:-1], text)
