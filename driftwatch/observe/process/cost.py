"""What a running child has used so far, where the system tells (Linux)."""

from __future__ import annotations

import os
from pathlib import Path


def cost(pid: int) -> tuple[float, int]:
    """Seconds of processor time and bytes of memory of one process; zeros where that cannot be told, or it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
        seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return seconds, int(fields[21]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0.0, 0
