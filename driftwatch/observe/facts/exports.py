"""The ``exports`` of a package.json, laid flat. Source: Node.js documentation, "Packages", and TypeScript's reading of it.

Each subpath becomes ``[[condition, target], ...]`` in the order the resolver tries them (the order means something, and a
list keeps it where an object would not); nested conditions are joined by dots: ``[["node.import", "./a.mjs"], ...]``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from driftwatch.model import Json

DEEPEST = 12
MOST_TARGETS = 500

Targets = list[tuple[str, str | None]]


class Unreadable(ValueError):
    """An ``exports`` no resolver would accept; the text says why."""


def flatten(exports: Json) -> dict[str, Targets]:
    """Targets by subpath. Subpaths blocked with null everywhere are left out: they are not exported. Raises Unreadable."""
    table = exports if isinstance(exports, dict) and any(key.startswith(".") for key in exports) else {".": exports}
    flat: dict[str, Targets] = {}
    for subpath, value in table.items():
        if not subpath.startswith("."):
            raise Unreadable("it mixes subpaths and conditions")
        targets: Targets = []
        for pair in _walk(value, (), DEEPEST):
            targets.append(pair)
            if len(targets) > MOST_TARGETS:
                raise Unreadable("one subpath has too many targets")
        if any(target is not None for _, target in targets):
            flat[subpath] = targets
    return flat


def _walk(value: Json, path: tuple[str, ...], depth: int) -> Iterator[tuple[str, str | None]]:
    if not depth:
        raise Unreadable("its conditions are nested too deep")
    if value is None or isinstance(value, str):
        yield ".".join(path) or "default", value
    elif isinstance(value, list):
        for item in value:
            yield from _walk(item, path, depth - 1)
    elif isinstance(value, dict):
        for condition, inner in value.items():
            yield from _walk(inner, (*path, condition), depth - 1)
    else:
        raise Unreadable("a target is neither a path nor conditions")


def of_main(manifest: Mapping[str, Json]) -> Targets:
    """What ``.`` means in a package without ``exports``: its ``types`` and its ``main``."""
    types = manifest.get("types", manifest.get("typings"))
    main = manifest.get("main")
    found: Targets = [("types", types)] if isinstance(types, str) else []
    return [*found, ("default", main if isinstance(main, str) and main else "index.js")]
