"""The options commands share."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from driftwatch.cli.talk import Streams, progress

if TYPE_CHECKING:
    from driftwatch.pipeline.settings import Settings

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

watchlist_option: Decorator = click.option(
    "--watchlist",
    "watchlist",
    type=click.Path(path_type=Path),
    default=Path("watchlist.yaml"),
    show_default=True,
    help="What to watch and what you rely on.",
)
fail_on_option: Decorator = click.option(
    "--fail-on",
    type=click.Choice(["breaking", "risky", "any", "never"]),
    default="breaking",
    show_default=True,
    help="Exit with 10 from this severity on.",
)

upstream_option: Decorator = click.option(
    "--upstream", multiple=True, metavar="ID", help="Only this upstream of the watchlist (repeatable)."
)

ENDINGS = {".json": "json", ".md": "md", ".html": "html", ".txt": "text"}
"""What the end of a file's name says about its format."""

output_option: Decorator = click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    multiple=True,
    metavar="FILE",
    help="Write to this file instead of stdout, in the format its name ends in where --format says none (repeatable).",
)


def outputs(files: Sequence[Path], form: str) -> list[tuple[Path, str]]:
    """The files of ``output_option`` and the format of each: what --format says, else what the name ends in, else the default."""
    said = click.get_current_context().get_parameter_source("form") is ParameterSource.COMMANDLINE
    return [(file, form if said else ENDINGS.get(file.suffix.lower(), form)) for file in files]


def written(streams: Streams, files: Sequence[Path], headline: str = "") -> None:
    """Where all of it is, after what was found in a line, where that is not printed anyway: for those who watch."""
    if headline:
        streams.say(headline)
    streams.say(f"written: {', '.join(map(str, files))}")


def formats() -> click.Choice[str]:
    from driftwatch.render import FORMATS

    return click.Choice(list(FORMATS))


def _jobs_default() -> int:
    return max(2, min(8, os.cpu_count() or 2))


def common(function: Callable[..., Any]) -> Callable[..., Any]:
    """--cache, --offline, --jobs, -q, -v: how a job runs, never what it finds."""
    for option in reversed(
        (
            click.option("--cache", type=click.Path(path_type=Path), default=None, help="Cache folder (safe to delete)."),
            click.option("--offline", is_flag=True, help="Use only what the cache holds; say what it lacks."),
            click.option("--jobs", type=click.IntRange(1, 64), default=_jobs_default, help="How much runs at once."),
            click.option("-q", "--quiet", is_flag=True, help="No progress."),
            click.option("-v", "--verbose", is_flag=True, help="More talk on stderr."),
        )
    ):
        function = option(function)
    return function


@contextmanager
def settings(streams: Streams, values: dict[str, Any]) -> Iterator[Settings]:
    """Settings from the common options, with a progress listener for as long as the job runs."""
    from driftwatch.pipeline.settings import Settings, default_cache

    with ExitStack() as stack:
        listener = stack.enter_context(progress(streams, values["quiet"]))
        yield Settings(
            cache=values["cache"] or default_cache(),
            offline=values["offline"],
            jobs=values["jobs"],
            progress=listener,
        )
