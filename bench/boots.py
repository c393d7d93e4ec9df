"""Boots a host many times, kills half of the boots at random moments, and looks for what is left.

    python bench/boots.py [--count 200] [--version 1.18.33 | --executable PATH | --fake] [--cache DIR] [--seed 1]

Each boot is a project opened on a fresh host, under the driver and the supervisor the probes use. Of every four boots two are
left alone. Of the others one loses driftwatch itself (SIGKILL), its supervisor, both, or the host, in turn, at a random moment.
The boots that keep their driftwatch share one process of it, whose memory is looked at. At the end nothing may be left: no
process, no listening port, no mount, no folder. Exit code 1 when something is. Linux only: it reads /proc.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from driftwatch.observe.hosts import Binary, driver
from driftwatch.observe.process import supervisor
from driftwatch.observe.process.scratch import sweep

ENDS = ("alone", "driftwatch", "alone", "host", "alone", "supervisor", "alone", "both")  # who is killed, boot by boot
SETTLED = 15.0  # seconds within which everything must be gone
WORKER = """
import resource, sys
from pathlib import Path
from driftwatch.errors import DriftwatchError
from driftwatch.observe.hosts import Binary
from driftwatch.observe.hosts.model import MockModel
from driftwatch.observe.hosts.opencode import OpenCode
path, version, scratch = sys.argv[1:]
binary = Binary(Path(path), version, "", "")
for number, _ in enumerate(sys.stdin):
    told = "ended"
    try:
        with MockModel() as model, OpenCode(240).boot(binary, scratch=Path(scratch), deadline=600.0) as host:
            print("up", host.child.pid, flush=True)
            host.open(host.project("boot", {}, {}, model.url("boot")), 120)
    except (DriftwatchError, TimeoutError, OSError) as error:
        told = "failed " + str(error).splitlines()[0][:160]
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    print(told.split()[0], pages * resource.getpagesize() // 1024, told, flush=True)
"""


class Worker:
    """A process of driftwatch that boots a host for every line it is given."""

    def __init__(self, binary: Binary, scratch: Path, temporary: Path) -> None:
        argv = [sys.executable, "-c", WORKER, str(binary.path), binary.version, str(scratch)]
        pipe = subprocess.PIPE
        env = {**os.environ, "TMPDIR": str(temporary)}
        self.process = subprocess.Popen(argv, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True, env=env)

    def begin(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("boot\n")
        self.process.stdin.flush()

    def line(self) -> list[str]:
        assert self.process.stdout is not None
        return self.process.stdout.readline().split(maxsplit=2)

    def finish(self) -> tuple[str, int, str]:
        """How the boot ended, the resident memory in KiB after it, and why it failed."""
        while words := self.line():
            if words[0] in {"ended", "failed"}:
                return words[0], int(words[1]), words[2].strip()
        return "gone", 0, ""

    def supervisors(self) -> list[int]:
        return [pid for pid, parent, _ in supervisor.table() if parent == self.process.pid]

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(60)


def strike(worker: Worker, victim: str) -> None:
    """SIGKILL. Supervisors before driftwatch where both go, as a machine that runs out of memory may do it."""
    below = worker.supervisors()
    if victim == "host":
        for pid in {child for one in below for child in supervisor.descendants(one, 0)}:
            supervisor.kill(pid, 9)
    if victim in {"supervisor", "both"}:
        for pid in below:
            supervisor.kill(pid, 9)
    if victim in {"driftwatch", "both"}:
        worker.process.kill()
        worker.process.wait()


def left(work: Path) -> dict[str, list[str]]:
    """What is there that should not be."""
    running = []
    for pid in supervisor.marked(str(work)):
        running.append(f"{pid} {Path(f'/proc/{pid}/comm').read_text().strip() if Path(f'/proc/{pid}').exists() else ''}")
    mounts = [line for line in Path("/proc/mounts").read_text().splitlines() if str(work) in line]
    folders = [str(path.relative_to(work)) for name in ("scratch", "temporary") for path in (work / name).iterdir()]
    return {"processes": running, "ports": listening(work), "mounts": mounts, "folders": folders}


def listening(work: Path) -> list[str]:
    """Ports on which a process listens that has our folder in its environment."""
    sockets = {}
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if fields[3] == "0A":
            sockets[f"socket:[{fields[9]}]"] = str(int(fields[1].split(":")[1], 16))
    found = []
    for pid in supervisor.marked(str(work)):
        try:
            found += [sockets[name] for file in Path(f"/proc/{pid}/fd").iterdir() if (name := str(file.readlink())) in sockets]
        except OSError:
            continue
    return found


def choose(arguments: argparse.Namespace, work: Path) -> Binary:
    if arguments.fake:
        sys.path.insert(0, str(Path(__file__).parent.parent))
        from tests.support import fake_host

        return Binary(fake_host.make(work / "bin", "daemonises"), fake_host.VERSION, "", "")
    if arguments.executable:
        return driver("opencode").binary_at(arguments.executable)
    from driftwatch.pipeline.settings import Settings, default_cache
    from driftwatch.pipeline.world import World

    cache = arguments.cache or default_cache()
    with World(Settings(cache=cache), Path()) as world:
        return driver("opencode").acquire(arguments.version, world.registry, cache, world.settings.progress)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--version", default="1.18.33")
    parser.add_argument("--executable", type=Path)
    parser.add_argument("--fake", action="store_true")
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory(prefix="boots-") as folder:
        work = Path(folder).resolve()
        for name in ("scratch", "temporary"):
            (work / name).mkdir()
        return bench(choose(arguments, work), work, arguments.count, chance)


def bench(binary: Binary, work: Path, count: int, chance: random.Random) -> int:
    scratch, temporary = work / "scratch", work / "temporary"
    steady = Worker(binary, scratch, temporary)
    ends: Counter[str] = Counter()
    memory: list[int] = []
    reasons: list[str] = []
    usual = 3.0
    started = time.monotonic()
    for number in range(count):
        victim = ENDS[number % len(ENDS)]
        worker = Worker(binary, scratch, temporary) if victim in {"driftwatch", "both"} else steady
        begun = time.monotonic()
        worker.begin()
        if victim != "alone":
            time.sleep(chance.uniform(0, usual))
            strike(worker, victim)
        how, resident, why = worker.finish()
        if victim == "alone" and how != "ended":
            reasons.append(why or how)
        if worker is steady:
            memory.append(resident)
        if victim == "alone":
            usual = 0.8 * usual + 0.2 * (time.monotonic() - begun)
        ends[f"{victim}: {how}"] += 1
        if sys.stderr.isatty() or number % 20 == 19:
            print(f"{number + 1}/{count} {dict(ends)} {resident} KiB", file=sys.stderr, flush=True)
    worker = steady
    worker.begin()  # one more, left alone: it clears away what killed ones could not
    worker.finish()
    worker.close()
    remains = settled(work)
    early, late = (sorted(part)[len(part) // 2] for part in (memory[5:15] or memory, memory[-10:]))
    result = {
        "host": binary.version or str(binary.path),
        "boots": count,
        "killed": sum(ENDS[number % len(ENDS)] != "alone" for number in range(count)),
        "ends": dict(sorted(ends.items())),
        "failed though left alone": reasons[:20],
        "left": remains,
        "memory_kib": {"after 5 to 15 boots": early, "at the end": late},
        "seconds": round(time.monotonic() - started),
    }
    print(json.dumps(result, indent=1))
    flat = late <= early * 1.15 + 2048
    alive = not any(name.startswith("alone") and not name.endswith("ended") for name in ends)
    return 0 if flat and alive and not any(remains.values()) else 1


def settled(work: Path) -> dict[str, list[str]]:
    until = time.monotonic() + SETTLED
    while any((remains := left(work)).values()) and time.monotonic() < until:
        sweep(work / "scratch")
        time.sleep(0.2)
    return remains


if __name__ == "__main__":
    sys.exit(main())
