"""A report told on GitHub: as a comment, as a pull request that accepts it, as an issue while something is broken."""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from driftwatch.errors import EXIT_FINDINGS, UsageError
from driftwatch.model import Report, TagRow, UpstreamReport
from driftwatch.pipeline import stamping
from driftwatch.pipeline.own import Own
from driftwatch.pipeline.run import lock_path, reports_folder, seen_path
from driftwatch.publish import comment as comments
from driftwatch.publish import issue as issue_
from driftwatch.publish import pull as pulls
from driftwatch.publish.api import Api
from driftwatch.publish.common import LONGEST, Done
from driftwatch.publish.place import Place
from driftwatch.render import clean, render, summary
from driftwatch.render.comment import fit, mark
from driftwatch.render.page import slug
from driftwatch.store import lock as locks
from driftwatch.store.lock import Lock

if TYPE_CHECKING:
    from driftwatch.config.model import Watchlist

BRANCH = "driftwatch/update"
REPORTS = ("latest.json", "latest.md", "latest.html", "index.html", "history.jsonl")
MOST = 20 * 1024 * 1024  # bytes of one proposed file
UNTRUSTED = (
    "> This report was made on the pull request's own code, without secrets; that code could have written anything into it.\n\n"
)


def moved(report: Report) -> bool:
    """Whether a version or a dist-tag is seen elsewhere than where it was accepted. What could not be seen has not moved, and a
    tag ahead that only goes on moving (a nightly build) is no news, unless its name touches something relied on."""
    return any(_span(one) or any(tag.change != "same" and not _nightly(one, tag) for tag in one.tags) for one in report.upstreams)


def _nightly(one: UpstreamReport, tag: TagRow) -> bool:
    row = next((row for row in one.early if (row.package, row.tag) == (tag.package, tag.name)), None)
    return row is not None and row.change.startswith("moved") and not row.touches


def _span(one: UpstreamReport) -> str:
    """From which version to which, "" when it stands or is not known."""
    if not one.after.version or not summary.is_moved(one):
        return ""
    return f"{one.id} {one.before.version or 'unknown'} → {one.after.version}"


def outputs(report: Report) -> Mapping[str, str]:
    """What later steps of a workflow decide by: words of ours only, nothing of upstream."""
    return {
        "outcome": report.outcome,
        "exit-code": str(report.exit_code),
        "moved": str(moved(report)).lower(),
        "broken": str(report.exit_code == EXIT_FINDINGS or report.outcome == "broken").lower(),
    }


def comment(api: Api, place: Place, report: Report, number: int, author: str, *, untrusted: bool = False) -> Done:
    """The one comment of this project on a pull request. A report in which nothing moved begins none."""
    if untrusted:
        report = replace(report, rerun="")  # a command that somebody else wrote
    more = f"\nThe whole report is kept with [the run]({place.run}).\n" if place.run and not untrusted else ""
    lead = UNTRUSTED if untrusted else ""
    text = fit(report, LONGEST - len(lead.encode()) - len(more.encode()))
    first, _, rest = text.partition("\n")
    return comments.stick(
        api, place.repository, number, mark(report), f"{first}\n{lead}{rest}{more}", author, quiet=not report.upstreams
    )


def issues(api: Api, place: Place, report: Report, author: str) -> list[tuple[str, Done]]:
    """One issue an upstream, while it is broken."""
    return [(upstream.id, _issue(api, place, report, upstream, author)) for upstream in report.upstreams]


def _issue(api: Api, place: Place, report: Report, upstream: UpstreamReport, author: str) -> Done:
    first = f"<!-- driftwatch-issue:{slug(report.project)}:{slug(upstream.id)} -->"
    version = clean.line(upstream.after.version, 60) or "unknown"
    if upstream.outcome == "broken":
        alone = replace(report, upstreams=(upstream,), outcome=upstream.outcome)
        body = f"{first}\n{fit(alone, LONGEST - len(first) - 1)}"
        title = clean.line(f"{upstream.id} {version} breaks what {report.project} relies on", 200)
        return issue_.follow(api, place.repository, first, "broken", title, body, author)
    word = f"Everything relied on holds again at `{version.replace('`', '')}`."
    state: issue_.State = "unknown" if upstream.outcome == "unverified" else "holds"
    return issue_.follow(api, place.repository, first, state, "", word, author)


def pull_request(api: Api, place: Place, report: Report, watchlist: Watchlist, *, branch: str = BRANCH, base: str = "") -> Done:
    """The one pull request with the report's files and the lock as they are in the work tree, and with the stamps that this
    lock asks for; taken back when nothing is moved any more. Raises UsageError where a stamp has no place."""
    base = base or pulls.default_branch(api, place.repository)
    if not moved(report):
        if report.outcome == "unverified":
            return Done("left-alone", why="not everything could be looked at")
        return pulls.withdraw(api, place.repository, branch, base, "Nothing differs from what was accepted any more.")
    with Own(watchlist.root) as own:
        root = own.root
    lock = _accepting(report, watchlist)
    files = _files(watchlist, root)
    stamped = stamping.plan(watchlist, lock, datetime.fromisoformat(report.generated_at)) if lock else {}
    spans = ", ".join(filter(None, map(_span, report.upstreams)))
    title = clean.line(f"driftwatch: {spans or 'dist-tags moved'} ({report.outcome})", 200)
    lead = f"{_meaning(lock, stamped)}\n\n"
    digest = _digest(report, files)
    proposal = pulls.Proposal(
        branch=branch,
        base=base,
        title=title,
        body=f"{lead}{fit(report, LONGEST - len(lead.encode()))}",
        message=clean.line(f"Report drift: {spans or 'dist-tags moved'}", 200),
        files=files | {_inside(path, root): data for path, data in stamped.items()},
        executable=frozenset(_inside(path, root) for path in stamped if path.stat().st_mode & stat.S_IXUSR),
        digest=digest,
    )
    return pulls.propose(api, place.repository, proposal)


def _accepting(report: Report, watchlist: Watchlist) -> Lock | None:
    """The lock in the work tree, when it accepts what the report is about."""
    lock = locks.read(lock_path(watchlist))
    accepted = {name: one.version for name, one in lock.upstreams.items()} if lock else {}
    return lock if all(accepted.get(one.id) == one.after.version for one in report.upstreams) else None


def _meaning(lock: Lock | None, stamped: Collection[Path]) -> str:
    """What merging means."""
    if lock is None:
        return "Merging this keeps the report; it accepts nothing, the lock stays where it is."
    return f"Merging this accepts what the report is about: the lock moves with it{', and the stamps' if stamped else ''}."


def _files(watchlist: Watchlist, root: Path) -> dict[str, bytes]:
    """The reports, the state of the watch and the lock, by their path from the repository's root."""
    folder = reports_folder(watchlist)
    wanted = [*(folder / name for name in REPORTS), seen_path(watchlist), lock_path(watchlist)]
    return {_inside(path, root): _read(path) for path in wanted if path.is_file()}


def _inside(path: Path, root: Path) -> str:
    try:
        return path.resolve().relative_to(root).as_posix()
    except ValueError:
        raise UsageError(f"{path} is outside of the repository", "keep the reports inside of it") from None


def _read(path: Path) -> bytes:
    if path.stat().st_size > MOST:
        raise UsageError(f"{path} is larger than {MOST // 1024 // 1024} MiB", "it is not proposed")
    return path.read_bytes()


def _digest(report: Report, files: Mapping[str, bytes]) -> str:
    """The same while the report says the same (times aside) and the lock is the same."""
    upstreams = tuple(map(_timeless, report.upstreams))
    text = render(replace(report, generated_at="", upstreams=upstreams), "json")
    lock = [data for path, data in sorted(files.items()) if path.endswith(".lock")]
    return hashlib.sha256(b"\0".join([text.encode(), *lock])).hexdigest()[:32]


def told(done: Done, what: str) -> dict[str, Any]:
    return {"what": what, "action": done.action, "url": done.url, "why": done.why}


def _timeless(one: UpstreamReport) -> UpstreamReport:
    """Without what differs from run to run although nothing that is judged moved."""
    probes = tuple(replace(probe, seconds=0.0, evidence=()) for probe in one.probes)
    return replace(one, probes=probes, trend=(), releases=())
