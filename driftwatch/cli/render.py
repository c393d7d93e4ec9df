"""`driftwatch render`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from driftwatch.cli.options import formats, output_option, outputs
from driftwatch.cli.talk import Streams


@click.command("render", help="Make another format of a saved JSON report, without looking again.")
@click.argument("report", type=click.Path(path_type=Path))
@click.option("--format", "form", type=formats(), default="md", show_default=True)
@output_option
@click.pass_obj
def command(streams: Streams, report: Path, form: str, output: Sequence[Path]) -> int:
    from driftwatch import atomic
    from driftwatch.errors import UsageError
    from driftwatch.render import render
    from driftwatch.render.reading import parse

    try:
        text = report.read_text("utf-8-sig", "replace")
    except OSError as error:
        raise UsageError(
            f"cannot read {report}: {error.strerror or error}", "`driftwatch run` writes reports/latest.json"
        ) from None
    parsed = parse(text, str(report))
    for file, its in outputs(output, form):
        atomic.write(file, render(parsed, its))
    if not output:
        streams.write(render(parsed, form))
    return 0
