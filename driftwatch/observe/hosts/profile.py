"""What a kind of host means for a project that has yet to write a watchlist: data in ``profiles/<driver>.yaml``, one a driver.

A profile proposes; nothing of it takes part in a run. Whoever knows another host adds a file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class Watch:
    """A file of the upstream's repository, what breaks with it, and the uses (address patterns) it is worth watching for."""

    path: str
    breaks: str
    when: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Profile:
    """What a profile says.

    ``packages``: what a project may depend on, the best primary one first; ``implements``: those whose import makes a project an
    implementer; ``engine``: the host's name in ``engines``; ``keywords``: those of package.json by which a project says it is
    for this host; ``config``: the host's configuration files in a project; ``folders``:
    where a project keeps plugins without being a package; ``inputs``: the ``ts:`` addresses of what a plugin is handed, by what
    the guard calls it; ``clients``: the classes of those members of it that call the host; ``tools``: the address of the map of
    tools; ``guard``: the file with the guard's text ("" for none); ``probes``: id -> the uses it is worth running for.
    """

    name: str
    packages: tuple[str, ...]
    implements: tuple[str, ...]
    engine: str
    keywords: tuple[str, ...]
    config: tuple[str, ...]
    folders: tuple[str, ...]
    git_url: str
    git_tags: str
    openapi: str
    inputs: Mapping[str, str]
    clients: Mapping[str, str]
    guard: str
    tools: str
    watch: tuple[Watch, ...]
    probes: Mapping[str, tuple[str, ...]]


@cache
def profiles() -> tuple[Profile, ...]:
    """Every profile there is, by name."""
    folder = files(__package__).joinpath("profiles")
    found = [entry for entry in folder.iterdir() if entry.name.endswith(".yaml")]
    return tuple(
        _read(entry.name.removesuffix(".yaml"), entry.read_text("utf-8")) for entry in sorted(found, key=lambda e: e.name)
    )


def guard(profile: Profile) -> str:
    """The text of the guard a plugin for this host can carry; "" when there is none."""
    return files(__package__).joinpath("profiles", profile.guard).read_text("utf-8") if profile.guard else ""


def _read(name: str, text: str) -> Profile:
    import yaml

    data: dict[str, Any] = yaml.safe_load(text)
    return Profile(
        name=name,
        packages=tuple(data["packages"]),
        implements=tuple(data["implements"]),
        engine=data["engine"],
        keywords=tuple(data["keywords"]),
        config=tuple(data["config"]),
        folders=tuple(data["folders"]),
        git_url=data["git"]["url"],
        git_tags=data["git"]["tags"],
        openapi=data["openapi"],
        inputs=dict(data["inputs"]),
        clients=dict(data["clients"]),
        guard=data.get("guard", ""),
        tools=data["tools"],
        watch=tuple(Watch(row["path"], row["breaks"], tuple(row["when"])) for row in data["watch"]),
        probes={probe: tuple(when) for probe, when in data["probes"].items()},
    )
