"""`driftwatch check-plugin`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from driftwatch.cli.options import common, fail_on_option, output_option, outputs, settings, watchlist_option, written
from driftwatch.cli.talk import Streams

if TYPE_CHECKING:
    from driftwatch.config.model import OwnHost


@click.command(
    "check-plugin",
    help="""Does this real plugin load and work on these hosts, and is the move from one to the next safe for it?

PLUGIN is npm:NAME[@VERSION], a folder, a script or a tarball. It is installed with its real dependencies, loaded on each host and
taken through the same scenes as the host alone; everything that is different is told.

Without --version and --from: the version the watchlist has accepted (if there is one) and the latest, or the host of your own
that --host names. The plugin is untrusted:
it has no secrets, no network but the loopback and no lifecycle scripts unless you allow them; the report says which walls stood.

Exit code 10 when the plugin is broken on the newer host, 11 when that could not be told.""",
)
@click.argument("plugin", metavar="PLUGIN")
@click.option("--from", "before", default="", metavar="VERSION|TAG", help="The host you have: the first of the comparison.")
@click.option("--version", "versions", multiple=True, metavar="VERSION|TAG", help="Host version or dist-tag (repeatable).")
@click.option(
    "--host",
    "hosts",
    multiple=True,
    metavar="KIND|PATH",
    help="Which kind of host [opencode]; or one of your own, the newer one: an executable, or a launch file (repeatable).",
)
@click.option("--scene", "scenes", multiple=True, metavar="NAME", help="Only these scenes, beside loading (repeatable).")
@click.option("--options", default="{}", metavar="JSON", help="Options for the plugin, as its users configure them.")
@click.option("--allow-network", is_flag=True, help="The plugin may reach the network.")
@click.option("--allow-scripts", is_flag=True, help="Run the lifecycle scripts of what is installed.")
@click.option(
    "--patience", type=click.FloatRange(1, 300), default=20.0, show_default=True, help="Seconds a project may take to open."
)
@click.option("--format", "form", type=click.Choice(["text", "md", "html", "json"]), default="text", show_default=True)
@output_option
@watchlist_option
@fail_on_option
@common
@click.pass_obj
def command(streams: Streams, /, plugin: str, **values: Any) -> int:
    from driftwatch import atomic
    from driftwatch.pipeline.check_plugin import Request, check
    from driftwatch.pipeline.world import World
    from driftwatch.render.plugin import headline, render

    kind, owns = _hosts(values["hosts"])
    request = Request(
        what=plugin,
        versions=_versions(values, kind, alone=bool(owns)),
        host=kind,
        owns=owns,
        scenes=values["scenes"],
        options=_options(values["options"]),
        network=values["allow_network"],
        scripts=values["allow_scripts"],
        fail_on=values["fail_on"],
        patience=values["patience"],
    )
    with settings(streams, values) as how, World(how, Path()) as world:
        report = check(request, world)
    for file, form in outputs(values["output"], values["form"]):
        atomic.write(file, render(report, form))
    if not values["output"]:
        streams.write(render(report, values["form"]))
    elif not values["quiet"]:
        written(streams, values["output"], headline(report))
    return report.exit_code


def _hosts(given: Sequence[str]) -> tuple[str, tuple[OwnHost, ...]]:
    """The kind of host, and those of the user's own. Raises UsageError."""
    from driftwatch.pipeline import hosts

    kind, paths = hosts.kind(given)
    return kind, tuple(hosts.named(each, Path()) for each in paths)


def _versions(values: dict[str, Any], kind: str, *, alone: bool = False) -> list[str]:
    """The published hosts to look at, the one that is there first; ``alone``: there is one of the user's own beside them."""
    before = [values["before"]] if values["before"] else [] if values["versions"] else _accepted(values, kind)
    return [*before, *(values["versions"] or (() if alone else ("latest",)))]


def _accepted(values: dict[str, Any], kind: str) -> list[str]:
    if not values["watchlist"].is_file():
        return []
    from driftwatch.cli.loading import load
    from driftwatch.pipeline.check_plugin import accepted

    version = accepted(load(values["watchlist"]), kind)
    return [version] if version else []


def _options(text: str) -> dict[str, Any]:
    try:
        told = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise click.BadParameter(f"not readable as JSON: {error}", param_hint="--options") from None
    if not isinstance(told, dict):
        raise click.BadParameter("must be an object, such as '{\"key\": true}'", param_hint="--options")
    return told
