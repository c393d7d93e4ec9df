"""Writes the golden files: ``python -m tests.render.write_golden``, then read the diff. Tests never do this."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from driftwatch import render, rules
from tests.support import reports
from tests.support.catalogue import SAMPLE

FOLDER = Path(__file__).parent / "golden"
EXTENSIONS = {"text": "txt", "json": "json", "md": "md", "html": "html"}
MAKERS = {**reports.SAMPLES, "hostile": reports.everything}


def expected() -> Iterator[tuple[str, str]]:
    """(file name, text) of every golden file."""
    for name, make in MAKERS.items():
        for form, extension in EXTENSIONS.items():
            yield f"{name}.{extension}", normal(render.render(make(), form))


def normal(text: str) -> str:
    """Without the style sheet and its hash: colours may change without touching every golden file."""
    return re.sub(r"<style>.*?</style>", "<style></style>", re.sub(r"sha256-[A-Za-z0-9+/=]{44}", "sha256-", text), flags=re.S)


if __name__ == "__main__":
    rules.catalogue = lambda: SAMPLE  # type: ignore[assignment]
    FOLDER.mkdir(exist_ok=True)
    for file, text in expected():
        (FOLDER / file).write_bytes(text.encode())
