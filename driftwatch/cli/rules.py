"""`driftwatch rules`."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from driftwatch.cli.talk import Streams


@click.command("rules", help="List every rule: its address kind, the change it speaks of, and its severity for each role.")
@click.option("--address", "kind", default=None, help="Only rules for this kind of address, such as `ts`.")
@click.option("--format", "form", type=click.Choice(["text", "json", "md"]), default="text", show_default=True)
@click.pass_obj
def command(streams: Streams, kind: str | None, form: str) -> int:
    from driftwatch.errors import UsageError
    from driftwatch.rules import catalogue

    rules = [rule for rule in catalogue().values() if kind is None or kind in rule.kinds]
    if not rules:
        known = ", ".join(sorted({each for rule in catalogue().values() for each in rule.kinds}))
        raise UsageError(f"no rules for addresses of the kind {kind!r}", f"kinds with rules: {known}")
    if form == "md":
        from driftwatch.render import reference

        streams.write(reference.rules({rule.id: rule for rule in rules}))
        return 0
    if form == "json":
        streams.write(json.dumps([asdict(rule) for rule in rules], indent=2, ensure_ascii=False) + "\n")
        return 0
    width = max(len(rule.id) for rule in rules)
    for rule in rules:
        streams.write(f"{rule.id:{width}}  {rule.address:11} consumer {rule.consumer:9} implementer {rule.implementer}\n")
    return 0
