"""The folder of reports as a whole: its page that lists them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from driftwatch import atomic
from driftwatch.render import index as page
from driftwatch.store import history

NAME = "index.html"
DEEP = 2  # folders below this one that are looked through, too
MOST = 500  # reports
LARGEST = 64 * 1024 * 1024  # bytes of a file that is read
FORMS = ("html", "md", "json")


def index(folder: Path) -> Path:
    """Write the page that lists the reports in ``folder`` and the runs of its history; whole, and only when it differs.

    A file that is no report, or cannot be read, is not listed. Raises StoreError when the page cannot be written.
    """
    found = [one for path in _files(folder) if (one := _listed(folder, path))]
    text = page.render(found, history.read(folder / "history.jsonl"))
    path = folder / NAME
    if not path.is_file() or path.read_bytes() != text.encode():
        atomic.write(path, text)
    return path


def _files(folder: Path) -> Iterator[Path]:
    patterns = ["/".join(["*"] * depth + ["*.json"]) for depth in range(DEEP + 1)]
    every = [path for pattern in patterns for path in sorted(folder.glob(pattern))]
    return (path for path in every[:MOST] if path.is_file() and not path.name.startswith("."))


def _listed(folder: Path, path: Path) -> page.Listed | None:
    try:
        if path.stat().st_size > LARGEST:
            return None
        document = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    forms = [form for form in FORMS if path.with_suffix(f".{form}").is_file()]
    return page.listed(path.relative_to(folder).with_suffix("").as_posix(), document, forms)
