"""The command line. It only talks: it reads arguments, calls the pipeline, writes what comes back.

``main`` is the door for programs and tests; ``entry`` is the console script. Commands are imported when they are called.
"""

from __future__ import annotations

import errno
import gc
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from importlib import import_module
from typing import TYPE_CHECKING, TextIO

import click

from driftwatch import __version__
from driftwatch.errors import EXIT_CRASH, EXIT_USAGE, DriftwatchError

if TYPE_CHECKING:
    from driftwatch.cli.talk import Streams

# command -> one line of help. The module is driftwatch/cli/<command with _>.py and holds a click command `command`.
COMMANDS = {
    "init": "Look at your project and write a watchlist that fits it.",
    "run": "The whole job: poll, compare, boot both hosts, judge, write the report.",
    "poll": "Only the cheap look: which dist-tags and versions moved.",
    "diff": "Compare any two versions of a package, repository, folder, API document or host.",
    "show": "The facts of one version.",
    "bump": "Is a change of your own dependencies safe? Base against head of your repository.",
    "probe": "Boot real hosts and run the probes; print the matrix.",
    "merge": "Join parts of a matrix that `probe --shard` wrote on several machines.",
    "check-plugin": "Does a real plugin load and work on these hosts? Is the move safe for it?",
    "typecheck": "Compile your own source against versions of the API package.",
    "floor": "The first published version of everything you rely on.",
    "guard": "Write a module for your plugin that says when a host lacks what you rely on.",
    "accept": "Accept what was seen: move the lock.",
    "github": "Tell a saved report on GitHub: a comment, a pull request, issues.",
    "render": "Make another format of a saved report, without looking again.",
    "rules": "List the rules.",
    "explain": "What one rule means, and what to do about it.",
    "schema": "Print the JSON Schema of the watchlist, of the report or of the matrix.",
    "doctor": "What is installed, reachable and writable; what will be skipped and why.",
}


class Commands(click.Group):
    """Knows the commands by name; imports only the one that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"driftwatch.cli.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from difflib import get_close_matches

            near = get_close_matches(args[0], COMMANDS, n=1)
            if near:
                raise click.UsageError(f"no command {args[0]!r}; did you mean {near[0]!r}?", ctx) from error
            raise


HELP = """Watches a fast-moving upstream and says, with evidence, whether what you rely on still holds.

Start with `driftwatch init` in your project, then `driftwatch run`, and read reports/latest.md.

Exit codes: 0 clean; 10 findings at or above --fail-on; 11 something could not be looked at; 2 usage or configuration;
1 a crash of driftwatch itself.
"""


@click.group(cls=Commands, help=HELP, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, "-V", "--version", prog_name="driftwatch")
def cli() -> None:
    pass


def main(  # noqa: PLR0911 - one line for each way a call can end
    argv: Sequence[str], stdout: TextIO | None = None, stderr: TextIO | None = None
) -> int:
    """Run one command. Returns the exit code; never raises but for a crash of its own (which prints and returns 1)."""
    from driftwatch.cli.talk import Streams

    streams = Streams(stdout or sys.stdout, stderr or sys.stderr)
    try:
        with redirect_stdout(streams.stdout):  # where click prints help
            result = cli.main(args=list(argv), prog_name="driftwatch", standalone_mode=False, obj=streams)
        return result if isinstance(result, int) else 0
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        streams.say(error.format_message())
        return EXIT_USAGE
    except click.UsageError as error:
        hint = error.ctx.command_path if error.ctx else "driftwatch"
        streams.complain(f"{error.format_message()}\n  try `{hint} --help`")
        return EXIT_USAGE
    except click.ClickException as error:
        streams.complain(error.format_message())
        return EXIT_USAGE
    except DriftwatchError as error:
        streams.complain(str(error))
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        streams.complain("stopped; nothing was half-written")
        return 128 + signal.SIGINT
    except BrokenPipeError:
        # Whoever read us went away (`driftwatch show ... | head`): not an error, and nothing more can be said.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        return _crashed(error, streams)


# The machine's own refusals: no space, no rights, no more files, memory or processes. Not ours to foresee at every call.
REFUSALS = frozenset({
    errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EMFILE, errno.ENFILE, errno.ENOMEM,
    errno.EAGAIN, errno.EIO, errno.EFBIG, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG,
})  # fmt: skip


def _crashed(error: Exception, streams: Streams) -> int:
    if os.environ.get("DRIFTWATCH_DEBUG"):
        import traceback

        streams.say("".join(traceback.format_exception(error)))
    if isinstance(error, OSError) and error.errno in REFUSALS:
        place = f" ({error.filename})" if error.filename else ""
        remedy = "give it what it lacks; `driftwatch doctor` looks at it"
        streams.complain(f"the machine refuses: {error.strerror}{place}\n  {remedy}")
        return EXIT_USAGE
    streams.say(f"driftwatch crashed: {type(error).__name__}: {error}")
    streams.say("  this is a bug in driftwatch, not a finding; run again with DRIFTWATCH_DEBUG=1 for the details")
    return EXIT_CRASH


def entry() -> None:
    """The console script. SIGTERM unwinds like Ctrl-C, so that hosts are ended and state stays whole."""

    def terminate(_signal: int, _frame: object) -> None:
        raise KeyboardInterrupt

    _open_standard_streams()
    signal.signal(signal.SIGTERM, terminate)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as under nohup
        signal.signal(signal.SIGHUP, terminate)
    gc.set_threshold(50_000, 20, 20)  # a short life with many objects and few cycles: looking for those is a tenth of a poll
    sys.exit(main(sys.argv[1:]))


def _open_standard_streams() -> None:
    """Started without one of them, the next file that is opened would take its place, and a child write into it."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(number)
