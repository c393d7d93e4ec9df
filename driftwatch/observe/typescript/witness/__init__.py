"""Proof by witness: a change of a declared type is ``proven`` when a few lines compile against one version and not the other.

All lines of a pair are one program; the native compiler runs once, with both versions side by side under the names ``old``
and ``new``. What it says also settles which way a type moved, where the structure alone could not tell.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from driftwatch.model import Change, Json
from driftwatch.observe.typescript.witness.expressions import PRELUDE, Naming, helpers
from driftwatch.observe.typescript.witness.lines import ROLES, Line, lines
from driftwatch.observe.typescript.witness.program import Refusal, check

FORMAT = 3
FIRST = PRELUDE.count("\n") + 1  # the line of the program where the first witness stands
MARK = "§"  # in a line: its own number, so that names differ
# Two installs of one class, or of one unique symbol, are two to the compiler; that is no change.
_NOMINAL = re.compile(
    r"separate declarations of a private property|is protected but|is private in type"
    r"""|Type 'typeof import\("[^"]*"\)\.(?P<name>[\w.]+)' is not assignable to type 'typeof import\("[^"]*"\)\.(?P=name)'"""
)
# Where this machine had it laid out: of no use to a reader. The compiler cuts long types short, also within that.
_FOLDER = re.compile(r"""(?<=["'])/[^"'\n]*/node_modules/|(?<=import\(")/[^"'\n]*(?=\.\.\.')""")
# A condition on a type parameter, as compare.types.text writes it.
_CONDITION = re.compile(r"\bT\d+_\d+(\[[^\]]*\])* extends [^?]*\?")
_SETTLED = {
    "value": {(True, True): "type-changed", (True, False): "widened", (False, True): "narrowed", (False, False): "respelled"},
    "param": {(True, True): "param-changed", (True, False): "param-widened", (False, True): "param-narrowed"},
    "return": {(True, True): "return-changed", (True, False): "return-widened", (False, True): "return-narrowed"},
}
_FAMILIES = {
    **dict.fromkeys(("type-changed", "widened", "narrowed"), "value"),
    **dict.fromkeys(("param-changed", "param-widened", "param-narrowed"), "param"),
    **dict.fromkeys(("return-changed", "return-widened", "return-narrowed"), "return"),
}


@dataclass(frozen=True, slots=True)
class Answer:
    """What the compiler said about one line, against the old version and the new one (None: it compiles)."""

    line: Line
    old: Refusal | None
    new: Refusal | None

    @property
    def proves(self) -> bool:
        refused = self.old or self.new
        return (self.old is None) != (self.new is None) and refused is not None and not _NOMINAL.search(refused.text)

    @property
    def clean(self) -> bool:
        """Both compile: the line shows no difference."""
        return self.old is None and self.new is None


def program(changes: Sequence[Change], old: Naming, new: Naming) -> tuple[str, list[Line]]:
    """The text of the program and its lines; line number ``n`` stands at text line ``start + 2n`` (old), ``+ 1`` (new)."""
    found = [line for order, change in enumerate(changes) for line in lines(order, change, old, new)]
    texts = [PRELUDE.rstrip("\n")]
    for number, line in enumerate(found):
        texts.append(line.old.replace(MARK, f"{number}o").replace("\n", " ") if line.old else "")
        texts.append(line.new.replace(MARK, f"{number}n").replace("\n", " ") if line.new else "")
    return "\n".join(texts) + "\n", found


def settle(changes: Sequence[Change], found: Sequence[Line], refusals: Mapping[int, Refusal]) -> list[Change]:
    """The changes with what the compiler said about them."""
    answers: dict[int, list[Answer]] = {}
    for number, line in enumerate(found):
        answer = Answer(line, refusals.get(FIRST + 2 * number), refusals.get(FIRST + 2 * number + 1))
        answers.setdefault(line.order, []).append(answer)
    return [_settled(change, answers.get(order, [])) for order, change in enumerate(changes)]


def _settled(change: Change, answers: Sequence[Answer]) -> Change:
    proofs = [answer for answer in answers if answer.proves]
    family = _FAMILIES.get(change.kind)
    if family and answers and all(answer.proves or answer.clean for answer in answers):
        uses = {answer.line.use for answer in proofs}
        kind = _SETTLED[family].get(("read" in uses, "write" in uses), "respelled")
        if kind == "respelled" and (change.kind != "type-changed" or _is_open(change)):
            kind = change.kind
        change = replace(change, kind=kind)
    if not proofs:
        return change
    shown: dict[str, Json] = {"witness": _shown(proofs), "witness_role": ROLES[proofs[0].line.use]}
    return replace(change, confidence="proven", args={**change.args, **shown})


def _is_open(change: Change) -> bool:
    """Whether the change speaks of a condition on type parameters nobody filled in: lines that know them as ``any``, which meets
    every condition and none, cannot clear it."""
    return any(_CONDITION.search(str(side)) for side in (change.before, change.after))


def _shown(proofs: Sequence[Answer]) -> str:
    """The lines for a reader to try, whole: the helper types they use, and what the compiler answers to each."""
    parts = []
    for number, proof in enumerate(proofs[:2]):
        refused = proof.new or proof.old
        assert refused is not None
        good, bad = (proof.line.old, proof.line.new) if proof.new else (proof.line.new, proof.line.old)
        why = _FOLDER.sub("", f"{refused.code}: {refused.text.splitlines()[0]}")[:400]
        parts.append(f"{good.replace(MARK, f'{number}a')} // compiles\n{bad.replace(MARK, f'{number}b')} // {why}")
    text = "\n".join(parts)
    return helpers(text) + text


def naming(side: str, package: str, facts: Mapping[Any, Any], packages: Mapping[str, str]) -> Naming:
    """``facts`` are one snapshot's facts of declared types by address."""
    values = {str(address)[3:]: fact.value for address, fact in facts.items() if isinstance(fact.value, dict)}
    definitions = {name: value for name, value in values.items() if "kind" in value}
    entries = frozenset(name for name, value in values.items() if "entry" in value)
    for name, value in values.items():  # another name of what stands elsewhere
        if target := definitions.get(str(value.get("reexport", ""))):
            definitions[name] = {key: part for key, part in target.items() if key != "hid"}
    return Naming(side, package, definitions, packages, entries)


__all__ = ["FIRST", "FORMAT", "Naming", "Refusal", "check", "naming", "program", "settle"]
