"""Matrices to render and to merge: made by hand, as three hosts and three probes would give them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from driftwatch.model import Expectation, ProbeRow
from driftwatch.model.matrix import Matrix, MatrixHost, MatrixProbe, Shard
from driftwatch.pipeline.matrix import judged, part
from tests.support.reports import NASTY, _cycle, _filled

TODAY = date(2026, 12, 1)
VERSIONS = ("1.15.4", "1.15.13", "1.18.33")
KNOWN = Expectation("opencode/tools", "<1.15.13", "the route came later", "2099-01-31", "probe")


def row(probe: str, version: str, outcome: str = "holds", **more: Any) -> ProbeRow:
    more.setdefault("facts", {"fired": outcome == "holds", "order": ["init", probe]} if outcome in {"holds", "broken"} else {})
    return ProbeRow(probe, version, outcome, title=f"about {probe}", evidence=("marks: init",), seconds=1.5, **more)  # type: ignore[arg-type]


def cells() -> tuple[ProbeRow, ...]:
    return (
        *(row("opencode/load", version) for version in VERSIONS),
        row("opencode/dispose", "1.15.4", "broken", reason="fired was expected to be true, and is false"),
        row("opencode/dispose", "1.15.13"),
        row("opencode/dispose", "1.18.33", facts={"fired": True, "order": ["init", "other"]}, unstable=("order",), runs=2),
        row("opencode/tools", "1.15.4", "absent", reason="no such route", expected=KNOWN, standing="failed-as-expected"),
        row("opencode/tools", "1.15.13", "unverified", reason="flaky: it held once and then failed (x)", flaky=True),
        row("opencode/tools", "1.18.33", "unverified", reason="the host did not start"),
    )


def whole() -> Matrix:
    """Every word but one, and a fact that varies."""
    probes = tuple(
        MatrixProbe(name, f"about {name}", f"digest of {name}", name.endswith("load"))
        for name in ("opencode/dispose", "opencode/load", "opencode/tools")
    )
    hosts = tuple(MatrixHost(version, f"sha512-{version}") for version in VERSIONS)
    return judged(Matrix(1, "0.1.0", "opencode", "2.1", hosts, probes, cells()), [KNOWN], TODAY)


def parts(of: int) -> dict[str, Matrix]:
    """``whole`` as ``of`` machines would write it, by file name."""
    return {f"part-{index}.json": part(whole(), Shard(index, of)) for index in range(1, of + 1)}


def everything() -> Matrix:
    """Hostile text wherever there is text."""
    texts = iter(_cycle(NASTY))
    made = _filled(Matrix, lambda: next(texts), 2, {})
    assert isinstance(made, Matrix)
    cells = tuple(
        dataclasses.replace(cell, version=host.version, id=probe.id)
        for cell, host, probe in zip(made.cells, made.hosts, made.probes, strict=True)
    )
    return dataclasses.replace(made, schema_version=1, cells=cells, shard=None)


SAMPLES: Mapping[str, Callable[[], Matrix]] = {"whole": whole, "part": lambda: parts(2)["part-1.json"], "hostile": everything}
