"""`driftwatch merge`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from driftwatch.cli.matrices import matrix_output, write
from driftwatch.cli.talk import Streams


@click.command(
    "merge",
    help="""Join parts of a matrix that `driftwatch probe --shard I/N --output PART.json` wrote on several machines.

A shard that is missing, and a cell in which two parts contradict each other or were made with another binary or another version
of the probe, is unverified, and the reason says so. Parts of different plans (versions, probes, number of shards) are refused.
A whole matrix may be given alone, to make another format of it. Exit codes as for `driftwatch probe`.

\b
driftwatch merge parts/*.json --output matrix.html --output matrix.json""",
)
@click.argument("parts", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PART...")
@matrix_output
@click.option("-q", "--quiet", is_flag=True, help="No talk on stderr.")
@click.pass_obj
def command(streams: Streams, /, parts: tuple[Path, ...], **values: Any) -> int:
    from driftwatch.errors import UsageError
    from driftwatch.pipeline.matrix import exit_code
    from driftwatch.pipeline.merging import merge
    from driftwatch.pipeline.settings import Settings
    from driftwatch.render.matrix.json import parse

    sources = {file.resolve() for file in parts}
    for file in values["output"]:
        if file.resolve() in sources:
            raise UsageError(f"{file} is one of the parts: it is not written over", "name another file")
    read = {}
    for file in dict.fromkeys(parts):
        try:
            read[str(file)] = parse(file.read_text("utf-8-sig", "replace"), str(file))
        except OSError as error:
            raise UsageError(f"cannot read {file}: {error.strerror or error}", "a part is what --shard wrote") from None
    merged = merge(read, Settings().now.date())
    write(streams, merged, values["form"], values["output"], values["quiet"])
    return exit_code(merged)
