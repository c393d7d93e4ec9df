"""An upstream that is a branch: its versions are commits, the newest one is what the branch points at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftwatch.errors import Unobservable, UsageError
from driftwatch.model import Gap
from driftwatch.observe.sources.git.location import COMMIT
from driftwatch.pipeline.sides import Side
from driftwatch.pipeline.world import World
from driftwatch.store.lock import LockedUpstream

if TYPE_CHECKING:
    from driftwatch.config.model import Upstream

SHORT = 12


def before(upstream: Upstream, locked: LockedUpstream | None, asked: str, newest: Side, *, accepting: bool) -> Side:
    """The accepted commit: ``asked`` (--from), else the lock's, else the watchlist's; the newest when that is being accepted."""
    commit = asked or (locked.commit if locked else "") or upstream.accepted or ""
    if not commit and accepting:
        return newest
    if not commit:
        raise UsageError(
            f"upstream {upstream.id!r} has no accepted commit to compare with",
            "run `driftwatch accept`, or write `accepted:` into the watchlist, or pass --from",
        )
    return _side(commit)


def after(upstream: Upstream, world: World, asked: str = "") -> Side:
    """What the branch points at now, or the commit asked for (--to). A branch that cannot be read is a gap."""
    assert upstream.git is not None
    if asked:
        return _side(asked)
    try:
        return _side(world.mirror(upstream.git).branch(upstream.branch))
    except Unobservable as error:
        return Side("", {}, (Gap(f"commit:{upstream.branch}", error.message, error.remedy),))


def _side(commit: str) -> Side:
    if not COMMIT.fullmatch(commit):
        raise UsageError(f"{commit!r} is not a commit", "of a branch, give the full 40 characters of a commit")
    return Side(commit[:SHORT], {}, commit=commit)
