"""What the commands that make a matrix have in common: where it goes, and in which format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from driftwatch.cli.options import ENDINGS, written
from driftwatch.cli.talk import Streams

if TYPE_CHECKING:
    from driftwatch.model.matrix import Matrix


def matrix_output(function: Callable[..., Any]) -> Callable[..., Any]:
    """--format and --output."""
    for option in (
        click.option(
            "--output",
            type=click.Path(path_type=Path, dir_okay=False),
            multiple=True,
            metavar="FILE",
            callback=_known,
            help="Write to this file too, in the format its name ends in: .json, .md, .html, .txt (repeatable).",
        ),
        click.option(
            "--format",
            "form",
            type=click.Choice(["text", "json", "md", "html"]),
            default="text",
            show_default=True,
            help="What is printed on stdout.",
        ),
    ):
        function = option(function)
    return function


def _known(_context: click.Context, _parameter: click.Parameter, files: Sequence[Path]) -> Sequence[Path]:
    for file in files:
        if file.suffix.lower() not in ENDINGS:
            raise click.BadParameter(f"{file} ends in none of {', '.join(ENDINGS)}, which say the format")
    return files


def write(streams: Streams, matrix: Matrix, form: str, files: Sequence[Path], quiet: bool) -> None:
    """To stdout and to every file."""
    from driftwatch import atomic
    from driftwatch.render.matrix import render

    for file in files:
        atomic.write(file, render(matrix, ENDINGS[file.suffix.lower()]))
    streams.write(render(matrix, form))
    if files and not quiet:
        written(streams, files)
