"""package.json as facts, one a thing somebody may rely on. Source: npm's package.json and Node's packages documentation.

``manifest:NAME#engines.node``, ``#peerDependencies.X``, ``#peerDependenciesMeta.X.optional``, ``#dependencies.X``,
``#optionalDependencies.X``, ``#exports`` (does the package close itself), ``#exports["./tui"]`` (see ``exports``), ``#main``,
``#types``, ``#type``, ``#bin.X``, ``#os``, ``#cpu``, ``#libc``, ``#scripts.postinstall`` (only what runs on install) and
``#missing["./x.js"]`` (named by ``exports``, ``main`` or ``types`` but not in the tarball, when its files are known).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

from driftwatch.model import Address, Fact, Gap, Json, Observed
from driftwatch.observe.facts.exports import Targets, Unreadable, flatten, of_main

_LONGEST = 1000  # characters of a key or a value
_MOST = 2000  # entries of one part
_INSTALL_SCRIPTS = ("preinstall", "install", "postinstall")
_ENDINGS = ("", ".js", ".json", ".node", "/index.js")  # what Node tries for ``main``

Found = Iterator[Fact | Gap]


def observe(name: str, manifest: Json, files: Collection[str] | None = None) -> Observed:
    """Facts of a package.json (the registry's copy or the tarball's). ``files`` are the tarball's paths, without
    ``package/``. A part that is not what npm defines becomes a gap over that part; the rest stands.
    """
    if not isinstance(manifest, dict):
        return Observed(gaps=(Gap(f"manifest:{name}", "package.json is not an object"),))
    part = _Manifest(name, manifest)
    found: list[Fact | Gap] = []
    for observer in (_ranges, _peers_meta, _exports, _entries, _bin, _platforms):
        found.extend(observer(part))
    found.extend(_scripts(part, files))
    if files is not None:
        found.extend(_missing(part, files))
    facts = tuple(item for item in found if isinstance(item, Fact))
    return Observed(facts, tuple(item for item in found if isinstance(item, Gap)))


class _Manifest:
    def __init__(self, name: str, data: Mapping[str, Json]) -> None:
        self.name, self.data = name, data

    def fact(self, member: str, value: Json) -> Fact:
        return Fact(Address.of("manifest", self.name, member), value, "package/package.json")

    def gap(self, member: str, reason: str) -> Gap:
        return Gap(Address.of("manifest", self.name, member), f"{member} of package.json {reason}")

    def table(self, key: str) -> tuple[Mapping[str, Json], list[Gap]]:
        """An object of package.json; {} when missing. What is not an object, or too big, is a gap."""
        value = self.data.get(key)
        if value is None:
            return {}, []
        if not isinstance(value, dict):
            return {}, [self.gap(key, "is not an object")]
        if len(value) > _MOST:
            return {}, [self.gap(key, f"has more than {_MOST} entries")]
        return value, []

    def each(self, key: str, make: Callable[[str, Json], Fact | None]) -> Found:
        """A fact for each entry of an object; an entry that gives none is a gap."""
        table, gaps = self.table(key)
        yield from gaps
        for entry, value in table.items():
            if not _plain(entry):
                yield self.gap(key, "has a key that is not usable")
            else:
                yield make(entry, value) or self.gap(f"{key}.{entry}", "is not of the kind npm defines")


def _plain(text: Json) -> bool:
    return isinstance(text, str) and 0 < len(text) <= _LONGEST and text.isprintable()


def _ranges(part: _Manifest) -> Found:
    for key in ("engines", "peerDependencies", "dependencies", "optionalDependencies"):

        def make(entry: str, value: Json, key: str = key) -> Fact | None:
            usable = _plain(value) or value == ""
            return part.fact(f"{key}.{entry}", value) if usable else None

        yield from part.each(key, make)


def _peers_meta(part: _Manifest) -> Found:
    def make(entry: str, value: Json) -> Fact | None:
        optional = value.get("optional", False) if isinstance(value, dict) else None
        member = f"peerDependenciesMeta.{entry}.optional"
        return part.fact(member, optional) if isinstance(optional, bool) else None

    yield from part.each("peerDependenciesMeta", make)


def _exports(part: _Manifest) -> Found:
    exports = part.data.get("exports")
    yield part.fact("exports", "closed" if exports is not None else "open")
    if exports is None:
        yield part.fact('exports["."]', _pairs(of_main(part.data)))
        return
    try:
        flat = flatten(exports)
    except Unreadable as error:
        yield part.gap("exports", f"cannot be read: {error}")
        return
    if len(flat) > _MOST:
        yield part.gap("exports", f"has more than {_MOST} subpaths")
        return
    for subpath, targets in flat.items():
        member = f'exports["{subpath}"]'
        if not _plain(subpath) or '"' in subpath:
            yield part.gap("exports", "has a subpath that is not usable")
        elif not all(_plain(text) for pair in targets for text in pair if text is not None):
            yield part.gap(member, "has a target that is not usable")
        else:
            yield part.fact(member, _pairs(targets))


def _pairs(targets: Targets) -> Json:
    return [[condition, target] for condition, target in targets]


def _entries(part: _Manifest) -> Found:
    data = part.data
    module_kind = data.get("type", "commonjs")
    yield part.fact("type", module_kind) if module_kind in ("module", "commonjs") else part.gap("type", "is not a module kind")
    for member, value in (("main", data.get("main")), ("types", data.get("types", data.get("typings")))):
        if _plain(value):
            yield part.fact(member, value)
        elif value not in (None, "", False):
            yield part.gap(member, "is not a path")


def _bin(part: _Manifest) -> Found:
    if _plain(path := part.data.get("bin")):
        yield part.fact(f"bin.{part.name.rpartition('/')[2]}", path)
        return
    yield from part.each("bin", lambda entry, value: part.fact(f"bin.{entry}", value) if _plain(value) else None)


def _platforms(part: _Manifest) -> Found:
    for key in ("os", "cpu", "libc"):
        value = part.data.get(key)
        listed = [value] if isinstance(value, str) else value
        if listed is None or listed == []:
            continue
        if isinstance(listed, list) and len(listed) < 100 and all(_plain(item) for item in listed):
            yield part.fact(key, sorted(set(listed), key=str))
        else:
            yield part.gap(key, "is not a list of names")


def _scripts(part: _Manifest, files: Collection[str] | None) -> Found:
    table, gaps = part.table("scripts")
    yield from gaps
    for script in _INSTALL_SCRIPTS:
        value = table.get(script)
        if isinstance(value, str) and value.strip():
            yield part.fact(f"scripts.{script}", " ".join(value.split())[:_LONGEST])
        elif value not in (None, ""):
            yield part.gap(f"scripts.{script}", "is not a command")
    if files and "binding.gyp" in files and not table.get("install") and not table.get("preinstall"):
        yield part.fact("scripts.install", "node-gyp rebuild")  # npm's own rule for a package with binding.gyp


def _missing(part: _Manifest, files: Collection[str]) -> Found:
    present = files if isinstance(files, (set, frozenset, dict)) else set(files)
    for target, endings in sorted(_named(part)):
        path = target.removeprefix("./").rstrip("/")
        if not any(path + ending in present for ending in endings):
            yield part.fact(f'missing["{target}"]', True)


def _named(part: _Manifest) -> set[tuple[str, tuple[str, ...]]]:
    """Every file package.json promises, with the endings a resolver would add. Patterns promise no one file."""
    named: set[tuple[str, tuple[str, ...]]] = set()
    if part.data.get("exports") is None:
        named = {(target, _ENDINGS) for condition, target in of_main(part.data) if target and condition == "default"}
        named = {pair for pair in named if part.data.get("main")}
    else:
        try:
            flat = flatten(part.data["exports"])
        except Unreadable:
            flat = {}
        targets = [target for targets in flat.values() for _, target in targets]
        named = {(target, ("",)) for target in targets if target and target.startswith("./") and "*" not in target}
    types = part.data.get("types", part.data.get("typings"))
    if isinstance(types, str) and types:
        named.add((types, ("", ".d.ts", "/index.d.ts")))
    return {(target, endings) for target, endings in named if _plain(target) and '"' not in target and not target.endswith("/")}
