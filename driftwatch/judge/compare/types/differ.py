"""Where two structures differ, walked together, every difference at the deepest place that has a name. Pure.

``Spot`` says who gives the value that stands there. Outside of parameters the package's side gives and the consumer reads;
inside a parameter it is the other way round, and inside a callback's parameter it turns once more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from driftwatch.judge.compare.types.edits import Edit
from driftwatch.judge.compare.types.relation import Fits
from driftwatch.judge.compare.types.sameness import Same
from driftwatch.judge.compare.types.shapes import (
    ARRAYS,
    NULLISH,
    PROMISES,
    Definition,
    Definitions,
    Node,
    alternatives,
    body,
    discriminants,
    properties,
    segment,
)
from driftwatch.judge.compare.types.text import show, signature


@dataclass(frozen=True, slots=True)
class Spot:
    """``given`` is true where the consumer reads, false where the consumer writes; ``slot``: value, return or param.
    ``callee``: what the parameter belongs to is written by an implementer (a hook), not by the package."""

    given: bool = True
    slot: str = "value"
    hook: bool = True


class Differ:
    def __init__(self, old: Definitions, new: Definitions) -> None:
        self._old, self._new = old, new
        self.same = Same(old, new)
        self._forth, self._back = Fits(old, new), Fits(new, old)
        self._looked: set[tuple[str, str]] = set()
        self._owner = ""
        self._via: tuple[str, int] | None = None  # the pair of names looked behind, and how long the path was there

    # --- definitions

    def definitions(self, owner: str, old: Definition, new: Definition) -> Iterator[Edit]:
        """Every difference between two definitions, told under the name ``owner``."""
        self._owner = owner
        self._looked = set()
        kinds = self._kinds(old, new)
        yield from kinds
        yield from self._deprecation("", old, new)
        yield from self._type_parameters("", old.get("tp", ()), new.get("tp", ()))
        if "type" in old and "type" in new:
            yield from self._type_side(old, new)
        if "value" in old and "value" in new:
            hook = "function" not in new["kind"] and "class" not in new["kind"] and "variable" not in new["kind"]
            yield from self._slot("", old["value"], new["value"], Spot(hook=hook))
        elif not any(edit.kind in ("class-became-type", "type-became-class") for edit in kinds):
            yield from self._sides(old, new)
        yield from self._enums(old.get("members", ()), new.get("members", ()))
        yield from self._exports(old, new)

    def _edit(self, path: str, kind: str, before: Any = None, after: Any = None, **args: Any) -> Edit:
        origin = f"{self._via[0]}{path[self._via[1] :]}" if self._via else ""
        return Edit(self._owner, path, kind, before, after, args, origin)

    def _kinds(self, old: Definition, new: Definition) -> list[Edit]:
        was, now = set(old["kind"]), set(new["kind"])
        found = []
        told = {"before": "/".join(old["kind"]), "after": "/".join(new["kind"])}
        if "class" in was and "class" not in now and now & {"interface", "alias"} and "value" not in new:
            found.append(self._edit("", "class-became-type", **told))
        elif "class" in now and "class" not in was and was & {"interface", "alias"} and "value" not in old:
            found.append(self._edit("", "type-became-class", **told))
        elif "interface" in was and "alias" in now:
            found.append(self._edit("", "interface-became-alias", **told))
        elif "alias" in was and "interface" in now:
            found.append(self._edit("", "alias-became-interface", **told))
        if "class" in was and "class" in now and old.get("abs") != new.get("abs"):
            found.append(self._edit("", "class-became-abstract" if new.get("abs") else "class-became-concrete", **told))
        return found

    def _sides(self, old: Definition, new: Definition) -> Iterator[Edit]:
        """A name that is both a type and a value lost or gained one of the two."""
        if ("value" in old) != ("value" in new):
            gone = "value" in old
            shown = show((old if gone else new)["value"])
            yield self._edit("", "value-removed" if gone else "value-added", shown if gone else None, None if gone else shown)
        if ("type" in old) != ("type" in new) and ("value" in old and "value" in new):
            gone = "type" in old
            shown = show((old if gone else new)["type"])
            yield self._edit("", "value-removed" if gone else "value-added", shown if gone else None, None if gone else shown)

    def _type_side(self, old: Definition, new: Definition) -> Iterator[Edit]:
        hook = "class" not in new["kind"]
        if old.get("ext") != new.get("ext"):
            yield self._edit("", "type-changed", _bases(old), _bases(new))
        yield from self._slot("", old["type"], new["type"], Spot(hook=hook))

    def _deprecation(self, path: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Edit]:
        if "dep" in new and "dep" not in old:
            yield self._edit(path, "deprecated", None, "@deprecated", note=str(new["dep"])[:300])
        elif "dep" in old and "dep" not in new:
            yield self._edit(path, "undeprecated", "@deprecated", None)

    def _enums(self, old: Any, new: Any) -> Iterator[Edit]:
        before, after = {row["n"]: row for row in old}, {row["n"]: row for row in new}
        for name in sorted({*before, *after}):
            path = segment(name)
            if name not in after:
                yield self._edit(path, "enum-member-removed", before[name]["v"], None, member=name)
            elif name not in before:
                yield self._edit(path, "enum-member-added", None, after[name]["v"], member=name)
            else:
                if before[name]["v"] != after[name]["v"]:
                    yield self._edit(path, "enum-value-changed", before[name]["v"], after[name]["v"], member=name)
                yield from self._deprecation(path, before[name], after[name])

    def _exports(self, old: Definition, new: Definition) -> Iterator[Edit]:
        """The members of a namespace; one that only moved is looked at where it is now."""
        before = {row["n"]: row["ref"] for row in old.get("exports", ())}
        after = {row["n"]: row["ref"] for row in new.get("exports", ())}
        for name in sorted({*before, *after}):
            if name not in after:
                yield self._edit(segment(name), "export-removed", name, None)
            elif name not in before:
                yield self._edit(segment(name), "export-added", None, name)
            elif before[name] != after[name] and before[name] in self._old and after[name] in self._new:
                inner = Differ(self._old, self._new)
                for edit in inner.definitions(self._owner, self._old[before[name]], self._new[after[name]]):
                    yield replace(edit, path=segment(name) + edit.path)

    # --- types

    def _slot(self, path: str, old: Node, new: Node, spot: Spot) -> Iterator[Edit]:
        """What differs between the types at one place."""
        if self.same(old, new):
            yield from self._marks(path, old, new)
            return
        if _missing(old) or _missing(new):
            return  # a gap says so; what is not known did not change
        if _arrays(old, new):
            yield from self._slot(path + "[]", old["args"][0], new["args"][0], spot)
            return
        if spot.slot == "return" and _promise(old) != _promise(new):
            yield from self._asynchrony(path, old, new)
            return
        if _promise(old) and _promise(new):
            yield from self._slot(path, old["args"][0], new["args"][0], spot)
            return
        if _reference(old) and _reference(new) and old["ref"] == new["ref"]:
            yield from self._arguments(path, old, new, spot)
            return
        a, b = body(old, self._old), body(new, self._new)
        if isinstance(a, dict) and isinstance(b, dict) and "inter" in a and "inter" in b:
            yield from self._intersections(path, a, b, spot)
        elif _shape(a) and _shape(b):
            yield from self._behind(path, old, new, a["obj"], b["obj"], spot)
        elif len(alternatives(old, self._old)) > 1 or len(alternatives(new, self._new)) > 1:
            yield from self._unions(path, old, new, spot)
        else:
            yield self._moved(path, old, new, spot)

    def _marks(self, path: str, old: Node, new: Node) -> Iterator[Edit]:
        """Deprecations inside types that mean the same."""
        if old == new or not isinstance(old, dict) or not isinstance(new, dict):
            return
        if _shape(old) and _shape(new):
            yield from self._marked_members(path, old["obj"], new["obj"])
        elif _arrays(old, new):
            yield from self._marks(path + "[]", old["args"][0], new["args"][0])
        elif _promise(old) and _promise(new):
            yield from self._marks(path, old["args"][0], new["args"][0])
        elif "union" in old and "union" in new:
            gone = [one for one in old["union"] if one not in new["union"]]
            come = [one for one in new["union"] if one not in old["union"]]
            for a, b, tag in self._alike(gone, come):
                yield from self._marks(f"{path}({tag})", a, b)

    def _marked_members(self, path: str, a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[Edit]:
        before, after = properties(a), properties(b)
        for name in sorted(before.keys() & after.keys()):
            yield from self._deprecation(path + segment(name), before[name], after[name])
            yield from self._marks(path + segment(name), before[name]["t"], after[name]["t"])
        for one, other in zip(a.get("call", ()), b.get("call", ()), strict=False):
            yield from self._deprecation(path, one, other)
            for number, (x, y) in enumerate(zip(one["p"], other["p"], strict=False)):
                yield from self._marks(f"{path}({number})", x["t"], y["t"])
            yield from self._marks(f"{path}()", one["r"], other["r"])
        for x, y in zip(a.get("index", ()), b.get("index", ()), strict=False):
            yield from self._marks(f"{path}[{show(x['k'])}]", x["t"], y["t"])

    def _intersections(self, path: str, old: Mapping[str, Any], new: Mapping[str, Any], spot: Spot) -> Iterator[Edit]:
        """Told inside when one part of the intersection moved, else as a whole."""
        gone, come = self._unpaired(old["inter"], new["inter"])
        if len(gone) == 1 == len(come):
            yield from self._slot(path, gone[0], come[0], spot)
        else:
            yield self._moved(path, old, new, spot)

    def _behind(self, path: str, old: Node, new: Node, a: Any, b: Any, spot: Spot) -> Iterator[Edit]:
        pair = (repr(old)[:4000], repr(new)[:4000])
        if pair in self._looked:
            return
        before = self._via
        if _reference(old) or _reference(new):
            self._looked.add(pair)
        if _reference(old) and _reference(new):
            self._via = (f"{old['ref']} -> {new['ref']}", len(path))
        yield from self._objects(path, a, b, spot)
        self._via = before

    def _arguments(self, path: str, old: Node, new: Node, spot: Spot) -> Iterator[Edit]:
        """The same generic name over other types: one change, since only the name knows what becomes of its arguments."""
        edit = self._moved(path, old, new, spot)
        both = zip(old.get("args", ()), new.get("args", ()), strict=False)
        yield replace(edit, parts=tuple(part for a, b in both for part in self._slot(path, a, b, replace(spot, slot="value"))))

    def _asynchrony(self, path: str, old: Node, new: Node) -> Iterator[Edit]:
        kind = "became-async" if _promise(new) else "became-sync"
        plain = new["args"][0] if _promise(new) else new
        before = old["args"][0] if _promise(old) else old
        hidden = self.same(before, plain)
        yield self._edit(path, kind if hidden else "return-changed", show(old), show(new))

    def _moved(self, path: str, old: Node, new: Node, spot: Spot) -> Edit:
        """The type as a whole: wider, narrower, or another."""
        forth, back = self._forth(old, new), self._back(new, old)
        direction = "changed"
        if new == "any" and old != "any":
            direction = "any"
        elif old == "any" or forth is back:
            direction = "changed"
        elif forth and back is False:
            direction = "widened"
        elif back and forth is False:
            direction = "narrowed"
        return self._edit(path, _kind(direction, spot), show(old), show(new))

    def _unions(self, path: str, old: Node, new: Node, spot: Spot) -> Iterator[Edit]:
        left, right = alternatives(old, self._old), alternatives(new, self._new)
        gone, come = self._unpaired(left, right)
        for a, b, tag in self._alike(gone, come):
            yield from self._slot(f"{path}({tag})", a, b, spot)
        if gone and come and len(gone) == len(left):
            yield self._moved(path, old, new, spot)
            return
        if gone and come and self._absorbed(gone, come):
            yield self._moved(path, old, new, spot)
            return
        yield from self._members(path, old, new, gone, come, spot)

    def _absorbed(self, gone: list[Node], come: list[Node]) -> bool:
        """What left is covered by what came (``"a" | "b"`` -> ``string``), or the reverse: one move, not two."""
        return all(any(self._forth(one, other) for other in come) for one in gone) or all(
            any(self._back(one, other) for other in gone) for one in come
        )

    def _members(self, path: str, old: Node, new: Node, gone: list[Node], come: list[Node], spot: Spot) -> Iterator[Edit]:
        was_union = len([one for one in alternatives(old, self._old) if one not in NULLISH]) > 1
        is_union = len([one for one in alternatives(new, self._new) if one not in NULLISH]) > 1
        for rows, removed in ((gone, True), (come, False)):
            if not rows:
                continue
            nullish = all(one in NULLISH for one in rows)
            listed = sorted(show(one, 120) for one in rows)
            union = was_union and is_union and not nullish
            kind = _kind("narrowed" if removed else "widened", spot)
            if union and spot.given and spot.slot == "value":
                kind = "union-member-removed" if removed else "union-member-added"
            yield self._edit(path, kind, show(old), show(new), members=listed)

    def _unpaired(self, left: list[Node], right: list[Node]) -> tuple[list[Node], list[Node]]:
        come = list(right)
        gone = []
        for one in left:
            hit = next((n for n, other in enumerate(come) if self.same(one, other)), None)
            if hit is None:
                gone.append(one)
            else:
                del come[hit]
        return gone, come

    def _alike(self, gone: list[Node], come: list[Node]) -> list[tuple[Node, Node, str]]:
        """Members of two unions that are the same one, changed: told apart by a literal property, or the only object."""
        pairs: list[tuple[Node, Node, str]] = []
        for one in list(gone):
            tags = discriminants(one, self._old)
            fitting = [other for other in come if _tagged_alike(tags, discriminants(other, self._new))]
            if fitting:
                names = self._names(one, self._old)
                other = max(fitting, key=lambda each: len(names & self._names(each, self._new)))
                shared = {name: tags[name] for name in tags if discriminants(other, self._new).get(name) == tags[name]}
                pairs.append((one, other, _tag(shared)))
                gone.remove(one)
                come.remove(other)
        untagged = self._near(gone, come)
        if untagged and len(untagged) == len(gone) == len(come):
            pairs += untagged
            gone.clear()
            come.clear()
        return pairs

    def _near(self, gone: list[Node], come: list[Node]) -> list[tuple[Node, Node, str]]:
        """Objects without a telling literal, each with the one most like it: only taken when it leaves nothing over."""
        rest, found = list(come), []
        for one in gone:
            near = [
                other
                for other in rest
                if self._objects_both(one, other) and self._overlap(one, other, len(gone) == len(come) == 1)
            ]
            if near:
                other = max(near, key=lambda each: self._overlap(one, each, True))
                found.append((one, other, _tag(discriminants(one, self._old))))
                rest.remove(other)
        return found

    def _overlap(self, old: Node, new: Node, alone: bool) -> float:
        """How much of two objects' property names is common; 0 when that is less than half, unless they are the only two."""
        one, other = self._names(old, self._old), self._names(new, self._new)
        part = (len(one & other) + 0.1) / (len(one | other) + 0.1)
        return part if alone or part >= 0.5 else 0.0

    def _names(self, node: Node, definitions: Definitions) -> set[str]:
        inside = body(node, definitions)
        return set(properties(inside["obj"])) if _shape(inside) else set()

    def _objects_both(self, old: Node, new: Node) -> bool:
        if _arrays(old, new):
            return True
        one, other = discriminants(old, self._old), discriminants(new, self._new)
        if any(name in other and other[name] != one[name] for name in one):
            return False
        return _shape(body(old, self._old)) and _shape(body(new, self._new))

    # --- objects

    def _objects(self, path: str, a: Mapping[str, Any], b: Mapping[str, Any], spot: Spot) -> Iterator[Edit]:
        old, new = properties(a), properties(b)
        inner = replace(spot, slot="value")
        for name in sorted({*old, *new}):
            here = path + segment(name)
            if name not in new and (index := _index(b)) is not None:
                yield from self._undeclared(here, old[name], index, inner)
            elif name not in new:
                yield self._edit(
                    here, "removed" if spot.given else "param-field-removed", _member(old[name]), None, **_optional(old[name])
                )
            elif name not in old and new[name].get("o") and (index := _index(a)) is not None:
                found = list(self._slot(here, index["t"], new[name]["t"], inner))
                yield from found or [self._edit(here, "respelled", "by the index signature", _member(new[name]))]
            elif name not in old:
                yield self._edit(here, _added(new[name], spot), None, _member(new[name]))
            else:
                yield from self._property(here, old[name], new[name], inner)
        yield from self._indexes(path, a.get("index", ()), b.get("index", ()), inner)
        yield from self._calls(path, a.get("call", ()), b.get("call", ()), spot)
        yield from self._calls(path + ".new", a.get("new", ()), b.get("new", ()), replace(spot, hook=False))

    def _undeclared(self, path: str, old: Mapping[str, Any], index: Mapping[str, Any], spot: Spot) -> Iterator[Edit]:
        """A key that is no longer declared is still there by the index signature, with the type that has."""
        found = list(self._slot(path, old["t"], index["t"], spot))
        yield from found or [self._edit(path, "respelled", _member(old), "by the index signature")]

    def _property(self, path: str, old: Mapping[str, Any], new: Mapping[str, Any], spot: Spot) -> Iterator[Edit]:
        if bool(old.get("o")) != bool(new.get("o")):
            optional = bool(new.get("o"))
            given = "became-optional" if optional else "became-required"
            yield self._edit(
                path, given if spot.given else f"param-field-{'optional' if optional else 'required'}", _member(old), _member(new)
            )
        if bool(old.get("r")) != bool(new.get("r")):
            kind = "readonly-added" if new.get("r") else "readonly-removed"
            yield self._edit(path, kind if spot.given else f"param-{kind}", _member(old), _member(new))
        yield from self._deprecation(path, old, new)
        yield from self._slot(path, old["t"], new["t"], spot)

    def _indexes(self, path: str, old: Any, new: Any, spot: Spot) -> Iterator[Edit]:
        before, after = {show(row["k"]): row for row in old}, {show(row["k"]): row for row in new}
        for name in sorted({*before, *after}):
            here = f"{path}[{name}]"
            if name not in after:
                yield self._edit(here, "index-removed", show(before[name]["t"]), None)
            elif name not in before:
                yield self._edit(here, "index-added", None, show(after[name]["t"]))
            else:
                yield from self._property(here, {**before[name], "n": name}, {**after[name], "n": name}, spot)

    # --- signatures

    def _calls(self, path: str, old: Any, new: Any, spot: Spot) -> Iterator[Edit]:
        if (not old and not new) or self.same.signatures(old, new):
            return
        if len(old) == 1 == len(new):
            yield from self._signature(path, old[0], new[0], spot)
            return
        gone, come, moved = self._overloads(old, new)
        if moved and not gone and not come:
            yield self._edit(
                path, "overload-reordered", *(" ; ".join(signature(one) for one in side)[:400] for side in (old, new))
            )
        if len(gone) == 1 == len(come):
            yield from self._deprecation(path or "()", gone[0], come[0])
            edit = self._edit(path or "()", "overload-changed", signature(gone[0])[:400], signature(come[0])[:400])
            yield replace(edit, parts=tuple(self._signature(path, gone[0], come[0], spot)))
            return
        whole = not old or not new
        for row in gone:
            yield self._edit(path or "()", "removed" if whole else "overload-removed", signature(row)[:400], None)
        for row in come:
            yield self._edit(path or "()", "added-required" if whole else "overload-added", None, signature(row)[:400])

    def _overloads(self, old: Any, new: Any) -> tuple[list[Any], list[Any], bool]:
        come = list(enumerate(new))
        gone, order = [], []
        for one in old:
            hit = next((n for n, (_, other) in enumerate(come) if self.same.signature(one, other)), None)
            if hit is None:
                gone.append(one)
            else:
                order.append(come.pop(hit)[0])
        return gone, [row for _, row in come], order != sorted(order)

    def _signature(self, path: str, old: Mapping[str, Any], new: Mapping[str, Any], spot: Spot) -> Iterator[Edit]:
        yield from self._deprecation(path, old, new)
        yield from self._type_parameters(path, old.get("tp", ()), new.get("tp", ()))
        old, new = _aligned(old, new)
        yield from self._parameters(path, old["p"], new["p"], replace(spot, given=not spot.given, slot="param"))
        if "th" in old or "th" in new:  # a `this` that is not declared may be anything
            taken = replace(spot, given=not spot.given, slot="param")
            yield from self._slot(f"{path}(this)", old.get("th", "unknown"), new.get("th", "unknown"), taken)
        yield from self._slot(f"{path}()", old["r"], new["r"], replace(spot, slot="return"))
        if old.get("is") != new.get("is") and not self.same._predicates(old.get("is"), new.get("is")):
            yield self._edit(f"{path}()", _kind("changed", replace(spot, slot="return")), signature(old), signature(new))

    def _parameters(self, path: str, old: Any, new: Any, spot: Spot) -> Iterator[Edit]:
        for number in range(max(len(old), len(new))):
            here = f"{path}({number})"
            if number >= len(new):
                kind = "callback-param-removed" if spot.given else "param-removed"
                yield self._edit(here, kind, show(old[number]["t"]), None)
            elif number >= len(old):
                required = not (new[number].get("o") or new[number].get("rest"))
                kind = "callback-param-added" if spot.given else "param-added-required" if required else "param-added-optional"
                yield self._edit(here, kind, None, show(new[number]["t"]))
            else:
                yield from self._parameter(here, old[number], new[number], spot)

    def _parameter(self, path: str, old: Mapping[str, Any], new: Mapping[str, Any], spot: Spot) -> Iterator[Edit]:
        was, now = bool(old.get("o") or old.get("rest")), bool(new.get("o") or new.get("rest"))
        if was != now:
            kind = "optional" if now else "required"
            yield self._edit(path, f"became-{kind}" if spot.given else f"param-became-{kind}", show(old["t"]), show(new["t"]))
        a, b = old["t"], new["t"]
        if bool(old.get("rest")) != bool(new.get("rest")):
            a, b = (_element(a) if old.get("rest") else a), (_element(b) if new.get("rest") else b)
        yield from self._slot(path, a, b, spot)

    def _type_parameters(self, path: str, old: Any, new: Any) -> Iterator[Edit]:
        for number in range(max(len(old), len(new))):
            args = {"number": number}
            if number >= len(new):
                yield self._edit(path, "type-param-removed", f"type parameter {number + 1}", None, **args)
            elif number >= len(old):
                kind = "type-param-default-added" if "d" in new[number] else "type-param-added"
                yield self._edit(path, kind, None, f"type parameter {number + 1}", **args)
            else:
                yield from self._type_parameter(path, old[number], new[number], args)

    def _type_parameter(self, path: str, old: Mapping[str, Any], new: Mapping[str, Any], args: Any) -> Iterator[Edit]:
        a, b = old.get("c", "unknown"), new.get("c", "unknown")
        if not self.same(a, b):
            looser = self._forth(a, b) and not self._back(b, a)
            yield self._edit(path, "type-param-loosened" if looser else "type-param-constrained", show(a), show(b), **args)
        if ("d" in old) != ("d" in new):
            kind = "type-param-default-added" if "d" in new else "type-param-default-removed"
            yield self._edit(path, kind, show(old.get("d", "")), show(new.get("d", "")), **args)
        elif "d" in old and not self.same(old["d"], new["d"]):
            yield self._edit(path, "type-param-constrained", show(old["d"]), show(new["d"]), **args)


# --- small questions


def _kind(direction: str, spot: Spot) -> str:
    if direction == "any":
        return "became-any"
    if not spot.given:
        return f"param-{direction}"
    if spot.slot == "return":
        return f"return-{direction}"
    return "type-changed" if direction == "changed" else direction


def _added(row: Mapping[str, Any], spot: Spot) -> str:
    if spot.given:
        return "added-optional" if row.get("o") else "added-required"
    if row.get("o"):
        return "param-field-added-optional"
    return "output-field-added" if spot.hook else "param-field-added-required"


def _member(row: Mapping[str, Any]) -> str:
    """A property as before or after of a change: its type, with the flags that matter."""
    return f"{'readonly ' if row.get('r') else ''}{show(row['t'])}{' (optional)' if row.get('o') else ''}"


def _optional(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"optional": True} if row.get("o") else {}


def _bases(row: Definition) -> str:
    return "extends " + ", ".join(row.get("ext", ["nothing"]))


def _aligned(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """The two with their type parameters under the same names, so that their types can be told equal."""
    from driftwatch.judge.compare.types.shapes import substitute

    names = {a["n"]: {"tp": b["n"]} for a, b in zip(old.get("tp", ()), new.get("tp", ()), strict=False) if a["n"] != b["n"]}
    return (substitute(old, names), new) if names else (old, new)


def _tag(literals: Mapping[str, Any]) -> str:
    """How a member of a union is named in an address."""
    return next((f"{name}={literals[name]}" for name in sorted(literals)), "object")


def _tagged_alike(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """At least one literal in common, and none that differs."""
    return any(other.get(name) == value for name, value in one.items()) and all(
        other.get(name, value) == value for name, value in one.items()
    )


def _index(shape: Mapping[str, Any]) -> Mapping[str, Any] | None:
    return next((row for row in shape.get("index", ()) if row["k"] == "string"), None)


def _missing(node: Node) -> bool:
    return isinstance(node, dict) and "missing" in node


def _reference(node: Node) -> bool:
    return isinstance(node, dict) and "ref" in node


def _shape(node: Node) -> bool:
    return isinstance(node, dict) and "obj" in node


def _arrays(old: Node, new: Node) -> bool:
    return _reference(old) and _reference(new) and old["ref"] == new["ref"] and old["ref"] in ARRAYS


def _element(node: Node) -> Node:
    return node["args"][0] if _reference(node) and node["ref"] in ARRAYS else node


def _promise(node: Node) -> bool:
    return _reference(node) and node["ref"] in PROMISES and bool(node.get("args"))
