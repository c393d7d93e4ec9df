"""One edit in a declaration shows at every type it is part of: all of them are one change, at the place it was made. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from driftwatch.judge.compare.types.edits import Edit
from driftwatch.judge.compare.types.graph import Side
from driftwatch.model import Address


@dataclass(frozen=True, slots=True)
class Claimed:
    """An edit and the others that are the same one, elsewhere."""

    edit: Edit
    echoes: tuple[Edit, ...] = ()


# The same edit seen from the giving and from the taking side, or inside a union.
NEUTRAL = {
    "param-field-added-optional": "added-optional",
    "param-field-added-required": "added-required",
    "output-field-added": "added-required",
    "param-field-removed": "removed",
    "param-field-required": "became-required",
    "param-field-optional": "became-optional",
    "param-readonly-added": "readonly-added",
    "param-readonly-removed": "readonly-removed",
    "param-changed": "type-changed",
    "return-changed": "type-changed",
    "param-widened": "widened",
    "return-widened": "widened",
    "union-member-added": "widened",
    "param-narrowed": "narrowed",
    "return-narrowed": "narrowed",
    "union-member-removed": "narrowed",
}

MANY = 20  # members that moved alike because the type around them is another one

# What is said of a member as such, whatever its type.
_PRESENCE = frozenset(
    {
        "added-optional",
        "added-required",
        "became-optional",
        "became-required",
        "deprecated",
        "readonly-added",
        "readonly-removed",
        "removed",
        "undeprecated",
    }
)

# A member of a union, by a literal it holds: what all of them have in common is often declared once.
_TAG = re.compile(r"\([^()=]+=[^()]*\)")


def claim(edits: Iterable[Edit], old: Side, new: Side) -> list[Claimed]:
    found = list(edits)
    direct = {(edit.subject, NEUTRAL.get(edit.kind, edit.kind)): edit for edit in found if not edit.origin}
    alike = {_looks(edit): edit for edit in found if not edit.parts}
    groups: dict[tuple[str, ...], list[Edit]] = {}
    for edit in found:
        homes = [alike.get(_looks(leaf)) for leaf in edit.leaves()] if edit.parts else []
        home = homes[0] if homes and all(homes) else None
        groups.setdefault(_made_at(_replaced(home or edit, direct), old, new), []).append(edit)
    return [_first(group, old, new) for group in _replacements(_unions(list(groups.values())))]


def _replacements(groups: list[list[Edit]]) -> list[list[Edit]]:
    """A member whose type is another name now: where that moves many members alike, it is one change that names them."""
    alike: dict[tuple[str, ...], list[list[Edit]]] = {}
    around: tuple[str, ...]
    for group in groups:
        edit = group[0]
        if edit.below and all(each.origin for each in group):
            around = (edit.owner, edit.path.removesuffix(edit.below), edit.origin, NEUTRAL.get(edit.kind, edit.kind))
        else:
            around = (str(len(alike)),)  # nothing is like it
        alike.setdefault(around, []).append(group)
    return [one for same in alike.values() for one in ([list(chain(*same))] if len(same) >= MANY else same)]


def _looks(edit: Edit) -> tuple[str, ...]:
    """What an edit is, wherever it shows."""
    last = edit.path[max((edit.path.rfind(sign) for sign in ".[("), default=0) :]
    return (last, NEUTRAL.get(edit.kind, edit.kind), str(edit.before), str(edit.after))


def _replaced(edit: Edit, direct: Mapping[tuple[str, str], Edit]) -> Edit:
    """Where one name took another's place because of an edit that is told at the first name, that edit."""
    before = edit.origin.partition(" -> ")[0]
    return direct.get((before + edit.below, NEUTRAL.get(edit.kind, edit.kind)), edit) if edit.origin else edit


def _made_at(edit: Edit, old: Side, new: Side) -> tuple[str, ...]:
    """Where the edit stands in the text of both versions, and what it is; its own address when the text does not tell."""
    kind = NEUTRAL.get(edit.kind, edit.kind)
    if edit.origin:
        return (edit.origin, edit.below, kind, str(edit.before), str(edit.after))
    was, now = old.facts.get(_address(edit)), new.facts.get(_address(edit))
    before, after = (was.where if was else ""), (now.where if now else "")
    if (not before and not after) or not edit.path:
        return (edit.owner, _TAG.sub("(*)", edit.path), kind, str(edit.before), str(edit.after))
    if kind in _PRESENCE and {before, after} - {"", old.where(edit.owner), new.where(edit.owner)}:
        return (before, after, kind)  # the type it shows with may differ: a member of a generic type, as each use fills it in
    return (before, after, kind, str(edit.before), str(edit.after))


def _address(edit: Edit) -> Address:
    return Address(f"ts:{edit.subject}")


def _first(group: Sequence[Edit], old: Side, new: Side) -> Claimed:
    """The place it was made, else the most public and shallowest at which it shows."""

    def rank(edit: Edit) -> tuple[bool, float, bool, int, int, str]:
        row = new.definitions.get(edit.owner) or old.definitions.get(edit.owner) or {}
        depth = edit.path.count(".") + edit.path.count("(") + edit.path.count("[")
        return (
            bool(edit.parts),
            _distance(edit, new if edit.after is not None else old),
            not row.get("api"),
            depth,
            len(edit.owner),
            edit.subject,
        )

    ordered = sorted(group, key=rank)
    return Claimed(ordered[0], tuple(edit for edit in ordered[1:] if edit.subject != ordered[0].subject))


def _distance(edit: Edit, side: Side) -> float:
    """Lines from the beginning of the definition to the edit: where it was made is the nearest definition that begins before
    it. Infinite when it stands elsewhere."""
    home, here = _line(side.where(edit.owner)), _line(side.where(edit.subject))
    return float(here[1] - home[1]) if home[0] == here[0] and home[1] <= here[1] else float("inf")


def _line(where: str) -> tuple[str, int]:
    parts = where.rsplit(":", 2)
    return (parts[0], int(parts[1])) if len(parts) == 3 and parts[1].isdigit() else (where, 0)


def _unions(groups: list[list[Edit]]) -> list[list[Edit]]:
    """A union that gained or lost the same members as another union which is part of it only echoes that."""
    kinds = ("union-member-added", "union-member-removed", "widened", "narrowed")
    by_members: dict[tuple[str, str], list[list[Edit]]] = {}
    rest: list[list[Edit]] = []
    for group in groups:
        edit = group[0]
        if edit.kind in kinds and edit.args.get("members"):
            by_members.setdefault((edit.kind, str(edit.args["members"])), []).append(group)
        else:
            rest.append(group)
    for same in by_members.values():
        rest.extend(_parts(same))
    return rest


def _parts(groups: list[list[Edit]]) -> list[list[Edit]]:
    smallest_first = sorted(groups, key=lambda group: len(str(group[0].before)))
    kept: list[list[Edit]] = []
    for group in smallest_first:
        home = next((one for one in kept if _within(one[0], group[0])), None)
        if home is None:
            kept.append(group)
        else:
            home.extend(group)
    return kept


def _within(part: Edit, whole: Edit) -> bool:
    """Whether every member of the one union is a member of the other, before and after; only named unions can be part."""
    return part.path == "" and all(
        set(str(getattr(part, name)).split(" | ")) <= set(str(getattr(whole, name)).split(" | ")) for name in ("before", "after")
    )
