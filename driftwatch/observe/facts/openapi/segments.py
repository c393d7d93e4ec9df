"""How a member is written below a schema: ``.name``, ``["odd name"]``, ``[]`` items, ``[0]`` one of a tuple,
``[string]`` the values of a map, ``(type=text)`` one variant of a union."""

from __future__ import annotations

import json
import re
from functools import lru_cache

_PLAIN = re.compile(r"[A-Za-z0-9_$][\w$-]*")

ITEMS = "[]"
VALUES = "[string]"
CONTENT = "(content)"


@lru_cache(4096)
def key(name: str) -> str:
    """The segment of a property: ``.name``, or quoted when the name holds anything an address gives a meaning to."""
    return f".{name}" if _PLAIN.fullmatch(name) else f"[{json.dumps(name, ensure_ascii=False)}]"


def variant(label: str) -> str:
    """The segment of a union's variant. Brackets, quotes and control characters are taken out: it must stay one segment."""
    return "(" + re.sub(r"[()\[\]\"\x00-\x1f\x7f]", "_", label) + ")"


def below(parent: str, segment: str) -> str:
    """The address of a segment below a parent: the first one after ``#`` stands without its dot."""
    if "#" in parent:
        return parent + segment
    return f"{parent}#{segment[1:] if segment.startswith('.') else segment}"


_SEGMENT = re.compile(r'\["(?:[^"\\]|\\.)*"\]|\[[^\]]*\]|\([^)]*\)|\.?[^.\[(]+')


def split(member: str) -> list[str]:
    """The segments of a member, first to last."""
    return [found if found[0] in ".[(" else f".{found}" for found in _SEGMENT.findall(member)]


def name(segment: str) -> str:
    """The property a segment names, as the document spells it."""
    if segment.startswith('["'):
        return str(json.loads(segment[1:-1]))
    return segment.removeprefix(".")
