"""One git command: no shell, an allow-listed environment, a deadline, and its whole process group ended with it."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from types import MappingProxyType

from driftwatch.errors import Unobservable
from driftwatch.observe.ending import running
from driftwatch.observe.sources.git.location import PROTOCOLS, Location
from driftwatch.observe.sources.git.reason import remedy, why

OLDEST = (2, 31)  # takes settings from the environment
_INSTALL = "install git 2.31 or newer"
MAX_OUTPUT = 512 * 1024 * 1024

# What a git that fetches for a user needs: programs, home, proxies, certificates, keys. GIT_DIR and its kin stay outside.
_PASSED = frozenset({
    "PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "SSH_AUTH_SOCK", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS", "KRB", "CCNAME", "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO",
    "GIT_SSL_CAPATH", "GIT_SSL_CERT", "GIT_SSL_KEY", "GIT_SSL_NO_VERIFY", "GIT_SSH", "GIT_SSH_COMMAND",
    "GIT_SSH_VARIANT", "GIT_PROXY_COMMAND", "GIT_PROXY_SSL_CAINFO", "GIT_EXEC_PATH", "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTPS_PROXY",
    "ALL_PROXY", "NO_PROXY",
})  # fmt: skip

# Written into no file: the caller's git settings may differ, the mirror's behaviour must not.
_SETTINGS: Mapping[str, str] = {
    "core.hooksPath": "/dev/null",
    "core.attributesFile": "/dev/null",
    "core.fsmonitor": "false",
    "core.quotePath": "false",
    "diff.suppressBlankEmpty": "false",
    "fetch.fsckObjects": "false",
    "fetch.recurseSubmodules": "false",
    "gc.auto": "0",
    "http.lowSpeedLimit": "1",  # a transfer that stands still ends, even when nobody is left to end it
    "http.lowSpeedTime": "60",
    "maintenance.auto": "false",
    "protocol.version": "2",
}

# Said only when talking to the remote, and never stored: so no other command can fetch a missing object by itself.
_PARTIAL: Mapping[str, str] = {"remote.origin.promisor": "true", "remote.origin.partialclonefilter": "blob:none"}

# A local repository offers a partial fetch only when told to; the text is ours and fixed.
_LOCAL_SERVER = "git -c uploadpack.allowFilter=true -c uploadpack.allowAnySHA1InWant=true upload-pack"


class Refused(Unobservable):
    """git ended with an error. ``stderr`` is all it said, for who can try another way."""

    def __init__(self, message: str, remedy: str, stderr: bytes) -> None:
        super().__init__(message, remedy)
        self.stderr = stderr


class Spoilt(Refused):
    """The mirror on disk is broken: git said so, or what it just fetched is not there."""


# git's words for its own side, when it was to talk to the other.
_BROKEN_HERE = re.compile(
    rb"^(?!remote:).*(bad (numeric )?config|config file|configuration files|\.idx\b|\.pack\b|packfile|bad shallow|"
    rb"shallow line|loose object|object file|not a git repository:|bad object|unable to read)",
    re.MULTILINE,
)


class Git:
    """git in one bare folder. ``run`` never reaches the network, ``remote`` does."""

    def __init__(self, folder: Path, location: Location, environment: Mapping[str, str] = os.environ) -> None:
        self.folder = folder
        self._location = location
        self._environment = environment

    def run(self, *arguments: str, stdin: bytes = b"", deadline: float = 60) -> bytes:
        """Standard output of a command on the mirror alone. A missing object is missing: it is not fetched behind our back."""
        return self._run(arguments, {}, stdin, deadline, here=True)

    def remote(
        self, *arguments: str, stdin: bytes = b"", deadline: float, settings: Mapping[str, str] = MappingProxyType({})
    ) -> bytes:
        """Standard output of a command that talks to the remote ``origin``, which only this call knows the address of."""
        known = {"remote.origin.url": self._location.address, **_PARTIAL, **settings}
        if self._location.local:
            known["remote.origin.uploadpack"] = _LOCAL_SERVER
        return self._run(arguments, known, stdin, deadline, here=False)

    def _run(self, arguments: tuple[str, ...], settings: Mapping[str, str], stdin: bytes, deadline: float, here: bool) -> bytes:
        command = ["git", f"--git-dir={self.folder}", "--no-pager", *arguments]
        what = f"git {arguments[0]} on {self._location.shown}"
        run = execute if here or self._location.local else supervised
        code, output, errors = run(command, environment(self._environment, settings), stdin, deadline, what)
        if code:
            installed(self._environment)
            kind = Spoilt if here or _BROKEN_HERE.search(errors) else Refused
            raise kind(f"{what}: {why(errors)}", remedy(errors), errors)
        return output


def installed(caller: Mapping[str, str] = os.environ) -> str:
    """The version of the installed git. Raises Unobservable when there is none, or one older than driftwatch can use."""
    _, output, _ = execute(["git", "--version"], environment(caller, {}), b"", 10, "git --version")
    found = re.search(r"(\d+)\.(\d+)[\w.-]*", output.decode("utf-8", "replace"))
    if not found or (int(found[1]), int(found[2])) < OLDEST:
        said = output.decode("utf-8", "replace").strip()[:80]
        raise Unobservable(f"the installed git is too old: {said!r}", _INSTALL)
    return found[0]


def environment(caller: Mapping[str, str], settings: Mapping[str, str]) -> dict[str, str]:
    """What git may see of the caller's environment, and ``settings`` as the last word on its configuration."""
    passed = {name: value for name, value in caller.items() if name in _PASSED}
    fixed = {
        "LC_ALL": "C",
        "GIT_ALLOW_PROTOCOL": PROTOCOLS,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_OPTIONAL_LOCKS": "0",
    }
    pairs = [*_callers_pairs(caller), *_SETTINGS.items(), *settings.items()]
    numbered: dict[str, str] = {}
    for index, (key, value) in enumerate(pairs):
        numbered |= {f"GIT_CONFIG_KEY_{index}": key, f"GIT_CONFIG_VALUE_{index}": value}
    return {**passed, **fixed, **numbered, "GIT_CONFIG_COUNT": str(len(pairs))}


def _callers_pairs(caller: Mapping[str, str]) -> list[tuple[str, str]]:
    """Settings the caller gave through the environment (continuous integration hands out credentials this way)."""
    count = caller.get("GIT_CONFIG_COUNT", "")
    numbers = range(min(int(count), 1000)) if count.isascii() and count.isdigit() else range(0)
    pairs = [(caller.get(f"GIT_CONFIG_KEY_{n}", ""), caller.get(f"GIT_CONFIG_VALUE_{n}", "")) for n in numbers]
    return [(key, value) for key, value in pairs if key]


def execute(
    command: list[str], variables: Mapping[str, str], stdin: bytes, deadline: float, what: str
) -> tuple[int, bytes, bytes]:
    """Run to the end within ``deadline`` seconds: exit code, standard output, standard error. Output goes to files, so that
    nothing can fill up and hang. On a timeout or an interrupt the whole process group is ended."""
    with ExitStack() as files:
        try:
            given, output, errors = (files.enter_context(tempfile.TemporaryFile()) for _ in range(3))
            given.write(stdin)
            given.seek(0)
        except OSError as error:
            raise _no_room(what, error) from error
        try:
            process = subprocess.Popen(
                command, stdin=given, stdout=output, stderr=errors, env=dict(variables), cwd="/", start_new_session=True
            )
        except FileNotFoundError:
            raise Unobservable(f"{what}: git is not installed", _INSTALL) from None
        except OSError as error:
            raise _not_started(what, error.strerror or str(error)) from error
        try:
            with running(lambda: _end(process)):
                code = process.wait(timeout=deadline)
        except subprocess.TimeoutExpired:
            raise _too_slow(what, deadline) from None
        finally:
            _end(process)
        if output.tell() > MAX_OUTPUT or os.fstat(output.fileno()).st_size > MAX_OUTPUT:
            raise _too_much(what)
        return code, _content(output.fileno()), _content(errors.fileno(), 65536)


def supervised(
    command: list[str], variables: Mapping[str, str], stdin: bytes, deadline: float, what: str
) -> tuple[int, bytes, bytes]:
    """The same for a command that talks over a network and may wait for it for ever: it also ends when driftwatch is killed.
    Standing by costs 0.05 s a command."""
    from driftwatch.observe.process import ProcessError, start, work_folder

    if shutil.which(command[0], path=variables.get("PATH", os.defpath)) is None:
        raise Unobservable(f"{what}: git is not installed", _INSTALL)
    with work_folder() as home:
        given, output, errors = home / "given", home / "output", home / "errors"
        try:
            given.write_bytes(stdin)
        except OSError as error:
            raise _no_room(what, error) from error
        try:
            with start(
                command, cwd=Path("/"), env=variables, given=given, output=output, errors=errors, deadline=deadline,
                scratch=home, output_limit=MAX_OUTPUT, size_limit=0, spare=True,
            ) as child:  # fmt: skip
                ended = child.wait(deadline + 30)
                said = [path.read_bytes() if path.exists() else b"" for path in (output, errors)]
        except ProcessError as error:
            raise _not_started(what, error.message) from error
    if ended is None or ended.how == "deadline":
        raise _too_slow(what, deadline)
    if ended.how == "flooded" or len(said[0]) > MAX_OUTPUT:
        raise _too_much(what)
    if ended.how not in ("exited", "signalled"):
        raise Unobservable(f"{what}: it {ended}", "run again")
    return ended.code, said[0], said[1][:65536]


def _not_started(what: str, reason: str) -> Unobservable:
    remedy = "give driftwatch more open files, processes or memory (see `ulimit -a`)"
    return Unobservable(f"{what}: git could not be started: {reason}", remedy)


def _too_slow(what: str, deadline: float) -> Unobservable:
    remedy = "check the network, or allow more time; `--offline` uses what is cached"
    return Unobservable(f"{what} did not end within {deadline:g} s", remedy)


def _too_much(what: str) -> Unobservable:
    return Unobservable(f"{what}: more than {MAX_OUTPUT} bytes of output")


def _no_room(what: str, error: OSError) -> Unobservable:
    reason = f"{what}: no temporary file can be written: {error.strerror or error}"
    return Unobservable(reason, "free space or set TMPDIR to a writable folder")


def _content(handle: int, limit: int = MAX_OUTPUT) -> bytes:
    return os.pread(handle, min(limit, os.fstat(handle).st_size), 0)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a command that has not ended, with its whole group: git's own helpers (ssh, http, index-pack) live in it.

    After a proper end nothing is signalled: what stays then is the user's (a credential cache, an ssh master connection).
    """
    if process.poll() is not None:
        return
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=2)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
