"""Lifecycle scripts of installed packages, run behind the walls: without the network, without a secret.

Also the program that runs there: ``python scripts.py TREE RUNTIME PLACE``.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from driftwatch.errors import Unobservable

DEADLINE = 300.0


def run_scripts(tree: Path, runtime: Path, place: Path) -> None:
    """Raises Unobservable when a script fails."""
    from driftwatch.observe.plugins.behind import environment
    from driftwatch.observe.process import start

    said = place / "scripts.txt"
    argv = [sys.executable, "-P", __file__, str(tree), str(runtime), str(place)]
    with start(argv, cwd=tree, env=environment(), output=said, deadline=DEADLINE) as child:
        child.wait(DEADLINE + 20)
        if child.exit is None or child.exit.how != "exited" or child.exit.code != 0:
            words = said.read_text("utf-8", "replace").strip()[-400:]
            raise Unobservable(f"lifecycle scripts {child.reason or 'did not end'}: {words}", "try without --allow-scripts")


def main(tree: Path, runtime: Path, place: Path) -> None:
    from driftwatch.observe import walls

    walls.raise_walls(walls.plan(place, [runtime.parent], [Path.home()]))
    walls.lock()
    os.chdir(tree)
    home = place / "home"
    env = {"PATH": os.defpath, "HOME": str(home), "TMPDIR": str(home), "LANG": "C.UTF-8"}
    os.execve(runtime, [str(runtime), "pm", "trust", "--all"], env)  # noqa: S606 - an argument vector, no shell


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:4]))
