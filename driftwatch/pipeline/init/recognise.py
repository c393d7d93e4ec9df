"""Which host a project is for, by what it depends on, what it says and which files it has."""

from __future__ import annotations

import shlex

from driftwatch.errors import UsageError, did_you_mean
from driftwatch.observe.hosts.profile import Profile, profiles
from driftwatch.pipeline.init.project import Project, members_using

MOST = 10  # packages of a monorepo that are named in a message


def recognise(project: Project, host: str = "") -> Profile:
    """The profile of the host (named, or found). Raises UsageError with what was looked for, or which package of a monorepo
    to name instead."""
    known = profiles()
    if host:
        for profile in known:
            if profile.name == host:
                return profile
        names = [profile.name for profile in known]
        raise UsageError(f"no host {host!r} is known", did_you_mean(host, names) or f"known: {', '.join(names)}")
    for profile in known:
        if signs(project, profile):
            return profile
    packages = frozenset(package for profile in known for package in profile.packages)
    if inside := members_using(project, packages):
        calls = "; ".join(f"driftwatch init {_word(f'{project.root.name}/{member}')}" for member in inside[:MOST])
        calls += f"; and {len(inside) - MOST} more" if len(inside) > MOST else ""
        raise UsageError(f"{project.root} holds several packages, and it is these that use a known host", f"run: {calls}")
    raise UsageError(
        f"{project.root} is no project of a host that is known"
        + ("" if project.packaged else ": it has no package.json")
        + f" (looked for a dependency on {', '.join(sorted(packages))}, for `engines`, `keywords` and the host's own files)",
        f"name the project's folder, or say which host it is for: --host {known[0].name}",
    )


def _word(path: str) -> str:
    """As it may be typed into a shell, on one line."""
    return shlex.quote(path) if path.isprintable() else repr(path)


def signs(project: Project, profile: Profile) -> tuple[str, ...]:
    """What speaks for this host: dependencies, the engine, keywords, configuration and plugin folders."""
    found = [name for name in profile.packages if name in project.dependencies]
    found += [f"engines.{profile.engine}"] if project.engine(profile.engine) else []
    found += [f"the keyword {word}" for word in profile.keywords if word in project.keywords]
    return (*found, *(place for place in (*profile.config, *profile.folders) if (project.root / place).exists()))


def packages_of(project: Project, profile: Profile) -> tuple[str, ...]:
    """The upstream's packages: the host's own, the best one the project names first."""
    named = [name for name in profile.packages if name in project.dependencies]
    return (*named[:1], *(name for name in profile.packages if name not in named[:1]))
