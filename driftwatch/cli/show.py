"""`driftwatch show`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from driftwatch.cli.options import common, settings
from driftwatch.cli.talk import Streams


@click.command(
    "show",
    help="""Print the facts of SPEC (as for `driftwatch diff`), or those that ADDRESS means: one a line, the value as JSON.

Exit code 11 when something could not be looked at; the gaps are told on stderr.""",
)
@click.argument("spec")
@click.argument("address", default="")
@click.option("--path", "paths", multiple=True, metavar="PATTERN", help="Only these files of git: and dir: specs (repeatable).")
@click.option(
    "--probe",
    "probes",
    multiple=True,
    metavar="ID",
    help="Also run this probe, or all of a pattern, on host: specs (repeatable).",
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@common
@click.pass_obj
def command(streams: Streams, /, spec: str, address: str, **values: Any) -> int:
    from driftwatch import addresses
    from driftwatch.errors import EXIT_CLEAN, EXIT_UNVERIFIED, UsageError
    from driftwatch.pipeline import specs
    from driftwatch.pipeline.world import World

    if address and (wrong := addresses.problem(address)):
        raise UsageError(wrong, "see docs/addresses.md")
    parsed = specs.parse(spec)
    options = specs.Options(values["paths"], values["probes"])
    with settings(streams, values) as how, World(how, Path()) as world:
        [seen] = specs.observe([parsed], options, world)
    snapshot = seen.snapshot
    facts = [fact for fact in snapshot.facts if not address or addresses.matches(address, fact.address)]
    gaps = [gap for gap in snapshot.gaps if not address or addresses.overlap(address, gap.address)]
    if values["form"] == "json":
        rows = [{"address": fact.address, "value": fact.value, "where": fact.where} for fact in facts]
        told = [{"address": gap.address, "reason": gap.reason} for gap in gaps]
        streams.write(json.dumps({"version": snapshot.ref.version, "facts": rows, "gaps": told}, indent=1, sort_keys=True) + "\n")
    else:
        for fact in facts:
            streams.write(f"{fact.address} = {json.dumps(fact.value, sort_keys=True)}\n")
    for gap in gaps:
        streams.say(f"could not look: {gap.address}: {gap.reason}")
    if not facts and not gaps:
        raise UsageError(f"{spec} has no fact at {address}", "show it without an address to see what is there")
    return EXIT_UNVERIFIED if gaps else EXIT_CLEAN
