"""Which way a type moved: does every old value fit the new type, and the other way round? Pure.

Three answers: yes, no, or None where the structure alone does not tell (generics, conditional types, what is not followed):
then the compiler is asked, by a witness.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from driftwatch.judge.compare.types.sameness import Same
from driftwatch.judge.compare.types.shapes import COVARIANT, PRIMITIVES, Definitions, Node, alternatives, body, properties

MAX_DEPTH = 12
MAX_STEPS = 3000  # of one question: types that hold themselves in many ways are left to the compiler


class Fits:
    """``fits(a, b)``: is a value of ``a`` (from one side) a value of ``b`` (from the other)?"""

    def __init__(self, a: Definitions, b: Definitions, same: Callable[[Node, Node], bool] | None = None) -> None:
        self._a, self._b = a, b
        self._same = same or Same(a, b)
        self._assumed: set[tuple[str, str]] = set()
        self._steps = 0

    def __call__(self, a: Node, b: Node, depth: int = 0) -> bool | None:
        if "any" in (a, b) or b == "unknown" or a == "never":
            return True
        self._steps = 0 if depth == 0 else self._steps + 1
        if depth > MAX_DEPTH or self._steps > MAX_STEPS:
            return None
        if self._same(a, b):
            return True
        left, right = alternatives(a, self._a), alternatives(b, self._b)
        if "boolean" in left and len(right) > 1:
            left = [one for one in left if one != "boolean"] + [{"lit": True}, {"lit": False}] if "boolean" not in right else left
        if len(left) > 1:
            return _all(self(one, b, depth + 1) for one in left)
        if len(right) > 1:
            return _any(self(left[0], other, depth + 1) for other in right)
        return self._single(left[0], right[0], depth)

    def _single(self, a: Node, b: Node, depth: int) -> bool | None:
        if isinstance(a, str) or isinstance(b, str) or "lit" in a or "lit" in b:
            return self._simple(a, b)
        if "em" in a and "enum" in b:
            return bool(a["em"] == b["enum"])
        if "ref" in a and "ref" in b and a["ref"] == b["ref"]:
            if a["ref"] in COVARIANT and len(a.get("args", ())) == len(b.get("args", ())):
                return _all(self(x, y, depth + 1) for x, y in zip(a.get("args", ()), b.get("args", ()), strict=True))
            return None
        return self._structures(a, b, depth)

    def _simple(self, a: Node, b: Node) -> bool | None:
        """One of them is a primitive or a literal."""
        if isinstance(a, dict) and "lit" in a and isinstance(b, dict) and "lit" in b:
            return bool(a["lit"] == b["lit"] and isinstance(a["lit"], bool) == isinstance(b["lit"], bool))
        if isinstance(a, dict) and "lit" in a and isinstance(b, str):
            return _kind_of_literal(a) == b or (None if b not in PRIMITIVES else False)
        if a == "unknown":
            return False
        if isinstance(a, str) and isinstance(b, str):
            return (a, b) == ("undefined", "void") or (None if a not in PRIMITIVES or b not in PRIMITIVES else False)
        if isinstance(b, dict) and "lit" in b and isinstance(a, str):
            return False if a in PRIMITIVES else None
        one, other = (a, b) if isinstance(a, str) or "lit" in a else (b, a)
        opaque = isinstance(other, dict) and not {"obj", "tuple"} & other.keys() and not self._is_object(other)
        return None if opaque or (one == "object" and other is a) else False

    def _is_object(self, node: Node) -> bool:
        if node.get("ref", "").startswith(
            ("@lib#Array", "@lib#ReadonlyArray", "@lib#Promise", "@lib#Map", "@lib#Set", "@lib#Date")
        ):
            return True
        inside = body(node, self._a if node.get("ref") in self._a else self._b)
        return isinstance(inside, dict) and "obj" in inside

    def _structures(self, a: Node, b: Node, depth: int) -> bool | None:
        pair = (repr(a)[:2000], repr(b)[:2000])
        if pair in self._assumed:
            return True
        self._assumed.add(pair)
        try:
            x, y = body(a, self._a), body(b, self._b)
            if isinstance(x, dict) and isinstance(y, dict) and "obj" in x and "obj" in y:
                return self._objects(x["obj"], y["obj"], depth)
            if isinstance(x, dict) and isinstance(y, dict) and "tuple" in x and "tuple" in y:
                return self._tuples(x["tuple"], y["tuple"], depth)
            return None
        finally:
            self._assumed.discard(pair)

    def _objects(self, a: Mapping[str, Any], b: Mapping[str, Any], depth: int) -> bool | None:
        if any(a.get(name) or b.get(name) for name in ("call", "new", "index")):
            return None
        one, other = properties(a), properties(b)
        answers: list[bool | None] = []
        for name, want in other.items():
            have = one.get(name)
            if have is None:
                answers.append(bool(want.get("o")) or False)
            elif have.get("o") and not want.get("o"):
                answers.append(False)
            else:
                answers.append(self(have["t"], want["t"], depth + 1))
        return _all(answers)

    def _tuples(self, a: Any, b: Any, depth: int) -> bool | None:
        if any(item.get("rest") or item.get("o") for item in [*a, *b]):
            return None
        return len(a) == len(b) and _all(self(x["t"], y["t"], depth + 1) for x, y in zip(a, b, strict=True))


def _kind_of_literal(node: Mapping[str, Any]) -> str:
    if node.get("big"):
        return "bigint"
    value = node["lit"]
    return "boolean" if isinstance(value, bool) else "string" if isinstance(value, str) else "number"


def _all(answers: Any) -> bool | None:
    found = list(answers)
    return False if False in found else None if None in found else True


def _any(answers: Any) -> bool | None:
    found = list(answers)
    return True if True in found else None if None in found else False
