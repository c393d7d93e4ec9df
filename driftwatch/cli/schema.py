"""`driftwatch schema`."""

from __future__ import annotations

import json

import click

from driftwatch.cli.talk import Streams


@click.command("schema", help="Print the JSON Schema of watchlist.yaml, or of what --format json gives.")
@click.argument("what", type=click.Choice(["watchlist", "report", "matrix", "check-plugin", "typecheck"]))
@click.option("--format", "form", type=click.Choice(["json", "md"]), default="json", show_default=True)
@click.pass_obj
def command(streams: Streams, what: str, form: str) -> int:
    from driftwatch.errors import UsageError

    if what == "watchlist":
        from driftwatch.config import json_schema as schema
    elif what == "matrix":
        from driftwatch.render.matrix.json import schema
    elif what == "check-plugin":
        from driftwatch.render.plugin import schema
    elif what == "typecheck":
        from driftwatch.render.typecheck import schema
    else:
        from driftwatch.render.json import schema
    if form == "md":
        from driftwatch.render import reference

        if what != "watchlist":
            raise UsageError("only the watchlist's schema has a reference page", "leave --format away for the JSON Schema")
        streams.write(reference.watchlist(schema()))
        return 0
    streams.write(json.dumps(schema(), indent=2, ensure_ascii=False) + "\n")
    return 0
