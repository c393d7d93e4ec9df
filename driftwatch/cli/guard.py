"""`driftwatch guard`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from driftwatch.cli.options import common, settings, upstream_option, watchlist_option
from driftwatch.cli.talk import Streams


@click.command(
    "guard",
    help="""Write a small TypeScript module, without dependencies, for your plugin to carry: when a host loads the plugin, it
looks whether what you rely on is there (members and methods you are handed, operations, events, the host's version) and says by a
toast and in the host's log what is not, instead of failing silently.

It is made from `relies_on` and from what your source uses, at the accepted version; the same input gives the same bytes.

Exit code 0; with --check 10 when FILE is not what would be written now.""",
)
@watchlist_option
@upstream_option
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), default=None, metavar="FILE",
              help="Where to write it (default: stdout). Only a file made by this command is written over.")  # fmt: skip
@click.option("--check", is_flag=True, help="Write nothing; say whether FILE is up to date.")
@common
@click.pass_obj
def command(streams: Streams, /, output: Path | None, check: bool, **values: Any) -> int:
    from driftwatch import atomic
    from driftwatch.cli.loading import load
    from driftwatch.errors import EXIT_FINDINGS, UsageError
    from driftwatch.pipeline.guard import make
    from driftwatch.render.guard import ours

    if check and output is None:
        raise UsageError("--check needs a file to look at", "add --output FILE")
    before = _read(output)
    if before is not None and not ours(before):
        raise UsageError(f"{output} was not made by `driftwatch guard`: it is not written over", "name another file")
    with settings(streams, values) as how:
        made = make(load(values["watchlist"]), how, values["upstream"])
    for note in made.notes:
        streams.say(f"could not be looked at, and is not guarded: {note}")
    if output is None:
        streams.write(made.text)
        return 0
    if check and before != made.text:
        streams.write(f"{output} is not what `driftwatch guard` makes now\n")
        return EXIT_FINDINGS
    if before != made.text:
        atomic.write(output, made.text)
    looked = ", ".join(f"{count} {name}" for name, count in made.counts.items())
    streams.write(f"{'up to date' if before == made.text else 'wrote'} {output}: {looked}\n")
    return 0


def _read(path: Path | None) -> str | None:
    from driftwatch.errors import UsageError

    if path is not None and path.exists() and not path.is_file():  # a device may have no end
        raise UsageError(f"{path} is no file", "name one, or leave --output away to have the module on stdout")
    try:
        return path.read_text("utf-8") if path is not None and path.exists() else None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {getattr(error, 'strerror', None) or 'it is not text'}") from error
