"""The matrix of probes and hosts as text, JSON, Markdown or one HTML page. Pure; upstream's words are escaped here."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from driftwatch.errors import UsageError
from driftwatch.model.matrix import Matrix

FORMATS: Mapping[str, str] = {"text": "text", "json": "json", "md": "markdown", "html": "html"}


def render(matrix: Matrix, form: str) -> str:
    """``matrix`` in one of FORMATS, the same bytes for the same matrix. Raises UsageError naming the formats there are."""
    if form not in FORMATS:
        raise UsageError(f"there is no format {form!r} of a matrix", f"formats are: {', '.join(FORMATS)}")
    text: str = import_module(f"{__name__}.{FORMATS[form]}").render(matrix)
    return text
