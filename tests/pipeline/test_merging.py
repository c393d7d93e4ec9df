"""Parts of a matrix joined: what nobody said, or what two parts say differently, is never green."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from driftwatch.errors import UsageError
from driftwatch.model import ProbeRow
from driftwatch.model.matrix import Matrix, MatrixHost, MatrixProbe, Shard
from driftwatch.pipeline.matrix import dealt, exit_code
from driftwatch.pipeline.merging import merge
from tests.support import matrices

TODAY = date(2026, 12, 1)


@pytest.mark.parametrize("of", [1, 2, 3, 6, 9])
def test_all_parts_make_the_whole(of: int) -> None:
    merged, whole = merge(matrices.parts(of), TODAY), matrices.whole()
    assert {(row.id, row.version): (row.outcome, row.reason, row.facts) for row in merged.cells} == {
        (row.id, row.version): (row.outcome, row.reason, row.facts) for row in whole.cells
    }
    assert merged.moves == whole.moves
    assert merged.shard is None
    assert exit_code(merged) == 10


def test_the_order_of_parts_means_nothing() -> None:
    parts = matrices.parts(3)
    backwards = dict(reversed(parts.items()))
    assert merge(backwards, TODAY).moves == merge(parts, TODAY).moves
    assert {(row.id, row.version, row.outcome) for row in merge(backwards, TODAY).cells} == {
        (row.id, row.version, row.outcome) for row in merge(parts, TODAY).cells
    }


def test_cells_are_dealt_out_alike_everywhere_and_each_once() -> None:
    versions, probes = ["1", "2", "3"], ["c", "a", "b"]
    for of in range(1, 12):
        shares = [dealt(versions, probes, Shard(index, of)) for index in range(1, of + 1)]
        assert sorted(cell for share in shares for cell in share) == sorted((v, p) for v in versions for p in probes)
        assert max(map(len, shares)) - min(map(len, shares)) <= 1
    assert dealt(versions, probes, Shard(1, 3)) == [("1", "a"), ("1", "b"), ("1", "c")], "as few hosts as can be"


def cell(merged: Matrix, probe: str, version: str) -> ProbeRow:
    return next(row for row in merged.cells if (row.id, row.version) == (probe, version))


def test_a_missing_shard_is_unverified_and_named() -> None:
    parts = matrices.parts(3)
    del parts["part-2.json"]
    row = cell(merge(parts, TODAY), "opencode/dispose", "1.15.13")
    assert (row.outcome, row.reason, row.facts) == ("unverified", "shard 2/3 is missing", {})
    only_green = {name: replace(part, cells=tuple(c for c in part.cells if c.outcome == "holds")) for name, part in parts.items()}
    assert exit_code(merge(only_green, TODAY)) == 11


def test_a_part_that_lacks_a_cell_of_its_own_is_named() -> None:
    parts = matrices.parts(3)
    parts["part-2.json"] = replace(parts["part-2.json"], cells=())
    row = cell(merge(parts, TODAY), "opencode/dispose", "1.15.13")
    assert (row.outcome, row.reason) == ("unverified", "part-2.json has no answer, though it is part of its shard")


def test_parts_that_contradict_each_other_are_unverified() -> None:
    parts = matrices.parts(3)
    other = replace(cell(matrices.whole(), "opencode/dispose", "1.15.13"), outcome="broken", reason="x")
    parts["part-1.json"] = replace(parts["part-1.json"], cells=(*parts["part-1.json"].cells, other))
    row = cell(merge(parts, TODAY), "opencode/dispose", "1.15.13")
    assert row.outcome == "unverified"
    assert row.reason == "the parts contradict each other: broken in part-1.json, holds in part-2.json"


def test_what_differs_between_parts_is_unstable() -> None:
    parts = matrices.parts(3)
    control = [
        replace(c, facts={**c.facts, "order": ["other"]}) if c.id == "opencode/load" else c for c in parts["part-2.json"].cells
    ]
    parts["part-2.json"] = replace(parts["part-2.json"], cells=tuple(control))
    row = cell(merge(parts, TODAY), "opencode/load", "1.15.4")
    assert (row.outcome, row.unstable, row.runs) == ("holds", ("order",), 3)


def test_other_probes_of_the_same_name_are_unverified() -> None:
    parts = matrices.parts(3)
    changed = tuple(replace(p, digest="another") if p.id == "opencode/dispose" else p for p in parts["part-2.json"].probes)
    parts["part-2.json"] = replace(parts["part-2.json"], probes=changed)
    merged = merge(parts, TODAY)
    assert {row.outcome for row in merged.cells if row.id == "opencode/dispose"} == {"unverified"}
    assert "digest" in cell(merged, "opencode/dispose", "1.15.4").reason
    assert cell(merged, "opencode/load", "1.15.4").outcome == "holds"


def test_other_binaries_of_the_same_version_are_unverified() -> None:
    parts = matrices.parts(3)
    hosts = tuple(
        replace(host, integrity="sha512-other") if host.version == "1.15.13" else host for host in parts["part-2.json"].hosts
    )
    parts["part-2.json"] = replace(parts["part-2.json"], hosts=hosts)
    merged = merge(parts, TODAY)
    assert {row.outcome for row in merged.cells if row.version == "1.15.13"} == {"unverified"}
    assert "different binaries" in cell(merged, "opencode/load", "1.15.13").reason


def unsharded(parts: dict[str, Matrix]) -> None:
    parts["part-1.json"] = matrices.whole()


def twice(parts: dict[str, Matrix]) -> None:
    parts["copy.json"] = parts["part-2.json"]


def changed(**more: Any) -> Callable[[dict[str, Matrix]], None]:
    def change(parts: dict[str, Matrix]) -> None:
        parts["part-2.json"] = replace(parts["part-2.json"], **more)

    return change


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (unsharded, "part-1.json is a whole matrix"),
        (twice, "shard 2/3 is there twice: part-2.json and copy.json"),
        (changed(shard=Shard(2, 4)), "different numbers of shards: part-1.json has 3, part-2.json has 4"),
        (changed(runner="1.1"), "different ways to run probes"),
        (changed(host="other"), "different kinds of host"),
        (
            changed(hosts=(MatrixHost("9.9.9"),)),
            "part-1.json has 1.15.4, 1.15.13, 1.18.33, part-2.json has 9.9.9",
        ),
        (changed(probes=(MatrixProbe("opencode/load"),)), "different probes: part-1.json has opencode/dispose, opencode/tools"),
    ],
)
def test_parts_of_different_plans_are_refused(spoil: Callable[[dict[str, Matrix]], None], words: str) -> None:
    parts = matrices.parts(3)
    spoil(parts)
    with pytest.raises(UsageError, match=words):
        merge(parts, TODAY)


def test_a_whole_matrix_alone_is_given_back() -> None:
    assert merge({"m.json": matrices.whole()}, TODAY) == matrices.whole()
