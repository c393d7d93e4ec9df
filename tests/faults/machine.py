"""The machine is not as it should be: programs, environment, disks, rights, streams."""

from __future__ import annotations

import os
import pty
import re
import resource
import shutil
import subprocess
import sys
import termios
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from tests.faults.bench import CODE, NEW, Answer, Bench, Case

SPACE = "free space or make the folder writable"
INSTALL = "install npm, or set npm_config_registry"


def unnamed(made: Bench) -> None:
    """Neither the watchlist nor npm's files name a registry, and there is no npm to ask."""
    made.edit(f"registry: {made.registry.url}\n", "")
    made.write("bin/git", '#!/bin/sh\nPATH=/usr/bin:/bin:/usr/local/bin exec git "$@"\n').chmod(0o755)
    made.env(PATH=str(made.root / "bin"), npm_config_registry=None, NPM_CONFIG_REGISTRY=None)


def npm(script: str) -> Callable[[Bench], None]:
    """Nothing names a registry, and the npm that is asked is this script."""

    def fault(made: Bench) -> None:
        unnamed(made)
        made.write("bin/npm", f"#!/bin/sh\n{script}\n").chmod(0o755)
        made.patch.setattr("driftwatch.observe.sources.npm.ask._TIMEOUT", 0.5)

    return fault


def config(**variables: str) -> Callable[[Bench], None]:
    """npm's configuration in the environment."""
    return lambda made: made.env(**{f"npm_config_{name}": value for name, value in variables.items()})


def npmrc(content: bytes) -> Callable[[Bench], object]:
    return lambda made: made.write(".npmrc", content)


def fifo(made: Bench) -> None:
    (made.root / ".npmrc").unlink()
    os.mkfifo(made.root / ".npmrc")


def disk(name: str, size: str) -> Callable[[Bench], None]:
    """This folder is a disk of its own, and not a big one."""
    return lambda made: made.small_disk(made.root / name, size)


def full_under_the_lock(made: Bench) -> None:
    """The lock is a link to a file on a disk that is full."""
    made.small_disk(made.root / "disk", "64k")
    kept = made.root / "disk" / "watchlist.lock"
    kept.write_bytes(made.lock.read_bytes())
    made.lock.unlink()
    made.lock.symlink_to(kept)
    with suppress(OSError):
        (made.root / "disk" / "filler").write_bytes(bytes(1_000_000))


def no_cache(made: Bench) -> None:
    shutil.rmtree(made.cache)


def no_temporary_folder(made: Bench) -> None:
    made.patch.setattr("tempfile.tempdir", str(made.root / "nowhere"))


# --- driftwatch as a process of its own


def shell(script: str, **env: str) -> Callable[[Bench, Sequence[str]], Answer]:
    """By way of a shell: ``"$@"`` is driftwatch's command line."""
    return lambda made, argv: made.process(argv, shell=script, env=env)


def env(**variables: str) -> Callable[[Bench, Sequence[str]], Answer]:
    return lambda made, argv: made.process(argv, env=variables)


def limited(which: int, value: int) -> Callable[[Bench, Sequence[str]], Answer]:
    return lambda made, argv: made.process(argv, preexec_fn=lambda: resource.setrlimit(which, (value, value)))


def without_home(made: Bench, argv: Sequence[str]) -> Answer:
    return made.process(argv, shell='unset HOME; exec "$@"')


def in_no_folder(made: Bench, argv: Sequence[str]) -> Answer:
    return made.process(argv, shell='mkdir gone && cd gone && rmdir ../gone && exec "$@"')


def terminal(columns: int, **env: str) -> Callable[[Bench, Sequence[str]], Answer]:
    """On a terminal of this width; what is said there is the answer's stderr and stdout in one."""

    def call(made: Bench, argv: Sequence[str]) -> Answer:
        ours, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (3, columns))
        said: list[bytes] = []
        reader = threading.Thread(target=_read, args=(ours, said))
        reader.start()
        command = [sys.executable, "-m", "driftwatch", *argv, *made.options]
        variables = {**os.environ, "TERM": "xterm", "PYTHONPATH": CODE, **env}
        try:
            done = subprocess.run(
                command, cwd=made.root, env=variables, stdin=theirs, stdout=theirs, stderr=theirs, timeout=60, check=False
            )
        finally:
            os.close(theirs)
            reader.join()
            os.close(ours)
        text = b"".join(said).decode("utf-8", "replace").replace("\r", "")
        return Answer(done.returncode, DRAWING.sub("", text), "")

    return call


DRAWING = re.compile(r"\x1b\[\??[0-9;]*[mKAhl]")  # what progress bars and colour are made of


def _read(terminal: int, said: list[bytes]) -> None:
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # the other end is closed
            return
        if not piece:
            return
        said.append(piece)


def hostile_words(made: Bench) -> None:
    made.document["dist-tags"]["next"] = NEW
    made.newest["deprecated"] = "\x1b]0;owned\x07\x1b[2J\u202e"


def withheld(made: Bench) -> None:
    """There is something to say, and so an exit code that is not 0."""
    made.document.pop("dist-tags")


def odd_name(made: Bench) -> None:
    made.edit("name: ours", "name: \u0422\u044b\u2603 na\u00efve")


def apart(name: str, call: Callable[[Bench, Sequence[str]], Answer], *rest: Any, slow: bool = True, **more: Any) -> Case:
    """A row whose driftwatch is a process of its own, called in this way."""
    return Case(name, more.pop("fault", undisturbed), *rest, call=call, slow=slow, **more)


def undisturbed(_: Bench) -> None:
    """The way it is called is the fault."""


CASES: list[Case] = [
    # programs and configuration
    Case("no npm, and nothing names a registry", unnamed, "no registry is configured", INSTALL),
    Case("npm that fails", npm("exit 1"), "no registry is configured", INSTALL),
    Case("npm that hangs", npm("exec sleep 60"), "no registry is configured", INSTALL),
    Case("npm that floods", npm("yes | head -c 300000"), "no registry is configured", INSTALL),
    Case("npm that answers undefined", npm("echo undefined"), "no registry is configured", INSTALL),
    Case("npm_config: retries that are none", config(fetch_retries="many", fetch_timeout="soon"), exit=0),
    Case("npm_config: a global file that is none", config(globalconfig="/dev/zero"), exit=0),
    Case("npm_config: a user file without end", config(userconfig="/dev/zero"), exit=0),
    Case(
        "npm_config: a proxy that is none", config(proxy="::::", noproxy="x"), "the configured proxy is", "give an http:// proxy"
    ),
    Case("npm_config: an authority that is none", config(cafile="/etc/hostname"), exit=0),
    Case(".npmrc is binary", npmrc(b"\x00\xff=\xfe\n[" * 99), exit=0),
    Case(".npmrc is a folder", lambda b: ((b.root / ".npmrc").unlink(), (b.root / ".npmrc").mkdir()), exit=0),
    Case(".npmrc is a pipe", fifo, exit=0),
    Case("another registry in .npmrc", npmrc(b"registry=http://127.0.0.1:9/\n"), exit=0),
    # disks and rights
    Case("cache is a file", lambda b: (no_cache(b), b.write("cache", "x")), "cannot make .*cache", "make the cache", 2, on="git"),
    Case(
        "read-only cache", lambda b: (no_cache(b), b.read_only(b.cache)), "Read-only|Permission denied", "writable", 2, on="git"
    ),
    Case("read-only reports", lambda b: b.read_only(b.reports), "Read-only|Permission denied", SPACE, 2),
    Case("read-only project", lambda b: b.read_only(b.root), "Read-only|Permission denied", "writable", 2),
    Case("full cache", lambda b: (no_cache(b), disk("cache", "16k")(b)), "failed to write|No space left", "free space", on="git"),
    Case("full reports", disk("reports", "8k"), "No space left", SPACE, 2),
    Case("full disk under the lock", full_under_the_lock, "No space left", "free space", 2, run="accept"),
    Case("no temporary folder", no_temporary_folder, "no temporary file can be written", "TMPDIR", on="git"),
    Case("no room for hosts", disk("cache/scratch", "4k"), "place for the host can't be made: No space", "probe", on="host"),
    # the way it is called
    apart("no open files left", limited(resource.RLIMIT_NOFILE, 8), "Too many open files", "ulimit", on="git"),
    apart("no file may grow", limited(resource.RLIMIT_FSIZE, 2000), "File too large", ".", 2),
    apart("HOME unset", without_home, exit=0),
    apart("HOME empty", env(HOME=""), exit=0),
    apart("HOME nowhere", env(HOME="/nowhere"), exit=0),
    apart("in a folder that is gone", in_no_folder, exit=0),
    apart("no UTF-8", env(LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0"), fault=odd_name, exit=0, run="run"),
    apart("only ASCII", env(PYTHONIOENCODING="ascii"), fault=odd_name, exit=0, run="run"),
    apart("a locale that is none", env(LC_ALL="xx_YY.KOI99", LANG="?"), fault=odd_name, exit=0, run="run"),
    apart("a time zone that is none", env(TZ="Mars/Olympus"), exit=0),
    apart("COLUMNS is no number", env(COLUMNS="wide", LINES="-1"), exit=0, run="run"),
    apart("a terminal one column wide", terminal(1), fault=hostile_words, exit=0, run="run"),
    apart("a terminal without a size", terminal(0), fault=hostile_words, exit=0, run="run"),
    apart("a terminal and NO_COLOR", terminal(80, NO_COLOR="1"), fault=hostile_words, exit=0, run="run"),
    apart("a terminal that only knows ASCII", terminal(80, PYTHONIOENCODING="ascii"), fault=odd_name, exit=0, run="run"),
    apart("a dumb terminal", terminal(80, TERM="dumb"), fault=hostile_words, exit=0, run="run"),
    apart("a terminal nobody knows", terminal(80, TERM="\x1b[2J"), fault=hostile_words, exit=0, run="run"),
    apart("stdin closed", shell('exec "$@" <&-'), exit=0),
    apart("stdout closed", shell('exec "$@" >&-'), "standard output is closed", "send it somewhere", 2, slow=False),
    apart("stderr closed", shell('exec "$@" 2>&-'), exit=0),
    apart("every stream closed", shell('exec "$@" <&- >&- 2>&-'), exit=2),
    apart("stdout full", shell('exec "$@" >/dev/full'), "standard output: No space left", "free space", 2),
    apart("stderr full", shell('exec "$@" 2>/dev/full'), exit=0),
    apart("nobody reads", shell('{ "$@"; echo $? >code; } | true; exit $(cat code)'), exit=0, run="run"),
    apart("ten bytes are read", shell('{ "$@"; echo $? >code; } | head -c 10; exit $(cat code)'), exit=0, run="run"),
    apart("findings, and nobody reads", shell('{ "$@"; echo $? >code; } | true; exit $(cat code)'), fault=withheld, run="run"),
]
