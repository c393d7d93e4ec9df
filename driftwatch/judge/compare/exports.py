"""Changes of one ``exports`` entry: which conditions it serves, in what order, in which module format.

A file that moved behind the same condition is no change: nobody outside can tell. Sources: Node.js "Packages", TypeScript
"Modules - Reference" (conditions are tried in order; ``types`` behind a condition that always matches is never reached).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from driftwatch.model import Address, Change, Fact, Json

_RAW = (".ts", ".mts", ".cts", ".tsx", ".jsx", ".vue", ".svelte")
_DECLARATIONS = (".d.ts", ".d.mts", ".d.cts")


def compare(before: Fact, after: Fact, kinds: tuple[str, str]) -> Iterator[Change]:
    """``kinds`` are the packages' module kinds (``module`` or ``commonjs``) before and after."""
    old, new = _targets(before.value), _targets(after.value)
    address = after.address
    for condition in sorted(old.keys() - new.keys()):
        prefix = "types" if is_types(condition) else "export"
        yield _condition(address, f"{prefix}-condition-removed", condition, old[condition], None)
    for condition in sorted(new.keys() - old.keys()):
        prefix = "types" if is_types(condition) else "export"
        yield _condition(address, f"{prefix}-condition-added", condition, None, new[condition])
    yield from _order(address, old, new)
    for condition in sorted(old.keys() & new.keys()):
        yield from _format(address, condition, (old[condition], new[condition]), kinds)


def is_types(condition: str) -> bool:
    return condition.rpartition(".")[2].partition("@")[0] == "types"


def serves_types(value: Json) -> bool:
    return any(is_types(condition) for condition in _targets(value))


def _targets(value: Json) -> dict[str, str | None]:
    """The first target of each condition, in order (the rest are fallbacks)."""
    table: dict[str, str | None] = {}
    for pair in value if isinstance(value, list) else []:
        if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str):
            table.setdefault(pair[0], pair[1] if isinstance(pair[1], str) else None)
    return table


def _condition(address: Address, kind: str, condition: str, before: Json, after: Json) -> Change:
    return Change(address, kind, before, after, args={"condition": condition})


def _order(address: Address, old: Mapping[str, Json], new: Mapping[str, Json]) -> Iterator[Change]:
    """Conditions are tried in order: the ones on both sides in another order may resolve to something else."""
    common = old.keys() & new.keys()
    before, after = [key for key in old if key in common], [key for key in new if key in common]
    if before == after:
        return
    was, now = _types_at(before), _types_at(after)
    kind = "export-conditions-reordered"
    if was is not None and now is not None and was != now:
        kind = "types-condition-demoted" if was < now else "types-condition-promoted"
    yield Change(
        address,
        kind,
        list[Json](before),
        list[Json](after),
        args={"before_order": ", ".join(before), "after_order": ", ".join(after)},
    )


def _types_at(conditions: list[str]) -> int | None:
    return next((index for index, condition in enumerate(conditions) if is_types(condition)), None)


def _format(address: Address, condition: str, targets: tuple[Json, Json], kinds: tuple[str, str]) -> Iterator[Change]:
    """A change of format the package's own ``type`` does not already explain."""
    before, after = targets
    if before == after:
        return
    if before is None or after is None:
        kind = "export-condition-removed" if after is None else "export-condition-added"
        yield _condition(address, kind, condition, before, after)
        return
    if kinds[0] != kinds[1] and _ending(before) == _ending(after) == ".js":
        return
    was, now = _kind_of(str(before), kinds[0]), _kind_of(str(after), kinds[1])
    if was != now:
        args: dict[str, Json] = {"condition": condition, "before_format": was, "after_format": now}
        yield Change(address, "export-format-changed", before, after, args=args)


def _ending(target: Json) -> str:
    return "." + str(target).rpartition(".")[2]


def _kind_of(target: str, package: str) -> str:
    if target.endswith(_DECLARATIONS):
        return "declarations"
    if target.endswith(_RAW):
        return "source that must be compiled"
    ending = _ending(target)
    if ending == ".js":
        return "ES module" if package == "module" else "CommonJS"
    return {".mjs": "ES module", ".cjs": "CommonJS"}.get(ending, ending)
