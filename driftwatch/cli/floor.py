"""`driftwatch floor`."""

from __future__ import annotations

from typing import Any

import click

from driftwatch.cli.options import common, settings, upstream_option, watchlist_option
from driftwatch.cli.talk import Streams


@click.command(
    "floor",
    help="""For everything you rely on (or only ADDRESS...), the first published version that has it: declared (by the versions of
the package) and behaving (by the versions of the host) apart, with the evidence and the gap in published versions below it, and
the minimum all of it needs.

Versions are found by halving, and one look answers every fact. Exit code 11 when something could not be determined.

A search for everything is kept in floors.json beside the reports, so that they show from which version on each thing holds.""",
)
@click.argument("addresses", nargs=-1, metavar="[ADDRESS]...")
@watchlist_option
@upstream_option
@click.option("--since", default="", metavar="VERSION", help="Look at no version below this one.")
@click.option("--prereleases", is_flag=True, help="Prereleases count as versions too.")
@click.option(
    "--looks",
    type=click.IntRange(1),
    default=None,
    show_default="48 declarations, 24 hosts",
    help="How many versions may be looked at when a fact comes and goes, of declarations and of hosts each.",
)
@click.option("--scan", is_flag=True, help="Look at every version, whatever it costs.")
@click.option("--no-probes", is_flag=True, help="Boot no host; what only a host can tell is then unknown.")
@click.option("--format", "form", type=click.Choice(["text", "md", "json"]), default="text", show_default=True)
@common
@click.pass_obj
def command(streams: Streams, /, addresses: tuple[str, ...], **values: Any) -> int:
    from driftwatch.cli.loading import load
    from driftwatch.pipeline.floor import Request, exit_code, floor, keep
    from driftwatch.render.floor import render

    watchlist = load(values["watchlist"])
    request = Request(
        addresses, values["since"], values["prereleases"], values["looks"] or 0, values["scan"], boot=not values["no_probes"]
    )
    with settings(streams, values) as how:
        reports = floor(watchlist, how, request, values["upstream"])
    if request.whole:
        keep(watchlist, reports)
    streams.write(render(reports, values["form"]))
    return exit_code(reports)
