"""Accepting what was seen: the one explicit step from observed to accepted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from driftwatch import addresses
from driftwatch.errors import Refused, UsageError
from driftwatch.pipeline.examine import Examined, Request, terms_for
from driftwatch.pipeline.run import Result, lock_path, run
from driftwatch.pipeline.settings import Settings
from driftwatch.pipeline.versions import pick
from driftwatch.store import lock as locks
from driftwatch.store.lock import Lock, LockedPackage, LockedUpstream

if TYPE_CHECKING:
    from driftwatch.config.model import Watchlist


def propose(
    watchlist: Watchlist, settings: Settings, version: str, only: Sequence[str], because: str, *, probes: bool = True
) -> tuple[Lock, Result]:
    """Look at ``version`` (or the watched dist-tag) and give the lock that accepts it. Writes nothing. Without ``probes`` no
    host is booted, and what only a host can tell is not locked.

    Raises Refused when the verdict is ``broken`` and no reason is given, UsageError when there is no such version.
    """
    result = run(watchlist, settings, Request(after=version, probes=probes, accepting=True), only)
    old = locks.read(lock_path(watchlist)) or Lock()
    upstreams = dict(old.upstreams)
    for item in result.examined:
        _refuse(item, because)
        upstreams[item.report.id] = locked(item, watchlist, settings, old.upstreams.get(item.report.id))
    return Lock(upstreams), result


def _refuse(item: Examined, because: str) -> None:
    report = item.report
    if not report.after.version:
        raise UsageError(f"{report.id}: there is no version to accept", "see `driftwatch poll`")
    packument = item.polled.packuments.get(report.after.package)
    branch = bool(report.after.commit) and not report.after.package
    if not branch and (packument is None or report.after.version not in packument.versions):
        near = pick(report.after.version, packument.versions).version if packument else ""
        raise UsageError(
            f"{report.after.package} {report.after.version} is not a version the registry has: not accepted",
            f"the nearest below is {near}" if near else "see `driftwatch poll`",
        )
    if report.outcome == "broken" and not because:
        breaking = sum(finding.counts and finding.severity == "breaking" for finding in report.findings)
        span = f"{report.id} {report.before.version} -> {report.after.version}"
        raise Refused(
            f"{span} is broken ({breaking} breaking findings): not accepted",
            "read the report, then fix or waive them, or accept all the same with --because 'REASON'",
        )


def locked(item: Examined, watchlist: Watchlist, settings: Settings, old: LockedUpstream | None) -> LockedUpstream:
    """What one look makes of the lock of its upstream: its versions, and the facts that the watchlist relies on."""
    upstream = next(each for each in watchlist.upstreams if each.id == item.report.id)
    terms = terms_for(upstream, watchlist, settings.now.date())
    relied = addresses.compile(reliance.address for reliance in terms.reliances)
    integrity = {
        name: {version: info.integrity for version, info in packument.versions.items()}
        for name, packument in item.polled.packuments.items()
    }
    packages = {
        row.name: LockedPackage(row.after, integrity.get(row.name, {}).get(row.after, ""))
        for row in item.report.packages
        if row.after
    }
    tags = {
        f"{name}#{tag}": version
        for name, packument in item.polled.packuments.items()
        for tag, version in packument.dist_tags.items()
    }
    targets = dict(old.tag_targets) if old else {}
    if item.new.ref.commit and upstream.git and not upstream.branch:
        targets = {upstream.git.tags.replace("{version}", item.new.ref.version): item.new.ref.commit}
    return LockedUpstream(
        version=item.new.ref.version,
        commit=item.new.ref.commit,
        packages=packages,
        tags=tags or (dict(old.tags) if old else {}),
        tag_targets=targets,
        facts={fact.address: fact.value for fact in item.new.facts if relied(fact.address)},
    )
