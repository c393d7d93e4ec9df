"""What the comparison of two structures finds: edits, each at a path below a definition. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from driftwatch.model import Json


@dataclass(frozen=True, slots=True)
class Edit:
    """One difference. ``owner`` is the definition it was found under, ``path`` what follows it in the address. ``before`` and
    ``after`` are lines of TypeScript (None: not there). ``origin`` names the two types that stand for each other (``OLD -> NEW``)
    when one name was replaced by another, ``below`` the path below them: the same replacement elsewhere is the same edit.
    ``parts`` are what a change of one overload, or of the arguments of a generic type, is made of."""

    owner: str
    path: str
    kind: str
    before: Json = None
    after: Json = None
    args: Mapping[str, Json] = field(default_factory=dict)
    origin: str = ""
    below: str = ""
    parts: tuple[Edit, ...] = ()

    def leaves(self) -> tuple[Edit, ...]:
        """The edits it is made of, all the way down; itself when it is not made of any."""
        return tuple(leaf for part in self.parts for leaf in part.leaves()) or (self,)

    @property
    def subject(self) -> str:
        return self.owner + self.path


# Every kind of change this comparison can find; the rule catalogue has a row for each.
KINDS = (
    "added-optional",
    "added-required",
    "became-any",
    "became-async",
    "became-optional",
    "became-required",
    "became-sync",
    "alias-became-interface",
    "interface-became-alias",
    "callback-param-added",
    "callback-param-removed",
    "class-became-abstract",
    "class-became-concrete",
    "class-became-type",
    "type-became-class",
    "deprecated",
    "undeprecated",
    "entry-added",
    "entry-removed",
    "enum-member-added",
    "enum-member-removed",
    "enum-value-changed",
    "export-added",
    "export-removed",
    "index-added",
    "index-removed",
    "narrowed",
    "output-field-added",
    "overload-added",
    "overload-changed",
    "overload-removed",
    "overload-reordered",
    "param-added-optional",
    "param-added-required",
    "param-became-optional",
    "param-became-required",
    "param-changed",
    "param-field-added-optional",
    "param-field-added-required",
    "param-field-optional",
    "param-field-removed",
    "param-field-required",
    "param-narrowed",
    "param-readonly-added",
    "param-readonly-removed",
    "param-removed",
    "param-widened",
    "readonly-added",
    "readonly-removed",
    "removed",
    "respelled",
    "return-changed",
    "return-narrowed",
    "return-widened",
    "type-changed",
    "type-param-added",
    "type-param-constrained",
    "type-param-default-added",
    "type-param-default-removed",
    "type-param-loosened",
    "type-param-removed",
    "union-member-added",
    "union-member-removed",
    "value-added",
    "value-removed",
    "widened",
)
