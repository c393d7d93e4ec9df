"""A report in, text out. Pure: no I/O, no clock. All escaping happens here, each format for its own medium.

A format is one module with ``render(report) -> str``, loaded when it is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from driftwatch.errors import UsageError
from driftwatch.model import Report

FORMATS: Mapping[str, str] = {
    "text": "text",
    "json": "json",
    "jsonl": "jsonl",
    "md": "markdown",
    "html": "html",
    "sarif": "sarif",
    "junit": "junit",
    "github": "github",
    "github-summary": "github_summary",
    "gitlab": "gitlab",
    "comment": "comment",
}
"""Every format's name, and the module that makes it."""


def render(report: Report, format: str) -> str:  # noqa: A002  (the user's word for it)
    """``report`` in one of FORMATS: text that can be encoded as UTF-8, the same bytes for the same report.

    Raises UsageError naming the formats there are.
    """
    module = FORMATS.get(format)
    if module is None:
        raise UsageError(f"there is no format {format!r}", f"formats are: {', '.join(FORMATS)}")
    text: str = import_module(f"{__name__}.{module}").render(report)
    return text
