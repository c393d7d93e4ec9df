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
    from collections.abc import Sequence

    from driftwatch.model import ProbeRow


@click.command(
    "probe",
    help="""Boot real hosts and run probes on them; print the matrix of probes and versions, and the reasons below it.

Without --version the latest published host is probed; without --probe every built-in probe runs. Exit code 10 when a probe is
broken, 11 when one could not tell.""",
)
@click.option("--version", "versions", multiple=True, metavar="VERSION|TAG", help="Host version or dist-tag (repeatable).")
@click.option("--probe", "probes", multiple=True, metavar="ID", help="Probe id, or ./FOLDER of your own (repeatable).")
@click.option("--host", default="opencode", show_default=True, help="Which kind of host.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--list", "listing", is_flag=True, help="List the probes there are, and stop.")
@common
@click.pass_obj
def command(streams: Streams, /, **values: Any) -> int:
    from driftwatch.config.model import Host
    from driftwatch.observe.hosts import driver
    from driftwatch.pipeline.probing import exit_code, probe
    from driftwatch.pipeline.world import World

    driver(values["host"])
    if values["listing"]:
        return _list(streams, values["host"])
    host = Host(driver=values["host"])
    with settings(streams, values) as how, World(how, Path()) as world:
        rows = probe(host, values["versions"] or ("latest",), values["probes"], world)
    if values["form"] == "json":
        streams.write(json.dumps([asdict(row) for row in rows], indent=2, ensure_ascii=False) + "\n")
    else:
        streams.write(matrix(rows))
    return exit_code(rows)


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
