"""What this machine is, in the words npm's platform packages use."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Machine:
    """``system``: linux, darwin, ... ``arch``: x64, arm64, ... ``musl``: the C library is musl. ``avx2``: the CPU has it."""

    system: str
    arch: str
    musl: bool = False
    avx2: bool = True

    def __str__(self) -> str:
        return f"{self.system}-{self.arch}" + ("-musl" if self.musl else "")


ARCHES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}


def machine() -> Machine:
    system = "linux" if sys.platform.startswith("linux") else sys.platform
    name = platform.machine().lower()
    arch = ARCHES.get(name, name)
    return Machine(system, arch, system == "linux" and _musl(), arch != "x64" or _avx2(system))


def strain() -> float:
    """How many times more is asked of this machine than it can do, from 1 to 8: everything takes so much longer now."""
    try:
        waiting = os.getloadavg()[0]
    except OSError:
        return 1.0
    return min(8.0, max(1.0, waiting / (os.cpu_count() or 1)))


def _musl() -> bool:
    return platform.libc_ver()[0] != "glibc" and any(Path("/lib").glob("ld-musl-*"))


def _avx2(system: str) -> bool:
    """Where it cannot be told the answer is no: the baseline build runs everywhere."""
    try:
        if system == "linux":
            return "avx2" in Path("/proc/cpuinfo").read_text("utf-8", "replace")
        asked = subprocess.run(["sysctl", "-n", "hw.optional.avx2_0"], capture_output=True, timeout=5, check=False)
        return asked.stdout.strip() == b"1"
    except (OSError, subprocess.SubprocessError):
        return False
