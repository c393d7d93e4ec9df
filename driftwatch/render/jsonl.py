"""The report as JSON Lines: one object a line, each with ``type``, for tools that read streams (jq, grep, log shippers)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from driftwatch.model import Json, Report
from driftwatch.render.json import document, dump

# Key of the JSON report -> what one of its entries is called here.
KINDS = {
    "tags": "tag",
    "packages": "package",
    "findings": "finding",
    "reliances": "reliance",
    "files": "file",
    "probes": "probe",
    "gaps": "gap",
}


def render(report: Report) -> str:
    """First the ``report`` itself (verdict, counts), its ``step``s, then each ``upstream`` followed by what belongs to it.
    The values are those of the JSON report; rows name their ``upstream``."""
    return "".join(dump(entry) for entry in entries(report))


def entries(report: Report) -> Iterator[dict[str, Json]]:
    """The objects, line by line."""
    whole = document(report)
    upstreams = cast("list[dict[str, Json]]", whole.pop("upstreams"))
    steps = cast("list[dict[str, Json]]", whole.pop("what_to_do"))
    yield {"type": "report", **whole}
    for step in steps:
        yield {"type": "step", **step}
    for upstream in upstreams:
        rows = {key: cast("list[dict[str, Json]]", upstream.pop(key)) for key in KINDS}
        yield {"type": "upstream", **upstream}
        for key, kind in KINDS.items():
            for row in rows[key]:
                yield {"type": kind, "upstream": upstream["id"], **row}
