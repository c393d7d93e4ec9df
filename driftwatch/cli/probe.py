"""`driftwatch probe`."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from driftwatch.cli.matrices import matrix_output, write
from driftwatch.cli.options import common, settings
from driftwatch.cli.talk import Streams

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from driftwatch.config.model import OwnHost
    from driftwatch.model.matrix import Shard


@click.command(
    "probe",
    help="""Boot real hosts and run probes on them; print the matrix of probes and versions, and the reasons below it.

Without --version, and without a host of your own, the latest published host is probed; without --probe every built-in probe
runs. A host of your own is an executable or a launch command; it comes after the versions, called by the version it says it is.
Exit code 10 when a probe is broken that is not known to be, 11 when one could not tell.

Every answer is kept as soon as it is certain: a run that was killed goes on where it was. What fails is tried again in a fresh
process; what differs between neighbouring hosts is asked once more of both, and what then varies is unstable, not drift.

\b
driftwatch probe --version 1.18.33 --host ./dist/opencode
driftwatch probe --host ./preview.yaml --probe 'opencode/v2-*'
driftwatch probe --version 1.15.4 --version 1.15.13 --output matrix.html --output matrix.json
driftwatch probe --version 1.15.4 --version 1.15.13 --shard 1/2 --output part-1.json
driftwatch probe --launch 'bun run src/index.ts' --directory ../opencode/packages/cli

A launch file is YAML: command (one word an entry), directory (where it runs, from the file's folder), environment (names of
variables handed on); or executable.""",
)
@click.option("--version", "versions", multiple=True, metavar="VERSION|TAG", help="Host version or dist-tag (repeatable).")
@click.option(
    "--probe", "probes", multiple=True, metavar="ID", help="Probe id or pattern of ids, or ./FOLDER of your own (repeatable)."
)
@click.option(
    "--host",
    "hosts",
    multiple=True,
    metavar="KIND|PATH",
    help="Which kind of host [opencode]; or one of your own: an executable, or a launch file (repeatable).",
)
@click.option("--launch", metavar="COMMAND", help="A launch command of your own; split into words, and given to no shell.")
@click.option("--directory", metavar="FOLDER", default="", help="Where the launch command runs. [here]")
@click.option(
    "--pass-env", "environment", multiple=True, metavar="NAME", help="Hand this variable on to the launched host (repeatable)."
)
@click.option(
    "--repeat", type=click.IntRange(1, 1000), default=1, metavar="N", help="Ask every binary N times, each in fresh processes."
)
@click.option("--fresh", is_flag=True, help="Believe no kept answer; ask again.")
@click.option("--confirm/--no-confirm", default=True, show_default=True, help="Ask what differs between neighbours once more.")
@click.option("--shard", metavar="I/N", default="", help="Only part I of N, for `driftwatch merge`; needs --output FILE.json.")
@click.option(
    "--executor", default="threads", show_default=True, metavar="NAME", help="Who does the work: threads, dask, dask://HOST:PORT."
)
@matrix_output
@click.option("--list", "listing", is_flag=True, help="List the probes there are, and stop.")
@common
@click.pass_obj
def command(streams: Streams, /, **values: Any) -> int:
    from driftwatch.config.model import Host
    from driftwatch.errors import UsageError
    from driftwatch.observe.hosts import driver
    from driftwatch.pipeline import hosts
    from driftwatch.pipeline.engines import engine
    from driftwatch.pipeline.matrix import exit_code
    from driftwatch.pipeline.probing import Request, probe
    from driftwatch.pipeline.world import World

    kind, paths = hosts.kind(values["hosts"])
    driver(kind)
    if values["listing"]:
        return _list(streams, kind)
    owns = _owns(values, paths)
    shard = _shard(values["shard"])
    if shard and not owns and values["form"] != "json" and not any(file.suffix.lower() == ".json" for file in values["output"]):
        raise UsageError("--shard makes a part for `driftwatch merge`, and nothing keeps it", "add --output FILE.json")
    request = Request(
        versions=tuple(values["versions"] or (() if owns else ("latest",))),
        ids=tuple(values["probes"]),
        owns=tuple(owns),
        repeat=values["repeat"],
        fresh=values["fresh"],
        confirm=values["confirm"],
        shard=shard,
    )
    with ExitStack() as stack:
        world = stack.enter_context(World(stack.enter_context(settings(streams, values)), Path()))
        worker = stack.enter_context(engine(values["executor"], world))
        made = probe(Host(driver=kind), request, world, worker)
    write(streams, made, values["form"], values["output"], values["quiet"])
    return exit_code(made)


def _shard(text: str) -> Shard | None:
    """``2/4``. Raises UsageError."""
    from driftwatch.errors import UsageError
    from driftwatch.model.matrix import Shard

    if not text:
        return None
    first, slash, last = text.partition("/")
    index, of = (int(part) if part.isdecimal() and part.isascii() and len(part) < 6 else 0 for part in (first, last))
    if not slash or not 1 <= index <= of:
        raise UsageError(f"--shard {text!r} is no part of a whole", "write it as I/N with I from 1 to N, such as 2/4")
    return Shard(index, of)


def _owns(values: Mapping[str, Any], paths: Sequence[str]) -> list[OwnHost]:
    """The hosts of the user's own that are asked for. Raises UsageError."""
    from driftwatch.errors import UsageError
    from driftwatch.pipeline import hosts

    found = [hosts.named(each, Path()) for each in paths]
    if values["launch"] is not None:
        found.append(hosts.command(values["launch"], values["directory"], values["environment"]))
    elif values["directory"] or values["environment"]:
        given = "--directory" if values["directory"] else "--pass-env"
        raise UsageError(f"{given} is for a launch command, and there is none", "give --launch COMMAND, or a launch file")
    return found


def _list(streams: Streams, host: str) -> int:
    from driftwatch.observe.probes import load_library

    library = load_library(host=host)
    width = max(map(len, library))
    for name, row in library.items():
        streams.write(f"{name:{width}}  {row.title}\n")
    return 0
