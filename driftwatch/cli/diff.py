"""`driftwatch diff`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from driftwatch.cli.options import common, fail_on_option, formats, settings
from driftwatch.cli.talk import Streams


@click.command(
    "diff",
    help="""Compare OLD and NEW, two specs of one kind; no watchlist is needed, and everything that breaks counts.

\b
npm:NAME@VERSION      declarations and manifest of a published package
git:URL@REVISION      files of a repository (see --path)
dir:FOLDER            manifest and files of a folder
openapi:FILE          an OpenAPI 3 document
host:opencode@VERSION the API a real booted host serves; or host:opencode@./executable""",
)
@click.argument("old")
@click.argument("new")
@click.option("--role", type=click.Choice(["consumer", "implementer"]), default="consumer", show_default=True,
              help="For whom: who reads values and calls, or who writes the hooks object.")  # fmt: skip
@click.option("--path", "paths", multiple=True, metavar="PATTERN", help="Only these files of git: and dir: specs (repeatable).")
@click.option("--probe", "probes", multiple=True, metavar="ID", help="Also run this probe on host: specs (repeatable).")
@click.option("--format", "form", type=formats(), default="text", show_default=True)
@click.option("--output", type=click.Path(path_type=Path), default=None, help="Write to this file instead of stdout.")
@fail_on_option
@common
@click.pass_obj
def command(streams: Streams, /, old: str, new: str, **values: Any) -> int:
    from driftwatch import atomic
    from driftwatch.pipeline import specs
    from driftwatch.pipeline.diff import diff
    from driftwatch.pipeline.world import World
    from driftwatch.render import render

    pair = specs.parse(old), specs.parse(new)
    options = specs.Options(values["paths"], values["probes"])
    with settings(streams, values) as how, World(how, Path()) as world:
        report = diff(*pair, options, values["role"], world, values["fail_on"])
    if values["output"]:
        atomic.write(values["output"], render(report, values["form"]))
    else:
        streams.report(report, values["form"])
    return report.exit_code
