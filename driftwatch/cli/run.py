"""`driftwatch run`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from driftwatch.cli.options import common, fail_on_option, formats, settings, upstream_option, watchlist_option
from driftwatch.cli.talk import Streams


@click.command(
    "run",
    help="""The whole job: poll the registry, observe the accepted and the new version (packages, watched files, booted hosts),
compare, judge by what you rely on, and write reports/latest.md, .html and .json, and reports/index.html that lists the runs.

With --from or --to any two versions are compared, and the report is named after them.""",
)
@watchlist_option
@click.option("--from", "before", default="", metavar="VERSION", help="Compare from this version instead of the accepted one.")
@click.option("--to", "after", default="", metavar="VERSION|TAG", help="Compare to this version or dist-tag.")
@upstream_option
@click.option(
    "--output", type=click.Path(path_type=Path, file_okay=False), default=None, help="Folder for the reports (default: reports/)."
)
@click.option("--format", "form", type=formats(), default="text", show_default=True, help="What is printed on stdout.")
@click.option("--no-probes", is_flag=True, help="Boot no host; what only a host can tell is then unverified.")
@click.option("--early", is_flag=True, help="Also compare what beta, next and other tags ahead point at; never counted.")
@fail_on_option
@common
@click.pass_obj
def command(streams: Streams, /, **values: Any) -> int:
    from driftwatch.cli.loading import load
    from driftwatch.pipeline import save, shelf
    from driftwatch.pipeline.examine import Request
    from driftwatch.pipeline.reporting import stamp
    from driftwatch.pipeline.run import history_path, reports_folder, run, seen_path

    watchlist = load(values["watchlist"])
    request = Request(values["before"], values["after"], probes=not values["no_probes"], early=values["early"])
    with settings(streams, values) as how:
        result = run(watchlist, how, request, values["upstream"], values["fail_on"])
        folder = values["output"] or reports_folder(watchlist)
        name = "latest"
        if request.ad_hoc:
            first = result.report.upstreams[0]
            name = save.slug(first.before.version, first.after.version)
        report, files = save.save(result.report, folder, name)
        save.remember(report, result.seen, seen_path(watchlist), history_path(watchlist), stamp(how.now), name)
        shelf.index(reports_folder(watchlist))
    streams.report(report, values["form"])
    if not values["quiet"]:
        streams.say(f"written: {', '.join(str(path) for path in files)}")
    return report.exit_code
