"""`driftwatch explain RULE`."""

from __future__ import annotations

import textwrap

import click

from driftwatch.cli.talk import Streams


@click.command("explain", help="What RULE means, why it matters here, an example, and what to do.")
@click.argument("rule")
@click.pass_obj
def command(streams: Streams, rule: str) -> int:
    from difflib import get_close_matches

    from driftwatch.errors import UsageError
    from driftwatch.rules import catalogue

    row = catalogue().get(rule)
    if row is None:
        near = get_close_matches(rule, catalogue(), n=3)
        raise UsageError(f"no rule {rule!r}", f"did you mean {' or '.join(near)}?" if near else "see `driftwatch rules`")
    parts = [f"{row.id}\n", f"consumer: {row.consumer}; implementer: {row.implementer}"]
    parts.append("concerns every project, relied on or not" if row.always else "counts where you rely on the address")
    parts += ["", *textwrap.wrap(row.about, 96)]
    if row.old or row.new:
        parts += ["", "before", textwrap.indent(row.old, "  "), "after", textwrap.indent(row.new, "  ")]
    parts += ["", "what to do", textwrap.indent(textwrap.fill(row.todo, 94), "  ")]
    if row.mirror:
        parts += ["", f"the other way round: {row.mirror}"]
    streams.write("\n".join(parts) + "\n")
    return 0
