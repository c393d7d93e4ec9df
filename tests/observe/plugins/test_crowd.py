"""Too many processes are ended, and that is said."""

from __future__ import annotations

import subprocess
import sys

import pytest

from driftwatch.observe.plugins.behind import environment

PROGRAM = """
import subprocess, sys, time
from driftwatch.observe.plugins.crowd import Crowd
crowd = Crowd(most=5)
crowd.watch()
many = [subprocess.Popen(["sleep", "60"]) for _ in range(int(sys.argv[1]))]
time.sleep(1.5)
print(sum(one.poll() is not None for one in many), crowd.said())
for one in many:
    one.kill()
"""


@pytest.mark.slow
@pytest.mark.parametrize(("count", "told"), [(3, "0 \n"), (8, "8 was ended, as more than 5 processes were started\n")])
def test_a_crowd_is_ended(count: int, told: str) -> None:
    argv = [sys.executable, "-c", PROGRAM, str(count)]
    said = subprocess.run(argv, capture_output=True, text=True, env=environment(), timeout=60, check=True)
    assert said.stdout == told
