"""What a finding says, made from (rule, args) only here and only now."""

from __future__ import annotations

import string
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from driftwatch import rules
from driftwatch.model import Finding, Json
from driftwatch.render import clean

UNKNOWN = "{address} changed from {before} to {after}"
_LIMIT = 120


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a message: our own words, or a ``value`` that came from upstream (renderers set it as code)."""

    text: str
    value: bool = False


def message(finding: Finding) -> str:
    """One line of plain text, values shortened. Never fails: a missing arg is a "?", an unknown rule has a general text.

    The template is the catalogue's; values are put in as they are and never formatted again.
    """
    return "".join(part.text for part in _parts(finding))


def parts(finding: Finding) -> tuple[Part, ...]:
    """The same message in pieces. Backticks that a template puts around a value are left out: being code says it."""
    return tuple(_without_ticks(list(_parts(finding))))


def prose(text: str, limit: int = 2000) -> tuple[Part, ...]:
    """Text of ours or of a source on one line, taken apart at pairs of backticks: what is between them is a value."""
    pieces = clean.line(text, limit).split("`")
    if len(pieces) % 2 == 0:  # a lone backtick is only a backtick
        pieces[-2:] = ["`".join(pieces[-2:])]
    return tuple(Part(piece, bool(index % 2)) for index, piece in enumerate(pieces) if piece)


def todo(rule: str) -> str:
    """What the catalogue says to do about findings of ``rule`` ("" when the rule is not known)."""
    known = rules.catalogue().get(rule)
    return clean.line(known.todo) if known else ""


def about(rule: str) -> str:
    """Why findings of ``rule`` matter ("" when the rule is not known)."""
    known = rules.catalogue().get(rule)
    return clean.line(known.about) if known else ""


def _parts(finding: Finding) -> Iterator[Part]:
    known = rules.catalogue().get(finding.rule)
    values = _values(finding)
    for literal, name, _, _ in string.Formatter().parse(known.message if known else UNKNOWN):
        if literal:
            yield Part(" ".join(literal.split("\n")))
        if name is not None:
            yield _given(values, name)


def _given(values: Mapping[str, Json], name: str) -> Part:
    if name not in values:
        return Part("?")
    return Part(clean.value(values[name], _LIMIT), value=values[name] is not None)


def _values(finding: Finding) -> Mapping[str, Json]:
    address = finding.address
    before, after = clean.apart(finding.before, finding.after, _LIMIT)
    own: dict[str, Json] = {
        "address": str(address),
        "subject": address.subject,
        "member": address.member,
        "before": before,
        "after": after,
        "where": finding.where,
    }
    return {**finding.args, **own}


def _without_ticks(pieces: list[Part]) -> Iterator[Part]:
    for index, piece in enumerate(pieces):
        text = piece.text
        if not piece.value:
            if index + 1 < len(pieces):
                text = text.removesuffix("`")
            if index:
                text = text.removeprefix("`")
        if text:
            yield Part(text, piece.value)
