"""What a plugin changes: the same exercise with it and without it, compared. Pure: two runs in, facts out.

A fact says what is different, never what the host does anyway, so that the facts of two hosts can be compared. Names are
``<scene>#<what>``, or ``<what>`` where no scene is meant. Long texts are told by their size, digest and beginning.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from driftwatch.model import Json

Run = Mapping[str, Any]
SHOWN = 160
NOISY_HEADERS = frozenset({"content-length", "host", "connection", "accept-encoding", "user-agent"})
HASH = re.compile(r"(?<![0-9a-z])[0-9a-f]{8,64}(?![0-9a-z])", re.IGNORECASE)
EPHEMERAL = 32768  # where Linux begins to choose
DATABASE = re.compile(r"-(shm|wal|journal)$")  # comes and goes beside its file
GONE = "left#files that are gone"
MOST_GONE = 20
COUNTED = re.compile(r"\d{4,}")


def effects(without: Run, run: Run) -> dict[str, Json]:
    """Everything that is different with the plugin, by name, sorted."""
    facts: dict[str, Json] = {}
    for name, scene in run["scenes"].items():
        control = without["scenes"].get(name)
        if control is None:
            facts |= {f"{name}#{key}": value for key, value in scene["facts"].items() if value is not None}
            continue
        if scene["reason"] and not control["reason"]:
            facts[f"{name}#failed"] = scene["reason"]
        facts |= {f"{name}#{key}": value for key, value in _facts(control["facts"], scene["facts"])}
        facts |= {f"{name}#status of {key}": value for key, value in _facts(control["status"], scene["status"])}
        facts |= {f"{name}#{key}": value for key, value in _requests(control["requests"], scene["requests"])}
        if more := scene.get("more"):
            facts[f"{name}#requests not kept"] = more
    facts |= _left(without, run)
    if reached := wanted(without, run):
        facts["network#wanted"] = list(reached)
    if loud := _log(without, run):
        facts["log#complaints"] = list(loud)
    return dict(sorted(facts.items()))


# --- what the host hands out


def _facts(before: Mapping[str, Json], after: Mapping[str, Json]) -> Iterator[tuple[str, Json]]:
    for key in sorted({*before, *after}):
        changed = difference(before.get(key), after.get(key))
        if changed:
            yield key, changed


def difference(before: Any, after: Any) -> dict[str, Json]:
    """``added``, ``removed``, ``changed`` of lists or objects, ``without`` and ``with`` of plain values; {} when equal."""
    if before == after:
        return {}
    old, new = _keyed(before), _keyed(after)
    if old is None or new is None:
        return {"without": _short(before), "with": _short(after)}
    told: dict[str, Json] = {
        "added": [*sorted(new.keys() - old.keys())],
        "removed": [*sorted(old.keys() - new.keys())],
        "changed": _changed(old, new),
    }
    return {key: value for key, value in told.items() if value}


def _changed(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Json]:
    """Paths of what both have and is different, one step deeper where that says more."""
    found: list[Json] = []
    for key in sorted(old.keys() & new.keys()):
        if old[key] == new[key]:
            continue
        inner_old, inner_new = (old[key], new[key]) if isinstance(old[key], dict) and isinstance(new[key], dict) else ({}, {})
        inner = [part for part in sorted({*inner_old, *inner_new}) if inner_old.get(part) != inner_new.get(part)]
        found += [f"{key}.{part}" for part in inner] or [key]
    return found


def _keyed(value: Any) -> dict[str, Any] | None:
    """A list of named things, or of plain values, by name; None for what is neither list nor object."""
    if isinstance(value, dict):
        return value
    if not isinstance(value, list):
        return None
    found = {}
    for item in value:
        name = (item.get("name") or item.get("id")) if isinstance(item, dict) else None
        found[str(name) if name else item if isinstance(item, str) else _digest(item)] = item
    return found


# --- what reaches the model


def _requests(before: Sequence[Run], after: Sequence[Run]) -> Iterator[tuple[str, Json]]:
    """Requests are held against each other by their kind and order in the scene."""
    for kind in sorted({request["kind"] for request in (*before, *after)}):
        old = [request for request in before if request["kind"] == kind]
        new = [request for request in after if request["kind"] == kind]
        if len(old) != len(new):
            yield f"{kind}.requests", {"without": len(old), "with": len(new)}
        for number, (one, other) in enumerate(zip(old, new, strict=False), 1):
            for part, changed in _request(one, other):
                yield f"{kind}.{number}.{part}", changed


def _request(before: Run, after: Run) -> Iterator[tuple[str, Json]]:
    if changed := rewritten("\n".join(before["system"]), "\n".join(after["system"])):
        yield "system", changed
    if changed := difference(before["tools"], after["tools"]):
        yield "tools", changed
    if changed := rewritten(_lines(before["messages"]), _lines(after["messages"])):
        yield "messages", changed
    if changed := difference(before["options"], after["options"]):
        yield "options", changed
    if changed := difference(*({k: v for k, v in one["headers"].items() if k not in NOISY_HEADERS} for one in (before, after))):
        yield "headers", changed
    if before["model"] != after["model"]:
        yield "model", {"without": _short(before["model"]), "with": _short(after["model"])}


def _lines(messages: Sequence[Any]) -> str:
    return "\n".join(json.dumps(message, ensure_ascii=False, sort_keys=True) for message in messages)


def rewritten(before: str, after: str) -> dict[str, Json]:
    """How a long text differs: how much was added, its digest and beginning, and how much of the old is gone."""
    old, new = before.splitlines(), after.splitlines()
    if old == new:
        return {}
    matching = difflib.SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    kept = {index for block in matching for index in range(block.b, block.b + block.size)}
    stayed = sum(block.size for block in matching)
    added = "\n".join(line for index, line in enumerate(new) if index not in kept)
    gone = "none" if stayed == len(old) else "all" if not stayed else "some"
    return {"added": len(added), "removed": gone, "begins": added.strip()[:SHOWN], "digest": _digest(added)}


# --- what is left, and what the log says


def _left(without: Run, run: Run) -> dict[str, Json]:
    facts: dict[str, Json] = {}
    for what, plain in (("processes", str), ("ports", _port)):
        if found := sorted({plain(each) for each in set(run["left"].get(what, ())) - set(without["left"].get(what, ()))}):
            facts[f"left#{what}"] = list(found)
    for word, names in topmost(without["left"]["there"], run["left"]["files"]).items():
        facts[f"left#files in {word}"] = list(names)
    gone_with_it = () if run.get("ended") else run["left"].get("gone", ())  # with a host that ended its whole place may be gone
    missing = set(gone_with_it) - set(without["left"].get("gone", ()))
    if gone := sorted(name for name in missing if not DATABASE.search(name)):
        facts[GONE] = list(gone[:MOST_GONE])
    if run["late"] > without["late"]:
        facts["left#requests after the end"] = run["late"]
    return facts


def _port(number: str) -> str:
    """Ports the system chose are one word: they are others next time."""
    return number if int(number) < EPHEMERAL else "a port the system chose"


def topmost(before: Sequence[str], after: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """New files by place, each told by the topmost folder that is new with it; ids and hashes in names made one."""
    known = {part for name in before for part in _above(_plain(name))}
    found: dict[str, set[str]] = {}
    for name in after:
        path = _plain(name)
        if path not in known:
            top = next(part for part in reversed(_above(path)) if part not in known)
            word, _, rest = top.partition(">/")
            found.setdefault(word.lstrip("<"), set()).add(rest if top == path else f"{rest}/")
    return {word: tuple(sorted(names)) for word, names in sorted(found.items())}


def _above(path: str) -> list[str]:
    """The path and every folder above it, deepest first; the place itself is not one."""
    word, mark, rest = path.partition(">/")
    parts = rest.split("/")
    return [word + mark + "/".join(parts[:count]) for count in range(len(parts), 0, -1)]


def _plain(name: str) -> str:
    return COUNTED.sub("<n>", HASH.sub("<hash>", DATABASE.sub("", name)))


def wanted(without: Run, run: Run) -> tuple[str, ...]:
    """The hosts it asked for that are not asked for without it. Which registry packages come from differs by place."""
    names = set(run["wanted"]) - set(without["wanted"])
    return tuple(sorted({"a package registry" if name.startswith("registry.") else name for name in names}))


def _log(without: Run, run: Run) -> tuple[str, ...]:
    """Errors and warnings that are not there without the plugin, each once."""
    known = set(complaints(without))
    return tuple(line for line in complaints(run) if line not in known)[:40]


def complaints(run: Run) -> tuple[str, ...]:
    lines = []
    for line in run.get("log", ()):
        if line["level"] in ("error", "warn"):
            said = " ".join(filter(None, (line["text"], line["fields"].get("message"), line["fields"].get("error"))))
            lines.append(f"{line['level']}: {_plain(said)}"[:400])
    return tuple(dict.fromkeys(lines))


def _short(value: Any) -> Json:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return value if len(text) <= SHOWN else f"{text[:SHOWN]}… ({_digest(value)})"


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]
