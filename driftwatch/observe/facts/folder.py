"""A folder on disk as facts: its package.json and its files. What it holds is read, nothing in it is run."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from driftwatch.errors import Unobservable, UsageError
from driftwatch.model import Fact, Gap, Observed
from driftwatch.observe.facts import manifest
from driftwatch.observe.facts.files.seen import Seen, blob_id
from driftwatch.observe.sources.npm.packument import load_json
from driftwatch.observe.sources.paths import address, matcher

LEFT_OUT = frozenset({".git", "node_modules", ".venv", "__pycache__"})
MAX_FILES = 50_000
MAX_BYTES = 32 * 1024 * 1024  # of one file; a larger one is a gap


def observe(folder: Path, paths: Sequence[str] = ()) -> Observed:
    """``manifest:`` facts of its package.json, when there is one, and ``file:`` facts of its files (those ``paths`` mean, or
    all). Links are not followed. Raises UsageError when there is no such folder."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder", "give the folder of a package or of a checkout")
    return _manifest(folder) + _files(folder, paths)


def _manifest(folder: Path) -> Observed:
    path = folder / "package.json"
    if not path.is_file():
        return Observed()
    try:
        data = load_json(path.read_bytes(), str(path))
    except (Unobservable, OSError) as error:
        return Observed(gaps=(Gap("manifest:**", str(error)),))
    name = data.get("name") if isinstance(data, dict) else None
    return manifest.observe(name if isinstance(name, str) and name else folder.name, data)


def _files(folder: Path, paths: Sequence[str]) -> Observed:
    chosen = matcher(list(paths) or ["**"])
    facts: list[Fact] = []
    gaps: list[Gap] = []
    for count, path in enumerate(_walk(folder)):
        name = path.relative_to(folder).as_posix()
        if count >= MAX_FILES:
            gaps.append(Gap("file:**", f"{folder} holds more than {MAX_FILES} files; the rest was not read", "name --path"))
            break
        if not chosen(name):
            continue
        try:
            if path.stat().st_size > MAX_BYTES:
                gaps.append(Gap(address(name), f"the file is larger than {MAX_BYTES} bytes"))
                continue
            data = path.read_bytes()
        except OSError as error:
            gaps.append(Gap(address(name), f"cannot read it: {error.strerror or error}"))
            continue
        facts.append(Seen(name, blob_id(data), len(data), data, name).fact)
    return Observed(tuple(facts), tuple(gaps))


def _walk(folder: Path) -> Iterator[Path]:
    for root, folders, files in os.walk(folder, followlinks=False):
        folders[:] = sorted(name for name in folders if name not in LEFT_OUT)
        for name in sorted(files):
            path = Path(root, name)
            if path.is_file() and not path.is_symlink():
                yield path
