"""From an address to the type that stands there, written in TypeScript. Pure.

``old`` and ``new`` are the package at two versions, side by side under these names; what is owned by another package of the
tree is imported by ``old.N`` folders, and what is not exported by the file it stands in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

# What the lines of a witness are written with. N<T>: without null, undefined and promises.
PRELUDE = """\
type N<T> = NonNullable<Awaited<T>>;
type Key<T, K> = N<T> extends infer U ? (U extends unknown ? (K extends keyof U ? U[K] : never) : never) : never;
type Item<T> = N<T> extends readonly (infer X)[] ? X : never;
type Args<F> = N<F> extends abstract new (...a: infer A) => any ? A : N<F> extends (...a: infer A) => any ? A : never;
type Arg<F, I extends number> = Args<F> extends infer A ? (A extends readonly unknown[] ? A[I] : never) : never;
type Back<F> = N<F> extends abstract new (...a: any) => infer R ? R : N<F> extends (...a: any) => infer R ? R : never;
type Only<T, S> = Extract<N<T>, S>;
"""


def helpers(text: str) -> str:
    """The lines of the prelude that these lines use, and those that these use in turn."""
    rows = {row.partition("<")[0].removeprefix("type "): row for row in PRELUDE.splitlines()}
    used: set[str] = set()
    queue = [text]
    while queue:
        found = {name for name in re.findall(r"(\w+)<", queue.pop()) if name in rows} - used
        used |= found
        queue += [rows[name].partition("=")[2] for name in found]
    return "".join(f"{row}\n" for name, row in rows.items() if name in used)


_SEGMENT = re.compile(
    r"""\.new(?=\(|$)|\.(?P<name>[^.\[\]()\s"]+)|\[(?P<quoted>"(?:[^"\\]|\\.)*")\]|\((?P<arg>\d+)\)|(?P<this>\(this\))|(?P<back>\(\))|(?P<item>\[\])"""
    r"""|\[(?P<index>[^\]]*)\]|\((?P<tag>[^()]+)\)"""
)
_DOTTED = re.compile(r"(?:[^\W\d]|\$)(?:\w|\$)*(?:\.(?:[^\W\d]|\$)(?:\w|\$)*)*")
_INDEX = frozenset({"string", "number", "symbol"})


class Inexpressible(ValueError):
    """There is no way to write this type down (not an error: the change then stays unproven)."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of an address: kind is name, arg, this, back, item, index, tag or new."""

    kind: str
    value: str = ""


@dataclass(frozen=True)
class Naming:
    """How the definitions of one side are named. ``packages``: name -> what to import it by; ``definitions``: the values of
    definition facts by address without its kind."""

    side: str
    package: str
    definitions: Mapping[str, Mapping[str, Any]]
    packages: Mapping[str, str] = field(default_factory=dict)
    entries: frozenset[str] = frozenset()

    def row(self, owner: str) -> Mapping[str, Any]:
        """The definition of this name. Raises Inexpressible where this side has none."""
        if owner not in self.definitions:
            raise Inexpressible(owner)
        return self.definitions[owner]

    def symbol(self, owner: str, arity: int | None = None) -> str:
        """The name of a definition, its type parameters filled with ``any`` when it has some."""
        row = self.row(owner)
        if "type" in row or "members" in row:
            count = len(row.get("tp", ())) if arity is None else arity
            return self.bare(owner) + (f"<{', '.join(['any'] * count)}>" if count else "")
        return f"typeof {self.bare(owner)}"

    def bare(self, owner: str) -> str:
        """The definition by its name alone. What a module is assigned to (``export =``) is the module itself."""
        subject, _, name = owner.partition("#")
        inside = name.removeprefix("export=").removeprefix(".") if name.startswith("export=") else name
        if not name or (inside and not _DOTTED.fullmatch(inside)):
            raise Inexpressible(owner)
        module = self.module(subject, bool(self.definitions.get(owner, {}).get("hid")))
        return f'import("{module}").{inside}' if inside else f'import("{module}")'

    def module(self, subject: str, hidden: bool = False) -> str:
        owner = next((one for one in self._owners(subject) if one in self.packages), None)
        if owner is None:
            raise Inexpressible(subject)
        inside = subject[len(owner) :]
        return f"./node_modules/{self.packages[owner]}{inside}" if hidden else self.packages[owner] + inside

    def _owners(self, subject: str) -> Iterator[str]:
        parts = subject.split("/")
        yield "/".join(parts[: 2 if subject.startswith("@") else 1])


def split(member_path: str) -> list[Step]:
    """The steps of what follows a definition's name. Raises Inexpressible."""
    steps: list[Step] = []
    at = 0
    while at < len(member_path):
        match = _SEGMENT.match(member_path, at)
        if match is None:
            raise Inexpressible(member_path)
        steps.append(_step(match))
        at = match.end()
    return steps


def _step(match: re.Match[str]) -> Step:
    kind = match.lastgroup or "new"
    value = match[kind] if match.lastgroup else ""
    if kind == "quoted":
        return Step("name", json.loads(value))
    if kind == "index" and value not in _INDEX:
        raise Inexpressible(value)
    return Step(kind, "" if kind in ("back", "item", "this") else value)


def walk(start: str, steps: list[Step]) -> str:
    """The type at the end of the steps; members that are missing on the way give ``never``."""
    text = start
    for step in steps:
        text = _walked(text, step)
    return text


_FORMS: Mapping[str, Callable[[str, str], str]] = {
    "name": lambda text, value: f"Key<{text}, {key(value)}>",
    "arg": lambda text, value: f"Arg<{text}, {value}>",
    "this": lambda text, _: f"ThisParameterType<N<{text}>>",
    "back": lambda text, _: f"Back<{text}>",
    "item": lambda text, _: f"Item<{text}>",
    "index": lambda text, value: f"N<{text}>[{value}]",
    "tag": lambda text, value: f"Only<{text}, {tagged(value)}>",
    "new": lambda text, _: text,
}


def _walked(text: str, step: Step) -> str:
    return _FORMS[step.kind](text, step.value)


def key(name: str) -> str:
    """A property's key as a type: ``400`` is a number to the compiler where declarations write it as one."""
    return name if re.fullmatch(r"0|[1-9]\d{0,14}", name) else json.dumps(name)


def tagged(tag: str) -> str:
    """``(type=text)`` in an address is the member of a union that holds this literal; ``(object)`` the one that is an object."""
    name, equals, value = tag.partition("=")
    if not equals:
        if tag != "object":
            raise Inexpressible(tag)
        return "object"
    literal = (
        value.lower() if value in ("True", "False") else value if re.fullmatch(r"-?\d+(\.\d+)?", value) else json.dumps(value)
    )
    return f"{{ {json.dumps(name)}: {literal} }}"
