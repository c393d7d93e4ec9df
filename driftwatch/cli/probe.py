"""`driftwatch probe`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from driftwatch.cli.options import common, settings
from driftwatch.cli.talk import Streams

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from driftwatch.config.model import OwnHost
    from driftwatch.model import ProbeRow


@click.command(
    "probe",
    help="""Boot real hosts and run probes on them; print the matrix of probes and versions, and the reasons below it.

Without --version, and without a host of your own, the latest published host is probed; without --probe every built-in probe
runs. A host of your own is an executable or a launch command; it comes after the versions, called by the version it says it is.
Exit code 10 when a probe is broken, 11 when one could not tell.

\b
driftwatch probe --version 1.18.33 --host ./dist/opencode
driftwatch probe --host ./preview.yaml --probe 'opencode/v2-*'
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
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--list", "listing", is_flag=True, help="List the probes there are, and stop.")
@common
@click.pass_obj
def command(streams: Streams, /, **values: Any) -> int:
    from driftwatch.config.model import Host
    from driftwatch.observe.hosts import driver
    from driftwatch.pipeline.probing import exit_code, probe
    from driftwatch.pipeline.world import World

    kinds = [each for each in values["hosts"] if "/" not in each and not Path(each).is_file()]
    kind = kinds[-1] if kinds else "opencode"
    driver(kind)
    if values["listing"]:
        return _list(streams, kind)
    owns = _owns(values, kinds)
    versions = values["versions"] or (() if owns else ("latest",))
    with settings(streams, values) as how, World(how, Path()) as world:
        rows = probe(Host(driver=kind), versions, values["probes"], world, owns)
    if values["form"] == "json":
        streams.write(json.dumps([asdict(row) for row in rows], indent=2, ensure_ascii=False) + "\n")
    else:
        streams.write(matrix(rows))
    return exit_code(rows)


def _owns(values: Mapping[str, Any], kinds: Sequence[str]) -> list[OwnHost]:
    """The hosts of the user's own that are asked for. Raises UsageError."""
    from driftwatch.errors import UsageError
    from driftwatch.pipeline import hosts

    found = [hosts.named(each, Path()) for each in values["hosts"] if each not in kinds]
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


def matrix(rows: Sequence[ProbeRow]) -> str:
    """Probes down, versions across, and under it why anything does not hold."""
    versions = list(dict.fromkeys(row.version for row in rows))
    ids = list(dict.fromkeys(row.id for row in rows))
    cells = {(row.id, row.version): row.outcome for row in rows}
    wide = max(len("probe"), *map(len, ids))
    columns = [max(len(version), len("unverified")) for version in versions]
    lines = [_line("probe", versions, wide, columns)]
    lines += [_line(name, [cells.get((name, version), "-") for version in versions], wide, columns) for name in ids]
    lines += [f"\n{row.id} on {row.version}: {row.outcome}: {row.reason}" for row in rows if row.reason]
    return "\n".join(lines) + "\n"


def _line(first: str, rest: Sequence[str], wide: int, columns: Sequence[int]) -> str:
    return "  ".join([f"{first:{wide}}", *(f"{cell:{width}}" for cell, width in zip(rest, columns, strict=True))]).rstrip()
