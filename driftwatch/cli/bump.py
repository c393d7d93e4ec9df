"""`driftwatch bump`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from driftwatch.cli.options import common, fail_on_option, formats, settings, upstream_option, watchlist_option
from driftwatch.cli.talk import Streams


@click.command(
    "bump",
    help="""Is a change of your own dependencies safe? BASE and HEAD (default: HEAD) are revisions of your repository; the
versions of the watched packages that package.json and the lock file (npm, bun, pnpm, yarn) pin at each are compared, and
judged by what you rely on. Nothing moved: says so, exit 0.

For a pull request checked out as its merge commit: `driftwatch bump HEAD^1`.""",
)
@click.argument("base")
@click.argument("head", default="HEAD")
@watchlist_option
@upstream_option
@click.option("--output", type=click.Path(path_type=Path, file_okay=False), default=None,
              help="Folder for bump.json, bump.md and bump.html (default: reports/).")  # fmt: skip
@click.option("--format", "form", type=formats(), default="text", show_default=True, help="What is printed on stdout.")
@click.option("--no-probes", is_flag=True, help="Boot no host; what only a host can tell is then unverified.")
@fail_on_option
@common
@click.pass_obj
def command(streams: Streams, /, base: str, head: str, **values: Any) -> int:
    from driftwatch.cli.loading import load
    from driftwatch.pipeline import save
    from driftwatch.pipeline.bump import bump
    from driftwatch.pipeline.run import reports_folder
    from driftwatch.render import render

    watchlist = load(values["watchlist"])
    with settings(streams, values) as how:
        bumped = bump(
            watchlist, how, base, head, only=values["upstream"], probes=not values["no_probes"], fail_on=values["fail_on"]
        )
        report, files = save.save(bumped.report, values["output"] or reports_folder(watchlist), "bump")
    streams.write(render(report, values["form"]))
    if not values["quiet"]:
        for note in bumped.notes:
            streams.say(note)
        streams.say(f"written: {', '.join(str(path) for path in files)}")
    return report.exit_code
