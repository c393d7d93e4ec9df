"""`driftwatch github`: tell a saved report where the team works."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from driftwatch.cli.options import watchlist_option
from driftwatch.cli.talk import Streams

if TYPE_CHECKING:
    from driftwatch.model import Report
    from driftwatch.publish.api import Api
    from driftwatch.publish.common import Done
    from driftwatch.publish.place import Place

LARGEST = 64 * 1024 * 1024  # bytes of a report: it may come from somebody else's run


@click.group(
    "github",
    help="""Tell a saved JSON report on GitHub: GITHUB_REPOSITORY and GITHUB_TOKEN say where and as whom, GITHUB_API_URL by
which API. Saying the same thing twice changes nothing.""",
)
def command() -> None:
    pass


_report = click.argument("report", type=click.Path(path_type=Path))
_dry = click.option("--dry-run", is_flag=True, help="Change nothing; print what would be done.")
_repository = click.option("--repository", default="", metavar="OWNER/NAME", help="Instead of GITHUB_REPOSITORY.")
_author = click.option("--author", default="", metavar="LOGIN", help="Whose comments and issues are ours (default: the token's).")


@command.command("comment", help="One comment on the pull request of this run, updated in place.")
@_report
@click.option("--pull", type=click.IntRange(1), default=None, metavar="NUMBER", help="Instead of the event's pull request.")
@click.option("--untrusted", is_flag=True, help="The report was made by code under review: say so in the comment.")
@_dry
@_repository
@_author
@click.pass_obj
def comment(streams: Streams, /, report: Path, pull: int | None, untrusted: bool, **values: Any) -> int:
    from driftwatch.pipeline import github
    from driftwatch.publish.common import Done

    given = _read(report)
    with _door(streams, values) as (api, place):
        number = pull or place.pull(api)
        if not number:
            return _say(streams, "comment", Done("none", why="the pull request has moved on or is closed"))
        author = values["author"] or _me(api)
        return _say(streams, "comment", github.comment(api, place, given, number, author, untrusted=untrusted))


@command.command("issue", help="One issue for each upstream that is broken: kept up to date, closed when it holds again.")
@_report
@_dry
@_repository
@_author
@click.pass_obj
def issue(streams: Streams, /, report: Path, **values: Any) -> int:
    from driftwatch.pipeline import github

    given = _read(report)
    with _door(streams, values) as (api, place):
        for name, done in github.issues(api, place, given, values["author"] or _me(api)):
            _say(streams, f"issue of {name}", done)
    return 0


@command.command("pull-request", help="One branch and one pull request with the report and the lock of the work tree.")
@_report
@watchlist_option
@click.option("--branch", default="driftwatch/update", show_default=True, help="The branch; it is ours alone.")
@click.option("--base", default="", help="Where it goes (default: the repository's default branch).")
@_dry
@_repository
@click.pass_obj
def pull_request(streams: Streams, /, report: Path, branch: str, base: str, **values: Any) -> int:
    from driftwatch.cli.loading import load
    from driftwatch.errors import UsageError
    from driftwatch.pipeline import github

    given, watchlist = _read(report), load(values["watchlist"])
    if branch.startswith("-") or ".." in branch or not branch.isprintable() or " " in branch or branch == base:
        raise UsageError(f"{branch!r} is not a branch of ours to use")
    with _door(streams, values) as (api, place):
        return _say(streams, "pull request", github.pull_request(api, place, given, watchlist, branch=branch, base=base))


@command.command("outputs", help='What later steps decide by, one NAME=VALUE a line: `... >> "$GITHUB_OUTPUT"`.')
@_report
@click.pass_obj
def outputs(streams: Streams, report: Path) -> int:
    from driftwatch.pipeline import github

    streams.write("".join(f"{name}={value}\n" for name, value in github.outputs(_read(report)).items()))
    return 0


@contextmanager
def _door(streams: Streams, values: dict[str, Any]) -> Iterator[tuple[Api, Place]]:
    from driftwatch.cli.talk import Lines
    from driftwatch.publish.api import Api
    from driftwatch.publish.place import Place

    place = Place(repository=values["repository"])
    with Api(place.api, place.token, dry=values["dry_run"], progress=Lines(streams)) as api:
        try:
            yield api, place
        finally:
            streams.write("".join(f"{line}\n" for line in api.log))


def _me(api: Api) -> str:
    from driftwatch.publish.common import me

    return me(api)


def _say(streams: Streams, what: str, done: Done) -> int:
    streams.say(": ".join(filter(None, (what, done.action, done.url, done.why))))
    return 0


def _read(path: Path) -> Report:
    """Data, whoever wrote it: bounded, parsed, never run."""
    from driftwatch.errors import UsageError
    from driftwatch.render.reading import parse

    try:
        if not path.is_file() or path.is_symlink() or path.stat().st_size > LARGEST:
            raise UsageError(f"{path} is not a report (a plain file of at most {LARGEST // 1024 // 1024} MiB)")
        text = path.read_text("utf-8", "replace")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from None
    return parse(text, str(path))
