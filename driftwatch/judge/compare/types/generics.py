"""Type parameters: how many, what they must be, what they are when left out. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from driftwatch.judge.compare.types.edits import Edit
from driftwatch.judge.compare.types.text import show
from driftwatch.judge.compare.types.walk import Walk


def type_parameters(walk: Walk, path: str, old: Any, new: Any) -> Iterator[Edit]:
    for number in range(max(len(old), len(new))):
        args = {"number": number}
        if number >= len(new):
            yield walk.edit(path, "type-param-removed", f"type parameter {number + 1}", None, **args)
        elif number >= len(old):
            kind = "type-param-default-added" if "d" in new[number] else "type-param-added"
            yield walk.edit(path, kind, None, f"type parameter {number + 1}", **args)
        else:
            yield from _type_parameter(walk, path, old[number], new[number], args)


def _type_parameter(walk: Walk, path: str, old: Mapping[str, Any], new: Mapping[str, Any], args: Any) -> Iterator[Edit]:
    a, b = old.get("c", "unknown"), new.get("c", "unknown")
    if not walk.same(a, b):
        looser = walk.forth(a, b) and not walk.back(b, a)
        yield walk.edit(path, "type-param-loosened" if looser else "type-param-constrained", show(a), show(b), **args)
    if ("d" in old) != ("d" in new):
        kind = "type-param-default-added" if "d" in new else "type-param-default-removed"
        yield walk.edit(path, kind, show(old.get("d", "")), show(new.get("d", "")), **args)
    elif "d" in old and not walk.same(old["d"], new["d"]):
        yield walk.edit(path, "type-param-constrained", show(old["d"]), show(new["d"]), **args)
