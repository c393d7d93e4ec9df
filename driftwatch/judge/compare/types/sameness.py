"""Whether two spellings mean the same type. Pure.

Names that are equal on both sides are taken as equal: what changed behind them is told at their definition. So are two names
of what stands at one exported address on the two sides. Other names that differ are looked behind, together, assuming on the
way what is being asked (types may be recursive); generic ones first whatever their arguments are, since there may be endless
arguments to fill in.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, ClassVar

from driftwatch.judge.compare.types.memo import Memo
from driftwatch.judge.compare.types.shapes import Definition, Definitions, Node, alternatives, arguments, body, properties

MAX_DEPTH = 60
MAX_STEPS = 20_000  # of one question; beyond it two types are not known to be the same, and are told as different


class Same:
    """Asks over two sets of definitions. ``moved``: names, old and new, of what is compared as one thing elsewhere."""

    def __init__(self, old: Definitions, new: Definitions, moved: Collection[tuple[str, str]] = ()) -> None:
        self._old, self._new, self._moved = old, new, moved
        self._memo = Memo()
        self._inside: dict[tuple[str, str], int] = {}  # the pairs of names that are being looked behind -> how far down
        self._renamed: dict[str, str] = {}  # type parameters, old -> new
        self._depth = self._steps = 0

    def __call__(self, old: Node, new: Node) -> bool:
        if bool(old == new) and not self._renamed:
            return True
        self._steps = self._steps + 1 if self._depth else 0
        if self._depth > MAX_DEPTH or self._steps > MAX_STEPS:
            return False
        self._depth += 1
        try:
            return self._compare(old, new)
        finally:
            self._depth -= 1

    def _compare(self, old: Node, new: Node) -> bool:
        if isinstance(old, str) and isinstance(new, str):
            return old == new
        named = self._named(old, new)
        if named is not None:
            return named
        if _is(old, "union") or _is(new, "union"):
            return self._unions(old, new)
        if not isinstance(old, dict) or not isinstance(new, dict):
            return False
        for name, compare in self._TABLE.items():
            if name in old or name in new:
                return name in old and name in new and bool(compare(self, old, new))
        return old.keys() == new.keys() and all(self._parts(old[name], new[name]) for name in old)

    def _named(self, old: Node, new: Node) -> bool | None:
        """The answer where names decide, or None when there is no name to look behind."""
        one, other = _name(old), _name(new)
        if not one and not other:
            return None
        if self.names(one, other):
            return self._lists(old.get("args", ()), new.get("args", ())) or self._behind(old, new, f"{one}<>", other, must=True)
        if one and other and "ref" in old and "ref" in new:
            before, after = self._old.get(one), self._new.get(other)
            if (
                before
                and after
                and "type" in before
                and "type" in after
                and len(before.get("tp", ())) == len(after.get("tp", ()))
            ):
                return self._definitions(one, other, before, after) and self._lists(filled_in(old, before), filled_in(new, after))
        return self._behind(old, new, one or repr(old), other or repr(new))

    def names(self, one: str, other: str) -> bool:
        """Whether two names stand for one thing, whatever is behind them."""
        return one == other != "" or (one, other) in self._moved

    def _definitions(self, one: str, other: str, old: Definition, new: Definition) -> bool:
        """Whether two named types mean the same whatever their arguments are."""

        def inside() -> bool:
            before, self._renamed = self._renamed, {}
            try:
                return bool(old.get("ext") == new.get("ext")) and self(old["type"], new["type"])
            finally:
                self._renamed = before

        return bool(self._memo.ask((one, other), inside))

    def _behind(self, old: Node, new: Node, one: str, other: str, must: bool = False) -> bool:
        names = (_name(old), _name(new))
        if all(names) and names in self._inside:  # types that hold themselves with ever other arguments have no end
            self._memo.hang_on(self._inside[names])
            return self._lists(_args(old) or (), _args(new) or ())
        renamed = tuple(sorted(self._renamed.items()))
        question = (one + repr(_args(old)), other + repr(_args(new)), renamed)
        return bool(self._memo.ask(question, lambda: self._opened(old, new, names, must)))

    def _opened(self, old: Node, new: Node, names: tuple[str, str], must: bool) -> bool:
        a, b = body(old, self._old), body(new, self._new)
        if a is old and b is new:
            return not must and not all(names) and (_is(old, "union") or _is(new, "union")) and self._unions(old, new)
        if not self._same_face(old, new):
            return False
        if not all(names):
            return self(a, b)
        self._inside[names] = self._memo.depth - 1
        try:
            return self(a, b)
        finally:
            del self._inside[names]

    def _same_face(self, old: Node, new: Node) -> bool:
        """Bases that are not followed are part of what a name means."""
        return bool(_bases(old, self._old) == _bases(new, self._new))

    def _unions(self, old: Node, new: Node) -> bool:
        left, right = alternatives(old, self._old), alternatives(new, self._new)
        if len(left) != len(right) or (len(left) == 1 == len(right) and left[0] is old and right[0] is new):
            return False
        rest = list(right)
        for one in left:
            hit = next((n for n, other in enumerate(rest) if self(one, other)), None)
            if hit is None:
                return False
            del rest[hit]
        return True

    def _objects(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
        a, b = old["obj"], new["obj"]
        one, other = properties(a), properties(b)
        return (
            one.keys() == other.keys()
            and all(self.slot(one[name], other[name]) for name in one)
            and all(self.signatures(a.get(name, ()), b.get(name, ())) for name in ("call", "new"))
            and len(a.get("index", ())) == len(b.get("index", ()))
            and all(self(x["k"], y["k"]) and self.slot(x, y) for x, y in zip(a.get("index", ()), b.get("index", ()), strict=True))
        )

    def slot(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
        """Two properties, parameters or index signatures: their flags and types. Deprecation is told apart."""
        flags = all(old.get(name) == new.get(name) for name in ("o", "r", "rest"))
        return flags and self(old["t"], new["t"])

    def signatures(self, old: Any, new: Any) -> bool:
        return len(old) == len(new) and all(self.signature(a, b) for a, b in zip(old, new, strict=True))

    def signature(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
        a, b = old.get("tp", ()), new.get("tp", ())
        if len(a) != len(b) or len(old["p"]) != len(new["p"]):
            return False
        before = dict(self._renamed)
        self._renamed.update({x["n"]: y["n"] for x, y in zip(a, b, strict=True) if x["n"] != y["n"]})
        try:
            return (
                all(self._optional(x.get(name), y.get(name)) for x, y in zip(a, b, strict=True) for name in ("c", "d"))
                and all(self.slot(x, y) for x, y in zip(old["p"], new["p"], strict=True))
                and self(old["r"], new["r"])
                and self._optional(old.get("th"), new.get("th"))
                and self._predicates(old.get("is"), new.get("is"))
            )
        finally:
            self._renamed = before

    def _predicates(self, old: Any, new: Any) -> bool:
        if old is None or new is None:
            return old is new
        return old[:2] == new[:2] and self._optional(old[2], new[2])

    def _optional(self, old: Node, new: Node) -> bool:
        return old is new if old is None or new is None else self(old, new)

    def _lists(self, old: Any, new: Any) -> bool:
        return len(old) == len(new) and all(self(a, b) for a, b in zip(old, new, strict=True))

    def _parts(self, old: Any, new: Any) -> bool:
        if isinstance(old, list) and isinstance(new, list):
            return len(old) == len(new) and all(self._parts(a, b) for a, b in zip(old, new, strict=True))
        if isinstance(old, dict) and isinstance(new, dict):
            return self(old, new)
        return bool(old == new)

    def _parameters(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
        return bool(self._renamed.get(old["tp"], old["tp"]) == new["tp"])

    def _tuples(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
        a, b = old["tuple"], new["tuple"]
        return old.get("r") == new.get("r") and len(a) == len(b) and all(self.slot(x, y) for x, y in zip(a, b, strict=True))

    def _sets(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
        rest = list(new["inter"])
        for one in old["inter"]:
            hit = next((n for n, other in enumerate(rest) if self(one, other)), None)
            if hit is None:
                return False
            del rest[hit]
        return not rest

    def _nominal(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
        """An enum, one member of it, or a unique symbol: what its name says, and nothing behind it."""
        (one, rest), (other, more) = ((next(iter(each.items())), list(each.items())[1:]) for each in (old, new))
        return one[0] == other[0] and self.names(one[1], other[1]) and rest == more

    _TABLE: ClassVar[Mapping[str, Any]] = {
        "obj": _objects,
        "tp": _parameters,
        "tuple": _tuples,
        "inter": _sets,
        "em": _nominal,
        "enum": _nominal,
        "usym": _nominal,
    }


def _is(node: Node, name: str) -> bool:
    return isinstance(node, dict) and name in node


def _name(node: Node) -> str:
    return str(node.get("ref") or node.get("typeof") or "") if isinstance(node, dict) else ""


def _args(node: Node) -> Any:
    return node.get("args") if isinstance(node, dict) else None


def filled_in(node: Node, row: Definition) -> list[Node]:
    """The arguments of a named type, those left out by their defaults."""
    return list(arguments(node, row).values()) if row.get("tp") else []


def _bases(node: Node, definitions: Definitions) -> Any:
    row = definitions.get(_name(node))
    return row.get("ext") if row else None
