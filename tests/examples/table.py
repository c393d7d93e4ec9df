"""The table of surfaces in docs/systems.md, from the committed reports. ``python -m tests.examples.table`` writes it anew."""

from __future__ import annotations

import re
from pathlib import Path

from driftwatch.model import RelianceRow, Report
from driftwatch.render import surfaces
from driftwatch.render.reading import parse

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "docs" / "systems.md"
REPORTS = ROOT / "reports" / "examples"
NAMES = {
    "phux": "phux",
    "overclock": "overclock",
    "mcpx": "mcpx",
    "skillstate": "@skillstate/opencode",
    "opencode-connect": "OpenCode Connect",
}


def report(system: str) -> Report:
    return parse((REPORTS / system / "latest.json").read_text("utf-8"), system)


def table() -> str:
    """A row a system: its surfaces by what became of them, and by the evidence that could be looked at."""
    rows = [
        "| system | surfaces | confirmed | drifted | unverified | of these with some evidence | declared | counted | probed |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    rows += [_row(system, name) for system, name in NAMES.items()]
    return "\n".join(rows)


def _row(system: str, name: str) -> str:
    found = surfaces.whole(report(system))
    counts = surfaces.count(found)
    partly = sum(surface.state == "unverified" and bool(surface.evidence) for surface in found)
    kinds = [sum(kind in surface.evidence for surface in found) for kind in surfaces.KINDS]
    cells = [f"[{name}](../reports/examples/{system}/latest.md)", len(found), *counts.values(), partly, *kinds]
    return "| " + " | ".join(map(str, cells)) + " |"


def contract() -> str:
    """How many of the operations OpenCode Connect needs are there, on the branch and on a booted host."""
    rows = ["| looked at | there | changed | absent |", "|---|---|---|---|"]
    for upstream in report("opencode-connect").upstreams[1:]:
        statuses = [row.status for row in upstream.reliances if _is_operation(row)]
        counts = [statuses.count("holds"), sum(status in ("changed", "breaks") for status in statuses), statuses.count("absent")]
        rows.append(f"| {upstream.id}, {upstream.after.version} | " + " | ".join(map(str, counts)) + " |")
    return "\n".join(rows)


def _is_operation(row: RelianceRow) -> bool:
    """One of the contract: required to be there."""
    return row.address.startswith("http:") and "#" not in row.address and "as expected" not in row.reason


def filled(text: str) -> str:
    """The page with the tables as they are now."""
    for name, made in (("counted", table()), ("contract", contract())):
        start, end = f"<!-- {name} -->", f"<!-- /{name} -->"
        text = re.sub(f"{start}.*?{end}", lambda _, new=f"{start}\n{made}\n{end}": new, text, flags=re.DOTALL)  # type: ignore[misc]
    return text


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text("utf-8")), "utf-8")
