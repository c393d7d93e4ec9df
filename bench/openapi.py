"""How long one pair of OpenAPI documents takes, beside `redocly diff`, turn by turn in one run.

    python bench/openapi.py [OLD NEW] [--runs 5] [--redocly latest]

Without documents it takes the two of real hosts the tests keep (0.4 MB each). Both are whole processes: start, read both
files, compare, say what changed. redocly is installed by npm into a scratch folder that is removed at the end; where npm
can't have it, driftwatch is measured alone and the answer says why. Prints JSON: medians and all figures, in seconds, the
most memory a process took, in MiB, and how many changes each names.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
KEPT = [ROOT / "tests" / "data" / f"opencode-openapi-{version}.json.gz" for version in ("1.18.4", "1.18.33")]

PAIR = """
import sys
from pathlib import Path
from driftwatch.judge.compare import compare
from driftwatch.model import Ref, Snapshot
from driftwatch.observe.facts import openapi
from driftwatch.rules import by_change

old, new = (Snapshot.of(Ref(name, name), openapi.observe(openapi.load_file(Path(name)))) for name in sys.argv[1:3])
for change in compare(old, new):
    rule = by_change()[change.address.kind, change.kind]
    print(rule.consumer, rule.id, change.address)
"""


def measured(command: list[str], folder: Path) -> tuple[float, float, str]:
    """Seconds, most MiB of the process and its children, what it said."""
    started = time.perf_counter()
    with (folder / "said").open("w+") as said:
        process = subprocess.Popen(command, cwd=folder, stdout=said, stderr=subprocess.DEVNULL, env=_environment(folder))
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - started
        said.seek(0)
        return round(seconds, 3), round(usage.ru_maxrss / 1024, 1), said.read()


def _environment(folder: Path) -> dict[str, str]:
    """With a place for our modules as byte code, which an installed package has beside it."""
    ours = {"PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": str(folder / "compiled"), "PYTHONDONTWRITEBYTECODE": ""}
    return {**os.environ, **ours, "REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}


def install(folder: Path, version: str) -> tuple[list[str], str]:
    """The command of redocly and its version; no command and a reason when it can't be had."""
    npm = shutil.which("npm")
    if npm is None:
        return [], "npm is not installed"
    wanted = f"@redocly/cli@{version}"
    asked = [npm, "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), wanted]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    binary = folder / "node_modules" / ".bin" / "redocly"
    if done.returncode or not binary.exists():
        return [], f"npm could not install {wanted}: {done.stderr.strip()[:200]}"
    told = json.loads((folder / "node_modules" / "@redocly" / "cli" / "package.json").read_text())
    return [str(binary), "diff"], str(told["version"])


def documents(folder: Path, given: list[Path]) -> list[str]:
    found = []
    for name, path in zip(("old.json", "new.json"), given or KEPT, strict=True):
        data = path.read_bytes()
        (folder / name).write_bytes(gzip.decompress(data) if path.suffix == ".gz" else data)
        found.append(name)
    return found


def run(given: list[Path], runs: int, version: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="driftwatch-bench-") as temporary:
        folder = Path(temporary)
        names = documents(folder, given)
        (folder / "pair.py").write_text(PAIR)
        peer, told = install(folder, version)
        commands = {"driftwatch": [sys.executable, "pair.py", *names]}
        if peer:
            commands[f"redocly {told}"] = [*peer, *names]
        figures: dict[str, list[tuple[float, float, str]]] = {name: [] for name in commands}
        for command in commands.values():
            measured(command, folder)  # once for the disk's sake
        for _ in range(runs):
            for name, command in commands.items():
                figures[name].append(measured(command, folder))
        sizes = [(folder / name).stat().st_size for name in names]
    found = {name: _figures(each) for name, each in figures.items()}
    return {"python": platform.python_version(), "bytes": sizes, **found, **({} if peer else {"redocly": told})}


def _figures(runs: list[tuple[float, float, str]]) -> dict[str, Any]:
    said = runs[-1][2].strip().splitlines()
    return {
        "median": statistics.median(seconds for seconds, _, _ in runs),
        "runs": [seconds for seconds, _, _ in runs],
        "memory": max(memory for _, memory, _ in runs),
        "lines": len(said),
        "said": said[:12],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("documents", nargs="*", type=Path, metavar="OLD NEW")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--redocly", default="latest")
    chosen = parser.parse_args()
    if len(chosen.documents) not in (0, 2):
        parser.error("give two documents, or none")
    print(json.dumps(run(chosen.documents, chosen.runs, chosen.redocly), indent=2))


if __name__ == "__main__":
    main()
