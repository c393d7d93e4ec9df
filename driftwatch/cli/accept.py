"""`driftwatch accept`."""

from __future__ import annotations

from typing import Any

import click

from driftwatch.cli.options import common, settings, upstream_option, watchlist_option
from driftwatch.cli.talk import Streams


@click.command(
    "accept",
    help="""Accept VERSION (default: what the watched dist-tag points at): look at it once more, then move watchlist.lock and
write the version where `stamps` of the watchlist says that you keep it: all of them, or none.

Refuses when something relied on breaks (exit code 10), unless --because says why.""",
)
@click.argument("version", default="")
@watchlist_option
@upstream_option
@click.option(
    "--because", default="", metavar="REASON", help="Accept although something breaks; the reason is kept in the history."
)
@common
@click.pass_obj
def command(streams: Streams, /, version: str, because: str, **values: Any) -> int:
    from driftwatch.cli.loading import load
    from driftwatch.pipeline.accept import propose
    from driftwatch.pipeline.reporting import stamp
    from driftwatch.pipeline.run import lock_path, reports_folder, seen_path
    from driftwatch.pipeline.save import line
    from driftwatch.pipeline.stamping import plan
    from driftwatch.store import history, lock, observed

    watchlist = load(values["watchlist"])
    with settings(streams, values) as how:
        accepted, result = propose(watchlist, how, version, values["upstream"], because)
        stamped = plan(watchlist, accepted, how.now, values["upstream"])
        lock.write(lock_path(watchlist), accepted, alongside=stamped)
        observed.write(seen_path(watchlist), result.seen)
        told = {**line(result.report, stamp(how.now)), "accepted": True, **({"because": because} if because else {})}
        history.append(reports_folder(watchlist) / "history.jsonl", told)
    for upstream in result.report.upstreams:
        streams.write(f"accepted {upstream.id} {upstream.after.version}, {upstream.outcome}: {lock_path(watchlist)}\n")
        for gap in upstream.gaps if upstream.outcome == "unverified" else ():
            streams.say(f"  not looked at: {gap.address}: {gap.reason}")
    for path in stamped:
        streams.write(f"stamped {path}\n")
    return 0
