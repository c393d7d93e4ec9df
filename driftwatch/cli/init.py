"""`driftwatch init`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from driftwatch.cli.options import common, settings
from driftwatch.cli.talk import Streams


@click.command(
    "init",
    help="""Propose a watchlist for the plugin or client in DIR (default: here), from its package.json, lock file, host
configuration and source: the upstream's packages, the version you stand on, what you rely on with the lines that use it, files
to watch, probes that fit your hooks. Writes DIR/watchlist.yaml and DIR/watchlist.lock.

Nothing of the project is run, no host is booted, and no file that is there is ever changed: a second call says what the
watchlist lacks, or that there is nothing to do.

Exit code 0; 11 when something could not be looked at (the file says what); 2 when DIR is no project of a known host's.""",
)
@click.argument("folder", type=click.Path(path_type=Path), default=Path(), metavar="[DIR]")
@click.option("--dry-run", is_flag=True, help="Print the watchlist on stdout and write nothing.")
@click.option("--accepted", default="", metavar="VERSION", help="The version you stand on, where your files do not say it.")
@click.option("--host", default="", metavar="NAME", help="Which host the project is for, where its files do not say it.")
@click.option("--ci", type=click.Choice(["github", "gitlab"]), default=None, help="Write CI files, too.")
@click.option("--ci-from", default="", metavar="OWNER/NAME@COMMIT",
              help="Where the reusable GitHub workflows are taken from (with --ci github).")  # fmt: skip
@common
@click.pass_obj
def command(streams: Streams, /, folder: Path, dry_run: bool, **values: Any) -> int:
    from driftwatch.pipeline.init import make, write
    from driftwatch.pipeline.init.files import PLACEHOLDER

    with settings(streams, values) as how:
        made = make(folder, how, host=values["host"], version=values["accepted"], ci=values["ci"], ci_from=values["ci_from"])
    for note in made.notes:
        streams.say(f"could not be looked at: {note}")
    for news in made.news:
        streams.say(f"already broken at {made.draft.accepted}: {news}")
    if dry_run:
        streams.write(made.text or (folder / "watchlist.yaml").read_text("utf-8"))
        written: tuple[Path, ...] = ()
    else:
        written = write(made)
        for path in written:
            streams.write(f"wrote {_shown(path)}\n")
    if any(PLACEHOLDER in text for name, text in made.ci.items() if made.root / name in written):
        streams.say(f"the workflows name {PLACEHOLDER} and no commit: write in where they come from (or use --ci-from)")
    for words in made.missing:
        streams.write(f"watchlist.yaml is there and stays as it is; it lacks: {words}\n")
    if not (written or dry_run or made.missing):
        streams.write("nothing to do: what there is says all that would be proposed\n")
    elif written and not values["quiet"]:
        streams.say("read watchlist.yaml, then `driftwatch run`")
    return made.exit_code


def _shown(path: Path) -> Path:
    """As the user would write it: from here, where that is shorter."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path
