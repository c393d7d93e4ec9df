"""`driftwatch schema`."""

from __future__ import annotations

import json

import click

from driftwatch.cli.talk import Streams


@click.command("schema", help="Print the JSON Schema of watchlist.yaml or of the JSON report.")
@click.argument("what", type=click.Choice(["watchlist", "report"]))
@click.pass_obj
def command(streams: Streams, what: str) -> int:
    if what == "watchlist":
        from driftwatch.config import json_schema as schema
    else:
        from driftwatch.render.json import schema
    streams.write(json.dumps(schema(), indent=2, ensure_ascii=False) + "\n")
    return 0
