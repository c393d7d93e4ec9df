"""`driftwatch diff`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from driftwatch.cli.options import common, fail_on_option, formats, output_option, outputs, settings, written
from driftwatch.cli.talk import Streams


@click.command(
    "diff",
    help="""Compare OLD and NEW, two specs of one kind; no watchlist is needed, and everything that breaks counts.

\b
npm:NAME@VERSION      declarations and manifest of a published package
git:URL@REVISION      files of a repository (see --path)
dir:FOLDER            manifest and files of a folder
openapi:FILE          an OpenAPI 3 document
host:opencode@VERSION the API a real booted host serves; host:opencode@./FILE for an executable of your
                      own, or a launch file (.yaml with command, directory, environment)""",
)
@click.argument("old")
@click.argument("new")
@click.option("--role", type=click.Choice(["consumer", "implementer"]), default="consumer", show_default=True,
              help="For whom: who reads values and calls, or who writes the hooks object.")  # fmt: skip
@click.option("--path", "paths", multiple=True, metavar="PATTERN", help="Only these files of git: and dir: specs (repeatable).")
@click.option(
    "--probe",
    "probes",
    multiple=True,
    metavar="ID",
    help="Also run this probe, or all of a pattern, on host: specs (repeatable).",
)
@click.option("--show-witness", is_flag=True,
              help="With --format text: also the lines of TypeScript that prove each change, to try.")  # fmt: skip
@click.option("--format", "form", type=formats(), default="text", show_default=True)
@output_option
@fail_on_option
@common
@click.pass_obj
def command(streams: Streams, /, old: str, new: str, **values: Any) -> int:
    from driftwatch import atomic
    from driftwatch.errors import UsageError
    from driftwatch.pipeline import specs
    from driftwatch.pipeline.diff import diff
    from driftwatch.pipeline.world import World
    from driftwatch.render import render, summary, witness

    if values["show_witness"] and values["form"] != "text":
        raise UsageError("--show-witness goes with --format text", "in --format json they are findings[].args.witness")
    pair = specs.parse(old), specs.parse(new)
    options = specs.Options(values["paths"], values["probes"])
    with settings(streams, values) as how, World(how, Path()) as world:
        report = diff(*pair, options, values["role"], world, values["fail_on"])
    lines = witness.render(report) if values["show_witness"] else ""
    for file, form in outputs(values["output"], values["form"]):
        atomic.write(file, render(report, form) + (lines if form == "text" else ""))
    if not values["output"]:
        streams.report(report, values["form"])
        streams.write(lines)
    elif not values["quiet"]:
        written(streams, values["output"], summary.of(report).headline)
    return report.exit_code
