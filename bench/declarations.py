"""What comparing declared types costs: a cold pair, a warm pair, all consecutive pairs; time and memory.

    python bench/declarations.py [--cache FOLDER] [--all]

Tarballs and tools come from the cache (the first run fetches them). Cold: nothing was read before, the tarballs are there.
Warm: the facts and witnesses of both versions are there. Each is the median of three whole processes.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

PACKAGE = "@opencode-ai/plugin"
PAIR = ("1.18.10", "1.18.33")
MADE = (
    "documents/declarations",
    "documents/witnesses",
    "documents/trees",
    "documents/imports",
    "typescript/store",
    "typescript/files",
)
ALL = """
import sys
from pathlib import Path
from semver import Version
from driftwatch.judge.compare import types
from driftwatch.observe.facts.declarations import Declarations, Wanted
from driftwatch.observe.sources.npm import Registry, configure
cache = Path(sys.argv[1])
with Registry(configure(Path(), cache, ""), cache) as registry:
    known = [Version.parse(v) for v in registry.packument("@opencode-ai/plugin").versions if Version.is_valid(v)]
    found = [str(v) for v in sorted(known) if v >= Version(1, 14, 34) and not v.prerelease]
    told = Declarations(registry, cache).observe([Wanted("@opencode-ai/plugin", v) for v in found])
    sides = [{f.address: f for f in o.facts} for o in told]
print(len(sides) - 1, "pairs,", sum(len(list(types.compare(a, b))) for a, b in zip(sides, sides[1:])), "changes")
"""


def forget(cache: Path, parts: tuple[str, ...] = MADE) -> None:
    for part in parts:
        shutil.rmtree(cache / part, ignore_errors=True)


def timed(argv: list[str], compiled: Path) -> tuple[float, float]:
    """Wall seconds and the most memory of it and its children, in MiB. ``compiled`` holds our modules as byte code, which an
    installed package has beside it."""
    surroundings = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    surroundings["PYTHONPYCACHEPREFIX"] = str(compiled.resolve())
    before = time.perf_counter()
    pid = os.spawnve(os.P_NOWAIT, argv[0], argv, surroundings)
    _, status, usage = os.wait4(pid, 0)
    assert os.waitstatus_to_exitcode(status) in (0, 10, 11), status
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return time.perf_counter() - before, max(usage.ru_maxrss, children) / 1024


def pair(cache: Path) -> list[str]:
    specs = [f"npm:{PACKAGE}@{version}" for version in PAIR]
    return [sys.executable, "-m", "driftwatch", "diff", *specs, "--quiet", "--cache", str(cache), "--output", os.devnull]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, default=Path(".cache/bench"))
    parser.add_argument("--all", action="store_true", help="all consecutive pairs as well")
    asked = parser.parse_args()
    compiled = asked.cache / "compiled"
    timed(pair(asked.cache), compiled)
    cold, memory = [], []
    for _ in range(3):
        forget(asked.cache)
        seconds, most = timed(pair(asked.cache), compiled)
        cold.append(seconds)
        memory.append(most)
    warm = [timed(pair(asked.cache), compiled)[0] for _ in range(3)]
    print(f"cold pair {statistics.median(cold):.2f} s, warm pair {statistics.median(warm):.2f} s, at most {max(memory):.0f} MiB")
    if asked.all:
        run = [sys.executable, "-c", ALL, str(asked.cache)]
        subprocess.run(run, check=True)
        forget(asked.cache)
        seconds, most = timed(run, compiled)
        print(f"all pairs {seconds:.1f} s, at most {most:.0f} MiB")


if __name__ == "__main__":
    main()
