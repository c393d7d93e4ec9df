"""Changes of one ``exports`` entry: what each way of loading it gets. A file that moved behind the same entry is no change.

Sources: Node.js "Packages", conditional exports (the first condition that matches wins); TypeScript "Modules - Reference"
(``types`` behind a condition that matches first is never reached).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from driftwatch.model import Address, Change, Fact, Json

Targets = tuple[tuple[str, str | None], ...]

_WAYS = ("import", "require")
_STANDARD = frozenset({"import", "require", "node", "default", "types", "module-sync"})
_RAW = (".ts", ".mts", ".cts", ".tsx", ".jsx", ".vue", ".svelte")
_DECLARATIONS = (".d.ts", ".d.mts", ".d.cts")
_FORMATS = {".mjs": "an ES module", ".cjs": "CommonJS", ".json": "JSON", ".node": "a native addon", ".wasm": "WebAssembly"}


@dataclass(frozen=True, slots=True)
class Side:
    """One side of an entry. ``module_kind`` is the package's ``type``; ``closed``: it comes from a real exports map."""

    targets: Targets
    module_kind: str = "commonjs"
    closed: bool = True

    @classmethod
    def of(cls, fact: Fact, module_kind: Json, exports: Json) -> Side:
        return cls(_targets(fact.value), "module" if module_kind == "module" else "commonjs", exports != "open")

    def resolve(self, way: str, *, types: bool = False) -> str | None:
        """What the first matching condition leads to; None when none matches or the entry is blocked."""
        active = {way, "node", "default"} | ({"types"} if types else set())
        for condition, target in self.targets:
            if all(_versionless(part) in active for part in condition.split(".")):
                return target
        return None

    def reaches_types(self) -> bool:
        return any((target := self.resolve(way, types=True)) and target.endswith(_DECLARATIONS) for way in _WAYS)

    def names_types(self) -> bool:
        return any("types" in map(_versionless, condition.split(".")) for condition, _ in self.targets)

    def special(self) -> dict[str, str]:
        """The conditions only some tools set (browser, bun, react-server), each with its first target."""
        found: dict[str, str] = {}
        for condition, target in self.targets:
            for part in condition.split("."):
                if part not in _STANDARD and not part.startswith("types@") and target is not None:
                    found.setdefault(part, target)
        return found

    def format(self, target: str) -> str:
        if target.endswith(_DECLARATIONS):
            return "declarations"
        if target.endswith(_RAW):
            return "source that must be compiled"
        return _FORMATS.get(_ending(target), "an ES module" if self.module_kind == "module" else "CommonJS")


def serves_types(value: Json) -> bool:
    return Side(_targets(value)).names_types()


def compare(address: Address, old: Side, new: Side) -> Iterator[Change]:
    """Every way of loading the entry that changed. Confidence is "likely" where the file itself would have to be seen."""
    for way in _WAYS:
        before, after = old.resolve(way), new.resolve(way)
        if (before is None) != (after is None):
            word = "removed" if after is None else "added"
            yield Change(address, f"export-condition-{word}", before, after, args={"condition": way})
    yield from _formats(address, old, new)
    if old.closed and new.closed:  # else the top-level ``types`` speaks
        yield from _types(address, old, new)
    yield from _special(address, old.special(), new.special())
    yield from _order(address, old, new)


def reformatted(old: Side, new: Side) -> bool:
    """Whether some way of loading the entry gets another module format."""
    ways = ((old.resolve(way), new.resolve(way)) for way in _WAYS)
    return any(before and after and old.format(before) != new.format(after) for before, after in ways)


def _formats(address: Address, old: Side, new: Side) -> Iterator[Change]:
    """Ways whose module format changed, when the package's own ``type`` does not explain it. One change for both ways."""
    changed: dict[tuple[str, str], list[str]] = {}
    for way in _WAYS:
        before, after = old.resolve(way), new.resolve(way)
        if before is None or after is None or old.format(before) == new.format(after):
            continue
        if old.module_kind == new.module_kind or _ending(before) != _ending(after):
            changed.setdefault((before, after), []).append(way)
    for (before, after), ways in changed.items():
        args: dict[str, Json] = {
            "condition": " and ".join(ways),
            "before_format": old.format(before),
            "after_format": new.format(after),
        }
        yield Change(address, "export-format-changed", before, after, args=args)


def _types(address: Address, old: Side, new: Side) -> Iterator[Change]:
    """Types named or not, and reached or not. TypeScript may still find declarations beside the file: so only likely."""
    orders: tuple[list[Json], list[Json]] = ([key for key, _ in old.targets], [key for key, _ in new.targets])
    kind = ""
    if old.names_types() != new.names_types():
        kind = "types-condition-removed" if old.names_types() else "types-condition-added"
    elif old.names_types() and old.reaches_types() != new.reaches_types():
        kind = "types-condition-demoted" if old.reaches_types() else "types-condition-promoted"
    if kind:
        args: dict[str, Json] = {"before_order": _listed(orders[0]), "after_order": _listed(orders[1])}
        yield Change(address, kind, orders[0], orders[1], args=args, confidence="likely")


def _special(address: Address, old: dict[str, str], new: dict[str, str]) -> Iterator[Change]:
    for condition in sorted(old.keys() ^ new.keys()):
        word = "removed" if condition in old else "added"
        args: dict[str, Json] = {"condition": condition}
        yield Change(address, f"export-condition-{word}", old.get(condition), new.get(condition), args=args, confidence="likely")


def _order(address: Address, old: Side, new: Side) -> Iterator[Change]:
    """The same conditions with the same files, tried in another order, so that some way of loading gets another file."""
    if sorted(old.targets, key=str) != sorted(new.targets, key=str):
        return
    if any(old.resolve(way) != new.resolve(way) for way in _WAYS):
        before, after = ([key for key, _ in side.targets] for side in (old, new))
        args: dict[str, Json] = {"before_order": _listed(before), "after_order": _listed(after)}
        yield Change(address, "export-conditions-reordered", list[Json](before), list[Json](after), args=args)


def _listed(conditions: list[Json] | list[str]) -> str:
    return ", ".join(str(condition) for condition in conditions)


def _targets(value: Json) -> Targets:
    pairs = value if isinstance(value, list) else []
    return tuple(
        (pair[0], pair[1] if isinstance(pair[1], str) else None)
        for pair in pairs
        if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str)
    )


def _versionless(part: str) -> str:
    return part.partition("@")[0]  # types@>=5.1


def _ending(target: str) -> str:
    name = target.rpartition("/")[2]
    return "." + name.rpartition(".")[2] if "." in name else ".js"
