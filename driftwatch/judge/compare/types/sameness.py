"""Whether two spellings mean the same type. Pure.

Names that are equal on both sides are taken as equal: what changed behind them is told at their definition. Names that
differ are looked behind, together, assuming on the way what is being asked (types may be recursive).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from driftwatch.judge.compare.types.shapes import Definitions, Node, alternatives, body, properties

MAX_DEPTH = 60
MAX_STEPS = 20_000  # of one question; beyond it two types are not known to be the same, and are told as different


class Same:
    """Asks over two sets of definitions."""

    def __init__(self, old: Definitions, new: Definitions) -> None:
        self._old, self._new = old, new
        self._assumed: set[tuple[str, str]] = set()
        self._inside: list[tuple[str, str]] = []  # the pairs of names that are being looked behind
        self._known: dict[tuple[str, str], bool] = {}
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
        if one and one == other:
            return (
                self._lists(old.get("args", ()), new.get("args", ()))
                or self._behind(old, new, f"{one}<>", one, must=True) is True
            )
        return self._behind(old, new, one or repr(old), other or repr(new))

    def _behind(self, old: Node, new: Node, one: str, other: str, must: bool = False) -> bool | None:
        names = (_name(old), _name(new))
        if all(names) and names in self._inside:  # types that hold themselves with ever other arguments have no end
            return self._lists(_args(old) or (), _args(new) or ())
        pair = (one + repr(_args(old)), other + repr(_args(new)))
        if pair in self._known:
            return self._known[pair]
        if pair in self._assumed:
            return True
        a, b = body(old, self._old), body(new, self._new)
        if a is old and b is new:
            return (
                False
                if must or (_name(old) and _name(new))
                else self._unions(old, new)
                if _is(old, "union") or _is(new, "union")
                else False
            )
        if not self._same_face(old, new):
            return False
        self._assumed.add(pair)
        self._inside.append(names)
        answer = self(a, b)
        self._inside.pop()
        self._assumed.discard(pair)
        if not self._assumed:
            self._known[pair] = answer
        return answer

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

    _TABLE: ClassVar[Mapping[str, Any]] = {"obj": _objects, "tp": _parameters, "tuple": _tuples, "inter": _sets}


def _is(node: Node, name: str) -> bool:
    return isinstance(node, dict) and name in node


def _name(node: Node) -> str:
    return str(node.get("ref") or node.get("typeof") or "") if isinstance(node, dict) else ""


def _args(node: Node) -> Any:
    return node.get("args") if isinstance(node, dict) else None


def _bases(node: Node, definitions: Definitions) -> Any:
    row = definitions.get(_name(node))
    return row.get("ext") if row else None
