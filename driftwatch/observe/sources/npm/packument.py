"""A packument, typed: what a registry says about a package. Pure; every oddity becomes a gap, none a crash.

``parse`` reads a registry's answer, ``pack`` and ``unpack`` carry the small part of it that a poll needs through the cache
(a fifth of the body, so that an unchanged package costs no parse of the whole).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from driftwatch.errors import Unobservable
from driftwatch.model import Address, Gap, Json
from driftwatch.observe.sources.npm.integrity import sha1_integrity

FORMAT = 2  # of ``pack``; raise it when parse says something new
_LONGEST = 256  # characters of a tag or version
_TEXT = 2000  # characters of a deprecation note
# What to do about an answer that is not npm's: the cause is nearly always something in between, or a registry of another kind.
LOOK = "see with `driftwatch doctor` which registry is asked, and look at what it, or a proxy in between, answers"


class VersionInfo(NamedTuple):
    """One published version. ``integrity`` is SRI (``sha1-...`` where the registry promises nothing better, "" where it
    promises nothing); ``deprecated`` is the note or None. ``tarball`` is the registry's link, for the registry alone (it
    may be signed)."""

    integrity: str = ""
    deprecated: str | None = None
    tarball: str = ""

    def __repr__(self) -> str:
        return f"VersionInfo(integrity={self.integrity!r}, deprecated={self.deprecated!r})"


@dataclass(frozen=True, slots=True)
class Packument:
    """A package as its registry describes it. ``gaps`` are the parts that could not be read; ``body`` is the answer's
    sha256 (the same bytes, the same facts)."""

    name: str
    dist_tags: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, VersionInfo] = field(default_factory=dict, repr=False)
    times: Mapping[str, str] = field(default_factory=dict, repr=False)
    gaps: tuple[Gap, ...] = ()
    body: str = ""


def load_json(data: bytes, what: str) -> Json:
    """Strict JSON from hostile bytes: no NaN, no infinities, no lone surrogates, no bottomless nesting. Raises Unobservable."""
    if not data.strip():
        raise Unobservable(f"{what} is empty", LOOK)
    try:
        loaded: Json = json.loads(data, parse_constant=_refuse, parse_float=_finite)
        if b"\\ud" in data or b"\\uD" in data:
            json.dumps(loaded, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError) as error:
        raise Unobservable(f"{what} is {_guess(data)}", LOOK) from error
    return loaded


def _refuse(text: str) -> Json:
    raise ValueError(text)


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError(text)
    return number


def _guess(data: bytes) -> str:
    start = data.lstrip()[:64].lower()
    if start.startswith(b"<"):
        return "a web page, not JSON"
    if start.startswith(b"{") and not data.rstrip().endswith(b"}"):
        return "cut short: not whole JSON"
    return "not JSON"


def parse(name: str, data: bytes, digest: str = "") -> Packument:
    """A registry's answer for ``name``. Raises Unobservable when nothing of it can be believed."""
    document = load_json(data, f"the registry's answer for {name}")
    if not isinstance(document, dict):
        raise Unobservable(f"the registry's answer for {name} is not an object", LOOK)
    told = document.get("name", document.get("_id"))
    if told is None and "versions" not in document and "dist-tags" not in document:
        raise Unobservable(f"the registry's answer for {name} does not describe a package{_error(document)}", LOOK)
    if told != name:
        shown = repr(told)[:80]
        raise Unobservable(f"the registry answers for another package: {shown} instead of {name!r}", LOOK)
    gaps: list[Gap] = []
    versions = _versions(name, document, gaps)
    return Packument(name, _tags(name, document, gaps), versions, _times(document), tuple(gaps), digest)


def manifests(data: bytes, name: str) -> Mapping[str, Json]:
    """Every version's manifest as published, by version. Raises Unobservable."""
    document = load_json(data, f"the registry's answer for {name}")
    versions = document.get("versions") if isinstance(document, dict) else None
    return versions if isinstance(versions, dict) else {}


def _error(document: dict[str, Json]) -> str:
    error = document.get("error")
    return f" ({printable(error)[:80]})" if isinstance(error, str) else ""


def _tags(name: str, document: dict[str, Json], gaps: list[Gap]) -> dict[str, str]:
    raw = document.get("dist-tags")
    if not isinstance(raw, dict):
        gaps.append(Gap(Address.of("tag", name, "**"), _why("dist-tags", raw, "an object"), LOOK))
        return {}
    tags: dict[str, str] = {}
    for tag, version in raw.items():
        if not _usable(tag):
            gaps.append(Gap(Address.of("tag", name, printable(tag)[:80]), "the tag's name is not usable", LOOK))
        elif not isinstance(version, str) or not _usable(version):
            gaps.append(Gap(Address.of("tag", name, tag), _why("the tag's version", version, "a version"), LOOK))
        else:
            tags[tag] = version
    return tags


def _versions(name: str, document: dict[str, Json], gaps: list[Gap]) -> dict[str, VersionInfo]:
    raw = document.get("versions")
    if not isinstance(raw, dict):
        reason = _unpublished(document) or _why("versions", raw, "an object")
        gaps.append(Gap(Address.of("version", name, "**"), reason, LOOK))
        return {}
    versions: dict[str, VersionInfo] = {}
    for version, manifest in raw.items():
        address = Address.of("version", name, printable(version)[:80])
        if not is_semver(version):
            gaps.append(Gap(address, "the version is not semantic", LOOK))
        elif not isinstance(manifest, dict):
            gaps.append(Gap(address, _why("the version's manifest", manifest, "an object"), LOOK))
        elif manifest.get("version", version) != version or manifest.get("name", name) != name:
            gaps.append(Gap(address, "the manifest filed under this version names another one", LOOK))
        else:
            versions[version] = _version(address, manifest, gaps)
    return versions


def _version(address: Address, manifest: dict[str, Json], gaps: list[Gap]) -> VersionInfo:
    dist = manifest.get("dist")
    if not isinstance(dist, dict):
        gaps.append(Gap(address, _why("dist", dist, "an object"), LOOK))
        dist = {}
    texts = {key: value for key, value in dist.items() if isinstance(value, str)}
    integrity = texts.get("integrity", "")[:1024] or sha1_integrity(texts.get("shasum", ""))
    return VersionInfo(integrity, _note(manifest.get("deprecated")), texts.get("tarball", "")[:4096])


def _note(value: Json) -> str | None:
    """npm deprecates with a text; "" and false take it back; true and other things count as a note without words."""
    if value in (None, "", False):
        return None
    return printable(value)[:_TEXT] if isinstance(value, str) else "deprecated"


def _times(document: dict[str, Json]) -> dict[str, str]:
    raw = document.get("time")
    if not isinstance(raw, dict):
        return {}
    return {key: value for key, value in raw.items() if isinstance(value, str) and len(value) < 64 and _usable(key)}


def _unpublished(document: dict[str, Json]) -> str:
    time = document.get("time")
    gone = time.get("unpublished") if isinstance(time, dict) else None
    if not gone:
        return ""
    when = gone.get("time") if isinstance(gone, dict) else gone
    return f"the whole package was unpublished ({printable(str(when))[:40]})"


def _why(part: str, value: Json, wanted: str) -> str:
    return f"{part} is missing" if value is None else f"{part} is {_kind(value)}, not {wanted}"


def _kind(value: Json) -> str:
    kinds: tuple[tuple[Any, str], ...] = ((bool, "a boolean"), (str, "a text"), (list, "a list"), (dict, "an object"))
    return next((name for kind, name in kinds if isinstance(value, kind)), "a number")


def _usable(text: str) -> bool:
    return 0 < len(text) <= _LONGEST and text.isprintable()


def is_semver(text: str) -> bool:
    """Is it a semantic version (2.0.0)? A length cap keeps absurd numbers out."""
    from semver import Version

    return len(text) <= _LONGEST and Version.is_valid(text)


def printable(text: str) -> str:
    """``text`` on one line, every control and unassignable character shown as U+FFFD."""
    return "".join(char if char.isprintable() else " " if char in "\n\r\t" else "\ufffd" for char in text)


def pack(packument: Packument) -> Json:
    """What ``unpack`` needs, as JSON."""
    return {
        "format": FORMAT,
        "name": packument.name,
        "tags": dict(packument.dist_tags),
        "versions": {version: list(info) for version, info in packument.versions.items()},
        "times": dict(packument.times),
        "gaps": [[gap.address, gap.reason, gap.remedy] for gap in packument.gaps],
        "body": packument.body,
    }


def unpack(packed: Json) -> Packument | None:
    """A packument out of the cache; None when it is from another format of ours, or none at all."""
    if not isinstance(packed, dict) or packed.get("format") != FORMAT:
        return None
    raw: dict[str, Any] = packed
    try:
        versions = {version: VersionInfo(*info) for version, info in raw["versions"].items()}
        gaps = tuple(Gap(*gap) for gap in raw["gaps"])
        return Packument(raw["name"], raw["tags"], versions, raw["times"], gaps, raw["body"])
    except (KeyError, TypeError, AttributeError):
        return None
