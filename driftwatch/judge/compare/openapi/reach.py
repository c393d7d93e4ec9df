"""Where an edit of a shared schema is met: the operations, events and config keys that use it, each by its own address."""

from __future__ import annotations

from collections import deque
from collections.abc import Set

from driftwatch.judge.compare.openapi.side import Side, below, subject_of

MAX_REACHES = 500  # an edit that reaches more is an edit of everything


def met(old: Side, new: Side, address: str, roots: Set[str]) -> list[str]:
    """The ways to an edit of a shared schema from the roots it was found from, each on the side that has one: who uses the
    schema on both sides, and it alone, does not meet what others have in its place now."""
    found = {**ways(new, address, roots), **ways(old, address, roots)}
    for place in sorted(roots):
        owner = subject_of(place)
        if not {_root(owner, place), owner} & found.keys():
            found[_root(owner, place)] = place
    return sorted(found.values())[:MAX_REACHES]


def ways(side: Side, address: str, roots: Set[str] | None = None) -> dict[str, str]:
    """The shortest way from each operation's body, answer or parameter (and each event) to a place of a shared schema,
    written as the address at which its author would look for it, such as ``http:GET /session#response.200[].id``, by what it
    begins at. ``roots``: the bodies, answers, parameters and events that are meant (all)."""
    subject, _, member = address.partition("#")
    start = member if not member or member[0] in "[(" else f".{member}"
    found: dict[str, str] = {}
    queue: deque[tuple[str, str]] = deque([(subject, start)])
    seen = {subject}
    while queue and len(found) < MAX_REACHES:
        current, rest = queue.popleft()
        for use, target in side.users.get(current, ()):
            inner = _rest(target, current, rest)
            owner = subject_of(use)
            if inner is None:
                continue
            here = below(use, inner) if inner else use
            event = side.value(owner).get("event")
            if isinstance(event, str):
                if roots is None or f"event:{event}" in roots:
                    found.setdefault(f"event:{event}", below(f"event:{event}", _member(here)))
            elif owner.startswith("schema:"):
                if owner not in seen:
                    seen.add(owner)
                    queue.append((owner, _member(here)))
            elif roots is None or _below(use, roots):
                found.setdefault(_root(owner, use), here)
    return found


def _below(use: str, roots: Set[str]) -> bool:
    """Whether a use stands in one of these places. Keys of the configuration are walked apart: any may meet the edit."""
    owner, _, member = use.partition("#")
    cuts = (at for at in range(len(member) + 1) if at == len(member) or member[at] in ".[(")
    return use.startswith("config:") or owner in roots or any(f"{owner}#{member[:at]}" in roots for at in cuts)


def _rest(target: str, current: str, rest: str) -> str | None:
    """What is left of the way below ``target``, None when the place is not below it. Who uses a part of a schema uses it."""
    if target == current or not rest:
        return rest
    inner = _member(target)
    return rest[len(inner) :] if rest == inner or (rest.startswith(inner) and rest[len(inner)] in ".[(") else None


def _member(address: str) -> str:
    member = address.partition("#")[2]
    return member if not member or member[0] in "[(" else f".{member}"


def _root(owner: str, use: str) -> str:
    """One way an operation and side is enough."""
    return f"{owner} {'answer' if '#response' in use else 'ask'}"
