"""driftwatch is killed in the middle of probing, or its supervisors are: nothing is left."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from driftwatch.observe.process import supervisor
from driftwatch.observe.process.scratch import sweep
from tests.support import fake_host

PROBING = """
import sys
from pathlib import Path
from driftwatch.observe.hosts import Binary
from driftwatch.observe.hosts.opencode import OpenCode
from driftwatch.observe.probes import control, load_library, run
library = load_library()
probes = [library[name] for name in ("opencode/dispose", "opencode/tool-ids", "opencode/config-once")]
binary = Binary(Path(sys.argv[1]), "1.2.3", "fake", "sha512-x")
print("begin", flush=True)
for _ in range(20):
    run(OpenCode(2), binary, probes, control=control(library, "opencode"), cache=None, scratch=Path(sys.argv[2]))
"""


def supervisors(parent: int) -> list[int]:
    return [pid for pid, above, _ in supervisor.table() if above == parent]


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks into /proc")
@pytest.mark.parametrize("moment", [0.1, 0.7])
@pytest.mark.parametrize("victim", ["driftwatch", "supervisors", "both", "interrupt"])
@pytest.mark.slow
def test_kill_while_probing(tmp_path: Path, victim: str, moment: float) -> None:
    work = tmp_path / "work"
    path = fake_host.make(tmp_path / "bin", "daemonises")
    probing = subprocess.Popen(
        [sys.executable, "-c", PROBING, str(path), str(work)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert probing.stdout is not None
    probing.stdout.readline()
    time.sleep(moment)
    below = supervisors(probing.pid)
    if victim == "interrupt":
        probing.send_signal(signal.SIGINT)
    if victim in {"supervisors", "both"}:
        for pid in below:
            supervisor.kill(pid, signal.SIGKILL)
    if victim != "interrupt":
        time.sleep(0.2 if victim == "supervisors" else 0)
        probing.kill()
    probing.wait(20)
    probing.stdout.close()
    until = time.monotonic() + 10
    while time.monotonic() < until and (supervisor.marked(str(work)) or (work.exists() and list(work.iterdir()))):
        sweep(work)
        time.sleep(0.05)
    assert supervisor.marked(str(work)) == set()
    assert not work.exists() or list(work.iterdir()) == []
