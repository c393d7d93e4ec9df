"""From a change to the lines that prove it: each compiles against one version and not against the other. Pure.

A line is written once for either version (``X`` below); it proves the change when exactly one of the two is refused. ``read``
lines take what the version gives as what the old one gave; ``write`` lines give the version what the old one took.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from driftwatch.model import Change
from driftwatch.observe.typescript.witness.expressions import Inexpressible, Naming, Step, key, split, walk

ROLES = {"read": "consumer", "write": "implementer"}


@dataclass(frozen=True, slots=True)
class Line:
    """``text`` for both versions, ``use``: read or write, ``order``: the place of its change."""

    order: int
    use: str
    old: str
    new: str


@dataclass(frozen=True)
class Place:
    """A changed address on both sides."""

    change: Change
    old: Naming
    new: Naming
    owner: str
    steps: list[Step]

    def side(self, name: str) -> Naming:
        return self.old if name == "old" else self.new

    def here(self, side: str) -> str:
        return walk(self._start(side), self.steps)

    def above(self, side: str) -> str:
        return walk(self._start(side), self.steps[:-1])

    def _start(self, side: str) -> str:
        naming = self.side(side)
        row = naming.definitions.get(self.owner, {})
        static = bool(self.steps) and (self.steps[0].kind == "new" or (self.steps[0].kind in ("arg", "back") and "value" in row))
        if static and "value" in row:
            return f"typeof {naming.bare(self.owner)}"
        return naming.symbol(self.owner)

    @property
    def key(self) -> str:
        if not self.steps or self.steps[-1].kind != "name":
            raise Inexpressible("no key")
        return key(self.steps[-1].value)


def place(change: Change, old: Naming, new: Naming) -> Place:
    """Raises Inexpressible when the definition cannot be found on either side."""
    name = str(change.address)[3:]
    owner = _owner(name, old.definitions) or _owner(name, new.definitions)
    if owner is None:
        raise Inexpressible(name)
    return Place(change, old, new, owner, split(name[len(owner) :]))


def _owner(name: str, definitions: Mapping[str, Any]) -> str | None:
    """The longest definition the address begins with."""
    subject, _, member = name.partition("#")
    for end in range(len(member), 0, -1):
        if (end == len(member) or member[end] in ".[(") and f"{subject}#{member[:end]}" in definitions:
            return f"{subject}#{member[:end]}"
    return None


def lines(order: int, change: Change, old: Naming, new: Naming) -> list[Line]:
    """The lines for one change; none when it cannot be put into lines."""
    make = _TABLE.get(change.kind)
    if make is None:
        return []
    try:
        if change.kind in ("entry-added", "entry-removed"):
            return [Line(order, "read", *(f'export type W§ = typeof import("{_entry(change, side)}");' for side in (old, new)))]
        if change.kind in ("export-added", "export-removed"):
            return list(_export(order, change, old, new))
        at = place(change, old, new)
        return [Line(order, use, text("old"), text("new")) for use, text in make(at)]
    except Inexpressible:
        return []


Text = Callable[[str], str]


def _entry(change: Change, naming: Naming) -> str:
    return naming.packages[naming.package] + str(change.address)[3 + len(naming.package) :]


def _export(order: int, change: Change, old: Naming, new: Naming) -> Iterator[Line]:
    subject, _, name = str(change.address)[3:].partition("#")
    value = "value" in str(change.before) or any(
        word in str(change.before or change.after) for word in ("function", "variable", "class", "namespace", "enum")
    )
    texts = []
    for naming in (old, new):
        if any(sign in name for sign in "[(\"'=") or subject not in {*old.entries, *new.entries}:
            return
        module = naming.packages[naming.package] + subject[len(naming.package) :]
        arity = _arity(change, old, new)
        texts.append(f'export type W§ = {"typeof " if value else ""}import("{module}").{name}{"" if value else arity};')
    yield Line(order, "read", texts[0], texts[1])


def _arity(change: Change, old: Naming, new: Naming) -> str:
    name = str(change.address)[3:]
    row = old.definitions.get(name) or new.definitions.get(name) or {}
    count = len(row.get("tp", ()))
    return f"<{', '.join(['any'] * count)}>" if count else ""


def _gives(source: str, target: str) -> str:
    return f"export const w§ = (v: {source}): {target} => v;"


def _read(at: Place) -> tuple[str, Text]:
    """What the version gives, taken as what the old one gave."""
    return "read", lambda side: _gives(at.here(side), at.here("old"))


def _write(at: Place) -> tuple[str, Text]:
    """What the old one took, given to the version."""
    return "write", lambda side: _gives(at.here("old"), at.here(side))


def _both(at: Place) -> list[tuple[str, Text]]:
    return [_read(at), _write(at)]


def _access(at: Place) -> list[tuple[str, Text]]:
    step = at.steps[-1]
    if step.kind == "index":
        return [("read", lambda side: f"export type W§ = N<{at.above(side)}>[{step.value}];")]
    return [("read", lambda side: f"export type W§ = N<{at.above(side)}>[{at.key}];")]


def _required(at: Place) -> list[tuple[str, Text]]:
    """An object without the member is refused where it is required."""
    name = at.key

    def without(side: str) -> str:
        return f"export const w§ = (v: Omit<N<{at.above(side)}>, {name}>): N<{at.above(side)}> => v;"

    return [("write", without), *_access(at)]


def _optionality(at: Place) -> list[tuple[str, Text]]:
    name = at.key

    def pick(side: str) -> str:
        return f"Pick<N<{at.above(side)}>, {name}>"

    return [
        ("read", lambda side: f"export const w§ = (v: {pick(side)}): Required<{pick(side)}> => v;"),
        ("write", lambda side: f"export const w§ = (v: Partial<{pick(side)}>): {pick(side)} => v;"),
    ]


def _assign(at: Place) -> list[tuple[str, Text]]:
    return [("write", lambda side: f"export const w§ = (v: N<{at.above(side)}>) => {{ v[{at.key}] = null!; }};")]


def _call(at: Place) -> list[tuple[str, Text]]:
    return [
        (
            "read",
            lambda side: f"export const w§ = (f: (...a: Args<{at.above(side)}>) => void, a: Args<{at.above('old')}>) => f(...a);",
        )
    ]


def _argument(at: Place) -> list[tuple[str, Text]]:
    number = at.steps[-1].value

    def there(side: str) -> str:
        return f"export type W§ = Args<{at.above(side)}>[{number}];"

    return [("read", there), *_call(at)]


def _optional_argument(at: Place) -> list[tuple[str, Text]]:
    number = at.steps[-1].value

    def given(side: str) -> str:
        taken = f"Exclude<Args<{at.above('old')}>[{number}], undefined>"
        return f"export const w§ = (v: Args<{at.above(side)}>[{number}]): {taken} => v;"

    def left_out(side: str) -> str:
        return f"export const w§ = (a: Args<{at.above(side)}>): {{ {number}: unknown }} => a;"

    return [("read", given), ("write", left_out), *_call(at)]


def _type_parameters(at: Place) -> list[tuple[str, Text]]:
    if at.steps:
        raise Inexpressible("type parameters of a signature")
    was, now = (naming.row(at.owner).get("tp", ()) for naming in (at.old, at.new))
    least = min(sum("d" not in one for one in rows) for rows in (was, now))
    found: list[tuple[str, Text]] = []
    for count in sorted({len(was), len(now), least}):
        found.append(("read", _applied(at, ["any"] * count)))
    if was and now:
        found.append(("read", _applied(at, ["unknown"] * min(len(was), len(now)))))
    return found


def _applied(at: Place, args: list[str]) -> Text:
    """The generic type with these arguments."""
    given = f"<{', '.join(args)}>" if args else ""
    return lambda side: f"export type W§ = {at.side(side).bare(at.owner)}{given};"


def _whole_call(at: Place) -> list[tuple[str, Text]]:
    """The whole function, one way round and the other."""
    base = at.steps[:-1] if at.steps and at.steps[-1].kind == "back" else at.steps

    def function(side: str) -> str:
        naming = at.side(side)
        row = naming.definitions.get(at.owner, {})
        start = f"typeof {naming.bare(at.owner)}" if "value" in row and not base else naming.symbol(at.owner)
        return walk(start, base)

    return [
        ("read", lambda side: _gives(function(side), function("old"))),
        ("write", lambda side: _gives(function("old"), function(side))),
    ]


def _value(at: Place) -> list[tuple[str, Text]]:
    return [
        ("read", lambda side: f"export type W§ = typeof {at.side(side).bare(at.owner)};"),
        ("read", lambda side: f"export type W§ = {at.side(side).bare(at.owner)};"),
    ]


def _new(at: Place) -> list[tuple[str, Text]]:
    return [
        (
            "read",
            lambda side: f"export const w§ = (c: typeof {at.side(side).bare(at.owner)}) => new c(...(null! as any[] as []));",
        )
    ]


def _enum_access(at: Place) -> list[tuple[str, Text]]:
    return [("read", lambda side: f"export type W§ = {at.side(side).bare(at.owner)}.{at.steps[-1].value};")]


def _enum_value(at: Place) -> list[tuple[str, Text]]:
    member = at.steps[-1].value

    def shown(side: str) -> str:
        return f"`${{{at.side(side).bare(at.owner)}.{member}}}`"

    return [("read", lambda side: _gives(shown(side), json.dumps(str(at.change.before))))]


_ACCESS = ("removed", "added-optional", "param-field-removed", "param-field-added-optional", "index-added", "index-removed")
_TYPES = ("type-changed", "widened", "narrowed", "union-member-added", "union-member-removed", "became-any", "respelled")
_VALUES = ("param-changed", "param-narrowed", "param-widened", "return-changed", "return-narrowed", "return-widened")
_TABLE: Mapping[str, Callable[[Place], list[tuple[str, Text]]]] = {
    **dict.fromkeys(_ACCESS, _access),
    **dict.fromkeys((*_TYPES, *_VALUES, "became-async", "became-sync"), _both),
    **dict.fromkeys(("added-required", "output-field-added", "param-field-added-required"), _required),
    **dict.fromkeys(("became-optional", "became-required", "param-field-optional", "param-field-required"), _optionality),
    **dict.fromkeys(("readonly-added", "readonly-removed", "param-readonly-added", "param-readonly-removed"), _assign),
    **dict.fromkeys(("param-added-required", "param-added-optional", "param-removed"), _argument),
    **dict.fromkeys(("callback-param-added", "callback-param-removed"), _argument),
    **dict.fromkeys(("param-became-required", "param-became-optional"), _optional_argument),
    **dict.fromkeys(
        (
            "type-param-added",
            "type-param-removed",
            "type-param-constrained",
            "type-param-loosened",
            "type-param-default-added",
            "type-param-default-removed",
        ),
        _type_parameters,
    ),
    **dict.fromkeys(("overload-added", "overload-changed", "overload-removed", "overload-reordered"), _whole_call),
    **dict.fromkeys(("class-became-type", "type-became-class", "value-removed", "value-added"), _value),
    **dict.fromkeys(("class-became-abstract", "class-became-concrete"), _new),
    **dict.fromkeys(("enum-member-added", "enum-member-removed"), _enum_access),
    "enum-value-changed": _enum_value,
    **dict.fromkeys(("entry-added", "entry-removed", "export-added", "export-removed"), _both),
}
