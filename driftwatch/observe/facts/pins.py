"""How far the version a project pins is from each dist-tag: ``pin:PACKAGE`` and ``pin:PACKAGE#TAG``. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from driftwatch.model import Address, Fact, Gap, Json, Observed
from driftwatch.versions import parse


class Packument(Protocol):
    @property
    def dist_tags(self) -> Mapping[str, str]: ...
    @property
    def versions(self) -> Mapping[str, Any]: ...


def observe(package: str, version: str, packument: Packument) -> Observed:
    """``{"version"}`` of the pin, and for each tag ``{"version", "behind"}``: how many published versions lie after the pin up
    to the tag's (``ahead``: after the tag's up to the pin). Pre-releases count only where one of the two is one."""
    if version not in packument.versions:
        return Observed(
            gaps=(Gap(f"pin:{package}", f"{package} {version} is not published (any more)", "pin a published version"),)
        )
    facts = [Fact(Address.of("pin", package), {"version": version}, "registry")]
    for tag, tagged in packument.dist_tags.items():
        facts.append(
            Fact(Address.of("pin", package, tag), {"version": tagged, **_distance(version, tagged, packument)}, "registry")
        )
    return Observed(tuple(facts))


def _distance(pin: str, tagged: str, packument: Packument) -> dict[str, Json]:
    ours, theirs = parse(pin), parse(tagged)
    if ours is None or theirs is None:
        return {}
    low, high = sorted((ours, theirs))
    either = bool(ours.prerelease or theirs.prerelease)
    known = (parsed for each in packument.versions if (parsed := parse(each)) and (either or not parsed.prerelease))
    count = sum(low < each <= high for each in known)
    return {"behind": count} if ours <= theirs else {"ahead": count}
