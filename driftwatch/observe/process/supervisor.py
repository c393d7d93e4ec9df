"""Stands between driftwatch and a child, so that nothing is left when driftwatch dies.

Run as a script: ``python -I -S supervisor.py``. The first line on stdin is a JSON object (see ``Spec``), then orders follow:
``signal N``, ``end``. It answers with JSON lines on stdout: {"pid"}, {"error", "errno"}, {"exit", "why"}. End of file on
stdin means that driftwatch is done or gone: the child, its group and every descendant (also those that started a session
of their own) are ended, the scratch folder is removed, and it exits. On Linux it is the subreaper of the whole tree, and
the child dies with it. Standard library only, imported late: it starts before every child.
"""
# pathlib and contextlib would cost more than the rest of the start.
# ruff: noqa: PTH101, PTH112, PTH114, PTH116, PTH119, PTH120, PTH123, PTH208, SIM105

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn, TypedDict

    class Spec(TypedDict):
        argv: list[str]
        cwd: str
        env: dict[str, str]  # the whole environment of the child
        input: str  # file that stdin comes from, "" for none
        output: str  # file that stdout goes to
        errors: str  # file that stderr goes to; may be the same
        output_limit: int  # bytes; more of it ends the child
        deadline: float  # seconds from now
        grace: float  # seconds between SIGTERM and SIGKILL
        scratch: str  # folder to remove at the end, "" for none
        files_limit: int  # open files
        size_limit: int  # bytes of one file, 0 for no limit
        mark: str  # NAME=value in the child's environment, unique to it
        spare: bool  # when the child ends by itself, what it started may stay


TICK = 0.1
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
SCRATCH_PREFIX = "driftwatch-"  # the only folders this program ever removes


def prctl(option: int, value: int) -> bool:
    """True when the kernel took it. Elsewhere than on Linux there is no such call."""
    if not sys.platform.startswith("linux"):
        return False
    import ctypes

    return bool(ctypes.CDLL(None).prctl(option, value, 0, 0, 0) == 0)


def say(**message: Any) -> None:
    try:
        os.write(1, (json.dumps(message) + "\n").encode())
    except OSError:
        pass  # nobody reads any more: the end of stdin says so too


# --- finding what has to end ------------------------------------------------------------------------------------------


def table() -> list[tuple[int, int, int]]:
    """(pid, parent pid, group) of every living process: from /proc, elsewhere from ps."""
    if not os.path.isdir("/proc/self"):
        return ps_table()
    rows = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    fields = file.read().rpartition(b")")[2].split()
            except OSError:
                continue
            if fields[0] != b"Z":
                rows.append((int(name), int(fields[1]), int(fields[2])))
    return rows


def ps(*arguments: str) -> str:
    import subprocess

    try:
        return subprocess.run(["ps", *arguments], capture_output=True, timeout=5, check=False).stdout.decode("utf-8", "replace")
    except (OSError, subprocess.SubprocessError):
        return ""


def ps_table() -> list[tuple[int, int, int]]:
    rows = []
    for line in ps("-axo", "pid=,ppid=,pgid=,stat=").splitlines():
        fields = line.split()
        if len(fields) == 4 and not fields[3].startswith("Z"):
            rows.append((int(fields[0]), int(fields[1]), int(fields[2])))
    return rows


def marked(word: str) -> set[int]:
    """Processes whose environment holds ``word``: finds those that left the tree where no subreaper holds them."""
    if not os.path.isdir("/proc/self"):
        lines = ps("axeww", "-o", "pid=,command=").splitlines()
        return {int(line.split()[0]) for line in lines if word in line and line.split()[0].isdigit()} - {os.getpid()}
    found = set()
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            try:
                with open(f"/proc/{name}/environ", "rb") as file:
                    if word.encode() in file.read():
                        found.add(int(name))
            except OSError:
                continue
    return found


def descendants(root: int, group: int) -> set[int]:
    """Every living process below ``root``, or in ``group`` (0: none) and below that."""
    rows = table()
    found = {root}
    grown = True
    while grown:
        grown = False
        for pid, parent, its_group in rows:
            if pid not in found and (parent in found or (group and its_group == group)):
                found.add(pid)
                grown = True
    return found - {root, os.getpid()}


def kill(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except OSError:
        pass


# --- the child --------------------------------------------------------------------------------------------------------


def limit(spec: Spec) -> None:
    import resource

    for which, value in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, spec["files_limit"]),
        (resource.RLIMIT_FSIZE, spec["size_limit"]),
    ):
        hard = resource.getrlimit(which)[1]
        if which != resource.RLIMIT_FSIZE or value:
            low = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(which, (low, low))


def become(spec: Spec, parent: int, failure: int) -> NoReturn:
    """In the forked child: turn into the program, or report why not and vanish."""
    try:
        os.setsid()
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(127)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        os.dup2(os.open(spec["input"] or os.devnull, os.O_RDONLY), 0)
        for stream, file in ((1, spec["output"]), (2, spec["errors"])):
            os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), stream)
        os.chdir(spec["cwd"])
        limit(spec)
        os.execvpe(spec["argv"][0], spec["argv"], spec["env"])  # noqa: S606 - an argument vector, no shell
    except OSError as error:
        os.write(failure, json.dumps([error.errno, error.strerror]).encode())
    finally:
        os._exit(127)


def launch(spec: Spec) -> int:
    """The child's pid, or 0 after having said why it could not start."""
    reader, writer = os.pipe()  # closes itself on exec: an empty answer means the program runs
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        become(spec, parent, writer)
    os.close(writer)
    failure = os.read(reader, 4096)
    os.close(reader)
    if failure:
        os.waitpid(pid, 0)
        number, text = json.loads(failure)
        say(error=text, errno=number)
        return 0
    say(pid=pid)
    return pid


class Watch:
    """Looks after one running child until driftwatch lets go."""

    def __init__(self, spec: Spec, pid: int, subreaper: bool, orders: bytes) -> None:
        self.spec = spec
        self.pid = pid
        self.subreaper = subreaper
        self.running = True
        self.why = ""  # our own reason for ending it
        self.over = False
        self.orders = orders
        self.until = time.monotonic() + spec["deadline"]
        self.wake, waker = os.pipe()
        os.set_blocking(self.wake, False)
        os.set_blocking(waker, False)
        signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGTERM, self.asked)
        signal.signal(signal.SIGHUP, self.asked)

    def asked(self, *_: object) -> None:
        self.over = True

    def reap(self) -> None:
        """Collect whatever has ended, own children and inherited ones."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid == self.pid:
                self.running = False
                say(exit=os.waitstatus_to_exitcode(status), why=self.why)

    def targets(self) -> set[int]:
        if self.subreaper:
            return descendants(os.getpid(), 0)
        own = {self.pid} if self.running else set()
        return own | descendants(self.pid, self.pid) | marked(self.spec["mark"])

    def end(self) -> None:
        """SIGTERM once to each, grace, SIGKILL until nothing is left."""
        told: set[int] = set()
        until = time.monotonic() + self.spec["grace"]
        while time.monotonic() < until + 5:
            self.reap()
            targets = self.targets()
            if not targets:
                break
            if time.monotonic() > until:
                for pid in targets:
                    kill(pid, signal.SIGKILL)
            for pid in targets - told:
                kill(pid, signal.SIGTERM)
            told |= targets
            select.select([self.wake], [], [], 0.03)
            self.drain()
        self.reap()

    def drain(self) -> None:
        try:
            while os.read(self.wake, 512):
                pass
        except OSError:
            pass

    def listen(self) -> None:
        data = os.read(0, 4096)
        self.over = self.over or not data
        self.orders += data
        self.obey()

    def obey(self) -> None:
        while b"\n" in self.orders:
            line, _, self.orders = self.orders.partition(b"\n")
            word, _, rest = line.decode().partition(" ")
            if word == "signal" and self.running:
                kill(self.pid, int(rest))
            elif word == "end":
                self.why = self.why or "ended"
                self.end()

    def check(self) -> None:
        """End a child that has broken its limits."""
        if not self.running or self.why:
            return
        if time.monotonic() > self.until:
            self.why = "deadline"
        else:
            self.why = "flooded" if self.said() > self.spec["output_limit"] else ""
        if self.why:
            self.end()

    def said(self) -> int:
        """Bytes of output so far."""
        total = 0
        for file in {self.spec["output"], self.spec["errors"]}:
            try:
                total += os.stat(file).st_size
            except OSError:
                pass
        return total

    def run(self) -> None:
        swept = self.spec["spare"]
        self.obey()
        while not self.over:
            ready = select.select([0, self.wake], [], [], TICK if self.running else 5.0)[0]
            self.drain()
            self.reap()
            if 0 in ready:
                self.listen()
            self.check()
            if not self.running and not swept:
                self.end()  # what the child left behind
                swept = True
        if self.running or not self.spec["spare"]:
            self.why = self.why or "ended"
            self.end()


def clean(folder: str) -> None:
    """Remove a scratch folder, also where a child took rights away. Only folders of ours."""
    if not os.path.basename(folder).startswith(SCRATCH_PREFIX) or os.path.islink(folder):
        return
    import shutil

    def again(function: Any, path: str, _: object) -> None:
        try:
            os.chmod(os.path.dirname(path), 0o700)
            os.chmod(path, 0o700)
            function(path)
        except OSError:
            pass

    for _ in range(5):
        shutil.rmtree(folder, onerror=again)
        if not os.path.isdir(folder):
            return
        time.sleep(0.05)


def read_spec() -> tuple[Spec, bytes] | None:
    """The first line of stdin and what came along with it, or None when driftwatch is gone before it could say anything."""
    read = bytearray()
    while b"\n" not in read:
        piece = os.read(0, 65536)
        if not piece:
            return None
        read += piece
    line, _, orders = bytes(read).partition(b"\n")
    spec: Spec = json.loads(line)
    return spec, orders


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    told = read_spec()
    if told is None:
        return
    spec, orders = told
    subreaper = prctl(PR_SET_CHILD_SUBREAPER, 1)
    try:
        pid = launch(spec)
        if pid:
            Watch(spec, pid, subreaper, orders).run()
    finally:
        clean(spec["scratch"])


if __name__ == "__main__":
    main()
