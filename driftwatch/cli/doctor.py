"""`driftwatch doctor`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from driftwatch.cli.options import common, settings, watchlist_option
from driftwatch.cli.talk import Streams


@click.command(
    "doctor",
    help="""Look at this machine: what is installed, reachable and writable, and what a run will have to skip, with the reason.

Exit code 0 when a run can look at everything, 11 when it will have to skip something.""",
)
@watchlist_option
@common
@click.pass_obj
def command(streams: Streams, /, watchlist: Path, **values: Any) -> int:
    from driftwatch.cli.loading import load
    from driftwatch.errors import EXIT_UNVERIFIED
    from driftwatch.pipeline.doctor import examine

    loaded = load(watchlist) if watchlist.exists() or watchlist != Path("watchlist.yaml") else None
    if loaded is None:
        streams.say(f"no {watchlist} here: looking at the machine only")
    skipped = 0
    with settings(streams, {**values, "quiet": True}) as how:
        for check in examine(loaded, how):
            streams.write(f"{check.status:8}{check.name:24}{check.detail}\n")
            if check.status == "missing":
                skipped += 1
                streams.write(f"{'':8}{'':24}a run skips: {check.skips}\n")
                if check.remedy:
                    streams.write(f"{'':8}{'':24}{check.remedy}\n")
    return EXIT_UNVERIFIED if skipped else 0
