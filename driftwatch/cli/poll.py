"""`driftwatch poll`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from driftwatch.cli.options import common, fail_on_option, settings, upstream_option, watchlist_option
from driftwatch.cli.talk import Streams

if TYPE_CHECKING:
    from driftwatch.model import Report


@click.command(
    "poll",
    help="""Only the cheap look: every dist-tag and version of every package, against the lock and the last look.

Prints what moved. With --format json the report has the same shape as that of `driftwatch run`.""",
)
@watchlist_option
@upstream_option
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@fail_on_option
@common
@click.pass_obj
def command(streams: Streams, /, **values: Any) -> int:
    from driftwatch.cli.loading import load
    from driftwatch.pipeline.poll import poll
    from driftwatch.pipeline.run import seen_path
    from driftwatch.store import observed

    watchlist = load(values["watchlist"])
    with settings(streams, values) as how:
        result = poll(watchlist, how, values["upstream"], values["fail_on"])
        observed.write(seen_path(watchlist), result.seen)
    if values["form"] == "json":
        from driftwatch.render import render

        streams.write(render(result.report, "json"))
    else:
        streams.write(text(result.report))
    return result.report.exit_code


def text(report: Report) -> str:
    """One line a package tag that moved, one a finding that no tag line says, one a gap, and closing counts."""
    from driftwatch.progress import counted
    from driftwatch.render.clean import line
    from driftwatch.render.messages import message

    lines = []
    for upstream in report.upstreams:
        moved = [row for row in upstream.tags if row.change != "same"]
        lines += [f"{row.package}#{row.name} {row.before or '-'} -> {row.after or '-'} {row.change}" for row in moved]
        lines += [f"{f.severity}: {message(f)}" for f in upstream.findings if f.address.kind != "tag" or f.severity != "info"]
        lines += [f"ahead: {row.package}#{row.tag} touches {', '.join(row.touches)}" for row in upstream.early if row.touches]
        lines += [f"could not look: {gap.address}: {gap.reason}" for gap in upstream.gaps]
        was, now = upstream.before, upstream.after
        # Tags are held against what they were at the last accept, which need not be the accepted version: both are said.
        stands = f"accepted {was.version or was.commit or 'nothing'}, now {now.version or now.commit or 'unknown'}"
        tags = counted(len(moved), "dist-tag")
        same = len(upstream.tags) - len(moved)
        lines.append(
            f"{upstream.id}: {stands}; {tags} moved since last recorded, {same} did not, {len(upstream.gaps)} not looked at"
        )
    return "".join(f"{line(each)}\n" for each in lines)
