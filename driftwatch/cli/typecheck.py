"""`driftwatch typecheck`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from driftwatch.cli.options import common, settings, watchlist_option
from driftwatch.cli.talk import Streams


@click.command(
    "typecheck",
    help="""Compile your own source against versions of the API package: does it still compile, and from which version on?

DIR is the project (default: the watchlist's folder, else this one). It is copied, its real dependencies are installed beside the
copy, and the native TypeScript compiler is asked, by your tsconfig.json where there is one. Errors that are there with the
version you are at are told apart: no other version is to blame for them.

Without --version the latest is looked at. Exit code 10 when it fails with a version, 11 when that could not be told.""",
)
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--version", "versions", multiple=True, metavar="VERSION|TAG", help="Of the API package (repeatable).")
@click.option("--from", "base", default="", metavar="VERSION", help="The version you are at.  [default: lock file, package.json]")
@click.option("--package", "packages", multiple=True, metavar="NAME", help="The API package.  [default: the watchlist's]")
@click.option("--floor", is_flag=True, help="Also search the first version it compiles with.")
@click.option("--since", default="", metavar="VERSION", help="With --floor: look at no version below this one.")
@click.option("--format", "form", type=click.Choice(["text", "md", "json"]), default="text", show_default=True)
@watchlist_option
@common
@click.pass_obj
def command(streams: Streams, /, folder: Path | None, **values: Any) -> int:
    from driftwatch.pipeline.typecheck import Request, typecheck
    from driftwatch.pipeline.world import World
    from driftwatch.render.typecheck import render

    request = _request(folder, values, Request)
    with settings(streams, values) as how, World(how, request.root) as world:
        report = typecheck(request, world)
    streams.write(render(report, values["form"]))
    return report.exit_code


def _request(folder: Path | None, values: dict[str, Any], make: Any) -> Any:
    """What is asked, completed from the watchlist where there is one."""
    packages, root, base = tuple(values["packages"]), folder or Path(), values["base"]
    source: tuple[str, ...] = ()
    if values["watchlist"].is_file() and folder is None:
        from driftwatch.cli.loading import load
        from driftwatch.pipeline.check_plugin import accepted

        watchlist = load(values["watchlist"])
        root, source = watchlist.root, watchlist.project.source
        packages = packages or tuple(name for upstream in watchlist.upstreams for name in upstream.packages)
        hosts = [upstream.host.driver for upstream in watchlist.upstreams if upstream.host is not None]
        base = base or (accepted(watchlist, hosts[0]) if hosts else "")
    if not packages:
        from driftwatch.errors import UsageError

        raise UsageError("which package is the source written for?", "give --package NAME, or a watchlist")
    return make(root.resolve(), packages, source, base, values["versions"], values["floor"], values["since"])
